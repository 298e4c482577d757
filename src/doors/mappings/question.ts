import { checkMaximum, MAXIMA } from '../../interface/http/maxima.ts'
import {
  readChoice,
  readIris,
  readList,
  readPage,
  type Page,
  type Parameters,
} from '../../interface/http/parameters.ts'
import { ANY, type MappingQuestion } from '../../graph/index/mappings/mapping-reader.ts'
import { vocabularyKey } from '../../graph/jskos/names.ts'
import { vocabularyByName, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { findConcordance, type ConcordanceRecord } from './concordance.ts'
import { CHOICES } from './parameters.ts'

/** The number of mappings in an answer without `limit`. */
const MAPPINGS_LIMIT = 100

/** The lists in which the names of a question are looked up. */
export interface NamingContext {
  vocabularies: readonly Vocabulary[]
  concordances: readonly ConcordanceRecord[]
  baseUrl: string
}

/**
 * The question that the parameters of a request ask (docs/mappings.md).
 *
 * @param mode the one without `mode`.
 * @throws ApiError MalformedRequestError naming the wrong parameter.
 */
export function readQuestion(
  parameters: Parameters,
  page: Page,
  context: NamingContext,
  mode: MappingQuestion['mode'] = 'and',
): MappingQuestion {
  const list = (name: string) => (parameters.has(name) ? readList(parameters, name) : undefined)
  const schemes = (name: string) => list(name)?.flatMap((text) => schemesNamed(text, context.vocabularies))
  const identifiers = [...(list('identifier') ?? []), ...(list('uri') ?? [])]
  const concepts = (name: 'from' | 'to') => {
    const names = list(name)
    checkMaximum(MAXIMA.beginnings, names?.filter((text) => text.endsWith('*')).length ?? 0, name)
    return names
  }
  return {
    from: concepts('from'),
    to: concepts('to'),
    fromScheme: schemes('fromScheme'),
    toScheme: schemes('toScheme'),
    direction: readChoice(parameters, 'direction', CHOICES.direction) ?? 'forward',
    mode: readChoice(parameters, 'mode', CHOICES.mode) ?? mode,
    types: parameters.has('type') ? readIris(parameters, 'type') : undefined,
    identifier: identifiers.length > 0 ? identifiers.map((text) => mappingName(text, context.baseUrl)) : undefined,
    partOf: list('partOf')?.flatMap((text) => concordanceGraphs(text, context.concordances)),
    creator: list('creator'),
    isSingle: readChoice(parameters, 'cardinality', CHOICES.cardinality) === '1-to-1',
    annotated: ['annotatedFor', 'annotatedWith', 'annotatedBy'].some((name) => parameters.has(name))
      ? {
          motivation: parameters.get('annotatedFor'),
          values: list('annotatedWith'),
          creators: list('annotatedBy'),
        }
      : undefined,
    sort: readChoice(parameters, 'sort', CHOICES.sort) ?? 'modified',
    order: readChoice(parameters, 'order', CHOICES.order) ?? 'desc',
    page,
  }
}

/** Reads `limit` and `offset`; a download has all mappings. */
export function readMappingPage(parameters: Parameters, maxLimit: number, limit = MAPPINGS_LIMIT): Page {
  if (parameters.has('download')) return readPage(parameters, Number.MAX_SAFE_INTEGER)
  return readPage(parameters, maxLimit, Math.min(limit, maxLimit))
}

/** The URIs of a vocabulary that a mapping may name it by: all that the store has of it, else the name itself. */
export function schemesNamed(name: string, vocabularies: readonly Vocabulary[]): string[] {
  const vocabulary = vocabularyByName(vocabularies, name)
  const uris = vocabulary ? [vocabulary.uri, ...vocabulary.identifiers, name] : [name]
  const spellings = uris.flatMap((uri) => {
    const key = vocabularyKey(uri)
    return [uri, ...[key, key.replace(/^http:/, 'https:')].flatMap((spelling) => [spelling, `${spelling}/`])]
  })
  return [...new Set(spellings)]
}

function concordanceGraphs(name: string, concordances: readonly ConcordanceRecord[]): (string | null)[] {
  if (name === 'none') return [null]
  if (name === 'any') return [ANY]
  return [findConcordance(concordances, name)?.graph ?? name]
}

/** The name of a mapping by which the index knows it: its id for an address of this service. */
export function mappingName(name: string, baseUrl: string): string {
  const start = `${baseUrl}mappings/`
  return name.startsWith(start) ? name.slice(start.length) : name
}
