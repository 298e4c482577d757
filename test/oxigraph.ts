/** A real Oxigraph server for tests: the program that `.ci/tools` installs. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { SparqlClient, type StoreEndpoint } from '../src/graph/sparql/client.ts'
import { freePort, newDirectory } from './process.ts'
import { findTool } from './tools.ts'

const READY_WITHIN_MS = 60_000

/** The reason why the Oxigraph server is missing; undefined if there is one. */
export function oxigraphMissing(): string | undefined {
  return findTool('oxigraph').path ? undefined : 'there is no oxigraph (.ci/tools installs it)'
}

/**
 * An empty Oxigraph server with a folder of its own.
 *
 * @throws Error with what it has said if it does not start.
 */
export async function startOxigraph(): Promise<{ endpoint: StoreEndpoint; stop(): Promise<void> }> {
  const directory = await newDirectory()
  const bind = `127.0.0.1:${await freePort()}`
  // The process that asked may be killed: the server must not outlive it.
  const supervise =
    '"$0" "$@" & trap "kill -9 $!" TERM; while kill -0 $! && kill -0 $PPID; do sleep 0.2; done; kill -9 $!'
  const server = spawn(
    'bash',
    ['-c', supervise, findTool('oxigraph').path!, 'serve', '--location', directory, '--bind', bind],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let said = ''
  server.stderr.on('data', (chunk) => (said += String(chunk)))
  const ended = once(server, 'exit')
  const stop = async () => {
    server.kill()
    await ended
    await rm(directory, { recursive: true, force: true })
  }
  const endpoint: StoreEndpoint = {
    // Its default graph is empty otherwise.
    queryUrl: `http://${bind}/query?union-default-graph`,
    updateUrl: `http://${bind}/update`,
    graphStoreUrl: `http://${bind}/store`,
  }
  const client = new SparqlClient({ endpoint, timeoutMs: 5000 })
  const deadline = Date.now() + READY_WITHIN_MS
  while (!(await client.ask('ASK {}').catch(() => false))) {
    if (Date.now() > deadline || server.exitCode !== null) {
      await stop()
      throw new Error(`Oxigraph does not start: ${said.slice(-2000)}`)
    }
    await sleep(20)
  }
  return { endpoint, stop }
}
