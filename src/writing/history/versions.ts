import { BY_CODE_POINTS } from '../../graph/jskos/order.ts'
import { NOTES } from '../../graph/jskos/fields.ts'
import { frameNodes, type FramedResource } from '../../graph/jskos/frame.ts'
import { CONCEPT_DEFAULT, readProperties } from '../../graph/jskos/properties.ts'
import { conceptRecord, type AnyRecord, type JskosRecord } from '../../graph/jskos/record.ts'
import { RDF } from '../../base/namespaces.ts'
import { readNTriples, type NodeProperties, type ObjectTerm } from '../../graph/sparql/ntriples.ts'
import type { History } from './history.ts'
import type { Change } from './log/change.ts'
import { toNTriples } from './resources.ts'
import type { Gone } from '../../base/errors.ts'

/** A page of the versions of a resource, the newest first, and their number. */
export async function versionsOf(
  history: History,
  uri: string,
  page: { limit: number; offset: number },
): Promise<{ total: number; changes: Change[] }> {
  await history.follow(uri)
  const changes = page.limit === 0 ? [] : await history.log.changesOf(uri, page)
  return { total: await history.log.countChangesOf(uri), changes }
}

const ALL = readProperties('*,status', CONCEPT_DEFAULT)

/**
 * The texts of a note, which may be a node.
 *
 * @param described the statements about this node.
 */
export function noteValues(note: ObjectTerm, described: readonly (NodeProperties | undefined)[]): ObjectTerm[] {
  const values = described.flatMap((properties) => properties?.get(`${RDF}value`) ?? [])
  return values.length > 0 ? values : [note]
}

/** A resource by statements as in `Resource`; undefined if there are none. */
export function toNode(uri: string, statements: readonly string[]): FramedResource | undefined {
  const graph = readNTriples(toNTriples({ uri, statements }))
  const properties = graph.get(uri)
  for (const property of NOTES) {
    const notes = properties?.get(property)
    if (notes) {
      const values = notes.flatMap((note) => noteValues(note, [graph.get(note.value)]))
      properties!.set(property, values)
    }
  }
  return frameNodes(graph)(uri)
}

/** Statements of a resource in the fields of JSKOS, without statements that every record has. */
export function toFields(uri: string, statements: readonly string[]): Partial<JskosRecord> {
  const node = toNode(uri, statements)
  if (!node) return {}
  const options = { properties: ALL, languages: undefined, preferred: [], order: BY_CODE_POINTS, contextUrl: '' }
  const fields: Partial<JskosRecord> = conceptRecord(node, false, options)
  for (const name of ['uri', 'type', '@context'] as const) delete fields[name]
  const values: AnyRecord = fields
  for (const [name, value] of Object.entries(values))
    if (Array.isArray(value) && value.length === 0) delete values[name]
  return fields
}

/**
 * The first of these resources that was deleted, described by its last statements; undefined if the history knows of no
 * deletion. Call it for URIs that the store does not have.
 */
export async function findGone(history: History, uris: readonly string[]): Promise<Gone | undefined> {
  for (const uri of uris) {
    if ((await history.log.graphsOf(uri)).length === 0) continue
    await history.follow(uri)
    const changes = (await history.log.changesOf(uri)).filter(({ isListed }) => isListed)
    const isLast = ({ graph }: (typeof changes)[0], at: number) =>
      changes.findIndex((change) => change.graph === graph) === at
    const [last, ...further] = changes.filter(isLast)
    if (!last || [last, ...further].some(({ kind }) => kind !== 'Delete')) continue
    const statements = [...(last.removed ?? []), ...(last.added ?? [])]
    const { prefLabel, notation, replacedBy = [] } = toFields(uri, statements)
    const named = { ...(prefLabel ? { prefLabel } : {}), ...(notation ? { notation } : {}) }
    const { decision, reason } = last.cause
    const refused = decision === undefined ? {} : { decision, ...(reason === undefined ? {} : { reason }) }
    return { uri, date: last.time, ...named, replacedBy, ...refused }
  }
  return undefined
}
