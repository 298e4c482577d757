// A thread of Node.js does not take over the TypeScript loader of the process.
import { register } from 'tsx/esm/api'

register()
await import('./thread-main.ts')
