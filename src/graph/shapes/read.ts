import { readFileSync } from 'node:fs'
import type { Quad } from '@rdfjs/types'
import { Parser } from 'n3'
import { fromRoot } from '../../base/root.ts'

/** The text of a file of `shapes/`. */
function shapeText(name: string): string {
  return readFileSync(fromRoot(`shapes/${name}`), 'utf8')
}

/**
 * A JSON file of `shapes/`, parsed: a JSON Schema or a JSON-LD context.
 *
 * @example const schema = readShape<object>('ingest-concept.schema.json')
 */
export function readShape<T>(name: string): T {
  return JSON.parse(shapeText(name)) as T
}

const graphs = new Map<string, Quad[]>()

/** The triples of a Turtle file of `shapes/`: SHACL shapes. */
export function readShapeGraph(name: string): readonly Quad[] {
  let quads = graphs.get(name)
  if (!quads) graphs.set(name, (quads = new Parser().parse(shapeText(name))))
  return quads
}
