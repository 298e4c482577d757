import { z } from 'zod'
import { ApiError } from '../errors.ts'
import { findChanges } from '../history/changes.ts'
import type { FollowDependencies } from '../history/activity.ts'
import { withQuery } from '../http/addresses.ts'
import { MAXIMA } from '../http/maxima.ts'
import { givenParameters, malformed } from '../http/parameters.ts'
import { conceptsOf, typeOf } from '../jskos/mapping.ts'
import { inLanguage, nameOf } from '../jskos/names.ts'
import type { JskosRecord } from '../jskos/record.ts'
import { mappingsOf } from '../mappings/endpoints.ts'
import { SKOS } from '../namespaces.ts'
import { narrowerCounts } from '../read/levels.ts'
import { listRequest } from '../read/request.ts'
import { findCandidates } from '../reconcile/candidates.ts'
import { recordsByUri } from '../reconcile/entities.ts'
import { queryForText } from '../reconcile/query.ts'
import { askRoute, type Question, type RouteDependencies, type RoutePath } from '../routes.ts'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import { EVERYTHING } from '../vocabularies/registry.ts'
import { idOf, type Vocabulary } from '../vocabularies/vocabulary.ts'
import { brief, COMPACT_FIELDS, compactConcept, CONCEPT_SHAPE, filled, type NamingOptions } from './concepts.ts'

/** The dependencies of the tools and of the endpoints that they call. */
export interface ToolDependencies extends RouteDependencies, FollowDependencies {}

/** A call of a tool. */
export interface ToolCall {
  dependencies: ToolDependencies
  signal: AbortSignal
  /** Adds a concept with the account of the request; undefined if assistants only read. */
  propose?: ((concept: object) => Promise<JskosRecord[]>) | undefined
}

/** A tool: how a model sees it, and what it does. */
export interface Tool {
  name: string
  title: string
  /** True if it adds something. */
  writes?: true
  /** Describes to a model when to use the tool. It never contains text from a vocabulary. */
  description: string
  input: z.ZodRawShape
  output: z.ZodRawShape
  /** @throws ApiError with words that let a model correct itself. */
  run: (call: ToolCall, input: Record<string, unknown>) => Promise<Record<string, unknown>>
}

/** Bytes of the items of an answer, so that it fits a context. */
const MOST_BYTES = 18_000
const MOST_TERMS = MAXIMA.mcpTerms.most
const MOST_URIS = MAXIMA.mcpUris.most
const MOST_LIMIT = 100

const CONCEPT = z.object(CONCEPT_SHAPE)

const vocabulary = z.string().min(1).max(2000).describe('The id or URI of a vocabulary, as list_vocabularies gives it')
const language = z
  .string()
  .regex(/^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$/)
  .max(35)
  .optional()
  .describe('A language tag such as de or en, for names; without it, the languages of the service')
const limit = z.number().int().min(1).max(MOST_LIMIT).default(20).describe('How many at most')
const cursor = z
  .string()
  .regex(/^\d{1,9}$/)
  .optional()
  .describe('The nextCursor of the answer before, to go on')
const uri = z.string().min(1).max(2000).describe('The URI of a concept')
const LIST = {
  total: z.number().int().describe('How many there are in all'),
  nextCursor: z.string().optional().describe('There are more: pass this as cursor to get them'),
  note: z.string().optional().describe('Says so in words'),
}

/** Makes a tool whose `run` knows the types of its arguments. */
function tool<Input extends z.ZodRawShape>(
  definition: Omit<Tool, 'run' | 'input'> & {
    input: Input
    run: (call: ToolCall, input: z.infer<z.ZodObject<Input>>) => Promise<Record<string, unknown>>
  },
): Tool {
  return definition as unknown as Tool
}

