import { inLanguage, isInLanguage } from '../jskos/names.ts'
import { compareCodePoints } from '../jskos/order.ts'
import { COLLECTION, CONCEPT, DC, DCT, RDFS, SKOS } from '../namespaces.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { iri, literal } from '../sparql/terms.ts'
import type { Vocabulary } from '../vocabularies/vocabulary.ts'
import { contexts } from './contexts.ts'
import { groupRecords } from './groups.ts'
import { labelIn } from './labels.ts'
import { numberOf } from './search.ts'
import { ask, badRequest, type SchemeRequest, type SkosmosRequest, type VocabularyRequest } from './request.ts'

/** Collections and their ISO 25964 kinds. */

/** The language of a request that must have one. @throws SkosmosError 400. */
function languageAsked({ parameters }: SkosmosRequest): string {
  const language = parameters.get('lang')
  if (language === undefined) throw badRequest('lang parameter missing')
  return language
}

const titleOf = ({ prefLabel, ids }: Pick<Vocabulary, 'prefLabel' | 'ids'>, language: string) =>
  inLanguage(prefLabel, [language])?.value ?? ids[0] ?? ''

/** `vocabularies`: all of them, by id. */
export async function vocabularies(asked: SkosmosRequest) {
  const language = languageAsked(asked)
  const all = (await asked.dependencies.registry.list()).filter(({ isSubset, ids }) => !isSubset && ids.length > 0)
  const shown = all.map((one) => ({ uri: one.ids[0]!, id: one.ids[0]!, title: titleOf(one, language) }))
  return {
    '@context': contexts.vocabularies(language, `${asked.address}vocabularies`),
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
export async function information(asked: SchemeRequest) {
  const { dependencies, vocabulary, scheme, id, language, fallback, signal } = asked
  const query = queryTemplate('skosmos/schemes').bind({ terms: { graph: [iri(vocabulary.uri)] } })
  const schemes = new Map<string, Record<string, string>>()
  for (const { scheme: one, p, name } of await dependencies.client.select(query, { signal })) {
    if (one?.type !== 'uri') continue
    const known = schemes.get(one.value) ?? {}
    schemes.set(one.value, known)
    const key = NAMES.get(p?.value ?? '')
    if (key !== undefined && isInLanguage(name!['xml:lang'] ?? '', language)) known[key] = name!.value
  }
  return {
    '@context': contexts.information(language, baseOf(asked)),
    uri: '',
    id,
    title: titleOf(vocabulary, language),
    defaultLanguage: fallback,
    languages: scheme.languages ?? [],
    conceptschemes: [...schemes].map(([uri, names]) => ({ ...names, uri, type: 'skos:ConceptScheme' })),
  }
}

/** The name of skos:Concept and of skos:Collection, in English if there is none in a language. */
const KINDS = {
  [CONCEPT]: { de: 'Begriff', en: 'Concept', fi: 'Käsite', sv: 'Begrepp', fr: 'Concept' },
  [COLLECTION]: { de: 'Sammlung', en: 'Collection', fi: 'Kokoelma', sv: 'Samling', fr: 'Collection' },
} as const

const kindIn = (kind: keyof typeof KINDS, language: string): string => inLanguage(KINDS[kind], [language])!.value

/** `types` of all vocabularies. */
export async function typesOfAll(asked: SkosmosRequest) {
  const language = languageAsked(asked)
  const { records } = await ask(asked, '/types', {})
  return typeList(records, language, asked.address)
}

/** `types` of one vocabulary. */
export async function types(asked: VocabularyRequest) {
  const { records } = await ask(asked, '/types', { voc: asked.vocabulary.uri })
  return typeList(records, asked.language, baseOf(asked))
}

function typeList(
  records: readonly { uri: string; prefLabel?: Record<string, string> }[],
  language: string,
  base: string,
) {
  const shown = records.map(({ uri, prefLabel }) => {
    const label = uri === CONCEPT ? kindIn(CONCEPT, language) : labelIn(prefLabel, language)
    return { uri, ...(label === undefined ? {} : { label }) }
  })
  return { '@context': contexts.types(language, base), uri: '', types: shown }
}

/** `vocabularyStatistics`: how many concepts there are, by class, and how many collections. */
export async function vocabularyStatistics(asked: VocabularyRequest) {
  const { dependencies, vocabulary, id, language, signal } = asked
  const [{ classes }, labels, { total: groups = 0 }] = await Promise.all([
    dependencies.index.figures(vocabulary, signal),
    dependencies.classes.of([vocabulary], signal),
    groupRecords(asked, { limit: '0' }),
  ])
  const [, count = 0, deprecatedCount = 0] = classes.find(([uri]) => uri === CONCEPT) ?? []
  const others = classes.filter(([uri]) => uri !== CONCEPT)
  return {
    '@context': contexts.vocabularyStatistics(language, baseOf(asked)),
    uri: '',
    id,
    title: titleOf(vocabulary, language),
    concepts: { class: CONCEPT, label: kindIn(CONCEPT, language), count, deprecatedCount },
    subTypes: others
      .sort(([a], [b]) => compareCodePoints(a, b))
      .map(([type, ofType, deprecated]) => {
        const label = labelIn(labels.get(type), language)?.[0]
        return { type, count: ofType, deprecatedCount: deprecated, ...(label === undefined ? {} : { label }) }
      }),
    ...(groups > 0
      ? {
          conceptGroups: {
            class: COLLECTION,
            label: kindIn(COLLECTION, language),
            count: groups,
            deprecatedCount: 0,
          },
        }
      : {}),
  }
}

/** The properties of labels, in the order of answers. */
const LABELS = ['prefLabel', 'altLabel', 'hiddenLabel'] as const

/** `labelStatistics`: how many labels there are in each language. */
export async function labelStatistics(asked: SchemeRequest) {
  const { dependencies, vocabulary, scheme, id, language, signal } = asked
  const { labels } = await dependencies.index.figures(vocabulary, signal)
  const tags = [...new Set([...(scheme.languages ?? []), ...labels.map(([, tag]) => tag)])].sort(compareCodePoints)
  const count = (property: string, tag: string) =>
    labels.find(([type, own]) => type === property && own === tag)?.[2] ?? 0
  return {
    '@context': contexts.labelStatistics(language, baseOf(asked)),
    uri: '',
    id,
    title: titleOf(vocabulary, language),
    languages: tags.map((tag) => ({
      language: tag,
      literal: languageName(tag, language),
      properties: LABELS.map((property) => ({ property: `skos:${property}`, labels: count(property, tag) })),
    })),
  }
}

/** The name of a language in another; its tag if it has none. */
function languageName(tag: string, language: string): string {
  try {
    return new Intl.DisplayNames([language, 'en'], { type: 'language', fallback: 'code' }).of(tag) ?? tag
  } catch {
    return tag
  }
}

/** Concepts in a list of changes, without `limit`. */
const CHANGES = 200

/** `new` and `modified`: the concepts with the latest dates of a property, without those that are deprecated. */
export function changes(property: 'created' | 'modified') {
  return async (asked: VocabularyRequest) => {
    const { dependencies, vocabulary, language, parameters, signal } = asked
    const query = queryTemplate('skosmos/dated').bind({
      terms: { of: [iri(vocabulary.uri)], property: [iri(DCT + property)], language: [literal(language)] },
      include: ['page'],
      offset: numberOf(parameters.get('offset')),
      limit: Math.min(numberOf(parameters.get('limit')) || CHANGES, dependencies.config.maxLimit),
    })
    const rows = await dependencies.client.select(query, { signal })
    return {
      '@context': contexts.changes(language),
      changeList: rows.flatMap(({ c, date, label }) => {
        const time = timeOf(date?.value ?? '')
        return time === undefined ? [] : { uri: c!.value, prefLabel: label!.value, date: time, deprecated: false }
      }),
    }
  }
}

/** A date or time of RDF as Skosmos writes it, such as `2026-05-01T00:00:00+0000`; undefined if it is none. */
function timeOf(text: string): string | undefined {
  const [, day, time, zone] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? []
  if (day === undefined || isNaN(Date.parse(day))) return undefined
  return `${day}T${time ?? '00:00:00'}${zone === undefined || zone === 'Z' ? '+0000' : zone.replace(':', '')}`
}
