/** The operations that are measured, each with the raw request beside it. */
import { resolve } from 'node:path'
import { queryTemplate, loadTemplates, type BoundSelect } from '../src/graph/sparql/templates.ts'
import { iri, literal } from '../src/graph/sparql/terms.ts'
import { median, timed } from './measure.ts'
import type { Samples } from './samples.ts'
import { postQuery, type Recorder, type Store } from './stand.ts'

interface Operation {
  name: string
  /** Records in the answer. */
  records: number
  /** Requests of the same kind, taken in turn. */
  requests: Request[]
  /** Eight such requests at once are measured too. */
  atOnce?: true
  /** The other forms are measured too. */
  allForms?: true
}

interface Request {
  path: string
  /** The question for the concepts. */
  select: BoundSelect
  /** False: the hand-written forms of bench/raw do not do for such records. */
  isConcepts?: false
}

export const FORMS = [
  { form: 'JSON', parameters: {} },
  { form: 'JSON, *', parameters: { properties: '*' } },
  { form: 'Turtle', parameters: { format: 'turtle' } },
]

export function operations(samples: Samples): Operation[] {
  const at = (path: string, uri: string, pattern = `VALUES ?c { ${iri(uri)} }`): Request => ({
    path: `${path}?uri=${encodeURIComponent(uri)}`,
    select: question(pattern),
  })
  const fifty = `/data?uri=${samples.concepts.slice(0, 50).map(encodeURIComponent).join('|')}`
  const below = (records: number): Operation => ({
    name: `descendants, ${records.toLocaleString('en')}`,
    records,
    requests: [
      {
        path: `${at('/descendants', samples.root).path}&limit=${records}`,
        select: queryTemplate('descendants').bindSubselect({
          terms: { uri: [iri(samples.root)] },
          include: ['order', 'page'],
          limit: records,
          offset: 0,
        }),
        // The hand-written forms find the concepts twice; for so many, oxigraph takes minutes.
        ...(records === 10_000 ? { isConcepts: false } : {}),
      },
    ],
    ...(records === 1000 ? { allForms: true } : {}),
    ...(records === 10_000 ? { atOnce: true } : {}),
  })
  return [
    {
      name: 'one concept by uri',
      records: 1,
      requests: samples.concepts.map((uri) => at('/data', uri)),
      allForms: true,
    },
    {
      name: '50 concepts by uri',
      records: 50,
      requests: [
        { path: fifty, select: question(`VALUES ?c { ${samples.concepts.slice(0, 50).map(iri).join(' ')} }`) },
      ],
    },
    {
      name: 'one concept by notation',
      records: 1,
      requests: [
        {
          path: `/data?notation=${encodeURIComponent(samples.notation)}`,
          select: question(`?c skos:notation ${literal(samples.notation)}`),
        },
      ],
    },
    {
      name: 'narrower, small',
      records: samples.fewNarrower[0]!.count,
      requests: samples.fewNarrower.map(({ uri }) => at('/narrower', uri, `${iri(uri)} skos:narrower ?c`)),
    },
    {
      name: 'narrower, the widest',
      records: samples.mostNarrower.count,
      requests: [at('/narrower', samples.mostNarrower.uri, `${iri(samples.mostNarrower.uri)} skos:narrower ?c`)],
      allForms: true,
    },
    {
      name: 'ancestors of the deepest',
      records: samples.deepest[0]!.count,
      requests: samples.deepest.map(({ uri }) => at('/ancestors', uri, `${iri(uri)} skos:broader+ ?c`)),
    },
    below(100),
    below(1000),
    below(10_000),
    {
      name: 'top concepts',
      records: 10,
      requests: [{ path: '/voc/iconclass/top', select: question(`?c skos:topConceptOf ${iri(samples.scheme)}`) }],
    },
    {
      name: 'vocabularies',
      records: 3,
      requests: [{ path: '/voc', select: question('?c a skos:ConceptScheme'), isConcepts: false }],
    },
  ]
}

/** A question for concepts, as short as it can be written by hand. */
function question(pattern: string): BoundSelect {
  return {
    prefixes: ['PREFIX skos: <http://www.w3.org/2004/02/skos/core#>'],
    text: `SELECT DISTINCT ?c { ${pattern} }`,
  }
}

export function withParameters(path: string, parameters: Record<string, string>): string {
  const query = new URLSearchParams(parameters).toString()
  return query ? `${path}${path.includes('?') ? '&' : '?'}${query}` : path
}

/**
 * The raw request for an answer: the CONSTRUCT that the service sends, with the question for the concepts in the place
 * of URIs that it has found before.
 */
export async function rawQuery(record: Recorder['record'], { path, select }: Request): Promise<string> {
  const query = (await record(path)).find((text) => /^\s*CONSTRUCT/m.test(text))
  if (query === undefined) throw new Error(`${path}: no CONSTRUCT`)
  if (!/VALUES \?c \{[^}]*\}/.test(query)) return query
  const prefixes = select.prefixes.filter((prefix) => !query.includes(prefix))
  return `${prefixes.join('\n')}\n${query.replace(/VALUES \?c \{[^}]*\}/g, `{ ${select.text} }`)}`
}

const HAND_WRITTEN = loadTemplates(resolve(import.meta.dirname, 'raw'))
const TRIES = 4

/**
 * The fastest raw requests for the records of some requests: the one that the service sends, or one of the hand-written
 * forms of bench/raw. The first of the requests decides.
 *
 * @param sent the raw requests that the service sends.
 */
export async function fastestQueries(
  { endpoint }: Store,
  requests: readonly Request[],
  sent: readonly string[],
): Promise<{ form: string; queries: readonly string[] }> {
  const forms = new Map([['service', sent]])
  for (const [name, template] of HAND_WRITTEN) {
    if (requests.some(({ isConcepts }) => isConcepts === false)) continue
    forms.set(
      name,
      requests.map(({ select }) => template.bind({ subselect: { slot: 'c', select } }).text),
    )
  }
  let fastest = { form: 'service', queries: sent, ms: Infinity }
  for (const [form, queries] of forms) {
    const times: number[] = []
    for (let i = 0; i < TRIES && (i < 2 || times[0]! < 2000); i++) {
      times.push(await timed(async () => (await postQuery(endpoint, queries[0]!)).arrayBuffer()))
    }
    // The first one of a form is slower.
    const ms = median(times.slice(1))
    if (ms < fastest.ms) fastest = { form, queries, ms }
  }
  return fastest
}
