/** Runs the embedded store as a separate process, so that its memory does not count as the service's: DIRECTORY. */
import { startEmbeddedStore } from '../src/interface/store/embedded.ts'

const store = await startEmbeddedStore({ directory: process.argv[2]!, queryTimeoutMs: 300_000, onError: console.error })
process.stdout.write(`${JSON.stringify(store.endpoint)}\n`)
