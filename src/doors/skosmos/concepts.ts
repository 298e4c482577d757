import { unlessEmpty } from '../../base/json.ts'
import type { ConceptMapping } from '../../graph/jskos/fields.ts'
import { inLanguage, isLink, nameOf, type Item, type Link } from '../../graph/jskos/names.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import { conceptsAbove } from '../../interface/read/ancestors.ts'
import { givenParameters } from '../../interface/http/parameters.ts'
import { hostOf, withQuery } from '../../interface/http/addresses.ts'
import { SKOS } from '../../base/namespaces.ts'
import { listRequest } from '../../interface/read/request.ts'
import { recordsByUri } from '../../interface/read/data.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import type { Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { askEndpoint } from '../../routes.ts'
import { contexts } from './contexts.ts'
import { conceptJsonLd } from './data.ts'
import { labelIn, labelOrNull } from './labels.ts'
import {
  badRequest,
  graphOf,
  noConcept,
  notFoundError,
  SkosmosError,
  type SkosmosRequest,
  type VocabularyRequest,
} from './request.ts'
import { localName } from './namespaces.ts'
import { addToList } from '../../base/groups.ts'

/** Concepts above or below one, without `limit`. */
const TRANSITIVE = 1000

/**
 * The record of the concept that a request names, with some fields.
 *
 * @throws SkosmosError 404 if the vocabulary does not have it.
 */
export async function requestedConcept(request: VocabularyRequest, properties?: string): Promise<JskosRecord> {
  const uri = request.parameters.get('uri') ?? ''
  const record = await resourceNamed(request, uri, properties === undefined ? undefined : `inScheme,${properties}`)
  if (!record?.type.includes(`${SKOS}Concept`)) throw unknownConcept(uri)
  return record
}

function unknownConcept(uri: string): SkosmosError {
  return notFoundError(`Could not find concept <${uri}>`)
}

/** The record of a concept, collection or vocabulary; of one in the vocabulary if the request names one. */
async function resourceNamed(
  request: SkosmosRequest | VocabularyRequest,
  uri: string,
  properties: string | undefined,
): Promise<JskosRecord | undefined> {
  if (!isAbsoluteIri(uri)) return undefined
  const vocabulary = 'vocabulary' in request ? request.vocabulary : undefined
  const voc = vocabulary?.isSubset ? vocabulary.uri : undefined
  const { records } = await askEndpoint(request, '/data', { uri, properties, voc })
  const isOwn = (record: JskosRecord) =>
    vocabulary === undefined ||
    vocabulary.isSubset ||
    record.uri === vocabulary.uri ||
    record.inScheme?.some((scheme) => scheme.uri === vocabulary.uri)
  return records.find((record) => record.uri === uri && isOwn(record))
}

/** `label`: the labels of a concept or vocabulary in a language; without one in all. */
export async function label(request: SkosmosRequest | VocabularyRequest) {
  const uri = request.parameters.get('uri')
  if (uri === undefined) throw badRequest('uri parameter missing')
  const record = await resourceNamed(request, uri, 'inScheme,prefLabel,altLabel,hiddenLabel')
  if (!record) throw unknownConcept(uri)
  const language = 'vocabulary' in request ? request.language : request.parameters.get('lang')
  const inIt = <Value>(labels: Record<string, Value> = {}) =>
    language === undefined ? undefined : labelIn(labels, language)
  const textsOf = (labels: Record<string, string[]> = {}) =>
    language === undefined ? Object.values(labels).flat() : (inIt(labels) ?? [])
  const [prefLabel] = language === undefined ? Object.values(record.prefLabel ?? {}) : [inIt(record.prefLabel)]
  const [altLabel, hiddenLabel] = [textsOf(record.altLabel), textsOf(record.hiddenLabel)]
  return {
    '@context': contexts.label(language ?? null),
    uri,
    prefLabel,
    altLabel: unlessEmpty(altLabel),
    hiddenLabel: unlessEmpty(hiddenLabel),
  }
}

