import { conceptsOf, type MappedConcept, type MappedScheme, type Mapping } from '../../graph/jskos/mapping.ts'
import { notationTermsOf } from '../../interface/read/terms.ts'
import { NO_DEADLINE, type SparqlClient } from '../../graph/sparql/client.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { vocabularyByName, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import type { MappingEntry, TableEntry } from './read-table.ts'

/** Rows, and notations, to look up at a time. */
const PIECE = 1000

/**
 * The mappings of a table with the URIs of the concepts that it names by notation, as far as their vocabularies are
 * here. A row with a notation that is not that of exactly one concept of such a vocabulary is left out.
 *
 * @throws the errors of the store.
 */
export async function* withUris(
  client: SparqlClient,
  entries: AsyncIterable<TableEntry>,
  vocabularies: readonly Vocabulary[],
): AsyncGenerator<MappingEntry> {
  let piece: TableEntry[] = []
  for await (const entry of entries) {
    piece.push(entry)
    if (piece.length < PIECE) continue
    yield* await resolved(client, piece, vocabularies)
    piece = []
  }
  yield* await resolved(client, piece, vocabularies)
}

async function resolved(
  client: SparqlClient,
  piece: readonly TableEntry[],
  vocabularies: readonly Vocabulary[],
): Promise<MappingEntry[]> {
  const rows = piece.map((entry) => {
    const sides = SIDES.flatMap((side) => {
      if (!('value' in entry)) return []
      const { [side]: bundle, [`${side}Scheme` as const]: scheme } = entry.value
      return [{ side, concepts: conceptsOf(bundle), vocabulary: vocabularyOf(scheme, vocabularies) }]
    })
    return { entry, sides }
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
  return rows.map(({ entry, sides }): MappingEntry => {
    if (!('value' in entry)) return entry
    const { place, value } = entry
    const changed: Partial<Mapping> = {}
    const reasons: string[] = []
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
          reasons.push(reasonOf(vocabulary, notation, uris.length))
          continue
        }
        // The store has the label.
        memberSet.push({ uri: uris[0]!, notation: [notation] })
      }
      changed[side] = { memberSet }
    }
    return reasons.length > 0 ? { place, leftOut: reasons.join('; ') } : { place, value: { ...value, ...changed } }
  })
}

const SIDES = ['from', 'to'] as const

/** The reason for which a notation names no concept. @param concepts how many have the notation: none or several. */
function reasonOf({ uri, ids, notations }: Vocabulary, notation: string, concepts: number): string {
  const name = ids[0] ?? notations[0] ?? uri
  return concepts === 0
    ? `${name} has no concept with the notation "${notation}"`
    : `${name} has ${concepts} concepts with the notation "${notation}"; write the URI`
}

/** The vocabulary of one side of a mapping, if it is here. */
function vocabularyOf(scheme: MappedScheme | null | undefined, vocabularies: readonly Vocabulary[]) {
  const names = [scheme?.uri, ...(scheme?.uri === undefined ? (scheme?.notation ?? []) : [])].filter(
    (name) => name !== undefined,
  )
  const all = vocabularies.filter(({ isSubset }) => !isSubset)
  return names.map((name) => vocabularyByName(all, name)).find((vocabulary) => vocabulary !== undefined)
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
