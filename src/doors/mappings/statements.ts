import { DataFactory } from 'n3'
import type { BlankNode, Quad, Quad_Object } from '@rdfjs/types'
import { isObject } from '../../base/json.ts'
import { SSSOM, VOID, XKOS, XSD } from '../../base/namespaces.ts'
import { linkedNode, toLinkedData, toQuads } from '../../graph/jskos/linked-data.ts'
import { conceptsOf } from '../../graph/jskos/mapping.ts'
import type { AnyRecord } from '../../graph/jskos/record.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { nTriples } from '../../interface/representations/quad-writers.ts'
import { withoutCopies } from '../../writing/source/jskos.ts'

/**
 * The properties of the fields that mappings and concordances have alone: those of the JSON-LD context of JSKOS, and
 * those of XKOS and SSSOM for concepts and relevance, which it has no terms for.
 */
export const MAPPING_PROPERTIES = {
  fromScheme: `${VOID}subjectsTarget`,
  toScheme: `${VOID}objectsTarget`,
  from: `${XKOS}sourceConcept`,
  to: `${XKOS}targetConcept`,
  justification: `${SSSOM}mapping_justification`,
  mappingRelevance: `${SSSOM}confidence`,
} as const

/**
 * The statements of a mapping or a concordance as RDF, in N-Triples. Concepts and vocabularies are links, because their
 * own graphs describe them. RDF does not have the order of concepts, their choices and their roles.
 */
export function statementsAbout(uri: string, record: AnyRecord): string {
  const named: AnyRecord[] = []
  const reduced = withoutCopies(
    { ...record, uri },
    { onReference: (reference) => named.push(identifyingFields(reference.record)) },
  )
  const quads = [reduced, ...named].flatMap((described) => {
    const node = toLinkedData(described)
    return node ? toQuads(node) : []
  })
  return nTriples().write([...quads, ...ofMappings(uri, record)])
}

/** The fields that identify a resource within the record of another; its other fields are not about that record. */
function identifyingFields({ uri, prefLabel, url }: AnyRecord): AnyRecord {
  return { uri, prefLabel, url }
}

/** The statements with the fields that mappings and concordances have alone. */
function* ofMappings(uri: string, record: AnyRecord): Generator<Quad> {
  const state = (field: keyof typeof MAPPING_PROPERTIES, object: Quad_Object) =>
    DataFactory.quad(DataFactory.namedNode(uri), DataFactory.namedNode(MAPPING_PROPERTIES[field]), object)
  for (const field of ['fromScheme', 'toScheme'] as const) {
    const scheme = record[field]
    const target = isObject(scheme) ? scheme['uri'] : undefined
    if (isIriText(target)) yield state(field, DataFactory.namedNode(target))
  }
  for (const field of ['from', 'to'] as const) {
    if (!isObject(record[field])) continue
    for (const { uri: concept, notation, prefLabel } of conceptsOf(record[field])) {
      const names = concept === undefined ? toQuads(linkedNode({ notation, prefLabel })) : []
      const object =
        concept === undefined ? (names[0]?.subject as BlankNode | undefined) : DataFactory.namedNode(concept)
      if (object) yield state(field, object)
      yield* names
    }
  }
  const { justification, mappingRelevance } = record
  if (isIriText(justification)) yield state('justification', DataFactory.namedNode(justification))
  if (typeof mappingRelevance === 'number')
    yield state(
      'mappingRelevance',
      DataFactory.literal(String(mappingRelevance), DataFactory.namedNode(`${XSD}double`)),
    )
}

function isIriText(value: unknown): value is string {
  return typeof value === 'string' && isAbsoluteIri(value)
}
