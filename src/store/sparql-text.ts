/**
 * What can be told about a SPARQL text from its tokens alone (SPARQL 1.1 Query Language, section 19), without parsing it:
 * enough to choose a result format, to see a dataset clause, and to know which graphs an update names.
 * Whether the text is SPARQL at all is for the store to say.
 */

interface Token {
  kind: 'iri' | 'variable' | 'prefixed' | 'word' | 'brace'
  text: string
}

const NAME = '[A-Za-z_\\u00C0-\\uFFFF]'
const NAME_REST = '[\\w\\-.\\u00B7-\\uFFFF]'

/** Only the beginning of a string is matched here: a pattern for the whole of a long one overflows the stack. */
const TOKEN = new RegExp(
  [
    '#[^\\n\\r]*|@[A-Za-z][\\w-]*',
    `(?<quote>"""|'''|"|')`,
    '<(?<iri>[^<>"{}|^`\\x00-\\x20]*)>',
    '(?<variable>[?$][\\w\\u00B7-\\uFFFF]+)',
    `(?<prefixed>(?:${NAME}${NAME_REST}*)?:(?:[\\w:\\-.\\u00B7-\\uFFFF]+|%[0-9A-Fa-f]{2}|\\\\.){0,1000})`,
    `(?<word>${NAME}${NAME_REST}*)`,
    '(?<brace>[{}])',
  ].join('|'),
  'g',
)

const KINDS = ['word', 'iri', 'brace', 'variable', 'prefixed'] as const

function* tokens(text: string): Generator<Token> {
  const pattern = new RegExp(TOKEN)
  for (let match; (match = pattern.exec(text));) {
    const groups = match.groups!
    if (groups['quote'] !== undefined) {
      pattern.lastIndex = endOfString(text, pattern.lastIndex, groups['quote'])
      continue
    }
    const kind = KINDS.find((kind) => groups[kind] !== undefined)
    if (kind !== undefined) yield { kind, text: kind === 'word' ? groups[kind]!.toUpperCase() : groups[kind]! }
  }
}

function endOfString(text: string, start: number, quote: string): number {
  for (let from = start; ;) {
    const end = text.indexOf(quote, from)
    if (end === -1) return text.length
    let backslashes = 0
    while (end - 1 - backslashes >= start && text[end - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return end + quote.length
    from = end + 1
  }
}

export interface QueryShape {
  /** `graph` for CONSTRUCT and DESCRIBE; `solutions` for SELECT, ASK and whatever is no query. */
  results: 'solutions' | 'graph'
  /** Whether the query names its dataset with FROM or FROM NAMED. */
  hasDataset: boolean
}

/** What kind of results a query gives, and whether it has a dataset clause. */
export function queryShape(query: string): QueryShape {
  let form: string | undefined
  let depth = 0
  for (const { kind, text } of tokens(query)) {
    if (kind === 'brace') depth += text === '{' ? 1 : -1
    else if (kind === 'word' && /^(SELECT|ASK|CONSTRUCT|DESCRIBE)$/.test(text)) form ??= text
    else if (kind === 'word' && text === 'FROM') return { results: resultsOf(form), hasDataset: true }
    else if (kind === 'word' && text === 'WHERE' && depth === 0) break
  }
  return { results: resultsOf(form), hasDataset: false }
}

function resultsOf(form: string | undefined): QueryShape['results'] {
  return form === 'CONSTRUCT' || form === 'DESCRIBE' ? 'graph' : 'solutions'
}

export interface UpdateScope {
  /** The named graphs that the update reads or writes; undefined where that cannot be told from its text. */
  graphs: string[] | undefined
  /** Whether the update, executed again on the same graphs, gives the same graphs (up to blank node labels). */
  repeatable: boolean
}

const NAMES_A_GRAPH = new Set(['GRAPH', 'WITH', 'USING', 'NAMED', 'TO', 'COPY', 'MOVE', 'ADD', 'SILENT'])
/** After these words a graph need not follow: another of the words above does, or the default graph is meant. */
const NO_GRAPH_AFTER = new Set(['GRAPH', 'NAMED', 'TO', 'SILENT', 'DEFAULT'])
/** Functions whose value is new each time, and what depends on an order that SPARQL leaves open. */
const UNREPEATABLE = /^(NOW|RAND|UUID|STRUUID|BNODE|LIMIT|OFFSET|SAMPLE|GROUP_CONCAT|SUM|AVG)$/

/**
 * The graphs that an update names, and whether it can be repeated.
 * Errs on the safe side: unknown graphs, not repeatable.
 */
export function updateScope(update: string): UpdateScope {
  const graphs = new Set<string>()
  let known = true
  let repeatable = true
  let expectsGraph = false
  for (const { kind, text } of tokens(update)) {
    const isWord = kind === 'word'
    if (expectsGraph) {
      if (kind === 'iri') graphs.add(text)
      else if (!(isWord && NO_GRAPH_AFTER.has(text))) known = false
    }
    // CLEAR ALL, DROP ALL; a base and unicode escapes make an IRI something else than its text.
    if (isWord && (text === 'ALL' || text === 'BASE')) known = false
    if (kind === 'iri' && text.includes('\\')) known = false
    if (isWord && UNREPEATABLE.test(text)) repeatable = false
    expectsGraph = isWord && NAMES_A_GRAPH.has(text)
  }
  return { graphs: known && !expectsGraph ? [...graphs] : undefined, repeatable }
}
