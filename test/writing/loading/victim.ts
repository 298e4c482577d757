/**
 * A load that kills its process directly after one of its durable steps.
 * Arguments: the step, the file, the endpoint of the store as JSON, the folder for data, and for a load without HTTP
 * the folder that it writes.
 */
import { History } from '../../../src/writing/history/history.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { loadOffline } from '../../../src/writing/loading/offline.ts'
import { IndexOfCommands } from '../../../src/interface/search/index-of-commands.ts'
import { SparqlClient, type SparqlQuery, type StoreEndpoint } from '../../../src/graph/sparql/client.ts'

const [last, file, endpoint, dataDir, folder] = process.argv.slice(2) as [string, string, string, string, string?]

/** Ends the process if this was the step. */
async function after<T>(step: string, done: Promise<T>): Promise<T> {
  const result = await done
  if (step === last) process.kill(process.pid, 'SIGKILL')
  return result
}

const client = new SparqlClient({ endpoint: JSON.parse(endpoint) as StoreEndpoint, timeoutMs: 60_000 })
const [update, putGraph] = [client.update.bind(client), client.putGraph.bind(client)]
let holds = 0
let isSent = false
client.update = (query: SparqlQuery, ...given) => {
  const name = typeof query === 'string' ? '' : query.name
  if (name === 'load/change') isSent = true
  const step = name === 'load/change' ? 'graph' : name === 'hold/change' ? ['turn', 'hold'][holds++] : undefined
  return after(step ?? '', update(query, ...given))
}
client.putGraph = (...given) => {
  const step = isSent ? 'subset' : 'graph'
  isSent = true
  return after(step, putGraph(...given))
}

const report = (error: unknown) => process.stderr.write(`${String(error)}\n`)
const history = await History.open(dataDir, client, report)
if (folder !== undefined) {
  const prepareFirst: History['prepareFirst'] = async (...given) => {
    await after('graph file', Promise.resolve())
    await after('history draft', history.prepareFirst(...given))
  }
  await loadOffline([file], folder, { history: { prepareFirst } })
}
const index = new IndexOfCommands(dataDir, report)
await loadVocabulary(client, [file], {
  history: {
    hasLoad: history.hasLoad.bind(history),
    prepare: async (replacements) => {
      const commit = await after('history draft', history.prepare(replacements))
      return () => after('history', commit())
    },
  },
  index: {
    write: async (graph, chunks) => {
      const draft = await after('index draft', index.write(graph, chunks))
      return { ...draft, commit: (...given) => after('index', draft.commit(...given)) }
    },
    remove: index.remove.bind(index),
    change: (...given) => after('index', index.change(...given)),
  },
})
await history.close()
await index.close()
