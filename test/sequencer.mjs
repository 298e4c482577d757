import Sequencer from '@jest/test-sequencer'

/** What takes long though the files are short, the longest of them among the first. */
const LONG = [
  'pages/browser.slow',
  'docker/docker.slow',
  'http/faults.slow',
  'fuseki.slow',
  'ingest/disk-full.slow',
  'ingest/crash.slow',
  'demo/kills.slow',
  'loading/replace.slow',
  'search/search',
  'openapi/document.slow',
  'openapi/fuzz.slow',
  'http/representations',
  'main.slow',
  'history/activity.slow',
  'ingest/store-crash.slow',
  'ingest/mail.slow',
  'clients/records.slow',
  'read/truth.slow',
  'pages/pages',
  'ingest/idempotency',
  'store/contents.slow',
  'loading/fidelity.slow',
  'replica.slow',
  'loading/round-trip.slow',
  'search/search-index.slow',
  'cli/backup.slow',
  'export/export',
  'cli/mappings.slow',
  'sparql/joined-queries.slow',
  'ingest/load-beside.slow',
  'mappings/tables',
  'loading/proposals.slow',
  'http/random-bodies.slow',
  'loading/shacl.slow',
  'clients/skosmos.slow',
  'read/known-concepts.slow',
  'http/stalls.slow',
  'tables/large.slow',
  'read/wide',
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