/** `broader`, `narrower` and `related`: the direct neighbours of a concept. */
export function relation(name: 'broader' | 'narrower' | 'related') {
  return async (request: VocabularyRequest) => {
    const { language } = request
    const record = await requestedConcept(request, name)
    const related = (record[name] ?? []).flatMap((link) => (link && isLink(link) ? link : []))
    return {
      '@context': contexts.property(name, language),
      uri: record.uri,
      [name]: related.map(({ uri, prefLabel }) => ({ uri, prefLabel: labelOrNull(prefLabel, language) })),
    }
  }
}

/** A number of concepts. @throws SkosmosError 400. */
function readLimit({ parameters }: SkosmosRequest): number {
  const limit = parseInt(parameters.get('limit')?.replace(/[^\d+-]/g, '') ?? '', 10) || TRANSITIVE
  if (limit < 0) throw badRequest('Invalid limit parameter')
  return limit
}

/**
 * The concept of a request and the concepts above it, the nearest first, with the fields that records have by default.
 *
 * @throws SkosmosError 404 if the vocabulary does not have the concept; the errors of the store.
 */
export async function withAbove(request: VocabularyRequest): Promise<JskosRecord[]> {
  const { dependencies, vocabulary, signal } = request
  const uri = request.parameters.get('uri') ?? ''
  if (!isAbsoluteIri(uri)) throw unknownConcept(uri)
  const parameters = givenParameters({ uri, voc: vocabulary.uri })
  const recordsRequest = await listRequest(dependencies, { parameters, signal })
  return [await requestedConcept(request), ...(await conceptsAbove(dependencies, recordsRequest, uri))]
}

/** The URIs of the resources that a field of a record names. */
export const urisOf = (links: readonly (Item | null)[] | undefined) => (links ?? []).flatMap((link) => link?.uri ?? [])

function transitive(
  request: VocabularyRequest,
  name: string,
  direct: 'broader' | 'narrower',
  records: readonly JskosRecord[],
) {
  const { language } = request
  return {
    '@context': contexts.transitive(name, direct, language),
    uri: records[0]!.uri,
    [name]: Object.fromEntries(
      records.map(({ uri, prefLabel, [direct]: links }) => [
        uri,
        {
          uri,
          prefLabel: labelOrNull(prefLabel, language),
          [direct]: unlessEmpty(urisOf(links)),
        },
      ]),
    ),
  }
}

/** `broaderTransitive`: a concept and all concepts above it, by URI. */
export async function broaderTransitive(request: VocabularyRequest) {
  const limit = readLimit(request)
  const records = new Map((await withAbove(request)).map((record) => [record.uri, record]))
  // Clients follow the broader concepts, including concepts that the store does not describe.
  for (const link of [...records.values()].flatMap(({ broader }) => broader ?? []))
    if (isLink(link) && !records.has(link.uri)) records.set(link.uri, link as JskosRecord)
  return transitive(request, 'broaderTransitive', 'broader', [...records.values()].slice(0, limit))
}

/** `narrowerTransitive`: a concept and all concepts below it, by URI. */
export async function narrowerTransitive(request: VocabularyRequest) {
  const limit = readLimit(request)
  const concept = await requestedConcept(request)
  const voc = request.vocabulary.uri
  const below = { uri: concept.uri, voc, properties: 'prefLabel,broader', limit: String(limit - 1) }
  const { records, total } = await askEndpoint(request, '/descendants', below)
  const concepts = [concept, ...records]
  if (total === undefined || total > records.length) {
    // Only the store knows the narrower concepts of the last concepts.
    const uris = concepts.map((member) => member.uri)
    const withNarrower = await recordsByUri(request, uris, { properties: 'narrower' })
    const asRead = concepts.map((member) => ({ ...member, narrower: withNarrower.get(member.uri)?.narrower ?? [] }))
    return transitive(request, 'narrowerTransitive', 'narrower', asRead)
  }
  const narrower = new Map<string, Link[]>()
  for (const child of records) for (const uri of urisOf(child.broader)) addToList(narrower, uri, child)
  const linked = concepts.map((member) => ({ ...member, narrower: narrower.get(member.uri) ?? [] }))
  return transitive(request, 'narrowerTransitive', 'narrower', linked)
}

