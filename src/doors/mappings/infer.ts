import type { RequestHandler } from 'express'
import { malformed, readChoice, readList, readWholeNumber, type Parameters } from '../../interface/http/parameters.ts'
import {
  DEFAULT_MAPPING_TYPE,
  identifiersOf,
  typeOf,
  type MappedConcept,
  type Mapping,
} from '../../graph/jskos/mapping.ts'
import { SKOS } from '../../base/namespaces.ts'
import { ancestors } from '../../interface/read/ancestors.ts'
import { data } from '../../interface/read/data.ts'
import { recordsIn } from '../../interface/read/list.ts'
import { inOnePiece } from '../../interface/read/pieces.ts'
import { listRequest } from '../../interface/read/request.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { namespacesOf } from '../../graph/vocabularies/namespaces.ts'
import type { MappingRecord } from './record.ts'
import { CHOOSING } from './parameters.ts'
import { readMappingPage, readQuestion, schemesNamed, type NamingContext } from './question.ts'
import { findMappings, namingContext, type MappingDependencies } from './find-mappings.ts'
import { LIST_PARAMETERS, sending } from './send-list.ts'

/**
 * GET /mappings/infer: the mappings of a concept. If it has none, they follow from the mappings of the nearest concept
 * above that has some: its exactMatch becomes a narrowMatch of the concept, as JSKOS servers write it.
 */
export function infer(dependencies: MappingDependencies): RequestHandler {
  return sending(dependencies, [...CHOOSING, ...LIST_PARAMETERS, 'strict', 'depth'], async (parameters, signal) => {
    if (parameters.has('to')) throw malformed('to: /mappings/infer does not take this parameter')
    readChoice(parameters, 'direction', ['forward'])
    const context = await namingContext(dependencies, readList(parameters, 'partOf'))
    const page = readMappingPage(parameters, dependencies.config.maxLimit)
    const question = { ...readQuestion(parameters, page, context), isSingle: true }
    const { isStrict, depth } = readInference(parameters)
    if (!question.from || !question.fromScheme) return { total: 0, records: inOnePiece([]), page }
    const schemes = schemeUris(readList(parameters, 'fromScheme'), context)
    const concept = await inferredFor(dependencies, question.from[0]!, schemes, context, signal)
    const asked = { ...question, from: [...new Set([...question.from, ...(concept ? [concept.uri] : [])])] }
    const stated = await findMappings(dependencies, asked, signal)
    if (stated.total > 0 || depth === 0) return { ...stated, page }
    const types = inferringTypes(asked.types, isStrict)
    const above = types.length > 0 && concept ? await urisAbove(dependencies, concept.uri, schemes, signal) : []
    for (const uri of above.slice(0, depth)) {
      const { total, records } = await findMappings(dependencies, { ...asked, from: [uri], types }, signal)
      if (total === 0) continue
      return { total, records: inferred(records, concept!, isStrict), page }
    }
    return { total: 0, records: inOnePiece([]), page }
  })
}

/**
 * The parameters that control what follows from the mappings of concepts above.
 *
 * @returns `isStrict`: nothing follows from a closeMatch; `depth`: the most steps up.
 */
export function readInference(parameters: Parameters): { isStrict: boolean; depth: number } {
  return {
    isStrict: ['true', '1'].includes(parameters.get('strict') ?? ''),
    depth: readWholeNumber(parameters, 'depth') ?? Infinity,
  }
}

/** The types of mappings of broader concepts from which mappings of some types follow. */
export function inferringTypes(types: readonly string[] | undefined, isStrict: boolean): string[] {
  const isWanted = (type: string) => !types || types.includes(type)
  return [
    ...(isWanted(DEFAULT_MAPPING_TYPE) ? [DEFAULT_MAPPING_TYPE] : []),
    ...(isWanted(`${SKOS}narrowMatch`) ? [`${SKOS}exactMatch`, `${SKOS}narrowMatch`] : []),
    ...(isWanted(`${SKOS}narrowMatch`) && !isStrict ? [`${SKOS}closeMatch`] : []),
    ...(isWanted(`${SKOS}relatedMatch`) ? [`${SKOS}relatedMatch`] : []),
  ]
}

/** A concept with its URI. */
type ConceptWithUri = MappedConcept & { uri: string }

/** The vocabularies that have names, by the URI under which the store has them; unknown names stay. */
export function schemeUris(names: readonly string[], { vocabularies }: NamingContext): string[] {
  return names.map((name) => schemesNamed(name, vocabularies)[0]!)
}

/**
 * The concept that mappings are inferred for, by its URI, by a notation in its vocabulary, or by what comes after the
 * namespace of its vocabulary, which other servers take for its notation; undefined if there is none.
 */
export async function inferredFor(
  dependencies: MappingDependencies,
  name: string,
  schemes: readonly string[],
  { vocabularies }: NamingContext,
  signal: AbortSignal,
): Promise<ConceptWithUri | undefined> {
  const first = async (chosen: Record<string, string>): Promise<ConceptWithUri | undefined> => {
    const asked = new Map(Object.entries({ ...chosen, voc: schemes.join('|'), properties: 'notation', limit: '1' }))
    const [record] = await recordsIn(
      await data(dependencies, await listRequest(dependencies, { parameters: asked, signal })),
    )
    return record && { uri: record.uri, ...(record.notation && { notation: record.notation }) }
  }
  if (isAbsoluteIri(name)) return (await first({ uri: name })) ?? { uri: name }
  const spaces = vocabularies.filter(({ uri }) => schemes.includes(uri)).flatMap(namespacesOf)
  const uris = spaces.map((start) => start + encodeURIComponent(name))
  return (await first({ notation: name })) ?? (uris.length > 0 ? first({ uri: uris.join('|') }) : undefined)
}

/** The URIs of the concepts above a concept, the nearest first. */
async function urisAbove(
  dependencies: MappingDependencies,
  uri: string,
  schemes: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const asked = new Map(Object.entries({ uri, voc: schemes.join('|'), properties: 'uri' }))
  const above = await ancestors(dependencies, await listRequest(dependencies, { parameters: asked, signal }))
  return (await recordsIn(above)).map((record) => record.uri)
}

/** Mappings of a concept that follow from those of a broader concept. */
async function* inferred(
  records: AsyncIterable<MappingRecord[]>,
  from: ConceptWithUri,
  isStrict: boolean,
): AsyncGenerator<Record<string, unknown>[]> {
  for await (const piece of records) {
    yield piece.map(({ uri, fromScheme, to, toScheme, ...other }) => {
      const type = typeOf(other)
      const isEqual = type === `${SKOS}exactMatch` || (!isStrict && type === `${SKOS}closeMatch`)
      const mapping: Mapping = {
        from: { memberSet: [from] },
        ...(fromScheme && { fromScheme }),
        to,
        ...(toScheme && { toScheme }),
        type: [isEqual ? `${SKOS}narrowMatch` : type],
      }
      return { '@context': other['@context'], ...mapping, identifier: identifiersOf(mapping), source: [{ uri }] }
    })
  }
}
