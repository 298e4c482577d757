/**
 * Measures how well words become concepts: /reconcile and /suggest over HTTP, with a test set made by rule from the
 * labels of real vocabularies. Each kind of query has up to 500 concepts of each vocabulary, evenly spread among the
 * suitable ones. Concepts with the same label, or with exactly the sent text, count as right. The table counts wrong
 * candidates with `match: true`. The exit code is 1 if a figure misses its target.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { SKOS } from '../src/base/namespaces.ts'
import { startApp, type RunningApp } from '../test/app.ts'
import { FILES, dataFile, reconcile, withStore, type StoreName } from './stand.ts'

interface Labelled {
  uri: string
  /** The preferred label of the first language that there is. */
  label: string
  english: string | undefined
  alternative: string | undefined
}

/** A query made from the labels of a concept; undefined if impossible. */
type Rule = (concept: Labelled, random: () => number) => string | undefined

interface Outcome {
  queries: number
  first: number
  amongFive: number
  /** True if the match is certain, but wrong. */
  wrongMatches: number
}

/** Letters of a word from which it has to be found in spite of a typing error. */
const LONG_WORD = 6
/** Queries in one request to /reconcile. */
const BATCH = 50
const POLL_MS = 500
const MOST_WRONG_MATCHES = 1 / 200
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

const WANTED = { typo: 0.95, sameLetters: 0.99, order: 0.9 }
const UMLAUTS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', Ä: 'Ae', Ö: 'Oe', Ü: 'Ue', ß: 'ss' }

/** The kinds of queries: the rule of each, and the share that must come first, if there is a target. */
const KINDS: Readonly<Record<string, { rule: Rule; wanted?: number }>> = {
  'the label itself': { rule: ({ label }) => label },
  'one letter left out': { rule: typo((word, at) => word.slice(0, at) + word.slice(at + 1)), wanted: WANTED.typo },
  'one letter doubled': { rule: typo((word, at) => word.slice(0, at + 1) + word.slice(at)), wanted: WANTED.typo },
  'two letters swapped': {
    rule: typo((word, at) => {
      const from = Math.min(at, word.length - 2)
      return word.slice(0, from) + word[from + 1]! + word[from]! + word.slice(from + 2)
    }),
    wanted: WANTED.typo,
  },
  'one letter wrong': {
    rule: typo((word, at, random) => {
      const letters = [...LETTERS].filter((letter) => letter !== word[at]!.toLowerCase())
      return word.slice(0, at) + letters[Math.floor(random() * letters.length)]! + word.slice(at + 1)
    }),
    wanted: WANTED.typo,
  },
  'without diacritics': { rule: changed(withoutMarks), wanted: WANTED.sameLetters },
  'ae, oe, ue, ss': {
    rule: changed((label) => label.replace(/[äöüÄÖÜß]/g, (letter) => UMLAUTS[letter]!)),
    wanted: WANTED.sameLetters,
  },
  'upper case': { rule: changed((label) => label.toUpperCase()), wanted: WANTED.sameLetters },
  'words in another order': { rule: changed(reordered), wanted: WANTED.order },
  'an alternative label': { rule: ({ alternative }) => alternative },
  'the English label': { rule: ({ english, label }) => (english === label ? undefined : english) },
  'singular or plural': { rule: changed(inOtherNumber) },
}

/** Changes one long word of the label at some letter. */
function typo(change: (word: string, at: number, random: () => number) => string): Rule {
  return ({ label }, random) => {
    const words = [...label.matchAll(new RegExp(`\\p{L}{${LONG_WORD},}`, 'gu'))]
    if (words.length === 0) return undefined
    const { 0: word, index } = words[Math.floor(random() * words.length)]!
    const wrong = change(word, Math.floor(random() * word.length), random)
    return wrong === word ? undefined : label.slice(0, index) + wrong + label.slice(index + word.length)
  }
}

function changed(change: (label: string) => string | undefined): Rule {
  return ({ label }) => {
    const other = change(label)
    return other === label ? undefined : other
  }
}

function withoutMarks(label: string): string {
  return label.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss')
}

