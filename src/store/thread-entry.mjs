// A thread of Node.js does not take over the TypeScript loader of the process. The loader for require() starts twice as fast as
// the one for import, which needs a thread of its own.
import { createRequire } from 'node:module'
import { register } from 'tsx/cjs/api'

register()
createRequire(import.meta.url)('./thread-main.ts')
