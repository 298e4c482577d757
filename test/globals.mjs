import { runInNewContext } from 'node:vm'

/** The global names of ECMAScript, and those of Node.js that much is done with. To read others, such as fetch, would load what belongs to them. */
const GLOBALS = [
  ...runInNewContext('Object.getOwnPropertyNames(globalThis)').filter(
    (name) => !/^(?:globalThis|undefined|NaN|Infinity|eval)$/.test(name),
  ),
  ...[
    'AbortController',
    'AbortSignal',
    'Buffer',
    'Event',
    'EventTarget',
    'TextDecoder',
    'TextEncoder',
    'URL',
    'URLSearchParams',
  ],
  ...['clearImmediate', 'clearInterval', 'clearTimeout', 'performance', 'process', 'queueMicrotask'],
  ...['setImmediate', 'setInterval', 'setTimeout', 'structuredClone'],
]
const USED = new RegExp(`(?<![\\w$.])(?:${GLOBALS.join('|')})(?![\\w$])`, 'g')
/** Names that the module has for something else: they stand at the beginnings of lines. */
const DECLARED =
  /^(?:export )?(?:import|(?:const|let|var) \{|(?:const|let|var|class|function\*?|async function\*?) )[^;=(]*/gm

/**
 * A module that reads the globals which it uses once, when it is evaluated. A test file has globals of its own, and reading one of them takes
 * as long as a hundred other steps: a reader of tables that calls Math.max for each byte takes twenty times as long.
 *
 * @param {string} code JavaScript; its lines keep their numbers.
 */
export function withOwnGlobals(code) {
  const declared = new Set((code.match(DECLARED) ?? []).flatMap((text) => text.match(USED) ?? []))
  const names = [...new Set(code.match(USED))].filter((name) => !declared.has(name))
  return names.length > 0 ? `const { ${names.join(', ')} } = globalThis;${code}` : code
}
