/** A process that holds a store until it is killed. Prints its endpoint. Small limits make it do all it can do, often. */
import { startEmbeddedStore } from '../../src/store/embedded.ts'

const store = await startEmbeddedStore({
  directory: process.argv[2]!,
  queryTimeoutMs: 10_000,
  limits: { inPlaceBytes: 2000, updateLength: 20_000 },
  onError: (error) => {
    if (!/cannot (be )?write|EFBIG/.test(String(error))) process.stderr.write(`${String(error)}\n`)
  },
})
process.stdout.write(`${JSON.stringify(store.endpoint)}\n`)