/** The names and descriptions of mapping properties, as Skosmos shows them. */
const MAPPINGS: Readonly<Record<string, [label: string, help: string]>> = {
  exactMatch: ['Exactly matching concepts', 'Concepts of the same meaning in another vocabulary.'],
  closeMatch: ['Closely matching concepts', 'Concepts of nearly the same meaning in another vocabulary.'],
  broadMatch: ['Broader matching concepts', 'Concepts of a broader meaning in another vocabulary.'],
  narrowMatch: ['Narrower matching concepts', 'Concepts of a narrower meaning in another vocabulary.'],
  relatedMatch: ['Related matching concepts', 'Related concepts in another vocabulary.'],
}

/** `mappings`: the mappings of a concept, with names of what they lead to if the service knows it. */
export async function mappings(request: VocabularyRequest) {
  const { parameters, vocabulary, language, fallback } = request
  const uri = parameters.get('uri')
  if (uri === undefined) throw badRequest('uri parameter missing')
  const record = await requestedConcept(request, 'mappings,notation,prefLabel').catch(toUnknown)
  const conceptMappings = record.mappings ?? []
  const uris = parameters.get('external') === 'false' ? [] : conceptMappings.flatMap(targetsOf)
  const targets = await recordsByUri(request, uris, { properties: 'prefLabel,notation,inScheme' })
  const clang = parameters.get('clang')
  const contentLanguage = clang === language ? undefined : clang
  const vocabularies = await request.dependencies.registry.list()
  const shown = conceptMappings.flatMap((mapping) =>
    targetsOf(mapping).map((to) => {
      const target = targets.get(to)
      const scheme = vocabularies.find((candidate) => target?.inScheme?.some((link) => link.uri === candidate.uri))
      const chosen = inLanguage(target?.prefLabel, [language, fallback])
      const notation = target?.notation?.[0]
      const name = (mapping.type[0] ?? '').slice(SKOS.length)
      const [typeLabel, description] = MAPPINGS[name] ?? ['', '']
      return {
        uri,
        notation: notation ?? null,
        type: [`skos:${name}`],
        prefLabel: chosen?.value ?? to,
        from: { memberSet: [{ uri }] },
        to: {
          memberSet: [
            {
              uri: to,
              notation,
              prefLabel: chosen && { [chosen.language]: chosen.value },
            },
          ],
        },
        hrefLink: scheme ? pageOf(to, scheme, language, contentLanguage) : to,
        lang: chosen?.language ?? '',
        vocabName: scheme ? nameOf(scheme, [language, fallback]) : hostOf(to),
        typeLabel,
        description,
        fromScheme: { uri: vocabulary.uri },
        toScheme: scheme && { uri: scheme.uri },
      }
    }),
  )
  return { mappings: shown, graph: await conceptJsonLd(request, await graphOf(request), uri) }
}

/** The address of a concept in Skosmos, below the address of the installation. */
function pageOf(uri: string, vocabulary: Vocabulary, language: string, clang: string | undefined): string {
  const pages = `${vocabulary.ids[0]}/${language}/page/`
  const name = localName(uri, vocabulary)
  return name !== undefined && /^[\w.-]+$/.test(name)
    ? withQuery(pages + name, { clang })
    : withQuery(pages, { clang, uri })
}

const targetsOf = ({ to }: ConceptMapping) => to.memberSet.map((concept) => concept.uri)

/** Two methods have another text for an unknown concept. */
function toUnknown(error: unknown): never {
  if (!(error instanceof SkosmosError) || error.status !== 404) throw error
  throw noConcept()
}