/** The last word first. */
function reordered(label: string): string | undefined {
  const words = label.match(/[\p{L}\p{N}][^\s,;:/()]*/gu) ?? []
  return words.length < 2 ? undefined : [words.at(-1), ...words.slice(0, -1)].join(' ')
}

/** Endings by which a German word changes its number safely enough for a rule, in both directions. */
const NUMBERS: readonly [ending: RegExp, other: string][] = [
  [/(ung|heit|keit|schaft|ion|tät)$/u, '$1en'],
  [/(ung|heit|keit|schaft|ion|tät)en$/u, '$1'],
  [/([^aeiouy])e$/u, '$1en'],
  [/([^aeiouy])en$/u, '$1e'],
]

function inOtherNumber(label: string): string | undefined {
  for (const { 0: word, index } of label.matchAll(/\p{L}{4,}/gu)) {
    const form = NUMBERS.find(([ending]) => ending.test(word))
    if (form) return label.slice(0, index) + word.replace(...form) + label.slice(index + word.length)
  }
  return undefined
}

/** Numbers from 0 to 1 that are the same in each run (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The concepts of a vocabulary with their labels, and the concepts that have a label. */
async function readLabels({ client }: RunningApp, scheme: string) {
  const rows = await client.select(`PREFIX skos: <${SKOS}> SELECT ?c ?p ?l { GRAPH <${scheme}> {
    ?c a skos:Concept ; ?p ?l . FILTER(?p IN (skos:prefLabel, skos:altLabel)) } }`)
  const concepts = new Map<string, Labelled & { labels: Map<string, string> }>()
  const owners = new Map<string, Set<string>>()
  for (const { c, p, l } of rows.sort((a, b) => (a['l']!.value < b['l']!.value ? -1 : 1))) {
    const { value: uri } = c!
    const { value: text, 'xml:lang': language = '' } = l!
    const concept = concepts.get(uri) ?? {
      uri,
      label: '',
      english: undefined,
      alternative: undefined,
      labels: new Map(),
    }
    concepts.set(uri, concept)
    if (p!.value === `${SKOS}prefLabel`) concept.labels.set(language, text)
    else if (language === 'de' || language === 'und') concept.alternative ??= text
    owners.set(text.toLowerCase(), (owners.get(text.toLowerCase()) ?? new Set()).add(uri))
  }
  const labelled = [...concepts.values()].flatMap(({ labels, ...concept }): Labelled[] => {
    const label = labels.get('de') ?? labels.get('und')
    return label === undefined ? [] : [{ ...concept, label, english: labels.get('en') }]
  })
  return { concepts: labelled.sort((a, b) => (a.uri < b.uri ? -1 : 1)), owners }
}

interface Question {
  text: string
  right: ReadonlySet<string>
}

/** The queries of a kind, evenly spread. */
function questionsOf(
  rule: Rule,
  { concepts, owners }: Awaited<ReturnType<typeof readLabels>>,
  most: number,
): Question[] {
  const random = randomFrom(17)
  const all = concepts.flatMap((concept) => {
    const text = rule(concept, random)
    if (text === undefined) return []
    const right = [text, concept.label].flatMap((label) => [...(owners.get(label.toLowerCase()) ?? [])])
    return [{ text, right: new Set([concept.uri, ...right]) }]
  })
  return Array.from({ length: Math.min(most, all.length) }, (_, at) => {
    return all[Math.floor((at * all.length) / Math.min(most, all.length))]!
  })
}

interface Found {
  uris: string[]
  match: boolean
}

async function reconcileAll({ url }: RunningApp, id: string, questions: readonly Question[]): Promise<Found[]> {
  const results: Found[] = []
  for (let start = 0; start < questions.length; start += BATCH) {
    const batch = questions.slice(start, start + BATCH).map(({ text }) => ({ query: text, limit: 5 }))
    for (const candidates of await reconcile(url, id, batch)) {
      results.push({ uris: candidates.map((candidate) => candidate.id), match: candidates[0]?.match ?? false })
    }
  }
  return results
}

async function suggest(app: RunningApp, id: string, questions: readonly Question[]): Promise<Found[]> {
  const results: Found[] = []
  for (const { text } of questions) {
    const { status, body, text: said } = await app.ask('/suggest', { search: text, voc: id, limit: '5' })
    if (status !== 200) throw new Error(`${status} ${said}`)
    results.push({ uris: (body as [string, string[], string[], string[]])[3], match: false })
  }
  return results
}

