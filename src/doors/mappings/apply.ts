import type { RequestHandler } from 'express'
import { isObject, parseJsonText } from '../../base/json.ts'
import { SKOS } from '../../base/namespaces.ts'
import { quoted } from '../../base/unicode.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import {
  conceptsOf,
  type ConceptBundle,
  type MappedConcept,
  type MappedScheme,
  type Mapping,
} from '../../graph/jskos/mapping.ts'
import type { MappingQuestion } from '../../graph/index/mappings/mapping-reader.ts'
import { BoundedList } from '../../interface/http/bounded-list.ts'
import { MAXIMA } from '../../interface/http/maxima.ts'
import { malformed, readList } from '../../interface/http/parameters.ts'
import { recordsByUri } from '../../interface/read/data.ts'
import { recordsIn } from '../../interface/read/list.ts'
import { inOnePiece } from '../../interface/read/pieces.ts'
import { findMappings, naming, namingContext, type MappingDependencies } from './find-mappings.ts'
import { inferredFor, inferringTypes, readInference, schemeUris } from './infer.ts'
import { APPLYING, namesIn } from './parameters.ts'
import { readMappingPage, readQuestion } from './question.ts'
import { LIST_PARAMETERS, sending, slice } from './send-list.ts'
import { addToList } from '../../base/groups.ts'

/** The parameters of /mappings/apply. */
const NAMES = [...namesIn(APPLYING), 'strict', 'depth', ...LIST_PARAMETERS]

/** A concept that mappings are applied to. */
interface Source {
  /** Its name in the request, and its URI if that is known. */
  names: readonly string[]
  /** The URIs of the concepts above it, the nearest first. */
  above: readonly string[]
}

/**
 * GET and POST /mappings/apply: the concepts that mappings lead to from the concepts of a list or a JSKOS set, each
 * once. A concept without mappings gets the mappings that follow from the concepts above it, as in /mappings/infer.
 */
export function apply(dependencies: MappingDependencies): RequestHandler {
  return sending(dependencies, NAMES, async (parameters, signal, _representation, body) => {
    const context = await namingContext(dependencies, readList(parameters, 'partOf'))
    const page = readMappingPage(parameters, dependencies.config.maxLimit)
    const question = readQuestion(parameters, { ...page, limit: Number.MAX_SAFE_INTEGER, offset: 0 }, context)
    const { isStrict, depth } = readInference(parameters)
    const given = [...new Set([...readList(parameters, 'from'), ...urisOf(body)])]
    const beginning = given.find((name) => name.endsWith('*'))
    if (beginning !== undefined) throw malformed(`from: expected whole URIs or notations, got ${quoted(beginning)}`)
    const schemes = schemeUris(readList(parameters, 'fromScheme'), context)
    const sources = await sourcesNamed(dependencies, given, schemes, context, signal)

    const find = (from: readonly string[], more: Partial<MappingQuestion> = {}) =>
      mappingsByConcept(dependencies, { ...question, ...more, from }, signal)
    const stated = await find(sources.flatMap(({ names }) => names))
    const isMapped = ({ names }: Source) => names.some((name) => stated.has(name))
    const steps = new Map(sources.map((source) => [source, isMapped(source) ? [] : source.above.slice(0, depth)]))
    const types = inferringTypes(question.types, isStrict)
    const above = types.length > 0 ? [...steps.values()].flat() : []
    const inferring = await find([...new Set(above)], { types, isSingle: true })
    const mappings = sources.flatMap((source) => {
      const nearest = steps.get(source)!.find((uri) => inferring.has(uri))
      const stating = source.names.flatMap((name) => stated.get(name) ?? [])
      return nearest === undefined ? stating : [...stating, ...inferring.get(nearest)!]
    })
    const concepts = targetsOf(mappings, dependencies.config.jskosContextUrl)
    return { total: concepts.length, records: inOnePiece(slice(concepts, page)), page }
  })
}

