import { CONCEPT_URI, inQuery, LIST, type Parameter } from '../../interface/read/parameters.ts'

/** The parameters with few values, by their names. */
export const CHOICES = {
  direction: ['forward', 'backward', 'both'],
  mode: ['and', 'or'],
  cardinality: ['1-to-n', '1-to-1'],
  sort: ['created', 'modified', 'mappingRelevance'],
  order: ['asc', 'desc'],
} as const

/** The parameters that choose mappings, for the OpenAPI document. */
export const MAPPING_PARAMETERS = {
  mappingFrom: inQuery(
    'from',
    `URI or notation of a concept; with \`*\` at its end, the beginning of a URI or notation; ${LIST}`,
    CONCEPT_URI,
  ),
  mappingTo: inQuery('to', `The same for the other side; ${LIST}`),
  mappingFromScheme: inQuery('fromScheme', `A vocabulary: its URI, another identifier, or a notation; ${LIST}`),
  mappingToScheme: inQuery('toScheme', `The same for the other side; ${LIST}`),
  mappingDirection: inQuery(
    'direction',
    '`backward`: `from` and `fromScheme` refer to the side that mappings lead to, `to` and `toScheme` to the other side. `both`: mappings in either direction.',
    { type: 'string', enum: CHOICES.direction, default: 'forward' },
  ),
  mappingMode: inQuery('mode', 'Whether all conditions or one of them have to be true', {
    type: 'string',
    enum: CHOICES.mode,
  }),
  mappingType: inQuery('type', `URI of a mapping property of SKOS; ${LIST}`),
  mappingIdentifier: inQuery(
    'identifier',
    `URI of a mapping, another of its identifiers, or \`urn:jskos:mapping:content:...\` and \`urn:jskos:mapping:members:...\` from jskos-tools; ${LIST}`,
  ),
  mappingPartOf: inQuery(
    'partOf',
    `A concordance: its URI, another identifier, or a notation; \`any\`: mappings of concordances, \`none\`: of none; ${LIST}`,
  ),
  mappingCreator: inQuery('creator', `URI of a creator, or a part of a name; ${LIST}`),
  mappingCardinality: inQuery('cardinality', '`1-to-1`: only mappings to at most one concept', {
    type: 'string',
    enum: CHOICES.cardinality,
    default: '1-to-n',
  }),
  annotatedFor: inQuery(
    'annotatedFor',
    'Only mappings with an annotation of this motivation, such as `assessing`; `any`: with annotations; `none`: without annotations; `!assessing`: without annotations of this motivation',
  ),
  annotatedWith: inQuery(
    'annotatedWith',
    `Only mappings with an annotation of this \`bodyValue\`, such as \`+1\`; ${LIST}`,
  ),
  annotatedBy: inQuery('annotatedBy', `Only mappings with an annotation by this creator: a URI or a name; ${LIST}`),
} satisfies Record<string, Parameter>

/** The parameters for the order of mappings. */
export const SORTING = {
  mappingSort: inQuery('sort', 'The order of the mappings', {
    type: 'string',
    enum: CHOICES.sort,
    default: 'modified',
  }),
  mappingOrder: inQuery('order', 'Its direction', { type: 'string', enum: CHOICES.order, default: 'desc' }),
} satisfies Record<string, Parameter>

const NOT_APPLYING = ['direction', 'mode', 'identifier', 'cardinality']

/** The parameters that choose the mappings to apply. */
export const APPLYING: Readonly<Record<string, Parameter>> = Object.fromEntries(
  Object.entries(MAPPING_PARAMETERS).filter(([, { name }]) => !NOT_APPLYING.includes(name)),
)

/** The names of parameters in a request. */
export function namesIn(parameters: Readonly<Record<string, Parameter>>): string[] {
  return Object.values(parameters).map(({ name }) => name)
}

/** The names in a request for mappings; `uri` is another one for `identifier`. */
export const CHOOSING = [...namesIn(MAPPING_PARAMETERS), 'uri', ...namesIn(SORTING)]
