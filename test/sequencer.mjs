import Sequencer from '@jest/test-sequencer'

/** What takes long though the files are short, the longest first. */
const LONG = [
  'pages/browser',
  'http/faults',
  'docker/docker',
  'read/truth',
  'ingest/crash',
  'demo/kills',
  'ingest/disk-full',
  'loading/round-trip',
  'clients/records',
  'openapi/fuzz',
  'ingest/store-crash',
  'http/overload',
  'store/memory',
  'formats/many',
  'store/crash',
  'store/supervised-thread',
]

/** Begins with what takes longest, so that the workers end at nearly the same time. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const place = ({ path }) => {
      const at = LONG.findIndex((name) => path.endsWith(`/${name}.test.ts`))
      return at < 0 ? LONG.length : at
    }
    // Array.prototype.sort is stable: others stay in the order of jest, by their last duration or size.
    return super.sort(tests).sort((a, b) => place(a) - place(b))
  }
}
