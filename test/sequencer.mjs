import Sequencer from '@jest/test-sequencer'

/** The rooms and files that take longest, in this order. */
const LONGEST =
  'house loading ingest pages others read http clients search mappings cli-backup http-maxima history sparql store'.split(
    ' ',
  )

/** Begins with what takes longest, so that the workers end at nearly the same time. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const place = ({ path }) => {
      const at = LONGEST.findIndex((name) => path.endsWith(`/${name}.test.mjs`))
      return at < 0 ? LONGEST.length : at
    }
    // Array.prototype.sort is stable: others stay in the order of jest, by their last duration or size.
    return super.sort(tests).sort((a, b) => place(a) - place(b))
  }
}
