import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import express from 'express'
import { errorHandler, methodNotAllowed } from '../../../src/interface/http/errors.ts'
import { originForm } from '../../../src/interface/http/addresses.ts'
import { SparqlClient, type StoreEndpoint } from '../../../src/graph/sparql/client.ts'
import { basicAuthorization } from '../../../src/graph/sparql/http.ts'
import { StoreContents } from '../../../src/interface/store/contents.ts'
import {
  type EmbeddedStore,
  type EmbeddedStoreOptions,
  startEmbeddedStore,
} from '../../../src/interface/store/embedded.ts'
import { closeServer, listen, newDirectory } from '../../process.ts'

export interface StartedStore extends EmbeddedStore {
  directory: string
  client: SparqlClient
  /** The address of the public handler, mounted as in the app. */
  publicUrl: string
  errors: unknown[]
}

const VICTIM = fileURLToPath(new URL('./victim.ts', import.meta.url))

const cleanups: (() => Promise<unknown>)[] = []

/** A directory that is removed by `cleanUp`. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await newDirectory()
  cleanups.push(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** Starts a store over real files and real HTTP, in a new directory unless one is given. */
export async function startStore(options: Partial<EmbeddedStoreOptions> = {}): Promise<StartedStore> {
  const directory = options.directory ?? (await temporaryDirectory())
  const errors: unknown[] = []
  const store = await startEmbeddedStore({
    queryTimeoutMs: 10_000,
    onError: (error) => errors.push(error),
    ...options,
    directory,
  })
  const app = express()
  app.use(originForm)
  app.get('/sparql', store.publicQuery).post('/sparql', store.publicQuery)
  app.all('/sparql', methodNotAllowed(['GET', 'HEAD', 'POST']))
  app.use(errorHandler(() => undefined))
  const server = createServer(app)
  const publicUrl = `${await listen(server)}/sparql`
  let closed: Promise<void> | undefined
  const close = () =>
    (closed ??= (async () => {
      await closeServer(server)
      await store.close()
    })())
  cleanups.push(close)
  const client = new SparqlClient({ endpoint: store.endpoint, timeoutMs: 30_000 })
  return { ...store, close, directory, client, publicUrl, errors }
}

/**
 * Starts a store in a process of its own, with the small limits of victim.ts.
 *
 * @param options.mostFileBytes the size that no file can exceed, as on a disk that is full
 * @param options.reserveBytes with 0, a new thread loads each graph
 */
export async function spawnStore(
  directory: string,
  { mostFileBytes, reserveBytes }: { mostFileBytes?: number; reserveBytes?: number } = {},
): Promise<{ process: ChildProcess; endpoint: StoreEndpoint; ended: Promise<unknown> }> {
  const command = [
    process.execPath,
    '--import',
    'tsx',
    VICTIM,
    directory,
    ...(reserveBytes === undefined ? [] : [String(reserveBytes)]),
  ]
  const limited = [
    'bash',
    '-c',
    `ulimit -f ${Math.floor((mostFileBytes ?? 0) / 1024)} && exec "$@"`,
    'bash',
    ...command,
  ]
  const [file, ...parameters] = mostFileBytes === undefined ? command : limited
  const child = spawn(file!, parameters, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  cleanups.push(() => Promise.resolve(child.kill('SIGKILL')))
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    ended.then(([code]) => {
      throw new Error(`the store did not start: exit code ${code}`)
    }),
  ])) as [string]
  return { process: child, endpoint: JSON.parse(line) as StoreEndpoint, ended }
}

/** True if nothing was ever written to the store of a directory, which no process uses. */
export async function isNew(directory: string): Promise<boolean> {
  const contents = await StoreContents.open(directory)
  await contents.close()
  return contents.isNew
}

/** Closes the stores and removes the directories of a test; to be called after each. */
export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
}

/** Basic credentials of a store for requests that the client does not make. */
export function authorization({ endpoint }: { endpoint: StoreEndpoint }): { authorization: string } {
  return { authorization: basicAuthorization({ user: endpoint.user!, password: endpoint.password! }) }
}

/** N-Triples of a graph whose every triple carries the same version. */
export function versionedGraph(version: number | string, triples: number): string {
  let text = ''
  for (let i = 0; i < triples; i++) text += `<urn:concept:${i}> <urn:version> "${version}" .\n`
  return text
}
