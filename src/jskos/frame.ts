import jsonld, { type ContextDefinition } from 'jsonld'
import { RDF_TYPE } from '../namespaces.ts'
import type { Graph, NodeProperties, ObjectTerm } from '../sparql/ntriples.ts'

/** A value as a frame writes it: a string, an embedded node, or a map from language tag to strings. */
export type FramedValue = string | FramedNode | Record<string, string[]>
/** A node in the terms of the context: one property a term. Sets are arrays; so is any other term with several values. */
export interface FramedNode {
  [term: string]: FramedValue | FramedValue[] | undefined
}

interface Term {
  name: string
  /** A language map (`@container: @language`), a set, or single values. */
  container: 'language' | 'set' | 'none'
  /** The sub-frame for embedded nodes; without one a node is given by its URI alone. */
  frame: CompiledFrame | undefined
  /** `@type: @id`: a node is a string. */
  iri: boolean
}

/** A frame ready for use: what `compileFrame` makes of a JSON-LD frame and context. */
export interface CompiledFrame {
  /** Predicate IRI to term. */
  terms: Map<string, Term>
  /** The keyword alias for `@id`, in JSKOS `uri`. */
  id: string
}

/** What jsonld gives for a context that has been processed (JSON-LD 1.1 API, section 4.1); not in its published types. */
export interface ActiveContext {
  mappings: Map<string, { '@id': string; '@type'?: string; '@container'?: string[]; reverse?: boolean } | null>
}
interface ContextProcessor {
  processContext(active: unknown, local: unknown, options: object): Promise<ActiveContext>
  expand(frame: object, options: object): Promise<Record<string, unknown>[]>
}

/** A document loader that refuses: nothing is ever fetched from elsewhere. */
export const refuseRemoteDocuments = (url: string): Promise<never> =>
  Promise.reject(new Error(`remote JSON-LD document refused: ${url}`))

/** Processes a context (JSON-LD 1.1 API, section 4.1); what it refers to elsewhere is refused. */
export async function processContext(context: { '@context': ContextDefinition }): Promise<ActiveContext> {
  const processor = jsonld as unknown as ContextProcessor
  const options = { documentLoader: refuseRemoteDocuments, base: null }
  // The initial context is what processing null gives (JSON-LD 1.1 API, section 4.1.2).
  const initial = await processor.processContext(null, null, options)
  return processor.processContext(initial, context['@context'], options)
}

/**
 * Reads a JSON-LD 1.1 frame (JSON-LD 1.1 Framing) with its context once, so that records can be framed without
 * jsonld on the path of an answer: `jsonld.frame` takes 20 times as long and more than linearly.
 *
 * Supported is what the frames in `shapes/` use: one root with all terms of the context, `@embed: @always`, and
 * explicit sub-frames. Anything else is refused here, at start.
 *
 * @throws Error naming the keyword or term that is not supported.
 */
export async function compileFrame(frame: object, context: { '@context': ContextDefinition }): Promise<CompiledFrame> {
  const processor = jsonld as unknown as ContextProcessor
  const options = { documentLoader: refuseRemoteDocuments, base: null }
  const active = await processContext(context)
  const [expanded] = await processor.expand({ ...context, ...frame }, { ...options, isFrame: true })

  let id = '@id'
  const terms = new Map<string, Term>()
  for (const [name, mapping] of active.mappings) {
    if (mapping === null) continue
    if (mapping['@id'] === '@id') {
      id = name
      continue
    }
    if (mapping.reverse || mapping['@id'].startsWith('@')) throw new Error(`context: "${name}" is not supported`)
    if (terms.has(mapping['@id'])) throw new Error(`context: two terms for ${mapping['@id']}`)
    const containers = mapping['@container'] ?? []
    const unsupported = containers.find((container) => container !== '@set' && container !== '@language')
    if (unsupported) throw new Error(`context: container ${unsupported} of "${name}" is not supported`)
    terms.set(mapping['@id'], {
      name,
      container: containers.includes('@language') ? 'language' : containers.includes('@set') ? 'set' : 'none',
      frame: undefined,
      iri: mapping['@type'] === '@id',
    })
  }
  const root: CompiledFrame = { terms, id }
  for (const [predicate, value] of Object.entries(expanded ?? {})) {
    if (predicate === RDF_TYPE || predicate === '@embed') continue
    const term = terms.get(predicate)
    if (!term) throw new Error(`frame: ${predicate} is not supported at the root`)
    term.frame = compileSubFrame((value as Record<string, unknown>[])[0] ?? {}, root, term.name)
  }
  return root
}