/** THE table of the tools. */
export const TOOLS: readonly Tool[] = [
  tool({
    name: 'list_vocabularies',
    title: 'List vocabularies',
    description:
      'Lists the controlled vocabularies (thesauri, classifications, authority files) of this service with id, name, languages, ' +
      'subjects and size. Call it first if you do not know which vocabulary to use.',
    input: { query: z.string().max(1000).optional().describe('Words of the name'), language, limit, cursor },
    output: {
      vocabularies: z.array(
        z.object({
          id: z.string().describe('Names the vocabulary in other tools'),
          uri: z.string(),
          name: z.string(),
          languages: z.array(z.string()).optional(),
          subjects: z.array(z.string()).optional(),
          concepts: z.number().int().optional().describe('How many concepts it has'),
          page: z.string(),
        }),
      ),
      ...LIST,
    },
    run: async (call, { query, language, limit, cursor }) => {
      const path = query === undefined ? '/voc' : '/voc/search'
      const parameters = {
        search: query,
        language,
        limit: String(limit),
        offset: cursor,
        properties: 'prefLabel,languages,subject',
      }
      const { total, records } = await ask(call, path, parameters)
      const vocabularyByUri = new Map(
        (await call.dependencies.registry.list()).map((registered) => [registered.uri, registered]),
      )
      const naming = namingOf(call, language)
      const vocabularies = await Promise.all(
        records.map(async (record) => {
          const registered = vocabularyByUri.get(record.uri)
          const lengths = registered && (await call.dependencies.index.lengths(registered))
          return toVocabulary(record, { registered, concepts: lengths?.concepts }, naming)
        }),
      )
      return page('vocabularies', vocabularies, total, cursor)
    },
  }),
  tool({
    name: 'search_concepts',
    title: 'Search concepts',
    description:
      'Finds concepts by words of their labels or by notation, the best first; forgives typing errors. Use it whenever you need the ' +
      'URI of a concept: never invent one. Compare description and path before you choose.',
    input: {
      query: z.string().min(1).max(1000).describe('Words, beginnings of words, or a notation'),
      vocabulary: vocabulary.optional(),
      language,
      type: z.string().max(2000).optional().describe('The URI of a class that the concepts must have'),
      limit,
      cursor,
    },
    output: { concepts: z.array(CONCEPT), ...LIST },
    run: async (call, { query, vocabulary, type, language, limit, cursor }) => {
      const voc = vocabulary && (await requireVocabulary(call, vocabulary)).uri
      const parameters = { search: query, voc, type, ...listOf({ language, limit, cursor }) }
      return concepts(call, await ask(call, '/search', parameters), { language, cursor })
    },
  }),
  tool({
    name: 'get_concepts',
    title: 'Get concepts',
    description:
      'Gives concepts by URI, or by notation within a vocabulary: labels, notes, place in the hierarchy, number of narrower concepts, ' +
      'mappings. Use it to check a concept before you cite it.',
    input: {
      uris: z
        .array(z.string().min(1).max(2000))
        .min(1)
        .max(MOST_URIS)
        .describe('URIs; or notations, if vocabulary is given'),
      vocabulary: vocabulary.optional().describe('Needed for notations'),
      language,
    },
    output: {
      concepts: z.array(
        CONCEPT.extend({
          labels: z.record(z.string(), z.string()).optional().describe('Its preferred labels by language'),
          alternative: z.array(z.string()).optional().describe('Other names in this language'),
          notes: z.array(z.string()).optional(),
          broader: z.array(z.object({ uri: z.string(), label: z.string() })).optional(),
          related: z.array(z.object({ uri: z.string(), label: z.string() })).optional(),
          narrowerCount: z.number().int(),
          mappings: z.array(z.object({ relation: z.string(), uri: z.string() })).optional(),
        }),
      ),
      missing: z.array(z.string()).describe('Those that are not here'),
      note: z.string().optional(),
    },
    run: getConcepts,
  }),
  tool({
    name: 'get_narrower',
    title: 'Get narrower concepts',
    description: 'Gives the concepts directly below a concept. Use it to find the most specific concept that fits.',
    input: { uri, language, limit, cursor },
    output: { concepts: z.array(CONCEPT), ...LIST },
    run: async (call, { uri, language, limit, cursor }) => {
      await requireConcept(call, uri)
      const list = await ask(call, '/narrower', { uri, ...listOf({ language, limit, cursor }) })
      return concepts(call, list, { language, cursor })
    },
  }),
  tool({
    name: 'get_ancestors',
    title: 'Get broader concepts up to the top',
    description:
      'Gives all concepts above a concept, the nearest first. Use it to understand in which sense a concept is meant.',
    input: { uri, language, cursor },
    output: { concepts: z.array(CONCEPT), ...LIST },
    run: async (call, { uri, language, cursor }) => {
      await requireConcept(call, uri)
      const list = await ask(call, '/ancestors', { uri, language, offset: cursor, properties: COMPACT_FIELDS })
      return concepts(call, list, { language, cursor })
    },
  }),
  tool({
    name: 'match_terms',
    title: 'Match terms with concepts',
    description:
      `Finds concepts for up to ${MOST_TERMS} words or phrases at once, with scores from 0 to 100. "match" is present only if it is ` +
      'safe to take it without a check; otherwise choose among the candidates, or none.',
    input: {
      terms: z.array(z.string().min(1).max(500)).min(1).max(MOST_TERMS),
      vocabulary: vocabulary.optional(),
      language,
      limit: z.number().int().min(1).max(10).default(3).describe('Candidates for each term at most'),
    },
    output: {
      results: z.array(
        z.object({
          term: z.string(),
          match: z.string().optional().describe('The URI of the concept that the term surely means'),
          candidates: z.array(CONCEPT.extend({ score: z.number() })),
        }),
      ),
      note: z.string().optional(),
    },
    run: matchTerms,
  }),
  tool({
    name: 'find_mappings',
    title: 'Find mappings to other vocabularies',
    description:
      'Gives the concepts of other vocabularies that a concept is mapped to, or that are mapped to it: the same (exactMatch), nearly the ' +
      'same, broader, narrower or related ones.',
    input: { uri, vocabulary: vocabulary.optional().describe('Only mappings to this vocabulary'), language },
    output: {
      mappings: z.array(
        z.object({
          relation: z.enum([
            'exactMatch',
            'closeMatch',
            'broadMatch',
            'narrowMatch',
            'relatedMatch',
            'mappingRelation',
          ]),
          uri: z.string().describe('The other concept'),
          concept: CONCEPT.optional().describe('The same, if it is in this service'),
        }),
      ),
      total: z.number().int(),
      note: z.string().optional(),
    },
    run: findMappings,
  }),
  tool({
    name: 'describe_changes',
    title: 'Describe changes',
    description:
      'Tells which concepts of a vocabulary are new, changed, deprecated or gone since a date, the last change first.',
    input: {
      vocabulary,
      since: z.string().max(40).optional().describe('A date or time such as 2026-01-31'),
      language,
      limit,
      cursor,
    },
    output: { changes: z.array(z.object({ kind: z.string(), time: z.string(), concept: CONCEPT })), ...LIST },
    run: async (call, { vocabulary, since, language, limit, cursor }) => {
      const { dependencies, signal } = call
      const { uri } = await requireVocabulary(call, vocabulary)
      const parameters = givenParameters({ since, ...listOf({ language, limit, cursor }) })
      const result = await findChanges(dependencies, uri, parameters, signal)
      const naming = namingOf(call, language)
      const changes: { kind: string; time: string; concept: ReturnType<typeof compactConcept> }[] = []
      for await (const piece of result.records) {
        for (const record of piece) {
          const { kind, time } = result.changes[changes.length]!
          changes.push({ kind, time, concept: compactConcept(record, naming) })
        }
      }
      return page('changes', changes, result.total, cursor)
    },
  }),
]

