/**
 * An ingest that kills its process directly after one of its durable steps.
 * Arguments: the step, the endpoint of the store as JSON, the folder for data, the account as JSON, the concepts as
 * JSON, and an Idempotency-Key or nothing.
 */
import type { StoreEndpoint } from '../../../src/graph/sparql/client.ts'
import { startIngest, type TestAccount } from './service.ts'

const [last, endpoint, dataDir, account, concepts, key] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
  string | undefined,
]

/** The same function, which ends the process if this was the step. */
function after<Given extends unknown[], T>(step: string, work: (...given: Given) => Promise<T>) {
  return async (...given: Given): Promise<T> => {
    const result = await work(...given)
    if (step === last) process.kill(process.pid, 'SIGKILL')
    return result
  }
}

const service = await startIngest(JSON.parse(endpoint) as StoreEndpoint, {}, { dataDir })
const { history, ingest, client, index } = service
const { ledger } = ingest
history!.intend = after('intent', history!.intend.bind(history))
ledger.claim = after('claim', ledger.claim.bind(ledger))
client.update = after('store', client.update.bind(client))
index.add = after('index', index.add.bind(index))
ledger.finish = after('finish', ledger.finish.bind(ledger))
const headers = key === undefined ? {} : { 'idempotency-key': key }
const { status, text } = await service.propose(JSON.parse(account) as TestAccount, JSON.parse(concepts), headers)
if (status !== 201) process.stderr.write(`${status} ${text}\n`)
await service.close()
