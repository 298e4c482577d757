/**
 * A decision that kills its process directly after one of its durable steps.
 * Arguments: the step, the decision, the URI, the endpoint of the store as JSON, the folder for data.
 */
import type { Decision } from '../../../src/writing/history/log/change.ts'
import { History } from '../../../src/writing/history/history.ts'
import { decideProposals } from '../../../src/writing/proposals/decide.ts'
import { IndexOfCommands } from '../../../src/interface/search/index-of-commands.ts'
import { SparqlClient, type SparqlQuery, type StoreEndpoint } from '../../../src/graph/sparql/client.ts'

const [last, decision, uri, endpoint, dataDir] = process.argv.slice(2) as [string, Decision, string, string, string]

/** Ends the process if this was the step. */
async function after<T>(step: string, done: Promise<T>): Promise<T> {
  const result = await done
  if (step === last) process.kill(process.pid, 'SIGKILL')
  return result
}

const client = new SparqlClient({ endpoint: JSON.parse(endpoint) as StoreEndpoint, timeoutMs: 60_000 })
const update = client.update.bind(client)
client.update = (query: SparqlQuery, ...given) => {
  const name = typeof query === 'string' ? '' : query.name
  const step = name === 'hold/change' ? 'hold' : name.startsWith('proposals/') ? 'graph' : ''
  return after(step, update(query, ...given))
}
const report = (error: unknown) => process.stderr.write(`${String(error)}\n`)
const history = await History.open(dataDir, client, report)
const { drafts } = history.log
const [add, commit] = [drafts.add.bind(drafts), drafts.commit.bind(drafts)]
drafts.add = (...given) => after('history draft', add(...given))
drafts.commit = (...given) => after('history', commit(...given))
const index = new IndexOfCommands(dataDir, report)
const change = index.change.bind(index)
index.change = (...given) => after('index', change(...given))
await decideProposals({ client, history, index }, [uri], { decision, reason: 'Killed.' })
await history.close()
await index.close()