const texts = (of: string) =>
  z.record(z.string().max(35), z.string().min(1).max(2000)).describe(`${of}, by language tag`)

/** The only tool that writes, if the operator wants it. */
export const PROPOSE_TOOL: Tool = tool({
  name: 'propose_concept',
  title: 'Propose a concept',
  description:
    'Proposes a new concept for a vocabulary. It is marked as a proposal, the editors get a mail, and a person decides about it. Use it ' +
    'only if the user asks for it, and after search_concepts and match_terms have found nothing that fits.',
  writes: true,
  input: {
    vocabulary,
    prefLabel: texts('The name, in German (de) at least'),
    altLabel: texts('Another name').optional(),
    definition: texts('The meaning').optional(),
  },
  output: { concept: CONCEPT },
  run: async (call, { vocabulary, prefLabel, altLabel, definition }) => {
    const { uri } = await requireVocabulary(call, vocabulary)
    const listed = (some: Record<string, string> | undefined) =>
      some && Object.fromEntries(Object.entries(some).map(([tag, text]) => [tag, [text]]))
    const concept = filled({
      inScheme: [{ uri }],
      prefLabel,
      altLabel: listed(altLabel),
      definition: listed(definition),
    })
    // Editors put it into its place in the hierarchy.
    const [record] = await call.propose!(concept)
    return { concept: compactConcept(record!, namingOf(call, Object.keys(prefLabel)[0])) }
  },
})

