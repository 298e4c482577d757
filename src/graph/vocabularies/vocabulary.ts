import { InputError } from '../../base/files/input-error.ts'
import { INHERITED } from '../jskos/fields.ts'
import {
  compareCodePoints,
  compareRecords,
  isRecordOrder,
  smallest,
  type ChosenOrder,
  type RecordOrder,
} from '../jskos/order.ts'
import { languageTags } from '../jskos/languages.ts'
import { isSubsetNotation, isVocabularyId, vocabularyKey } from '../jskos/names.ts'
import {
  CHOSEN_ORDER,
  DCT,
  ID,
  INPUTS,
  CONCORDANCE_TEXT,
  LOAD,
  NOTATION_TYPE,
  OBJECTS,
  ORDER,
  RESOURCE_NOTES,
  REVISION,
  SKOS,
  TRIPLES,
} from '../../base/namespaces.ts'
import type { ResultTerm, SparqlClient } from '../sparql/client.ts'
import { queryTemplate } from '../sparql/templates.ts'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import { randomBytes } from 'node:crypto'
import { addToList } from '../../base/groups.ts'

/** A vocabulary or a subset in the store. */
export interface Vocabulary {
  /** The URI, which is also the name of the graph. */
  uri: string
  /**
   * The ids of a vocabulary as noted by the loader, or `defaultIds` if another program wrote it; the notations
   * `subset_...` of a subset. In code point order.
   */
  ids: string[]
  notations: string[]
  identifiers: string[]
  /** Names by language tag. */
  prefLabel: Record<string, string>
  /** Further values for searching, filtering and sorting vocabularies: IRIs and texts by property. */
  values: ReadonlyMap<string, readonly string[]>
  partOf: string[]
  isSubset: boolean
  /** Changes with every load and ingest; undefined if another program wrote the vocabulary. */
  revision: string | undefined
  /** Datatype IRIs and language tags of its notations, because a look-up has to name them. */
  notationTypes: { language?: string; datatype?: string }[]
  /** How its records are ordered. */
  order: RecordOrder
  /** The order that its operator has chosen. */
  chosenOrder?: ChosenOrder
  /** False if no note of a concept is a resource; true also if another program wrote the vocabulary. */
  hasResourceNotes: boolean
  /** False if no record has objects beyond the names of items; true also if another program wrote the vocabulary. */
  hasObjects: boolean
  /**
   * Of the last load: its UUID, milliseconds since 1970, the triples that it wrote, and what `INPUTS` says; undefined
   * if it did not note them. An ingest changes none of them.
   */
  lastLoad: { id?: string; time?: number | undefined; triples?: number; inputs?: string }
}

/** A graph of loaded mappings: a concordance, or the mappings that belong to none. */
export interface Concordance extends Pick<Vocabulary, 'uri' | 'revision' | 'lastLoad'> {
  /** Its JSKOS text. */
  jskos: string
}

/** The kinds of graphs in the store, by their own word. */
export interface StoredGraphs {
  /** Vocabularies and subsets, in the order of records. */
  vocabularies: Vocabulary[]
  /** By URI. */
  concordances: Concordance[]
}

/**
 * All vocabularies and subsets in the store, in the order of records.
 *
 * @throws ApiError if the store fails.
 */
export async function readVocabularies(client: SparqlClient): Promise<Vocabulary[]> {
  return (await readGraphs(client)).vocabularies
}

/** A vocabulary while its statements come. */
interface UnreadVocabulary extends Omit<Vocabulary, 'values'> {
  values: Map<string, string[]>
  /** Of a concordance: its JSKOS text. */
  jskos?: string
}

/**
 * All vocabularies, subsets and concordances in the store.
 *
 * @throws ApiError if the store fails.
 */
