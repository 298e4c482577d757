/** The application with POST /ingest over a test store. */
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pino } from 'pino'
import { composeReading } from '../../../src/compose.ts'
import { readConfig } from '../../../src/config.ts'
import { ControlEndpoint } from '../../../src/interface/http/control-endpoint.ts'
import { changeAccounts, hashToken, newToken, type Account } from '../../../src/writing/ingest/accounts.ts'
import { History } from '../../../src/writing/history/history.ts'
import { composeIngest, type Ingest } from '../../../src/writing/ingest/compose.ts'
import type { Clock } from '../../../src/base/clock.ts'
import type { StoreEndpoint } from '../../../src/graph/sparql/client.ts'
import { CRAFTS, startApp, type Answer, type RunningApp } from '../../app.ts'
import { newDirectory, PATIENT } from '../../process.ts'

export interface IngestService extends RunningApp {
  dataDir: string
  ingest: Ingest
  history: History | undefined
  /** Lines that the service has logged. */
  logged: string[]
  /** POST /ingest with a value as JSON, or with a text as it is. */
  post(body: unknown, headers?: Record<string, string>): Promise<Answer>
  /** POST /ingest of concepts by an account. */
  propose(account: TestAccount, concepts: unknown, headers?: Record<string, string>): Promise<Answer>
  account(options?: Partial<Account>): Promise<TestAccount>
}

export interface TestAccount {
  username: string
  token: string
}

/** The log line by line, so that a test can look for what must not be in it. */
function testLog(lines: string[]) {
  return pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })
}

let accounts = 0

/** Starts the application with ingest; the limits are off unless they are given. */
export async function startIngest(
  endpoint: StoreEndpoint,
  env: NodeJS.ProcessEnv = {},
  options: { clock?: Clock; dataDir?: string } = {},
): Promise<IngestService> {
  const dataDir = options.dataDir ?? (await newDirectory())
  const settings = {
    ...PATIENT,
    BASE_URL: 'http://vocabularies.test/',
    INGEST_LIMITS: 'none',
    DATA_DIR: dataDir,
    ...env,
  }
  const logged: string[] = []
  const config = readConfig(settings)
  const reading = composeReading(config, endpoint, { indexWaitMs: config.sparqlTimeoutMs })
  const history = config.history ? await History.open(dataDir, (reading.primary ?? reading).client) : undefined
  const control = await ControlEndpoint.listen((error) => logged.push(String(error)))
  const context = { control, history, clock: options.clock }
  const ingest = await composeIngest(config, reading, testLog(logged), context).catch((error: unknown) => {
    control.close()
    throw error
  })
  const app = await startApp(endpoint, settings, {
    ...reading,
    ingest: ingest.endpoint,
    acceptIngest: ingest.acceptIngest,
    sendFeedback: ingest.sendFeedback,
    editing: ingest.editing,
    history,
  })
  const service: IngestService = {
    ...app,
    ...reading,
    dataDir,
    ingest,
    history,
    logged,
    post: (body, headers = {}) =>
      app.get('/ingest', {
        method: 'POST',
        headers,
        body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
      }),
    propose: ({ username, token }, concepts, headers) =>
      service.post([{ username, token, data: JSON.stringify(concepts) }], headers),
    account: async ({ username = `account-${++accounts}`, ...options } = {}) => {
      const account = { username, token: newToken() }
      await addAccount(dirname(config.accountsFile), account, { emails: [], ...options })
      return account
    },
    put: async (graph, turtle) => {
      await app.put(graph, turtle)
      reading.state.changed()
    },
    close: async () => {
      await app.close()
      await ingest.close()
      control.close()
      await history?.close()
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true })
    },
  }
  return service
}

/** Adds an account to the accounts file in a folder; by default it has an editor. */
export async function addAccount(
  folder: string,
  { username, token }: TestAccount,
  options: Partial<Account> = {},
): Promise<void> {
  const account: Account = {
    username,
    tokenHash: hashToken(token),
    voc: CRAFTS,
    emails: ['editor@example.org'],
    created: '2026-01-01',
    ...options,
  }
  await changeAccounts(join(folder, 'accounts.json'), (all) => [[...all, account], undefined])
}

/** A concept that is right. */
export function concept(members: Record<string, unknown> = {}): Record<string, unknown> {
  return { inScheme: [{ uri: CRAFTS }], prefLabel: { de: 'Silberlöten' }, ...members }
}
