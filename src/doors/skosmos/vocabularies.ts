import { inLanguage, isInLanguage, languageNamer } from '../../graph/jskos/names.ts'
import { compareCodePoints } from '../../graph/jskos/order.ts'
import {
  COLLECTION,
  CONCEPT,
  CONCEPT_GROUP,
  DC,
  DCT,
  LABELS,
  ORDERED_COLLECTION,
  RDFS,
  SKOS,
  THESAURUS_ARRAY,
} from '../../base/namespaces.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri, literal } from '../../graph/sparql/terms.ts'
import type { Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { recordsByUri } from '../../interface/read/data.ts'
import { askEndpoint } from '../../routes.ts'
import { contexts } from './contexts.ts'
import { labelIn } from './labels.ts'
import { numberOrZero } from './search.ts'
import { badRequest, graphOf, type SkosmosRequest, type VocabularyRequest } from './request.ts'

/** The language of a request that must have one. @throws SkosmosError 400. */
function requestedLanguage({ parameters }: SkosmosRequest): string {
  const language = parameters.get('lang')
  if (language === undefined) throw badRequest('lang parameter missing')
  return language
}

const titleOf = ({ prefLabel, ids }: Pick<Vocabulary, 'prefLabel' | 'ids'>, language: string) =>
  inLanguage(prefLabel, [language])?.value ?? ids[0] ?? ''

/** `vocabularies`: all of them, by id. */
export async function vocabularyList(request: SkosmosRequest) {
  const language = requestedLanguage(request)
  const listed = (await request.dependencies.registry.list()).filter(({ isSubset, ids }) => !isSubset && ids.length > 0)
  const shown = listed.map((vocabulary) => ({
    uri: vocabulary.ids[0]!,
    id: vocabulary.ids[0]!,
    title: titleOf(vocabulary, language),
  }))
  return {
    '@context': contexts.vocabularies(language, `${request.address}vocabularies`),
    uri: '',
    vocabularies: shown.sort((a, b) => compareCodePoints(a.id, b.id)),
  }
}

const baseOf = ({ address, id }: VocabularyRequest) => `${address}${encodeURIComponent(id)}/`

/** The properties that name concept schemes, with their names in answers; the later of two counts. */
const NAMES = new Map([
  [`${RDFS}label`, 'label'],
  [`${SKOS}prefLabel`, 'prefLabel'],
  [`${DC}title`, 'title'],
  [`${DCT}title`, 'title'],
])

/** `{vocid}/`: the vocabulary, its languages and its concept schemes. */
export async function information(request: VocabularyRequest) {
  const { dependencies, vocabulary, languages, id, language, fallback, signal } = request
  const query = queryTemplate('skosmos/schemes').bind({ terms: { graph: [iri(vocabulary.uri)] } })
  const schemes = new Map<string, Record<string, string | object>>()
  for (const { scheme: schemeTerm, p, name, subject } of await dependencies.client.select(query, { signal })) {
    if (schemeTerm?.type !== 'uri') continue
    const names = schemes.get(schemeTerm.value) ?? {}
    schemes.set(schemeTerm.value, names)
    if (name === undefined || !isInLanguage(name['xml:lang'] ?? '', language)) continue
    const key = NAMES.get(p?.value ?? '')
    if (subject?.type === 'uri') names['subject'] = { uri: subject.value, prefLabel: name.value }
    else if (key !== undefined) names[key] = name.value
  }
  return {
    '@context': contexts.information(language, baseOf(request)),
    uri: '',
    id,
    title: titleOf(vocabulary, language),
    defaultLanguage: fallback,
    languages,
    conceptschemes: [...schemes].map(([uri, names]) => ({ ...names, uri, type: 'skos:ConceptScheme' })),
  }
}

/** The names of classes of SKOS and ISO 25964, for data that do not name them. */
const KINDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [CONCEPT]: { de: 'Begriff', en: 'Concept', fi: 'Käsite', sv: 'Begrepp', fr: 'Concept' },
  [COLLECTION]: { de: 'Sammlung', en: 'Collection', fi: 'Kokoelma', sv: 'Samling', fr: 'Collection' },
  [CONCEPT_GROUP]: {
    de: 'Begriffsgruppe',
    en: 'Concept group',
    fi: 'Käsiteryhmä',
    sv: 'Begreppsgrupp',
    fr: 'Groupe de concepts',
  },
  [THESAURUS_ARRAY]: {
    de: 'Begriffsreihe',
    en: 'Array of sibling concepts',
    fi: 'Rinnasteisten käsitteiden ryhmä',
    sv: 'Grupp av sidoordnade begrepp',
    fr: 'Tableau de concepts',
  },
}