const ENDPOINTS = { reconcile: reconcileAll, suggest }

function compare(questions: readonly Question[], results: readonly Found[], isShown: boolean): Outcome {
  const outcome = { queries: questions.length, first: 0, amongFive: 0, wrongMatches: 0 }
  for (const [at, { text, right }] of questions.entries()) {
    const { uris, match } = results[at]!
    const isFirst = uris[0] !== undefined && right.has(uris[0])
    if (isFirst) outcome.first++
    if (uris.some((uri) => right.has(uri))) outcome.amongFive++
    if (match && !isFirst) outcome.wrongMatches++
    if (isShown && !isFirst)
      console.log(`  ${text}: ${match ? 'MATCH ' : ''}${uris[0] ?? '-'}, not ${[...right].join(' ')}`)
  }
  return outcome
}

const VOCABULARIES = {
  stw: FILES.stw,
  bk: FILES.bk,
  nwbib: dataFile('vocab/nwbib.ttl'),
  'nwbib-spatial': dataFile('vocab/nwbib-spatial.ttl'),
}

/**
 * Prints a table for each endpoint: the share of queries for which the right concept comes first, and is among five.
 *
 * @param options.misses prints each query that is answered with another concept.
 * @param options.only kinds with this in their name.
 */
export async function quality(
  stores: readonly StoreName[],
  { misses, only, concepts }: { misses: boolean; only: string; concepts: number },
): Promise<void> {
  const missed: string[] = []
  for (const name of stores) {
    await withStore(name, 'quality', VOCABULARIES, async ({ endpoint }) => {
      const app = await startApp(endpoint, { SPARQL_TIMEOUT_MS: '120000' })
      // Until then the index reads the labels, and searches are 503.
      while ((await app.get('/search?search=a&limit=1')).status !== 200) await sleep(POLL_MS)
      const labels = new Map<string, Awaited<ReturnType<typeof readLabels>>>()
      for (const id of Object.keys(VOCABULARIES)) {
        labels.set(id, await readLabels(app, ((await app.get(`/voc/${id}`)).body as { uri: string }[])[0]!.uri))
      }
      for (const [path, ask] of Object.entries(ENDPOINTS)) {
        console.log(`\n${name}, /${path}: first, among five; number of queries\n`)
        console.log(`| the query is | ${[...labels.keys()].join(' | ')} |\n|---${'|---'.repeat(labels.size)}|`)
        const wrong = new Map<string, { queries: number; matches: number }>()
        for (const [kind, { rule, wanted }] of Object.entries(KINDS)) {
          if (!kind.includes(only)) continue
          const cells: string[] = []
          for (const [id, some] of labels) {
            const questions = questionsOf(rule, some, concepts)
            const outcome = compare(questions, await ask(app, id, questions), misses)
            cells.push(shown(outcome))
            const sum = wrong.get(id) ?? { queries: 0, matches: 0 }
            wrong.set(id, { queries: sum.queries + outcome.queries, matches: sum.matches + outcome.wrongMatches })
            if (wanted !== undefined && outcome.first < wanted * outcome.queries) {
              missed.push(`${name}, /${path}, ${kind}, ${id}: ${shown(outcome)}, wanted ${percent(wanted)} first`)
            }
          }
          console.log(`| ${kind} | ${cells.join(' | ')} |`)
        }
        if (ask !== reconcileAll) continue
        const cells = [...wrong].map(([id, { queries, matches }]) => {
          if (matches >= queries * MOST_WRONG_MATCHES) missed.push(`${name}, ${id}: ${matches} wrong of ${queries}`)
          return `${matches} of ${queries}`
        })
        console.log(`| \`match: true\` and wrong | ${cells.join(' | ')} |`)
      }
      await app.close()
    })
  }
  for (const line of missed) console.log(`MISSED: ${line}`)
  if (missed.length > 0) process.exit(1)
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`

function shown({ queries, first, amongFive }: Outcome): string {
  return queries === 0 ? '-' : `${percent(first / queries)}, ${percent(amongFive / queries)}; ${queries}`
}
