import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Collects garbage at once, so that a test can measure what is kept. */
export const collectGarbage = runInNewContext('gc') as () => void
