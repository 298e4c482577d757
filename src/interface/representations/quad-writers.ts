import type { Quad, Quad_Object, Quad_Subject } from '@rdfjs/types'
import { Writer } from 'n3'
import { PREFIXES, RDF_TYPE, XSD } from '../../base/namespaces.ts'

/** Writes triples as one document: the texts in the order of the calls. */
export interface QuadWriter {
  write(quads: readonly Quad[]): string
  end(): string
}

/** Turtle 1.1, by default with the usual prefixes; consecutive triples with the same subject share it. */
export function turtle(prefixes: Readonly<Record<string, string>> = PREFIXES): QuadWriter {
  return n3Writer({ format: 'Turtle', prefixes })
}

/** N-Triples 1.1. */
export function nTriples(): QuadWriter {
  return n3Writer({ format: 'N-Triples' })
}

function n3Writer(options: ConstructorParameters<typeof Writer>[1]): QuadWriter {
  let text = ''
  let failure: Error | undefined
  const output = {
    write(chunk: string, _encoding: string, done?: () => void) {
      text += chunk
      done?.()
    },
    end(done?: () => void) {
      done?.()
    },
  }
  const writer = new Writer(output, options)
  const flush = () => {
    const taken = text
    text = ''
    return taken
  }
  // The writer gives an error to a callback; without one, the triple would be missing silently.
  const rememberError = (error?: Error | null) => {
    if (error) failure = error
  }
  return {
    write(quads) {
      for (const { subject, predicate, object } of quads)
        writer.addQuad(subject, predicate, object, undefined, rememberError)
      if (failure) throw failure
      return flush()
    },
    end() {
      writer.end()
      return flush()
    },
  }
}

/** The most values in one node object: the members of a large collection become several node objects. */
const MOST_VALUES = 1000

/**
 * JSON-LD 1.1 in expanded form (section 9.2): node objects for consecutive triples with the same subject. Several node
 * objects with the same `@id` are one node.
 */
export function expandedJsonLd(): QuadWriter {
  let before = '[\n'
  let node: ExpandedNodeObject | undefined
  let values = 0
  const written = () => {
    const text = node ? before + JSON.stringify(node) : ''
    if (node) before = ',\n'
    node = undefined
    values = 0
    return text
  }
  return {
    write(quads) {
      let text = ''
      for (const { subject, predicate, object } of quads) {
        const id = termName(subject)
        if (id !== node?.['@id'] || values === MOST_VALUES) text += written()
        addValue((node ??= { '@id': id }), predicate.value, object)
        values++
      }
      return text
    },
    end: () => {
      const text = written()
      return before === '[\n' ? '[]\n' : `${text}\n]\n`
    },
  }
}

interface ExpandedNodeObject {
  '@id': string
  [property: string]: string | unknown[]
}

function addValue(node: ExpandedNodeObject, property: string, object: Quad_Object): void {
  const isType = property === RDF_TYPE && object.termType !== 'Literal'
  const key = isType ? '@type' : property
  const values = (node[key] ??= []) as unknown[]
  values.push(isType ? termName(object) : valueOf(object))
}

function termName(term: Quad_Subject | Quad_Object): string {
  return term.termType === 'BlankNode' ? `_:${term.value}` : term.value
}

function valueOf(term: Quad_Object): Record<string, string> {
  if (term.termType !== 'Literal') return { '@id': termName(term) }
  if (term.language) return { '@value': term.value, '@language': term.language }
  if (term.datatype.value === `${XSD}string`) return { '@value': term.value }
  return { '@value': term.value, '@type': term.datatype.value }
}