export async function readGraphs(client: SparqlClient, signal?: AbortSignal): Promise<StoredGraphs> {
  const byUri = new Map<string, UnreadVocabulary>()
  for (const { scheme, p, o } of await client.select(queryTemplate('voc').bind(), { signal })) {
    const uri = scheme!.value
    let vocabulary = byUri.get(uri)
    if (!vocabulary) byUri.set(uri, (vocabulary = unreadVocabulary(uri)))
    addStatement(vocabulary, p!.value, o!)
  }
  const read = [...byUri.values()]
  for (const vocabulary of read) setIds(vocabulary)
  for (const subset of read.filter(({ isSubset }) => isSubset)) inherit(subset, wholeOf(subset, read))
  const key = ({ uri, notations }: UnreadVocabulary) => ({ key: smallest(notations), uri })
  read.sort((a, b) => compareRecords(key(a), key(b)))
  return {
    vocabularies: read.filter(({ jskos }) => jskos === undefined),
    concordances: read.flatMap(({ jskos, ...graph }) => (jskos === undefined ? [] : { ...graph, jskos })),
  }
}

/** A vocabulary without any statement, as another program may have written it. */
function unreadVocabulary(uri: string): UnreadVocabulary {
  return {
    uri,
    ids: [],
    notations: [],
    identifiers: [],
    prefLabel: {},
    values: new Map(),
    partOf: [],
    isSubset: false,
    revision: undefined,
    notationTypes: [],
    order: 'code-point',
    hasResourceNotes: true,
    hasObjects: true,
    lastLoad: {},
  }
}

function addStatement(vocabulary: UnreadVocabulary, property: string, term: ResultTerm): void {
  const { type, value } = term
  switch (property) {
    case `${SKOS}notation`:
      if (type !== 'uri' && type !== 'bnode' && value !== '') vocabulary.notations.push(value)
      break
    case `${SKOS}prefLabel`:
      vocabulary.prefLabel[term['xml:lang']?.toLowerCase() ?? 'und'] = value
      break
    case `${DCT}identifier`:
      vocabulary.identifiers.push(value)
      break
    case `${DCT}isPartOf`:
      vocabulary.partOf.push(value)
      break
    case NOTATION_TYPE:
      vocabulary.notationTypes.push(type === 'uri' ? { datatype: value } : { language: value })
      break
    case ORDER:
      if (vocabulary.chosenOrder === undefined && isRecordOrder(value)) vocabulary.order = value
      break
    case CHOSEN_ORDER:
      if (isRecordOrder(value) && value !== 'label') vocabulary.order = vocabulary.chosenOrder = value
      break
    case RESOURCE_NOTES:
      vocabulary.hasResourceNotes = value !== 'false'
      break
    case OBJECTS:
      vocabulary.hasObjects = value !== 'false'
      break
    case LOAD:
      vocabulary.lastLoad.id = value
      vocabulary.lastLoad.time = timeOfLoad(value)
      break
    case TRIPLES:
      vocabulary.lastLoad.triples = Number(value)
      break
    case INPUTS:
      vocabulary.lastLoad.inputs = value
      break
    case CONCORDANCE_TEXT:
      vocabulary.jskos = value
      break
    case ID:
      vocabulary.ids.push(value)
      break
    case REVISION:
      vocabulary.revision = value
      break
    default: {
      addToList(vocabulary.values, property, value)
    }
  }
}

/** Sets the ids, once all statements are there. A vocabulary that states none has the default ones. */
function setIds(vocabulary: UnreadVocabulary): void {
  const { uri, notations, partOf } = vocabulary
  const ofSubset = partOf.length > 0 ? notations.filter(isSubsetNotation) : []
  vocabulary.isSubset = ofSubset.length > 0
  if (vocabulary.isSubset) vocabulary.ids = ofSubset
  else if (vocabulary.ids.length === 0) vocabulary.ids = defaultIds(uri, notations)
  vocabulary.ids.sort(compareCodePoints)
}

/** Gives a subset the names and values of its vocabulary that it has not itself. */
function inherit(subset: UnreadVocabulary, whole: UnreadVocabulary | undefined): void {
  if (whole === undefined) return
  if (Object.keys(subset.prefLabel).length === 0) subset.prefLabel = whole.prefLabel
  for (const property of INHERITED) {
    const values = whole.values.get(property)
    if (values && !subset.values.has(property)) subset.values.set(property, values)
  }
}

/** How addresses and answers name a vocabulary: by its first id, else by its URI. */
export function idOf({ ids, uri }: Pick<Vocabulary, 'ids' | 'uri'>): string {
  return ids[0] ?? uri
}