const ask = ({ dependencies, signal }: ToolCall, path: RoutePath, parameters: Question['parameters']) =>
  askRoute(dependencies, path, { parameters, signal })

/** The parameters of a list of concepts. */
function listOf({
  language,
  limit,
  cursor,
}: {
  language: string | undefined
  limit: number
  cursor: string | undefined
}) {
  return { language, limit: String(limit), offset: cursor, properties: COMPACT_FIELDS }
}

function namingOf({ dependencies: { config } }: ToolCall, language: string | undefined): NamingOptions {
  // Without the language asked for, English; then whatever there is.
  return { preferred: language === undefined ? config.defaultLanguages : [language, 'en'], baseUrl: config.baseUrl }
}

/** A page of concepts in few words. */
function concepts(
  call: ToolCall,
  { total, records }: { total: number; records: readonly JskosRecord[] },
  { language, cursor }: { language: string | undefined; cursor?: string | undefined },
): Record<string, unknown> {
  const naming = namingOf(call, language)
  return page(
    'concepts',
    records.map((record) => compactConcept(record, naming)),
    total,
    cursor,
  )
}

/** As many items as fit, and how to go on. */
function page(
  name: string,
  items: readonly object[],
  total: number,
  cursor: string | undefined,
): Record<string, unknown> {
  const fitting = fit(items)
  const next = Number(cursor ?? 0) + fitting.length
  const hasMore = next < total && fitting.length > 0
  return {
    [name]: fitting,
    total,
    ...(hasMore && {
      nextCursor: String(next),
      note: `These are ${fitting.length} of ${total}. Call again with cursor "${next}" for more, or ask more narrowly.`,
    }),
  }
}

/** The first items that fit into an answer, at least one. */
function fit<Item extends object>(items: readonly Item[]): Item[] {
  let bytes = 0
  const end = items.findIndex((item) => (bytes += Buffer.byteLength(JSON.stringify(item))) > MOST_BYTES)
  return items.slice(0, end < 0 ? items.length : Math.max(1, end))
}

/** @throws ApiError EntityNotFoundError that names the vocabularies that are here. */
async function requireVocabulary({ dependencies: { registry } }: ToolCall, name: string): Promise<Vocabulary> {
  const match = await registry.find(name)
  if (match) return match
  const present = (await registry.list()).filter(({ isSubset }) => !isSubset)
  const ids = present.slice(0, MOST_LIMIT).map(idOf)
  throw new ApiError('EntityNotFoundError', `vocabulary: there is none with this id. There are: ${ids.join(', ')}.`)
}

/** @throws ApiError MalformedRequestError for what is no URI; EntityNotFoundError if no vocabulary has the concept. */
async function requireConcept(call: ToolCall, uri: string): Promise<JskosRecord> {
  if (!isAbsoluteIri(uri)) {
    throw new ApiError('MalformedRequestError', 'uri: expected an absolute URI. Use search_concepts to find it.')
  }
  const { records } = await ask(call, '/data', { uri, properties: COMPACT_FIELDS })
  const record = records.find(isConcept)
  if (record) return record
  const reason = records.length > 0 ? 'this is a vocabulary or a collection' : 'no vocabulary here has this concept'
  throw new ApiError('EntityNotFoundError', `uri: ${reason}. Use search_concepts to find the right one.`)
}

const isConcept = ({ type }: JskosRecord) => type.includes(`${SKOS}Concept`)