/** The name of such a class in a language, in English if there is none. */
const kindIn = (kind: string, language: string): string | undefined => inLanguage(KINDS[kind], [language])?.value

/** The classes that count without being subclasses of others. */
const ROOTS = [CONCEPT, COLLECTION, CONCEPT_GROUP, THESAURUS_ARRAY]

/** A class of concepts or collections. */
interface VocabularyClass {
  uri: string
  /** By language tag, `und` without one. */
  labels: Record<string, string>
  superclass?: string | undefined
}

/**
 * The classes of SKOS and ISO 25964 and their subclasses that are used in a vocabulary, the classes of SKOS first.
 *
 * @param vocabulary undefined: any vocabulary.
 * @throws the errors of the store.
 */
async function classesOf(
  { dependencies, signal }: SkosmosRequest,
  vocabulary: Vocabulary | undefined,
): Promise<VocabularyClass[]> {
  const graph = vocabulary && iri(await graphOf({ dependencies, vocabulary }))
  const query = queryTemplate('skosmos/types').bind({
    terms: { root: ROOTS.map(iri), graph: graph && [graph] },
  })
  const classes = new Map<string, VocabularyClass & { isUsed: boolean; above: Set<string> }>()
  for (const { type, label, superclass, isUsed } of await dependencies.client.select(query, { signal })) {
    if (type?.type !== 'uri') continue
    let entry = classes.get(type.value)
    if (!entry) {
      entry = { uri: type.value, labels: {}, isUsed: isUsed?.value === 'true', above: new Set() }
      classes.set(type.value, entry)
    }
    if (label) entry.labels[label['xml:lang']?.toLowerCase() ?? 'und'] ??= label.value
    if (superclass?.type !== 'uri') continue
    entry.superclass ??= superclass.value
    entry.above.add(superclass.value)
  }
  const isBelowRoot = (uri: string) => {
    const above = new Set([uri])
    // The loop also visits members that are added during it.
    for (const superclass of above) for (const next of classes.get(superclass)?.above ?? []) above.add(next)
    return ROOTS.some((root) => above.has(root))
  }
  const place = ({ uri }: VocabularyClass) => (ROOTS.indexOf(uri) + ROOTS.length + 1) % (ROOTS.length + 1)
  return [...classes.values()]
    .filter(({ uri, isUsed }) => isUsed && isBelowRoot(uri))
    .sort((a, b) => place(a) - place(b))
}

/** `types` of all vocabularies. */
export async function allTypes(request: SkosmosRequest) {
  const language = requestedLanguage(request)
  return typeList(await classesOf(request, undefined), language, request.address)
}

/** `types` of one vocabulary. */
export async function vocabularyTypes(request: VocabularyRequest) {
  return typeList(await classesOf(request, request.vocabulary), request.language, baseOf(request))
}

function typeList(classes: readonly VocabularyClass[], language: string, base: string) {
  const shown = classes.map(({ uri, labels, superclass }) => {
    const label = labelIn(labels, language) ?? (superclass === undefined ? kindIn(uri, language) : undefined)
    return { uri, label, superclass }
  })
  return { '@context': contexts.types(language, base), uri: '', types: shown }
}

/** `vocabularyStatistics`: how many concepts there are, by class, and how many collections. */
export async function conceptStatistics(request: VocabularyRequest) {
  const { dependencies, vocabulary, id, language, signal } = request
  const [{ classes }, vocabularyClasses, collections] = await Promise.all([
    dependencies.index.figures(vocabulary, signal),
    classesOf(request, vocabulary),
    collectionFigures(request),
  ])
  const [, count = 0, deprecatedCount = 0] = classes.find(([uri]) => uri === CONCEPT) ?? []
  const classByUri = new Map(vocabularyClasses.map((entry) => [entry.uri, entry]))
  const subclasses = classes.filter(([uri]) => classByUri.has(uri) && !ROOTS.includes(uri))
  return {
    '@context': contexts.vocabularyStatistics(language, baseOf(request)),
    uri: '',
    id,
    title: titleOf(vocabulary, language),
    concepts: { class: CONCEPT, label: kindIn(CONCEPT, language)!, count, deprecatedCount },
    subTypes: subclasses
      .sort(([a], [b]) => compareCodePoints(a, b))
      .map(([type, ofType, deprecated]) => {
        const label = labelIn(classByUri.get(type)?.labels, language)
        return { type, count: ofType, deprecatedCount: deprecated, label }
      }),
    ...collections,
  }
}

