import type { JsonRecord } from '../../base/files/json-records.ts'
import { conceptsOf, type MappedConcept, type MappedScheme, type Mapping } from '../../graph/jskos/mapping.ts'
import { notationTermsOf } from '../../interface/read/terms.ts'
import { NO_DEADLINE, type SparqlClient } from '../../graph/sparql/client.ts'
import { queryTemplate } from '../../graph/sparql/queries.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { findVocabulary, vocabulariesNamed, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'

/** Rows, and notations, to look up at a time. */
const PIECE = 1000

/** A row of a table that names a concept which its vocabulary does not have. */
export interface UnknownNotation {
  line: number
  notation: string
  vocabulary: Vocabulary
  /** The number of concepts with the notation: none or several. */
  concepts: number
}

/**
 * The mappings of a table with the URIs of the concepts that it names by notation, as far as their vocabularies are
 * here. A row with a
 * notation that is not that of exactly one concept of such a vocabulary is left out.
 *
 * @throws the errors of the store.
 */
export async function* withUris(
  client: SparqlClient,
  records: AsyncIterable<JsonRecord>,
  vocabularies: readonly Vocabulary[],
  onUnknown: (unknown: UnknownNotation) => void,
): AsyncGenerator<JsonRecord> {
  let piece: JsonRecord[] = []
  for await (const record of records) {
    piece.push(record)
    if (piece.length < PIECE) continue
    yield* await resolved(client, piece, vocabularies, onUnknown)
    piece = []
  }
  yield* await resolved(client, piece, vocabularies, onUnknown)
}

async function resolved(
  client: SparqlClient,
  piece: readonly JsonRecord[],
  vocabularies: readonly Vocabulary[],
  onUnknown: (unknown: UnknownNotation) => void,
): Promise<JsonRecord[]> {
  const rows = piece.map((record) => {
    const mapping = record.value as Mapping
    const sides = (['from', 'to'] as const).map((side) => {
      return {
        side,
        concepts: conceptsOf(mapping[side]),
        vocabulary: vocabularyOf(mapping[`${side}Scheme`], vocabularies),
      }
    })
    return { ...record, mapping, sides }
  })
  const wanted = new Map<Vocabulary, Set<string>>()
  for (const { concepts, vocabulary } of rows.flatMap(({ sides }) => sides)) {
    if (!vocabulary) continue
    const notations = wanted.get(vocabulary) ?? new Set<string>()
    wanted.set(vocabulary, notations)
    for (const { uri, notation } of concepts) if (uri === undefined) notations.add(notation![0]!)
  }
  const conceptsByNotation = new Map<Vocabulary, Map<string, Set<string>>>()
  for (const [vocabulary, notations] of wanted) {
    conceptsByNotation.set(vocabulary, await conceptsWith(client, vocabulary, [...notations]))
  }
  return rows.flatMap(({ line, mapping, sides }) => {
    const changed: Partial<Mapping> = {}
    for (const { side, concepts, vocabulary } of sides) {
      if (!vocabulary) continue
      const memberSet: MappedConcept[] = []
      for (const concept of concepts) {
        if (concept.uri !== undefined) {
          memberSet.push(concept)
          continue
        }
        const notation = concept.notation![0]!
        const uris = [...(conceptsByNotation.get(vocabulary)!.get(notation) ?? [])]
        if (uris.length !== 1) {
          onUnknown({ line, notation, vocabulary, concepts: uris.length })
          return []
        }
        // The store has the label.
        memberSet.push({ uri: uris[0]!, notation: [notation] })
      }
      changed[side] = { memberSet }
    }
    return [{ line, value: { ...mapping, ...changed } }]
  })
}

/** The vocabulary of one side of a mapping, if it is here. */
function vocabularyOf(scheme: MappedScheme | null | undefined, vocabularies: readonly Vocabulary[]) {
  const names = [scheme?.uri, ...(scheme?.uri === undefined ? (scheme?.notation ?? []) : [])].filter(
    (name) => name !== undefined,
  )
  const all = vocabularies.filter(({ isSubset }) => !isSubset)
  return names
    .map((name) => findVocabulary(all, name) ?? vocabulariesNamed(all, [name])[0])
    .find((vocabulary) => vocabulary !== undefined)
}

/** The concepts of a vocabulary with some notations. */
async function conceptsWith(
  client: SparqlClient,
  vocabulary: Vocabulary,
  notations: readonly string[],
): Promise<Map<string, Set<string>>> {
  const concepts = new Map<string, Set<string>>()
  const template = queryTemplate('list/notations')
  for (let from = 0; from < notations.length; from += PIECE) {
    const notation = notationTermsOf(notations.slice(from, from + PIECE), [vocabulary])
    const query = template.bind({ terms: { notation, graph: [iri(vocabulary.uri)] } })
    for (const { c, notation: value } of await client.select(query, NO_DEADLINE)) {
      if (!c || !value) continue
      concepts.set(value.value, (concepts.get(value.value) ?? new Set()).add(c.value))
    }
  }
  return concepts
}
