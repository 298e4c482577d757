import { runInNewContext } from 'node:vm'

/**
 * The globals of ECMAScript that are objects, and those of Node.js that much is done with: to read fetch would load its
 * modules.
 */
const GLOBALS = [
  ...runInNewContext('Object.getOwnPropertyNames(globalThis)').filter(
    (name) => !/This$|^undef|^NaN|^Inf|^eval/.test(name),
  ),
  ...'AbortController AbortSignal Buffer Event EventTarget TextDecoder TextEncoder URL URLSearchParams'.split(' '),
  ...'performance process queueMicrotask structuredClone'.split(' '),
  ...['Immediate', 'Interval', 'Timeout'].flatMap((kind) => [`set${kind}`, `clear${kind}`]),
]
const USED = new RegExp(`(?<![\\w$.])(?:${GLOBALS.join('|')})(?![\\w$])`, 'g')
/** The beginning of a declaration for all of a module, at the start of a line or behind a comment. */
const DECLARED =
  /(?:^|\*\/ )(?:export )?(?:import|(?:const|let|var) \{|(?:const|let|var|class|function\*?|async function\*?) )[^;=(]*/gm

/**
 * A module that reads once the globals that it uses. A test file has globals of its own, and to read one of them takes
 * as long as a hundred other steps: a reader of tables that calls Math.max for each byte takes twenty times as long.
 *
 * @param {string} code JavaScript; its lines keep their numbers.
 */
export function withOwnGlobals(code) {
  const declared = new Set((code.match(DECLARED) ?? []).flatMap((text) => text.match(USED) ?? []))
  const names = [...new Set(code.match(USED))].filter((name) => !declared.has(name))
  return names.length > 0 && !code.startsWith('#!') ? `const { ${names.join(', ')} } = globalThis;${code}` : code
}
