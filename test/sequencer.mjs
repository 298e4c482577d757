import Sequencer from '@jest/test-sequencer'

/** The rooms and files that take longest, in this order. */
const LONGEST = (
  'writing-loading interface-search house writing-ingest interface-read doors-pages others interface-http ' +
  'doors-mappings writing-source doors-skosmos writing-history clients doors-cli-backup interface-http-maxima graph-sparql'
).split(' ')

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
