/**
 * The regular expressions of src/, those included that it builds when it is loaded: each takes time that grows with the
 * length of a text alone, or meets short texts.
 */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { env, execPath } from 'node:process'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { checkSync } from 'recheck'
import ts from 'typescript'
import { fromRoot } from '../src/base/root.ts'

// The other backends are programs of one system each.
env['RECHECK_SYNC_BACKEND'] = 'pure'

interface Expression {
  /** Below src/. */
  file: string
  source: string
  flags: string
}

/** By file and the beginning of the expression: why its texts are short. */
const ON_SHORT_TEXTS: Readonly<Record<string, string>> = {
  'config.ts \\/*$': 'a setting',
  'graph/sparql/templates.ts ^(.*?)': 'a line of a template',
  'graph/tables/workbook.ts <[?!]': '4096 bytes of a part',
  'graph/tables/workbook.ts <!--': '4096 bytes of a part',
  'graph/tables/workbook.ts <\\/?((?:': '4096 bytes of a part',
  'interface/search/words.ts [* ]+$': 'MAX_CHARACTERS',
  'writing/source/json-ld.ts (\\d)0*e': 'a number of 15 digits',
}

/** Likewise, of expressions that look ahead or back, which the checker cannot: why they are linear. */
const LOOKING_AROUND: Readonly<Record<string, string>> = {
  'doors/mappings/sssom.ts ^.*[/#:=](?=': 'looks as far as the next separator',
  'graph/sparql/grammar.ts ^[A-Za-z][A-Za-z0-9+.\\-]*:': 'MAX_IRI_LENGTH',
  'graph/tables/cell-text.ts (?<=^|[,;|\\t\\r\\n])': 'looks as far as the next separator',
  'graph/tables/heading.ts ^([A-Za-z][\\w.-]*|):(?!': 'looks at two characters',
  'graph/tables/table-graph.ts (?<!^|&#?\\w{1,31});': 'looks at 33 characters',
  'interface/http/headers.ts ;\\s*(?!q=)': 'looks at two characters, in a header of 16 kB at most',
  'interface/search/letters.ts (?:\\p{M}(?<=': 'looks at one character',
  'interface/search/letters.ts (?<=.{3})': 'looks at three characters',
  'interface/search/words.ts [\\p{Script': 'looks at one character',
  'interface/search/words.ts [\\p{L}\\p{M}\\p{N}': 'looks at one character',
  'writing/history/resources.ts \\.\\d+(?=$|[Z+-])': 'looks at one character',
  'interface/search/spellings.ts ^(?! )': 'looks at one character',
}

function literalsOf(file: string): Expression[] {
  const text = readFileSync(fromRoot(join('src', file)), 'utf8')
  const literals: Expression[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/')
      literals.push({ file, source: node.text.slice(1, end), flags: node.text.slice(end + 1) })
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
  return literals
}

/** The main module of a thread, which loads nothing outside of it. */
const IN_THREAD = 'doors/validate/thread-main.ts'

async function builtIn(files: readonly string[]): Promise<Expression[]> {
  const parameters = ['--import', 'tsx', fromRoot('test/built-expressions.mjs'), ...files]
  const { stdout } = await promisify(execFile)(execPath, parameters, { cwd: fromRoot('.'), maxBuffer: 1e8 })
  return JSON.parse(stdout) as Expression[]
}

/**
 * The checker knows nothing of what stands before a match: `(?<!X)` becomes a character other than X, which leads to
 * the same beginnings.
 */
function withoutLookbehind(source: string): string {
  return source.replace(/\(\?<!(?:\[([^\]]+)\]|(\\?.))\)/g, '(?:^|[^$1$2])')
}

/** Enough for most; the checker does not get to the end of a few that have long words. */
const TIMEOUT_MS = 1000

/** What the checker says of an expression. */
function outcomeOf({ source, flags }: Expression): 'linear' | 'polynomial' | 'unsupported' | 'unfinished' {
  try {
    const parameters = { checker: 'automaton', timeout: TIMEOUT_MS } as const
    const result = checkSync(withoutLookbehind(source), flags, parameters)
    if (result.status === 'safe') return 'linear'
    if (result.status === 'vulnerable') return 'polynomial'
    return result.error.kind === 'timeout' ? 'unfinished' : 'unsupported'
  } catch (error) {
    // Large classes of characters are too much for its stack.
    if (error instanceof RangeError) return 'unfinished'
    throw error
  }
}

const nameOf = ({ file, source }: Expression) => `${file} ${source}`

test('an expression that takes quadratic time is found', () => {
  expect(outcomeOf({ file: '', source: '\\d+$', flags: '' })).toBe('polynomial')
  expect(outcomeOf({ file: '', source: '(?<!\\d)\\d+$', flags: '' })).toBe('linear')
})

test('each expression of src/ takes linear time or meets short texts', async () => {
  const files = readdirSync(fromRoot('src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.tsx?$/.test(file),
  )
  const building = files.filter(
    (file) =>
      file !== IN_THREAD &&
      /^(?:export )?const .*new RegExp\(/m.test(readFileSync(fromRoot(join('src', file)), 'utf8')),
  )
  const built = await builtIn(building)
  expect(built.length).toBeGreaterThan(building.length)
  const expressions = [...files.flatMap(literalsOf), ...built]
  const exceptions = Object.keys({ ...ON_SHORT_TEXTS, ...LOOKING_AROUND })
  const isException = (expression: Expression) => exceptions.some((name) => nameOf(expression).startsWith(name))
  const outcomes = expressions
    .filter((expression) => !isException(expression))
    .map((expression) => ({ outcome: outcomeOf(expression), name: nameOf(expression) }))
  const wrong = outcomes.filter(({ outcome }) => outcome === 'polynomial' || outcome === 'unsupported')
  expect(wrong).toEqual([])
  expect(outcomes.filter(({ outcome }) => outcome === 'linear').length).toBeGreaterThan(expressions.length / 2)
  // An exception of an expression that is no longer there would hide the next one.
  expect(exceptions.filter((name) => !expressions.some((expression) => nameOf(expression).startsWith(name)))).toEqual(
    [],
  )
}, 600_000)
