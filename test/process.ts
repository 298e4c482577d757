/** The service as a process of its own, started as `npm start` starts it. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { Server as HttpServer } from 'node:http'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { StoreEndpoint } from '../src/graph/sparql/client.ts'

export const ROOT = resolve(import.meta.dirname, '..')

/** Waits longer than the service does by itself: many tests at once share one store and few processors. */
export const PATIENT = { SPARQL_TIMEOUT_MS: '60000' }

const READY_WITHIN_MS = 60_000

export interface ServiceProcess {
  url: string
  pid: number
  /** Lines of the structured log, so far. */
  log: Record<string, unknown>[]
  /** Sends a signal and gives the exit code; null if a signal ended the process. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export interface EndedProcess {
  code: number | null
  stdout: string
  stderr: string
}

/** The variables that make the service use a store. */
export function storeEnv(endpoint: StoreEndpoint): NodeJS.ProcessEnv {
  const { queryUrl, updateUrl, graphStoreUrl, user, password } = endpoint
  return {
    SPARQL_QUERY_URL: queryUrl,
    SPARQL_UPDATE_URL: updateUrl,
    SPARQL_GRAPH_STORE_URL: graphStoreUrl,
    ...(user && password ? { SPARQL_USER: user, SPARQL_PASSWORD: password } : {}),
  }
}

/** Variables from texts of the form NAME=value. */
export function variablesOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
}

/**
 * Lets a server listen on the loopback interface, on a free port unless one is given; returns its address, without a
 * path.
 */
export async function listen(server: Server, port = 0): Promise<string> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Closes a server and all its connections, those in use included. */
export async function closeServer(server: HttpServer): Promise<void> {
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
}

/** A port of the loopback interface that nobody listens on at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const { port } = new URL(await listen(server))
  server.close()
  await once(server, 'close')
  return Number(port)
}

/** A new directory; gone with the test run. */
export function newDirectory(): Promise<string> {
  return mkdtemp(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'process-'))
}

/**
 * Starts the service and waits until it listens.
 *
 * @param root the project, or a copy of it.
 * @throws Error with the output of the process if it ends instead.
 */
export async function startService(env: NodeJS.ProcessEnv = {}, root = ROOT): Promise<ServiceProcess> {
  const dataDir = env['DATA_DIR'] ?? (await newDirectory())
  const port = await freePort()
  const child = run('dist/main.js', [], { PORT: String(port), DATA_DIR: dataDir, ...PATIENT, ...env }, root)
  const exited = once(child, 'exit') as Promise<[number | null]>
  const log: Record<string, unknown>[] = []
  let said = ''
  child.stderr!.on('data', (chunk) => (said += String(chunk)))
  const ready = new Promise<void>((isReady) => {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      if (!line.startsWith('{')) return
      const entry = JSON.parse(line) as Record<string, unknown>
      log.push(entry)
      if (entry['msg'] === 'ready') isReady()
    })
  })
  const late = setTimeout(() => child.kill('SIGKILL'), READY_WITHIN_MS)
  const isReady = await Promise.race([ready.then(() => true), exited.then(() => false)])
  clearTimeout(late)
  if (!isReady) throw new Error(`The service ended before it was ready: ${said}${JSON.stringify(log.at(-1))}`)

  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid!,
    log,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal)
      const [code] = await exited
      if (env['DATA_DIR'] === undefined) await rm(dataDir, { recursive: true, force: true })
      return code
    },
  }
}

/** Runs a program of `dist/` to its end, with a text as its standard input. */
export async function runToEnd(
  program: string,
  args: string[],
  env: NodeJS.ProcessEnv = {},
  input: string | Buffer = '',
): Promise<EndedProcess> {
  const child = run(program, args, env)
  // The program may end without reading it.
  child.stdin!.on('error', () => undefined).end(input)
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'close') as Promise<[number | null]>,
  ])
  return { code, stdout, stderr }
}

/** Starts a program, whose path is below `root`. */
export function run(program: string, args: string[], env: NodeJS.ProcessEnv = {}, root = ROOT): ChildProcess {
  const inherited = Object.fromEntries(['PATH', 'HOME', 'TMPDIR'].map((name) => [name, process.env[name]]))
  const options = { cwd: root, env: { ...inherited, ...env }, stdio: ['pipe', 'pipe', 'pipe'] as const }
  return spawn(process.execPath, [program, ...args], { ...options, stdio: [...options.stdio] })
}