/**
 * The number of groups. As in Skosmos, they are of one class: the first one in use; if there are no groups, the number
 * of arrays.
 */
async function collectionFigures(request: VocabularyRequest) {
  for (const [name, ...classes] of [
    ['conceptGroups', COLLECTION, ORDERED_COLLECTION],
    ['conceptGroups', CONCEPT_GROUP],
    ['arrays', THESAURUS_ARRAY],
  ] as const) {
    const { total } = await askEndpoint({ ...request, vocid: request.id }, '/voc/:vocid/groups', {
      type: classes.join('|'),
      limit: '0',
    })
    const [uri] = classes
    const label = kindIn(uri, request.language)
    if (total > 0) return { [name]: { class: uri, label, count: total, deprecatedCount: 0 } }
  }
  return {}
}

/** `labelStatistics`: how many labels there are in each language. */
export async function labelStatistics(request: VocabularyRequest) {
  const { dependencies, vocabulary, languages, id, language, signal } = request
  const { labels } = await dependencies.index.figures(vocabulary, signal)
  // Texts without a language are in none.
  const labelTags = labels.flatMap(([, tag]) => (tag === 'und' ? [] : tag))
  const tags = [...new Set([...languages, ...labelTags])].sort(compareCodePoints)
  const count = (property: string, tag: string) =>
    labels.find(([type, labelTag]) => type === property && labelTag === tag)?.[2] ?? 0
  const nameOfLanguage = languageNamer(language)
  return {
    '@context': contexts.labelStatistics(language, baseOf(request)),
    uri: '',
    id,
    title: titleOf(vocabulary, language),
    languages: tags.map((tag) => ({
      language: tag,
      literal: nameOfLanguage(tag),
      properties: LABELS.map((property) => ({ property: `skos:${property}`, labels: count(property, tag) })),
    })),
  }
}

/** Concepts in a list of changes, without `limit`. */
const CHANGES = 200

/**
 * `new` and `modified`: the concepts with the latest dates of a property. A deprecated concept counts by its last
 * change, with its replacement.
 */
export function latestConcepts(property: 'created' | 'modified') {
  return async (request: VocabularyRequest) => {
    const { dependencies, vocabulary, language, parameters, signal } = request
    const query = queryTemplate('skosmos/dated').bind({
      terms: { of: [iri(vocabulary.uri)], property: [iri(DCT + property)], language: [literal(language)] },
      include: ['page'],
      offset: numberOrZero(parameters, 'offset'),
      limit: Math.min(numberOrZero(parameters, 'limit') || CHANGES, dependencies.config.maxLimit),
    })
    const rows = await dependencies.client.select(query, { signal })
    const replacing = rows.flatMap(({ replacedBy }) => replacedBy?.value ?? [])
    const replacements = await recordsByUri(request, replacing, { properties: 'prefLabel' })
    return {
      '@context': contexts.changes(language),
      changeList: rows.map(({ c, date, label, deprecated, replacedBy }) => {
        const replacingLabel = replacedBy && labelIn(replacements.get(replacedBy.value)?.prefLabel, language)
        return {
          uri: c!.value,
          prefLabel: label!.value,
          date: timeOf(date!.value),
          deprecated: deprecated !== undefined,
          replacedBy: replacedBy?.value,
          replacingLabel,
        }
      }),
    }
  }
}

const DATE = /^(\d{4})(?:-(\d\d))?(?:-(\d\d))?(?:T(\d\d:\d\d:\d\d)(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/

/**
 * A date that the store has found, as Skosmos writes it, such as `2026-05-01T00:00:00+0000`; a year or month as its
 * first day.
 */
function timeOf(text: string): string {
  const [, year, month = '01', day = '01', time = '00:00:00', zone = 'Z'] = DATE.exec(text)!
  return `${year}-${month}-${day}T${time}${zone === 'Z' ? '+0000' : zone.replace(':', '')}`
}
