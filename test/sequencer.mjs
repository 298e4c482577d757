import Sequencer from '@jest/test-sequencer'

/** What takes long though the files are short, the longest of them among the first. */
const LONG = [
  'pages/browser.e2e',
  'docker/docker.e2e',
  'http/faults',
  'fuseki.e2e',
  'ingest/disk-full.e2e',
  'ingest/crash.e2e',
  'demo/kills.e2e',
  'loading/replace',
  'search/search',
  'openapi/document',
  'openapi/fuzz.e2e',
  'http/representations',
  'main.e2e',
  'history/activity.e2e',
  'ingest/store-crash.e2e',
  'ingest/mail',
  'clients/records',
  'read/truth',
  'pages/pages',
  'ingest/idempotency',
  'store/contents',
  'loading/fidelity',
  'replica.e2e',
  'loading/round-trip',
  'search/search-index',
  'cli/backup.e2e',
  'export/export',
  'cli/mappings.e2e',
  'sparql/joined-queries',
  'ingest/load-beside.e2e',
  'mappings/tables',
  'loading/proposals',
  'http/random-bodies.e2e',
  'loading/shacl',
  'clients/skosmos',
  'read/known-concepts',
  'http/stalls.e2e',
  'tables/large.e2e',
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
