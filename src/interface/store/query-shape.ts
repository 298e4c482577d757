/**
 * Reads only the tokens of a query (SPARQL 1.1 Query Language, section 19), without parsing it. This is enough to
 * choose a result format and to see a dataset clause; the store decides whether the text is SPARQL.
 */
interface QueryShape {
  /** `graph` for CONSTRUCT and DESCRIBE; `solutions` for SELECT, ASK and anything that is not a query. */
  results: 'solutions' | 'graph'
  /** True if the query names its dataset with FROM or FROM NAMED. */
  hasDataset: boolean
}

const NAME = '[A-Za-z_\\u00C0-\\uFFFF]'
const NAME_REST = '[\\w\\-.\\u00B7-\\uFFFF]'

/** Matches only the beginning of a string, because a pattern for a whole long string overflows the stack. */
const TOKEN = new RegExp(
  [
    '#[^\\n\\r]*|@[A-Za-z][\\w-]*',
    `(?<quote>"""|'''|"|')`,
    '<[^<>"{}|^`\\x00-\\x20]*>',
    '[?$][\\w\\u00B7-\\uFFFF]+',
    `(?:${NAME}${NAME_REST}*)?:(?:[\\w:\\-.\\u00B7-\\uFFFF]+|%[0-9A-Fa-f]{2}|\\\\.){0,1000}`,
    `(?<shaping>${NAME}${NAME_REST}*|[{}])`,
  ].join('|'),
  'g',
)

/** The kind of results of a query, and whether it has a dataset clause. */
export function queryShape(query: string): QueryShape {
  let form: string | undefined
  let depth = 0
  let hasDataset = false
  for (const token of shapingTokens(query)) {
    if (token === '{') depth++
    else if (token === '}') depth--
    else if (/^(SELECT|ASK|CONSTRUCT|DESCRIBE)$/.test(token)) form ??= token
    else if (token === 'FROM') hasDataset = true
    if (hasDataset || (token === 'WHERE' && depth === 0)) break
  }
  return { results: form === 'CONSTRUCT' || form === 'DESCRIBE' ? 'graph' : 'solutions', hasDataset }
}

/** Keywords in capitals, and braces. */
function* shapingTokens(text: string): Generator<string> {
  const pattern = new RegExp(TOKEN)
  for (let match; (match = pattern.exec(text));) {
    const { quote, shaping } = match.groups!
    if (quote !== undefined) pattern.lastIndex = endOfString(text, pattern.lastIndex, quote)
    if (shaping !== undefined) yield shaping.toUpperCase()
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