/**
 * The URIs of the items in the body of a POST: a JSKOS item, or an array of them.
 *
 * @throws ApiError MalformedRequestError for another body, PayloadTooLargeError for too many items.
 */
function urisOf(body: unknown): string[] {
  if (!Buffer.isBuffer(body)) return []
  const items = parseJsonText(body.toString())
  if (items === undefined) throw malformed('body: expected JSON')
  const list = Array.isArray(items) ? items : [items]
  BoundedList.of(MAXIMA.applyItems, list)
  return list.map((item: unknown, nth) => {
    const uri = isObject(item) ? item['uri'] : undefined
    if (typeof uri === 'string' && isAbsoluteIri(uri)) return uri
    throw malformed(`${Array.isArray(items) ? `body[${nth}]` : 'body'}: expected an item with a URI`)
  })
}

async function sourcesNamed(
  dependencies: MappingDependencies,
  names: readonly string[],
  schemes: readonly string[],
  context: Parameters<typeof inferredFor>[3],
  signal: AbortSignal,
): Promise<Source[]> {
  const uris = new Map<string, string>()
  for (const name of names) {
    if (isAbsoluteIri(name)) uris.set(name, name)
    else if (schemes.length > 0) {
      const concept = await inferredFor(dependencies, name, schemes, context, signal)
      if (concept) uris.set(name, concept.uri)
    }
  }
  const voc = schemes.join('|')
  const asked = { properties: 'ancestors', ...(voc !== '' && { voc }) }
  const records = await recordsByUri({ dependencies, signal }, uris.values(), asked)
  return names.map((name) => {
    const uri = uris.get(name)
    const ancestors = uri === undefined ? [] : (records.get(uri)?.ancestors ?? [])
    return {
      names: [...new Set([name, ...(uri === undefined ? [] : [uri])])],
      above: ancestors.flatMap((ancestor) => ancestor?.uri ?? []),
    }
  })
}

/**
 * The mappings of concepts, by the URIs and notations of these. A mapping from several concepts together counts only if
 * the question names them all.
 */
async function mappingsByConcept(
  dependencies: MappingDependencies,
  question: MappingQuestion & { from: readonly string[] },
  signal: AbortSignal,
): Promise<Map<string, Mapping[]>> {
  const mappings = new Map<string, Mapping[]>()
  if (question.from.length === 0) return mappings
  const asked = new Set(question.from)
  const namesOf = ({ uri, notation = [] }: MappedConcept) => [...(uri === undefined ? [] : [uri]), ...notation]
  const isAsked = (concept: MappedConcept) => namesOf(concept).some((name) => asked.has(name))
  const applies = (from: ConceptBundle) => from.memberChoice !== undefined || conceptsOf(from).every(isAsked)
  for (const mapping of await recordsIn(
    await findMappings(dependencies, question, signal, naming(dependencies, true)),
  )) {
    if (!applies(mapping.from)) continue
    for (const name of new Set(conceptsOf(mapping.from).flatMap(namesOf)))
      if (asked.has(name)) addToList(mappings, name, mapping)
  }
  return mappings
}

/** The concepts that mappings lead to, each once and with its vocabulary. */
function targetsOf(mappings: readonly Mapping[], contextUrl: string): MappedConcept[] {
  const concepts = new Map<string, MappedConcept>()
  for (const { to, toScheme } of mappings) {
    for (const concept of conceptsOf(to)) {
      const key = concept.uri ?? JSON.stringify([concept.notation, toScheme?.uri])
      if (!concepts.has(key)) concepts.set(key, targetRecord(concept, toScheme, contextUrl))
    }
  }
  return [...concepts.values()]
}

function targetRecord(
  concept: MappedConcept,
  scheme: MappedScheme | null | undefined,
  contextUrl: string,
): MappedConcept {
  return {
    '@context': contextUrl,
    type: [`${SKOS}Concept`],
    ...(scheme && { inScheme: [scheme] }),
    ...concept,
  }
}