function compileSubFrame(frame: Record<string, unknown>, root: CompiledFrame, name: string): CompiledFrame {
  if (firstOf(frame['@explicit']) !== true) throw new Error(`frame: "${name}" must be @explicit`)
  const terms = new Map<string, Term>()
  for (const predicate of Object.keys(frame)) {
    if (predicate.startsWith('@')) {
      if (!['@explicit', '@embed', '@id'].includes(predicate)) throw new Error(`frame: ${predicate} in "${name}"`)
      continue
    }
    const term = root.terms.get(predicate)
    if (!term) throw new Error(`frame: ${predicate} in "${name}" has no term in the context`)
    // Without a frame of its own: what is embedded in an embedded node is never expanded further.
    terms.set(predicate, { ...term, frame: undefined })
  }
  return { terms, id: root.id }
}

function firstOf(value: unknown): unknown {
  const first: unknown = Array.isArray(value) ? value[0] : value
  return typeof first === 'object' && first !== null && '@value' in first ? first['@value'] : first
}

/** One node of a graph in the form of a frame; undefined where the graph says nothing of the node. */
export type Framing = (subject: string) => FramedNode | undefined

/**
 * Nodes of a graph in the form of the frame: the same as `jsonld.frame` gives for these roots, with literals as their
 * text, untagged texts of language maps under `und`, and blank nodes without an id (JSKOS knows neither).
 *
 * What many nodes name, their vocabulary above all, is embedded as one object, framed once.
 */
export function frameNodes(frame: CompiledFrame, graph: Graph): Framing {
  const shared = new Map<CompiledFrame, Map<string, FramedNode>>()

  const embed = (within: CompiledFrame, subject: string, properties: NodeProperties | undefined): FramedNode => {
    const node: FramedNode = {}
    if (!subject.startsWith('_:')) node[within.id] = subject
    if (!properties) return node
    for (const [predicate, objects] of properties) {
      const term = within.terms.get(predicate)
      if (!term) continue
      if (term.container === 'language') {
        const map = languageMap(objects)
        if (map) node[term.name] = map
      } else {
        const values = objects.map((object) => value(term, within, object))
        node[term.name] = term.container === 'set' || values.length > 1 ? values : values[0]
      }
    }
    return node
  }
  const embedOnce = (within: CompiledFrame, subject: string): FramedNode => {
    let nodes = shared.get(within)
    if (!nodes) shared.set(within, (nodes = new Map<string, FramedNode>()))
    let node = nodes.get(subject)
    if (!node) nodes.set(subject, (node = embed(within, subject, graph.get(subject))))
    return node
  }
  const value = (term: Term, within: CompiledFrame, object: ObjectTerm): FramedValue => {
    if (object.termType === 'Literal') return object.value
    if (term.iri && object.termType === 'NamedNode') return object.value
    if (term.frame) return embedOnce(term.frame, object.value)
    return object.termType === 'NamedNode' ? { [within.id]: object.value } : {}
  }

  return (subject) => {
    const properties = graph.get(subject)
    return properties && embed(frame, subject, properties)
  }
}

/**
 * Inherits nothing, because Turtle allows "constructor" as a language tag. Object.create(null) would do as well, but such an
 * object takes longer to fill and to write.
 */
const LanguageMap = function () {} as unknown as { new (): Record<string, string[]>; prototype: object }
LanguageMap.prototype = Object.create(null) as object

function languageMap(objects: ObjectTerm[]): Record<string, string[]> | undefined {
  const map = new LanguageMap()
  let empty = true
  for (const { termType, language, value } of objects) {
    if (termType !== 'Literal') continue
    ;(map[language || 'und'] ??= []).push(value)
    empty = false
  }
  return empty ? undefined : map
}
