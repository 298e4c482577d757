import { compareCodePoints } from '../../graph/jskos/order.ts'
import { RDF_TYPE, STRING } from '../../base/namespaces.ts'
import type { Graph, ObjectTerm } from '../../graph/sparql/ntriples.ts'
import { contexts } from './contexts.ts'

/** The names of properties in the context of `data`, and its prefixes, each with its namespace. */
const TERMS = new Map<string, string>()
const PREFIXES: [prefix: string, beginning: string][] = []
for (const [term, meaning] of Object.entries(contexts.data)) {
  if (/[#/]$/.test(meaning)) PREFIXES.push([term, meaning])
}
for (const [term, meaning] of Object.entries(contexts.data)) {
  const [prefix, beginning] = PREFIXES.find(([name]) => meaning.startsWith(`${name}:`)) ?? []
  if (prefix !== undefined) TERMS.set(beginning + meaning.slice(prefix.length + 1), term)
}

type JsonLdValue = string | { uri: string } | { lang: string; value: string } | { type: string; value: string }

/**
 * A graph as JSON-LD with the context of `data`: nodes and their properties in the order of their IRIs.
 *
 * The context is always the same and coerces no value, so this is all that compaction has to do (JSON-LD 1.1 API,
 * section 5.6). A processor takes ten times as long. Lists stay chains of blank nodes, as Skosmos sends them.
 */
export function compacted(graph: Graph): object {
  const nodes = [...graph].filter(([, node]) => node.size > 0).sort(([a], [b]) => compareCodePoints(a, b))
  return {
    '@context': contexts.data,
    graph: nodes.map(([name, node]) => {
      const properties = [...node].filter(([property]) => property !== RDF_TYPE)
      properties.sort(([a], [b]) => compareCodePoints(a, b))
      const types = (node.get(RDF_TYPE) ?? []).map(({ value }) => compactIri(value)).sort(compareCodePoints)
      return {
        uri: compactIri(name),
        ...(types.length > 0 ? { type: alone(types) } : {}),
        ...Object.fromEntries(
          properties.map(([property, objects]) => [
            TERMS.get(property) ?? compactIri(property),
            alone(objects.map(compactValue)),
          ]),
        ),
      }
    }),
  }
}

/** A single value stands without brackets. */
function alone<One>(values: readonly One[]): One | readonly One[] {
  return values.length === 1 ? values[0]! : values
}

function compactIri(iri: string): string {
  for (const [prefix, beginning] of PREFIXES) {
    if (iri.length > beginning.length && iri.startsWith(beginning)) return `${prefix}:${iri.slice(beginning.length)}`
  }
  return iri
}

function compactValue({ termType, value, language, datatype }: ObjectTerm): JsonLdValue {
  if (termType !== 'Literal') return { uri: compactIri(value) }
  if (language !== '') return { lang: language, value }
  return datatype === '' || datatype === STRING ? value : { type: compactIri(datatype), value }
}
