/** RDF4J's own server for tests, which Maven fetches with Jetty: `.ci/tools` installs both into `.ci/rdf4j`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StoreEndpoint } from '../src/graph/sparql/client.ts'
import { freePort, newDirectory, ROOT } from './process.ts'
import { findTool } from './tools.ts'

const READY_WITHIN_MS = 120_000
const RUNNER = join(ROOT, '.ci/rdf4j/jetty-runner.jar')
const SERVER = join(ROOT, '.ci/rdf4j/rdf4j-http-server.war')

/** A repository in memory. */
const REPOSITORY = `
@prefix rep: <http://www.openrdf.org/config/repository#> .
@prefix sr: <http://www.openrdf.org/config/repository/sail#> .
@prefix sail: <http://www.openrdf.org/config/sail#> .
[] a rep:Repository ; rep:repositoryID "voc" ;
  rep:repositoryImpl [ rep:repositoryType "openrdf:SailRepository" ; sr:sailImpl [ sail:sailType "openrdf:MemoryStore" ] ] .
`

/** The reason why the server is missing; undefined if it is there. */
export function rdf4jMissing(): string | undefined {
  if (!existsSync(RUNNER) || !existsSync(SERVER)) return 'there is no .ci/rdf4j (TEST_LONG=1 .ci/tools installs it)'
  return findTool('java').path ? undefined : 'there is no java'
}

/**
 * An empty repository of a server with a folder of its own.
 *
 * @throws Error with what the server has said if it does not start.
 */
export async function startRdf4j(): Promise<{ endpoint: StoreEndpoint; stop(): Promise<void> }> {
  const directory = await newDirectory()
  const port = String(await freePort())
  const program = [`-Dorg.eclipse.rdf4j.appdata.basedir=${directory}`, '-jar', RUNNER]
  const args = ['-Xmx512m', ...program, '--host', '127.0.0.1', '--port', port, '--path', '/rdf4j-server', SERVER]
  // The process that asked may be killed: the server must not outlive it.
  const supervise =
    '"$0" "$@" & trap "kill -9 $!" TERM; while kill -0 $! && kill -0 $PPID; do sleep 0.2; done; kill -9 $!'
  const server = spawn('bash', ['-c', supervise, findTool('java').path!, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  server.stderr.on('data', (chunk) => (said += String(chunk)))
  const ended = once(server, 'exit')
  const stop = async () => {
    server.kill()
    await ended
    await rm(directory, { recursive: true, force: true })
  }
  const repository = `http://127.0.0.1:${port}/rdf4j-server/repositories/voc`
  const create = () =>
    fetch(repository, { method: 'PUT', headers: { 'content-type': 'text/turtle' }, body: REPOSITORY }).then(
      ({ ok }) => ok,
      () => false,
    )
  const deadline = Date.now() + READY_WITHIN_MS
  while (!(await create())) {
    if (Date.now() > deadline || server.exitCode !== null) {
      await stop()
      throw new Error(`RDF4J does not start: ${said.slice(-2000)}`)
    }
    await sleep(100)
  }
  const endpoint: StoreEndpoint = {
    queryUrl: repository,
    updateUrl: `${repository}/statements`,
    graphStoreUrl: `${repository}/rdf-graphs/service`,
  }
  return { endpoint, stop }
}
