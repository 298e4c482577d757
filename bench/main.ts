/** `npm run bench -- COMMAND`, one line a command here; each has a file of its own. `--help` lists them. */
import { Command, InvalidArgumentError } from 'commander'
import { fusekiMissing } from '../test/fuseki.ts'
import { compareVersions, type AgainstOptions } from './against.ts'
import { batch } from './batch.ts'
import { exports } from './export.ts'
import { finto } from './finto.ts'
import { formats } from './formats.ts'
import { growth } from './growth.ts'
import { history } from './history.ts'
import { large } from './large.ts'
import { load } from './load.ts'
import { mappings } from './mappings.ts'
import { nginx } from './nginx.ts'
import { pages } from './pages.ts'
import { quality } from './quality.ts'
import { ratios, type RatioOptions } from './ratios.ts'
import { revalidation } from './revalidation.ts'
import { search } from './search.ts'
import { STORE_NAMES, type StoreName } from './stand.ts'
import { embeddedStore } from './store.ts'
import { compareTemplates } from './templates.ts'
import { visits } from './visits.ts'

function storeNames(text: string): StoreName[] {
  return text.split(',').map((name) => {
    const storeName = STORE_NAMES.find((store) => store === name)
    if (!storeName) throw new InvalidArgumentError(`Expected ${STORE_NAMES.join(' or ')}.`)
    return storeName
  })
}

const atLeast = (least: number) => (text: string) => {
  if (!(Number(text) >= least)) throw new InvalidArgumentError(`Expected a number from ${least}.`)
  return Number(text)
}

const counts = (text: string) => text.split(',').map(atLeast(1))

function allStores(): StoreName[] {
  const missing = fusekiMissing()
  if (missing) console.log(`Fuseki is left out: ${missing}`)
  return missing ? ['embedded'] : [...STORE_NAMES]
}

const program = new Command('npm run bench --').description(
  `Measures the service beside raw requests to its store, both within one run.
TEST_DATA_DIR names the folder of vocabularies; BENCH_DIR keeps the loaded stores for the next run.`,
)

/** A command that runs over one store or both. */
function overStores<T>(name: string, description: string, run: (stores: StoreName[], options: T) => Promise<void>) {
  return program
    .command(name, { isDefault: name === 'ratios' })
    .description(description)
    .option('--store <names>', 'embedded, fuseki or embedded,fuseki; by default those that there are', storeNames)
    .action(({ store = allStores(), ...options }: { store?: StoreName[] } & T) => run(store, options as T))
}

overStores<RatioOptions & Partial<AgainstOptions>>(
  'ratios',
  'each operation beside its raw request; a whole run writes bench/results',
  (stores, { against, ...options }) =>
    against === undefined ? ratios(stores, options) : compareVersions(stores, { against, ...options }),
)
  .option('--only <pattern>', 'operations that match, as in "descendants, 100, Turtle"', '')
  .option('--seconds <n>', 'how long to repeat each operation', atLeast(0), 1.5)
  .option('--large', 'Iconclass with 1,370,000 concepts', false)
  .option('--against <folder>', 'each operation by the version of the service in a folder, in turn with this one')
overStores('growth', 'the same concepts in vocabularies of growing size', growth)
  .option('--rounds <n>', 'requests for each operation', atLeast(1), 60)
  .option('--large', 'with 1,370,000 concepts at the end', false)
  .option('--concepts <n>', 'made vocabularies of these sizes instead of Iconclass, as in 10000,100000', counts)
  .option('--connections <n>', 'at a time, as in 1,64', counts, [1])
overStores('templates', 'each query template beside other formulations', compareTemplates)
  .option('--only <text>', 'questions with this in their name', '')
  .option('--large', 'Iconclass with 1,370,000 concepts', false)
overStores('mappings', 'questions for mappings in concordances of 5,000 and 500,000', mappings)
overStores('finto', 'a day of a real service, replayed; a whole run writes bench/results', finto)
  .option('--requests <n>', 'of the list, from its beginning', atLeast(1), 20_000)
  .option('--connections <n>', 'at a time', atLeast(1), 32)
  .option('--no-skosmos', 'without the rounds by the REST API of Skosmos')
overStores('visits', 'answers that nothing remembers, beside a plain CONSTRUCT of the same concepts', visits)
  .option('--requests <n>', 'of each kind, in each of five rounds', atLeast(1), 200)
  .option('--connections <n>', 'at a time', atLeast(1), 8)
overStores('search', 'searches, suggestions and reconciliation for texts that nobody has sent before', search).option(
  '--large',
  'Iconclass with 1,370,000 concepts',
  false,
)
overStores(
  'quality',
  'how often words become the right concept; exit code 1 if a figure that is wanted is missed',
  quality,
)
  .option('--only <text>', 'kinds of queries with this in their name', '')
  .option('--concepts <n>', 'of each vocabulary for each kind of query', atLeast(1), 500)
  .option('--misses', 'prints the queries that are answered with another concept', false)
overStores('batch', '100 queries to /reconcile in one request beside one query', batch)
overStores('formats', 'pages of 10,000 format records beside their queries', formats)
overStores('export', 'the export of STW in each format beside the graph as the store sends it', exports)
overStores('pages', 'the page of a concept beside the JSON answer, in processor time', pages)
overStores('history', 'loads and ingests with a history beside those without', history)
  .option('--rounds <n>', 'how often each load is repeated', atLeast(1), 3)
  .option('--file <file>', 'another vocabulary than STW, as Turtle or N-Triples')
overStores('revalidation', 'answers with 304 beside full answers', revalidation)
overStores(
  'nginx',
  'answers of the store, of the memory of the service and of nginx; reads over two instances with a store each',
  nginx,
).option('--seconds <n>', 'how long each kind is asked', atLeast(1), 15)
overStores('large', 'loads beside a plain PUT of the same graph, in time, processor time and memory', large)
  .option('--concepts <n>', 'of made vocabularies, as in 10000,100000', counts, [10_000, 100_000])
  .option('--rounds <n>', 'how often each load and each PUT is repeated', atLeast(1), 1)
  .option('--no-real', 'made vocabularies alone')
overStores('load', 'twice the load that the service can serve; exit code 1 if it does not hold', load).option(
  '--seconds <n>',
  'how long the overload lasts',
  atLeast(10),
  60,
)
program
  .command('store')
  .description('the embedded store beside oxigraph itself')
  .argument('[file]', 'Turtle or N-Triples, perhaps .gz; by default Iconclass')
  .action((file?: string) => embeddedStore(file))

await program.parseAsync()
process.exit()
