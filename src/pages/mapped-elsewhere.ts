import { conceptsOf, parseMapping, type MappedConcept, type MappedScheme } from '../jskos/mapping.ts'
import { VOID } from '../namespaces.ts'
import { EVERY_MAPPING } from '../search/mapping-reader.ts'
import { readShape } from '../shapes/read.ts'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import { readNamespaces, type Namespace } from '../vocabularies/namespaces.ts'
import { vocabulariesNamed, type Vocabulary } from '../vocabularies/vocabulary.ts'
import type { PageRequest } from './page-request.ts'
import type { Item } from './records.ts'
import { namesOf, readPropertyNames } from './statements.ts'
import { itemOf } from './vocabulary-heading.tsx'

/** A mapped concept that no vocabulary of the store has: its names as far as they are known, and its vocabulary. */
export interface MappedElsewhere extends Item {
  uri: string
  vocabulary: Item | undefined
}

/**
 * Names of mapped concepts that are in no vocabulary of the store: those of loaded mappings, else those of any graph, and the names of their vocabularies
 * by the beginnings of their URIs.
 *
 * @param from the concept that is mapped.
 * @param uris of the others.
 * @returns one entry for each, by URI.
 * @throws the errors of the store.
 */
export async function mappedElsewhere(
  asked: PageRequest,
  from: string,
  uris: readonly string[],
): Promise<ReadonlyMap<string, MappedElsewhere>> {
  if (uris.length === 0) return new Map()
  const { dependencies, signal } = asked
  const [names, loaded, vocabularies] = await Promise.all([
    readPropertyNames(dependencies.client, uris.filter(isAbsoluteIri), signal),
    namesInMappings(asked, from, uris.length),
    dependencies.registry.list(),
  ])
  const spaces = spacesOfNames(vocabularies, dependencies.config.dataDir)
  return new Map(
    uris.map((uri) => {
      const said = loaded.get(uri)
      const item = { uri, ...namesOf(names.get(uri)), ...said?.item }
      return [uri, { ...item, vocabulary: said?.vocabulary ?? spaces(uri) }]
    }),
  )
}

/** A limit for the mappings of one concept that are looked at for names. */
const MOST_MAPPINGS = 1000

interface Said {
  item: Omit<Item, 'uri'>
  vocabulary: Item | undefined
}

/** The names in the texts of loaded mappings; none while the index is being read. */
async function namesInMappings(
  { dependencies: { index, registry }, signal }: PageRequest,
  from: string,
  count: number,
): Promise<ReadonlyMap<string, Said>> {
  const found = new Map<string, Said>()
  if ((await registry.concordances()).length === 0) return found
  const vocabularies = await registry.list()
  const page = { limit: Math.min(MOST_MAPPINGS, 4 * count + 20), offset: 0 }
  const { mappings } = await index
    .mappings({ ...EVERY_MAPPING, direction: 'both', from: [from], page }, signal)
    .catch(() => ({ mappings: [] as { jskos: string | null }[] }))
  for (const { jskos } of mappings) {
    const mapping = jskos === null ? undefined : parseMapping(jskos)
    if (!mapping) continue
    for (const [bundle, scheme] of [
      [mapping.from, mapping.fromScheme],
      [mapping.to, mapping.toScheme],
    ] as const) {
      for (const concept of conceptsOf(bundle)) {
        if (concept.uri === undefined || concept.uri === from || found.has(concept.uri)) continue
        found.set(concept.uri, {
          item: namesIn(concept),
          vocabulary: scheme ? vocabularyOf(scheme, vocabularies) : undefined,
        })
      }
    }
  }
  return found
}

function vocabularyOf(scheme: MappedScheme, vocabularies: readonly Vocabulary[]): Item | undefined {
  const known = scheme.uri === undefined ? undefined : vocabulariesNamed(vocabularies, [scheme.uri])[0]
  if (known) return itemOf(known)
  const item = namesIn(scheme)
  // The namespace may have a better name than the end of a URI.
  return item.prefLabel === undefined ? undefined : { ...item, ...(scheme.uri !== undefined && { uri: scheme.uri }) }
}

/** The names of something in JSKOS, if they are what JSKOS wants. */
function namesIn({ prefLabel, notation }: MappedConcept | MappedScheme): Omit<Item, 'uri'> {
  const labels = Object.entries((prefLabel ?? {}) as Record<string, unknown>).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1].trim() !== '',
  )
  const notations = Array.isArray(notation) ? notation.filter((one) => typeof one === 'string') : []
  return {
    ...(labels.length > 0 && { prefLabel: Object.fromEntries(labels) }),
    ...(notations.length > 0 && { notation: notations }),
  }
}

/** Tells which vocabulary a URI belongs to: one of the store, of the operator's namespaces, or a well-known one. */
function spacesOfNames(vocabularies: readonly Vocabulary[], dataDir: string): (uri: string) => Item | undefined {
  const own = vocabularies.flatMap((one) =>
    one.isSubset ? [] : (one.values.get(`${VOID}uriSpace`) ?? []).map((start) => [start, one] as const),
  )
  const isAt = (uri: string) => {
    const plain = uri.replace(/^https:/, 'http:')
    return ([start]: readonly [string, unknown]) => plain.startsWith(start.replace(/^https:/, 'http:'))
  }
  return (uri) => {
    const [, vocabulary] = own.find(isAt(uri)) ?? []
    if (vocabulary) return itemOf(vocabulary)
    const [, scheme] = namespaces(dataDir).find(isAt(uri)) ?? []
    const [known] = scheme === undefined ? [] : vocabulariesNamed(vocabularies, [scheme])
    if (known) return itemOf(known)
    const [, name] = wellKnown().find(isAt(uri)) ?? []
    if (name !== undefined) return { prefLabel: { und: name }, ...(scheme !== undefined && { uri: scheme }) }
    return scheme === undefined ? undefined : { uri: scheme }
  }
}

const read = new Map<string, readonly Namespace[]>()

function namespaces(dataDir: string): readonly Namespace[] {
  let found = read.get(dataDir)
  if (!found) read.set(dataDir, (found = readNamespaces(dataDir)))
  return found
}

let names: readonly (readonly [start: string, name: string])[] | undefined

function wellKnown(): readonly (readonly [start: string, name: string])[] {
  return (names ??= Object.entries(readShape<Record<string, string>>('vocabulary-names.json')))
}
