import Sequencer from '@jest/test-sequencer'

/** What takes long though the files are short, the longest of them among the first. */
const LONG = [
  'pages/browser',
  'docker/docker',
  'http/faults',
  'fuseki',
  'ingest/disk-full',
  'ingest/crash',
  'demo/kills',
  'loading/replace',
  'search/search',
  'openapi/document',
  'openapi/fuzz',
  'http/representations',
  'main',
  'history/activity',
  'ingest/store-crash',
  'ingest/mail',
  'clients/records',
  'read/truth',
  'pages/pages',
  'ingest/idempotency',
  'store/contents',
  'loading/fidelity',
  'replica',
  'loading/round-trip',
  'search/search-index',
  'cli/backup',
  'export/export',
  'cli/mappings',
  'sparql/joined-queries',
  'ingest/load-beside',
  'mappings/tables',
  'loading/proposals',
  'http/random-bodies',
  'loading/shacl',
  'clients/skosmos',
  'read/known-concepts',
  'http/stalls',
  'tables/large',
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
