import { memoize } from '../../graph/jskos/memoize.ts'
import { conceptsOf, parseMapping, type MappedConcept, type MappedScheme } from '../../graph/jskos/mapping.ts'
import { VOID } from '../../base/namespaces.ts'
import { EVERY_MAPPING } from '../../graph/index/mappings/mapping-reader.ts'
import { readShape } from '../../graph/shapes/read.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { readNamespaces, type Namespace } from '../../graph/vocabularies/namespaces.ts'
import { vocabulariesNamed, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import type { PageRequest } from './page-request.ts'
import type { Item } from './records.ts'
import { namesOf, readPropertyNames } from './statements.ts'
import { vocabularyItem } from './vocabulary-heading.tsx'

/** A mapped concept that no vocabulary of the store has: its names as far as they are known, and its vocabulary. */
export interface MappedElsewhere extends Item {
  uri: string
  vocabulary: Item | undefined
}

/**
 * Names of mapped concepts that are in no vocabulary of the store: from loaded mappings, else from any graph. The
 * beginnings of their URIs give the names of their vocabularies.
 *
 * @param from the concept that is mapped.
 * @param uris of the mapped concepts.
 * @returns an entry for each concept, by URI.
 * @throws the errors of the store.
 */
export async function mappedElsewhere(
  request: PageRequest,
  from: string,
  uris: readonly string[],
): Promise<ReadonlyMap<string, MappedElsewhere>> {
  if (uris.length === 0) return new Map()
  const { dependencies, signal } = request
  const [names, loaded, vocabularies] = await Promise.all([
    readPropertyNames(dependencies.client, uris.filter(isAbsoluteIri), signal),
    namesInMappings(request, from, uris.length),
    dependencies.registry.list(),
  ])
  const spaces = spacesOfNames(vocabularies, dependencies.config.dataDir)
  return new Map(
    uris.map((uri) => {
      const mapped = loaded.get(uri)
      const item = { uri, ...namesOf(names.get(uri)), ...mapped?.item }
      return [uri, { ...item, vocabulary: mapped?.vocabulary ?? spaces(uri) }]
    }),
  )
}

/** A limit for the mappings of one concept that are looked at for names. */
const MOST_MAPPINGS = 1000

interface MappedName {
  item: Omit<Item, 'uri'>
  vocabulary: Item | undefined
}

/** The names in the texts of loaded mappings; none while the index is being read. */
async function namesInMappings(
  { dependencies: { indexedMappings, registry }, signal }: PageRequest,
  from: string,
  count: number,
): Promise<ReadonlyMap<string, MappedName>> {
  const byUri = new Map<string, MappedName>()
  if ((await registry.concordances()).length === 0) return byUri
  const vocabularies = await registry.list()
  const page = { limit: Math.min(MOST_MAPPINGS, 4 * count + 20), offset: 0 }
  const { mappings } = await indexedMappings
    .find({ ...EVERY_MAPPING, direction: 'both', from: [from], page }, signal)
    .catch(() => ({ mappings: [] as { jskos: string | null }[] }))
  for (const { jskos } of mappings) {
    const mapping = jskos === null ? undefined : parseMapping(jskos)
    if (!mapping) continue
    for (const [bundle, scheme] of [
      [mapping.from, mapping.fromScheme],
      [mapping.to, mapping.toScheme],
    ] as const) {
      for (const concept of conceptsOf(bundle)) {
        if (concept.uri === undefined || concept.uri === from || byUri.has(concept.uri)) continue
        byUri.set(concept.uri, {
          item: namesIn(concept),
          vocabulary: scheme ? vocabularyOf(scheme, vocabularies) : undefined,
        })
      }
    }
  }
  return byUri
}

function vocabularyOf(scheme: MappedScheme, vocabularies: readonly Vocabulary[]): Item | undefined {
  const registered = scheme.uri === undefined ? undefined : vocabulariesNamed(vocabularies, [scheme.uri])[0]
  if (registered) return vocabularyItem(registered)
  const item = namesIn(scheme)
  // The namespace may have a better name than the end of a URI.
  return item.prefLabel === undefined ? undefined : { ...item, ...(scheme.uri !== undefined && { uri: scheme.uri }) }
}

/** The names of a JSKOS object, without malformed ones. */
function namesIn({ prefLabel, notation }: MappedConcept | MappedScheme): Omit<Item, 'uri'> {
  const labels = Object.entries((prefLabel ?? {}) as Record<string, unknown>).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1].trim() !== '',
  )
  const notations = Array.isArray(notation) ? notation.filter((text) => typeof text === 'string') : []
  return {
    ...(labels.length > 0 && { prefLabel: Object.fromEntries(labels) }),
    ...(notations.length > 0 && { notation: notations }),
  }
}

/**
 * Returns a function that finds the vocabulary of a URI: in the store, in the operator's namespaces, or among
 * well-known ones.
 */
function spacesOfNames(vocabularies: readonly Vocabulary[], dataDir: string): (uri: string) => Item | undefined {
  const spaces = vocabularies.flatMap((vocabulary) =>
    vocabulary.isSubset
      ? []
      : (vocabulary.values.get(`${VOID}uriSpace`) ?? []).map((start) => [start, vocabulary] as const),
  )
  const isAt = (uri: string) => {
    const plain = uri.replace(/^https:/, 'http:')
    return ([start]: readonly [string, unknown]) => plain.startsWith(start.replace(/^https:/, 'http:'))
  }
  return (uri) => {
    const [, vocabulary] = spaces.find(isAt(uri)) ?? []
    if (vocabulary) return vocabularyItem(vocabulary)
    const [, scheme] = namespaces(dataDir).find(isAt(uri)) ?? []
    const [registered] = scheme === undefined ? [] : vocabulariesNamed(vocabularies, [scheme])
    if (registered) return vocabularyItem(registered)
    const [, name] = wellKnown().find(isAt(uri)) ?? []
    if (name !== undefined) return { prefLabel: { und: name }, ...(scheme !== undefined && { uri: scheme }) }
    return scheme === undefined ? undefined : { uri: scheme }
  }
}

/**
 * The name of a well-known vocabulary that is elsewhere; undefined for others.
 *
 * @param uri of the vocabulary, or the beginning of the URIs of its concepts.
 */
export function schemeName(uri: string, dataDir: string): string | undefined {
  const plain = (address: string) => address.replace(/^https?:\/\//, '').replace(/[/#]$/, '')
  const starts = namespaces(dataDir).flatMap(([start, scheme]) => (plain(scheme) === plain(uri) ? start : []))
  const isOf = (start: string) =>
    [uri, ...starts].some((address) => `${plain(start)}/`.startsWith(`${plain(address)}/`))
  const [name, ...further] = new Set(wellKnown().flatMap(([start, name]) => (isOf(start) ? name : [])))
  // The beginning of several namespaces names none of them.
  return further.length === 0 ? name : undefined
}

const namespaces = memoize(readNamespaces, new Map<string, Namespace[]>())

let names: readonly (readonly [start: string, name: string])[] | undefined

function wellKnown(): readonly (readonly [start: string, name: string])[] {
  return (names ??= Object.entries(readShape<Record<string, string>>('vocabulary-names.json')))
}
