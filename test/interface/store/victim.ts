/**
 * A process that holds a store until it is killed. Prints its endpoint. A small limit makes it write new files often.
 */
import { startEmbeddedStore } from '../../../src/interface/store/embedded.ts'

const store = await startEmbeddedStore({
  directory: process.argv[2]!,
  queryTimeoutMs: 10_000,
  limits: { updateLength: 20_000, ...(process.argv[3] && { reserveBytes: Number(process.argv[3]) }) },
  onError: (error) => {
    if (!/cannot (be )?write|EFBIG/.test(String(error))) process.stderr.write(`${String(error)}\n`)
  },
})
process.stdout.write(`${JSON.stringify(store.endpoint)}\n`)
