import { VANN, VOID } from '../../base/namespaces.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { unescapeNTriples } from '../../graph/sparql/ntriples.ts'
import type { SubjectStatement } from './source-graph.ts'
import { splitLiteral } from '../../graph/sparql/statements.ts'

/** The property with the namespace of a vocabulary's concepts (docs/loading.md, "Loading"). */
export const NAMESPACE = `${VOID}uriSpace`

/**
 * Finds the namespace of a vocabulary: its void:uriSpace, else its vann:preferredNamespaceUri, else the common
 * beginning of the URIs of its concepts. A text that is no IRI is no namespace.
 */
export class NamespaceFinder {
  #stated: string | undefined
  #preferred: string | undefined
  #beginning: string | undefined

  addScheme(statements: readonly SubjectStatement[]): void {
    for (const { predicate, object } of statements) {
      if (predicate !== NAMESPACE && predicate !== `${VANN}preferredNamespaceUri`) continue
      const literal = splitLiteral(object)
      const namespace = literal ? unescapeNTriples(literal.lexical) : object.slice(1, -1)
      if (!isAbsoluteIri(namespace)) continue
      if (predicate === NAMESPACE) this.#stated = namespace
      else this.#preferred = namespace
    }
  }

  addConcept(uri: string): void {
    this.#beginning ??= uri
    while (!uri.startsWith(this.#beginning)) this.#beginning = this.#beginning.slice(0, -1)
  }

  /** The namespace to add; undefined if the graph has it or there is none. */
  get missing(): string | undefined {
    return this.#stated === undefined ? this.namespace : undefined
  }

  /** The namespace, stated or found; undefined if there is none. */
  get namespace(): string | undefined {
    return this.#stated ?? this.#preferred ?? this.#common()
  }

  /** The longest common beginning that ends in `/`, `#` or `:` and is longer than the host. */
  #common(): string | undefined {
    const common = /^.*[/#:]/s.exec(this.#beginning ?? '')?.[0] ?? ''
    const host = /^[^:]*:(?:\/\/[^/?#]*)?/.exec(common)?.[0] ?? ''
    return common.length > host.length ? common : undefined
  }
}