const WHOLE_FIELDS = `${COMPACT_FIELDS},altLabel,note,example,broader,related,mapping`

async function getConcepts(
  call: ToolCall,
  { uris, vocabulary, language }: { uris: string[]; vocabulary?: string | undefined; language?: string | undefined },
): Promise<Record<string, unknown>> {
  const voc = vocabulary && (await requireVocabulary(call, vocabulary)).uri
  const [iris, notations] = [uris.filter(isAbsoluteIri), uris.filter((name) => !isAbsoluteIri(name))]
  if (notations.length > 0 && voc === undefined) {
    throw new ApiError(
      'MalformedRequestError',
      'uris: expected absolute URIs. For notations, name their vocabulary too.',
    )
  }
  const recordsFound: JskosRecord[] = []
  const shown = { voc, language, properties: WHOLE_FIELDS }
  const most = call.dependencies.config.maxLimit
  const add = async (name: 'uri' | 'notation', values: readonly string[]) => {
    for (let start = 0; start < values.length; start += most) {
      const piece = values.slice(start, start + most).join('|')
      recordsFound.push(...(await ask(call, '/data', { ...shown, [name]: piece })).records)
    }
  }
  await add('uri', iris)
  const isList = (notation: string) => notation.includes('|')
  await add(
    'notation',
    notations.filter((notation) => !isList(notation)),
  )
  for (const notation of notations.filter(isList)) {
    // /data would take it for several notations.
    const { records } = await ask(call, '/search', { ...shown, search: notation, use: 'notation' })
    recordsFound.push(...records.filter((record) => record.notation?.includes(notation)))
  }
  const naming = namingOf(call, language)
  const concepts = recordsFound.filter((record) => record.inScheme !== undefined && isConcept(record))
  const conceptUris = concepts.map((record) => record.uri)
  const counts = await narrowerCounts(call.dependencies, conceptUris, EVERYTHING, call.signal)
  const answered = concepts.map((record) => wholeConcept(record, counts.get(record.uri) ?? 0, naming))
  const names = new Set(concepts.flatMap((record) => [record.uri, ...(record.notation ?? [])]))
  const fitting = fit(answered)
  return {
    concepts: fitting,
    missing: uris.filter((name) => !names.has(name)),
    ...(fitting.length < answered.length && {
      note: `These are ${fitting.length} of ${answered.length} that were found. Ask for the others by themselves.`,
    }),
  }
}

/** Texts of a list in an answer, and labels of one concept. */
const MOST_TEXTS = 20

/** The full description of a concept, without fields that repeat others. */
function wholeConcept(record: JskosRecord, narrowerCount: number, naming: NamingOptions): object {
  const { preferred } = naming
  const named = (links: JskosRecord['broader']) =>
    links?.slice(0, MOST_TEXTS).map((link) => ({ uri: link.uri, label: brief(nameOf(link, preferred)) }))
  const labels = Object.entries(record.prefLabel ?? {}).slice(0, MOST_TEXTS)
  const notes = [record.definition, record.scopeNote, record.note, record.example].flatMap(
    (some) => inLanguage(some, preferred)?.value ?? [],
  )
  return filled({
    ...compactConcept(record, naming),
    labels: record.prefLabel && Object.fromEntries(labels.map(([tag, text]) => [tag, brief(text)])),
    alternative: inLanguage(record.altLabel, preferred)?.value.slice(0, MOST_TEXTS).map(brief),
    notes:
      notes.length > 0
        ? notes
            .filter((note) => typeof note === 'string')
            .slice(0, MOST_TEXTS)
            .map((note) => note.slice(0, 2000))
        : undefined,
    broader: named(record.broader),
    related: named(record.related),
    narrowerCount,
    mappings: record.mapping?.slice(0, MOST_TEXTS).map(({ type, to }) => ({ relation: relationOf(type), uri: to })),
  })
}

