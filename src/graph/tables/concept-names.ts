import type { Quad } from '@rdfjs/types'
import { NOTATION } from '../../base/namespaces.ts'
import { isLiteral } from '../sparql/statements.ts'
import { PREF_LABEL } from './heading.ts'
import { NO_CONCEPTS } from './row-cells.ts'
import type { TableColumns } from './table-columns.ts'
import { typesOfRow } from './table-writer.ts'

/** The names by which the cells of a table name its concepts: as `References` reads them. */
export class ConceptNames {
  /** From names to concepts; undefined for a name of several concepts. */
  readonly #concepts = new Map<string, string | undefined>()
  /** From concepts to their notations, then labels by language, as far as cells can have them. */
  readonly #names = new Map<string, string[]>()

  /** Takes the names of a resource, if it is a concept. @param quads all about it. */
  add(quads: readonly Quad[], columns: TableColumns): void {
    const types = typesOfRow(quads)
    if (types === undefined || types.some((type) => NO_CONCEPTS.includes(type))) return
    const uri = quads[0]!.subject.value
    const named = quads.filter(({ predicate, object }) => {
      return isLiteral(object) && (predicate.value === NOTATION || predicate.value === PREF_LABEL)
    })
    for (const { object } of named) {
      const earlier = this.#concepts.has(object.value) ? this.#concepts.get(object.value) : uri
      this.#concepts.set(object.value, earlier === uri ? uri : undefined)
    }
    const rank = ({ predicate, object }: Quad) =>
      predicate.value === NOTATION ? '' : `@${isLiteral(object) ? object.language : ''}`
    const names = named
      .filter((quad) => columns.write(quad) !== undefined)
      .sort((a, b) => (rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0))
      .map(({ object }) => object.value)
    if (names.length > 0) this.#names.set(uri, names)
  }

  /** The name of a concept that no other one has; undefined if there is none. */
  of(uri: string): string | undefined {
    return this.#names.get(uri)?.find((name) => this.#concepts.get(name) === uri)
  }
}
