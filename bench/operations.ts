/** The operations that are measured, each with the raw request beside it. */
import { queryTemplate } from '../src/sparql/queries.ts'
import { iri } from '../src/sparql/terms.ts'
import type { Samples } from './samples.ts'
import type { Recorder, StoreName } from './stand.ts'

export interface Operation {
  name: string
  /** Records in the answer. */
  records: number
  /** Requests of the same kind, taken in turn. */
  requests: Request[]
  /** Requests per second are measured too. */
  throughput?: true
  /** Eight such requests at once are measured too. */
  atOnce?: true
}

export interface Request {
  path: string
  /** The question for the concepts, if the service may ask for them by URIs that it has found before. */
  select?: string
}

export const FORMS = [
  { form: 'JSON', parameters: {} },
  { form: 'JSON, *', parameters: { properties: '*' } },
  { form: 'Turtle', parameters: { format: 'turtle' } },
]

/** Several words each, because the service remembers for a short time what a search has found. */
const WORDS =
  'woman man child horse bird tree water king animal ship hand house church city book music war death'.split(' ')
const BEGINNINGS = 'be ma st an fl ge so tr ho la re wa co pa se'.split(' ')

export function operations(store: StoreName, samples: Samples): Operation[] {
  const at = (path: string, uri: string) => ({ path: `${path}?uri=${encodeURIComponent(uri)}` })
  const fifty = `/data?uri=${samples.concepts.slice(0, 50).map(encodeURIComponent).join('|')}`
  const below = (records: number): Operation => ({
    name: `descendants, ${records.toLocaleString('en')}`,
    records,
    requests: [
      {
        path: `${at('/descendants', samples.root).path}&limit=${records}`,
        select: queryTemplate('descendants').bindSubselect({
          terms: { uri: [iri(samples.root)] },
          include: ['order'],
          limit: records,
          offset: 0,
        }).text,
      },
    ],
    ...(records === 10_000 ? { atOnce: true } : {}),
  })
  const searches = (path: string, words: string[], limit: number): Request[] =>
    words.map((word) => ({ path: `${path}?search=${word}&limit=${limit}`, select: hits(store, word, limit) }))
  return [
    {
      name: 'one concept by uri',
      records: 1,
      requests: samples.concepts.map((uri) => at('/data', uri)),
      throughput: true,
    },
    { name: '50 concepts by uri', records: 50, requests: [{ path: fifty }] },
    {
      name: 'one concept by notation',
      records: 1,
      requests: [{ path: `/data?notation=${encodeURIComponent(samples.notation)}` }],
    },
    {
      name: 'narrower, small',
      records: samples.fewNarrower.count,
      requests: [at('/narrower', samples.fewNarrower.uri)],
      throughput: true,
    },
    {
      name: 'narrower, the widest',
      records: samples.mostNarrower.count,
      requests: [at('/narrower', samples.mostNarrower.uri)],
    },
    {
      name: 'ancestors of the deepest',
      records: samples.deepest.count,
      requests: [at('/ancestors', samples.deepest.uri)],
      throughput: true,
    },
    below(100),
    below(1000),
    below(10_000),
    { name: 'top concepts', records: 10, requests: [{ path: '/voc/iconclass/top' }] },
    {
      name: 'vocabularies',
      records: 3,
      requests: [{ path: '/voc', select: 'SELECT DISTINCT ?c { ?c a skos:ConceptScheme }' }],
    },
    { name: 'search', records: 100, requests: searches('/search', WORDS, 100) },
    { name: 'suggest', records: 20, requests: searches('/suggest', BEGINNINGS, 20) },
  ]
}

/** Some concepts with a word in a label that begins so, found as quickly as the store can; not ranked, and not in order. */
function hits(store: StoreName, word: string, limit: number): string {
  const found =
    store === 'fuseki'
      ? `(?c ?score ?found) <http://jena.apache.org/text#query> (skos:prefLabel skos:altLabel skos:hiddenLabel "${word}*")`
      : `VALUES ?label { skos:prefLabel skos:altLabel skos:hiddenLabel } ?c ?label ?found
         FILTER(REGEX(?found, "(^|[^\\\\p{L}])${word}", "i"))`
  return `SELECT DISTINCT ?c { ${found} FILTER EXISTS { ?c skos:inScheme ?scheme } } LIMIT ${limit}`
}

export function withParameters(path: string, parameters: Record<string, string>): string {
  const query = new URLSearchParams(parameters).toString()
  return query ? `${path}${path.includes('?') ? '&' : '?'}${query}` : path
}

/**
 * The raw request for an answer: the CONSTRUCT that the service sends, with the question for the concepts in the place of
 * URIs that it has found before.
 */
export async function rawQuery(record: Recorder['record'], { path, select }: Request): Promise<string> {
  const query = (await record(path)).find((text) => /^\s*CONSTRUCT/m.test(text))
  if (query === undefined) throw new Error(`${path}: no CONSTRUCT`)
  return select === undefined ? query : query.replace(/VALUES \?c \{[^}]*\}/g, `{ ${select} }`)
}