const relationOf = (type: string) => type.replace(/^.*[#/]/, '')

async function matchTerms(
  call: ToolCall,
  {
    terms,
    vocabulary,
    language,
    limit,
  }: { terms: string[]; vocabulary?: string | undefined; language?: string | undefined; limit: number },
): Promise<Record<string, unknown>> {
  const { dependencies, signal } = call
  const voc = vocabulary && (await requireVocabulary(call, vocabulary)).uri
  const request = await listRequest(dependencies, { parameters: givenParameters({ voc, language }), signal })
  const queries = terms.map((text) => queryForText(text, limit))
  const candidatesByTerm = await findCandidates(dependencies, request.view.scope, queries, signal)
  const uris = candidatesByTerm.flatMap((some) => some.map(({ uri }) => uri))
  const records = await recordsByUri(dependencies, request, uris, COMPACT_FIELDS)
  const naming = namingOf(call, language)
  const results = terms.map((term, index) => {
    const candidates = candidatesByTerm[index]!.flatMap(({ uri, score }) => {
      const record = records.get(uri)
      return record ? [{ ...compactConcept(record, naming), score }] : []
    })
    return filled({ term, match: candidatesByTerm[index]!.find(({ match }) => match)?.uri, candidates })
  })
  const fitting = fit(results)
  if (fitting.length === results.length) return { results }
  // Every term has an answer; the last ones have less in it.
  const rest = results.slice(fitting.length).map(({ candidates: _, ...result }) => ({ ...result, candidates: [] }))
  const note = `The last ${rest.length} terms have no candidates here, because the answer would be too long. Ask for them again.`
  return { results: [...fitting, ...rest], note }
}

/** The relation of the other concept, for mappings that lead to the one asked for. */
const INVERSE: Readonly<Record<string, string>> = { broadMatch: 'narrowMatch', narrowMatch: 'broadMatch' }

async function findMappings(
  call: ToolCall,
  { uri, vocabulary, language }: { uri: string; vocabulary?: string | undefined; language?: string | undefined },
): Promise<Record<string, unknown>> {
  const { dependencies, signal } = call
  const target = vocabulary === undefined ? undefined : await requireVocabulary(call, vocabulary)
  if (target?.isSubset) throw malformed('vocabulary: expected a vocabulary; mappings lead to no subset')
  await requireConcept(call, uri)
  // By relation and URI: two vocabularies may state the same.
  const mapped = new Map<string, { relation: string; uri: string }>()
  for (const mapping of await mappingsOf(dependencies, uri, signal)) {
    const isFrom = conceptsOf(mapping.from).some((concept) => concept.uri === uri)
    const stated = relationOf(typeOf(mapping))
    const relation = isFrom ? stated : (INVERSE[stated] ?? stated)
    for (const { uri: other } of conceptsOf(isFrom ? mapping.to : mapping.from)) {
      if (other !== undefined) mapped.set(`${relation} ${other}`, { relation, uri: other })
    }
  }
  const request = await listRequest(dependencies, { parameters: givenParameters({ language }), signal })
  const uris = [...new Set([...mapped.values()].map((mapping) => mapping.uri))]
  const present = await recordsByUri(dependencies, request, uris, COMPACT_FIELDS)
  const naming = namingOf(call, language)
  const mappings = [...mapped.values()].flatMap((mapping) => {
    const record = present.get(mapping.uri)
    const isHere = record?.inScheme !== undefined
    const isWanted = !target || (isHere && record.inScheme!.some((scheme) => scheme.uri === target.uri))
    return isWanted ? [filled({ ...mapping, concept: isHere ? compactConcept(record, naming) : undefined })] : []
  })
  const fitting = fit(mappings)
  const note = `These are ${fitting.length} of ${mappings.length}.`
  return { mappings: fitting, total: mappings.length, ...(fitting.length < mappings.length && { note }) }
}

function toVocabulary(
  record: JskosRecord,
  { registered, concepts }: { registered: Vocabulary | undefined; concepts: number | undefined },
  { preferred, baseUrl }: NamingOptions,
): object {
  const id = registered?.ids[0] ?? registered?.notations[0] ?? record.uri
  return filled({
    id,
    uri: record.uri,
    name: brief(nameOf(record, preferred)),
    languages: record.languages,
    subjects: record.subject?.map((subject) => nameOf(subject, preferred)),
    concepts,
    page: baseUrl + withQuery('entity', { uri: record.uri }),
  })
}
