import { readFileSync } from 'node:fs'
import { createTransformer as createSwc } from '@swc/jest'
import { withOwnGlobals } from './globals.mjs'

const version = readFileSync(new URL('globals.mjs', import.meta.url), 'utf8')

/** The transformer of jest for src/ and test/: SWC, and globals that are read once. */
export default {
  createTransformer(options) {
    const swc = createSwc(options)
    const finish = (result) => ({ ...result, code: withOwnGlobals(result.code) })
    return {
      getCacheKey: (source, ...rest) => swc.getCacheKey(source + version, ...rest),
      process: (...given) => finish(swc.process(...given)),
      processAsync: async (...given) => finish(await swc.processAsync(...given)),
    }
  },
}
