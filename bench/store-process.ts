/** The embedded store as a process of its own, so that what it takes is not counted as the service's: DIRECTORY. */
import { startEmbeddedStore } from '../src/store/embedded.ts'

const store = await startEmbeddedStore({ directory: process.argv[2]!, queryTimeoutMs: 300_000, onError: console.error })
process.stdout.write(`${JSON.stringify(store.endpoint)}\n`)
