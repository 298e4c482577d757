import { NOTES } from '../jskos/fields.ts'
import { MAPPING_TYPES } from '../jskos/mapping.ts'
import { CHOSEN_ORDER, DEPRECATED, JSKOS_TEXT, LABELS, ORDER, RDF_TYPE, SKOS } from '../../base/namespaces.ts'
import { linesOf, linesWhere, readNTriples, type Graph } from '../sparql/ntriples.ts'

/**
 * The facts that the index has of a resource: a label or notation, a class, a vocabulary, a member of a subset, a
 * concept of another vocabulary that it is mapped to, a vocabulary that it is a top concept of, a narrower concept, a
 * definition or another note, or, of a loaded mapping, its JSKOS text, or, of a vocabulary, the order of its records.
 */
export type Statement = [uri: string, kind: number, language: string, text: string]

/** The kinds of labels, by their numbers in statements and in the index. A notation counts as a label there. */
export const LABEL_TYPES = ['notation', ...LABELS] as const
export type LabelType = (typeof LABEL_TYPES)[number]
/** The kinds of notations, of labels, and of preferred and alternative labels. */
export const NOTATION_KIND = 0
export const PREF_LABEL_KIND = 1
export const LABEL_KINDS: readonly number[] = [1, 2, 3]
export const NAME_KINDS: readonly number[] = [1, 2]

/** The further kinds of statements. */
export const CLASS_KIND = 4
export const SCHEME_KIND = 5
export const MEMBER_KIND = 6
export const TOP_KIND = 7
export const NARROWER_KIND = 8
/** The first of the mapping properties, which have the order of `MAPPING_TYPES`. */
export const MAPPING_KIND = 9
export const LOADED_MAPPING_KIND = MAPPING_KIND + MAPPING_TYPES.length
/** The order that follows from the notations of a vocabulary, and the order that its operator has chosen. */
export const ORDER_KIND = LOADED_MAPPING_KIND + 1
export const CHOSEN_ORDER_KIND = LOADED_MAPPING_KIND + 2
/** Definitions, and all other notes. */
export const DEFINITION_KIND = LOADED_MAPPING_KIND + 3
export const NOTE_KIND = LOADED_MAPPING_KIND + 4

const KINDS: ReadonlyMap<string, number> = new Map([
  ...LABEL_TYPES.map((type, kind): [string, number] => [SKOS + type, kind]),
  [RDF_TYPE, CLASS_KIND],
  [`${SKOS}inScheme`, SCHEME_KIND],
  [`${SKOS}member`, MEMBER_KIND],
  [`${SKOS}topConceptOf`, TOP_KIND],
  [`${SKOS}narrower`, NARROWER_KIND],
  ...MAPPING_TYPES.map((type, at): [string, number] => [type, MAPPING_KIND + at]),
  [JSKOS_TEXT, LOADED_MAPPING_KIND],
  [ORDER, ORDER_KIND],
  [CHOSEN_ORDER, CHOSEN_ORDER_KIND],
  ...[...NOTES].map((property): [string, number] => [
    property,
    property === `${SKOS}definition` ? DEFINITION_KIND : NOTE_KIND,
  ]),
])

/** The kind of the statements with a mapping property. */
export function kindOfMapping(type: string): number {
  return KINDS.get(type)!
}

/** The mapping property of such statements. */
export function mappingTypeOf(kind: number): string {
  return MAPPING_TYPES[kind - MAPPING_KIND]!
}

/** The statements that the index needs of a graph in N-Triples. */
export async function* statementsIn(
  nTriples: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Statement[]> {
  for await (const lines of linesOf(nTriples)) yield statementsOf(readNTriples(linesForIndex(lines)))
}

/** The statements of a graph, or of a part of it, that the index needs. A blank node has no URI to find. */
export function statementsOf(graph: Graph): Statement[] {
  const statements: Statement[] = []
  for (const [uri, properties] of graph) {
    if (uri.startsWith('_:')) continue
    for (const [property, objects] of properties) {
      // A concept that should not be used any more has this class in the index.
      if (property === DEPRECATED && objects.some(isTrue)) statements.push([uri, CLASS_KIND, '', DEPRECATED])
      const kind = KINDS.get(property)
      if (kind === undefined) continue
      for (const { termType, value, language, datatype } of objects) {
        const isLink = kind >= CLASS_KIND && kind < LOADED_MAPPING_KIND
        if (isLink ? termType !== 'NamedNode' : termType !== 'Literal' || value === '') continue
        // A label is a text; a notation may have any datatype.
        if (kind > 0 && datatype !== '') continue
        statements.push([uri, kind, language, value])
      }
    }
  }
  return statements
}

/** The order of a vocabulary, among the statements about it. */
export function orderIn(statements: readonly Statement[]): string {
  const stated = (wanted: number) => statements.find(([, kind]) => kind === wanted)?.[3]
  return stated(CHOSEN_ORDER_KIND) ?? stated(ORDER_KIND) ?? 'code-point'
}

/** The lexical forms of true (XML Schema 1.1 Part 2, section 3.3.2). */
const isTrue = ({ value }: { value: string }) => value === 'true' || value === '1'

const PREDICATES: ReadonlySet<string> = new Set([...KINDS.keys(), DEPRECATED].map((property) => `<${property}>`))

/** The lines of N-Triples that have such statements; a whole vocabulary has ten times as many others. */
function linesForIndex(nTriples: string): string {
  return linesWhere(nTriples, ({ predicate }) => PREDICATES.has(predicate))
}
