/**
 * Prints the regular expressions that modules of src/ build from texts while they are loaded, as JSON: path below src/,
 * pattern and flags. It is a process of its own, because a module that was loaded before builds nothing.
 *
 * Usage: node --import tsx test/built-expressions.mjs FILE...
 */
import { argv, stdout } from 'node:process'
import { pathToFileURL } from 'node:url'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../src/')
const built = []

globalThis.RegExp = new Proxy(RegExp, {
  construct(target, parameters) {
    const expression = new target(...parameters)
    const caller = new Error().stack.split('\n')[2]
    const [, file] = /src\/([\w/-]+\.tsx?)/.exec(caller.replaceAll('\\', '/')) ?? []
    if (file !== undefined && !caller.includes('node_modules')) {
      built.push({ file, source: expression.source, flags: expression.flags })
    }
    return expression
  },
})

for (const file of argv.slice(2)) await import(pathToFileURL(join(folder, file)).href)
stdout.write(JSON.stringify(built))