/** The tags of the languages of the texts of a vocabulary. */
export function languagesOf({ values }: Vocabulary): string[] {
  return languageTags(values.get(`${DCT}language`) ?? [])
}

/**
 * The ids of a vocabulary unless the operator gives others (docs/loading.md, "Loading"): its notations that are ids
 * in lower case, else the last part of its URI that is an id; none if there is neither.
 */
export function defaultIds(uri: string, notations: readonly string[]): string[] {
  const legal = notations.map((notation) => notation.toLowerCase()).filter(isVocabularyId)
  if (legal.length > 0) return [...new Set(legal)].sort(compareCodePoints)
  const [, path = ''] = /^[^:]*:(?:\/\/[^/?#]*)?(.*)$/s.exec(uri) ?? []
  const pieces = path.split(/[^\p{L}\p{M}\p{N}%._~-]/u).map((part) => part.toLowerCase())
  const last = pieces.findLast(isVocabularyId)
  return last === undefined ? [] : [last]
}

/** True if two URIs name the same vocabulary. */
export function isSameVocabulary(a: string, b: string): boolean {
  return vocabularyKey(a) === vocabularyKey(b)
}

/** The vocabulary that a subset is part of. */
export function wholeOf<Of extends Pick<Vocabulary, 'uri' | 'isSubset'>>(
  { partOf }: Pick<Vocabulary, 'partOf'>,
  all: readonly Of[],
): Of | undefined {
  return all.find(({ isSubset, uri }) => !isSubset && partOf.some((whole) => isSameVocabulary(whole, uri)))
}

/** The vocabularies and subsets that IRIs name by URI or by identifier. */
export function vocabulariesNamed<Of extends Pick<Vocabulary, 'uri' | 'identifiers'>>(
  vocabularies: readonly Of[],
  iris: readonly string[],
): Of[] {
  const keys = new Set(iris.map(vocabularyKey))
  return vocabularies.filter(({ uri, identifiers }) =>
    [uri, ...identifiers].some((identifier) => keys.has(vocabularyKey(identifier))),
  )
}

/** The vocabulary or subset in a list with this id, notation or URI. */
export function findVocabulary(vocabularies: readonly Vocabulary[], name: string): Vocabulary | undefined {
  if (!isAbsoluteIri(name)) {
    // A notation of one vocabulary may be the id of another.
    return (
      vocabularies.find(({ ids }) => ids.includes(name)) ??
      vocabularies.find(({ notations }) => notations.includes(name))
    )
  }
  const key = vocabularyKey(name)
  return (
    vocabularies.find(({ uri }) => uri === name) ??
    vocabularies.find(({ uri }) => vocabularyKey(uri) === key) ??
    vocabularies.find(({ notations }) => notations.includes(name))
  )
}

/** The vocabulary or subset in a list with this id, notation or URI, else with this identifier. */
export function vocabularyByName(vocabularies: readonly Vocabulary[], name: string): Vocabulary | undefined {
  return findVocabulary(vocabularies, name) ?? vocabulariesNamed(vocabularies, [name])[0]
}

/**
 * The vocabulary or subset with this id, notation or URI among those of the store.
 *
 * @throws InputError if there is none.
 */
export function requireVocabulary(vocabularies: readonly Vocabulary[], name: string): Vocabulary {
  const vocabulary = findVocabulary(vocabularies, name)
  if (!vocabulary) throw new InputError(`there is no vocabulary ${name}; "vocab list" shows all.`)
  return vocabulary
}

/** A new UUID for a load, which begins with the present time (RFC 9562, section 5.7). */
export function newLoadId(): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(Date.now(), 0, 6)
  // The version and the variant.
  bytes[6] = 0x70 | (bytes[6]! & 0x0f)
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/**
 * The time of a load in milliseconds since 1970.
 *
 * @returns undefined if its UUID has none, as those of earlier versions of the service.
 */
export function timeOfLoad(id: string): number | undefined {
  const [, high, low] = /^([\da-f]{8})-([\da-f]{4})-7/.exec(id) ?? []
  return high === undefined ? undefined : parseInt(high + low!, 16)
}
