/**
 * A real Apache Jena Fuseki for tests, started by the project's own run script with the project's own configuration.
 *
 * A start costs about three seconds, so the test files that run one after the other in one jest worker share a Fuseki;
 * each finds it empty. Files that run at the same time are in different workers and so have different Fusekis: no two
 * test files ever see each other's data. A test that stops or breaks its Fuseki asks for one of its own.
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SparqlClient, type StoreEndpoint } from '../src/graph/sparql/client.ts'
import { freePort, newDirectory, variablesOf } from './process.ts'

const RUN = resolve(import.meta.dirname, '../fuseki/run')
const READY_WITHIN_MS = 60_000
const RESET_TIMEOUT_MS = 60_000
/**
 * Java maps the classes of Fuseki from this file, which saves nearly half of a start. A shared Fuseki writes it at its
 * end.
 */
const CLASSES = resolve(import.meta.dirname, '../node_modules/.cache/fuseki-classes.jsa')
const CLASSES_WITHIN_MS = 30_000

export interface Fuseki {
  endpoint: StoreEndpoint
  /** The query-only service that everyone may ask. */
  publicQueryUrl: string
  /** Of the Java process: a test may stop, continue or kill the Fuseki that it has for itself. */
  pid: number
  /** The folder of Fuseki's data. */
  directory: string
  /** Removes all data, and with them what the text index holds. */
  reset(): Promise<void>
  /** Ends a Fuseki of one's own and removes its data; a shared one goes on until the end of the test run. */
  stop(): Promise<void>
}

interface StartFusekiOptions {
  /** A process and a dataset for this caller alone. */
  isPrivate?: boolean
  /** The folder for the data, which stop() does not remove; by default a new temporary one. */
  directory?: string
  /** Instead of fuseki/config.ttl. */
  config?: string
  /** More variables of its environment. */
  env?: Record<string, string>
  /** With the memory and the options of Java that `npm run fuseki` has, instead of those for a short life. */
  longLived?: boolean
}

/**
 * The reason why Java or the jar is missing and cannot be fetched; undefined if both are there.
 *
 * @throws Error with the reason, with REQUIRE_FUSEKI=1
 */
export function fusekiMissing(): string | undefined {
  // Looking takes half a second, so one test file looks for all.
  const file = process.env['TEST_RUN_DIR'] && join(process.env['TEST_RUN_DIR'], 'fuseki-missing')
  const isKnown = file && existsSync(file)
  const reason = isKnown ? readFileSync(file, 'utf8') : checkFuseki()
  if (file && !isKnown) writeFileSync(file, reason)
  if (reason && process.env['REQUIRE_FUSEKI'] === '1') {
    throw new Error(`REQUIRE_FUSEKI=1, but there is no Fuseki. ${reason}`)
  }
  return reason || undefined
}

/** The reason why there is no Fuseki; empty if there is one. */
function checkFuseki(): string {
  try {
    execFileSync('bash', [RUN, 'check'], { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' })
    return ''
  } catch (error) {
    const { stderr } = error as { stderr?: string }
    return stderr?.trim().split('\n').at(-1) || String(error)
  }
}

/**
 * An empty Fuseki.
 *
 * @throws Error with the end of Fuseki's log if it does not start.
 */
export async function startFuseki(options: StartFusekiOptions = {}): Promise<Fuseki> {
  const shared = process.env['TEST_RUN_DIR']
  if (options.isPrivate || options.directory || options.config || !shared) return startProcess(options)

  const directory = join(shared, `fuseki-${process.env['JEST_WORKER_ID'] ?? '1'}`)
  const running = Number(await readFile(join(directory, 'pid'), 'utf8').catch(() => 0))
  const fuseki = isAlive(running)
    ? describeRunning(directory, running)
    : await startProcess({ directory }, Number(process.env['TEST_RUN_PID']))
  await fuseki.reset()
  return { ...fuseki, stop: () => Promise.resolve() }
}

/** Ends the Fusekis that test files have shared; for jest's teardown. */
export async function stopSharedFusekis(runDirectory: string): Promise<void> {
  for (const name of await readdir(runDirectory)) {
    const directory = join(runDirectory, name)
    const pid = Number(await readFile(join(directory, 'pid'), 'utf8').catch(() => 0))
    if (pid === 0) continue
    if (isAlive(pid) && !existsSync(CLASSES)) await keepClasses(directory, pid)
    await kill(pid)
  }
}

/** Quick to start is worth more than quick in the long run. */
function shortLife(directory: string): NodeJS.ProcessEnv {
  const classes = existsSync(CLASSES)
    ? `-XX:SharedArchiveFile=${CLASSES}`
    : `-XX:ArchiveClassesAtExit=${classesOf(directory)}`
  // Java divides the options at spaces, which a path may have.
  return { FUSEKI_HEAP: '1g', JDK_JAVA_OPTIONS: `-XX:+UseSerialGC -XX:TieredStopAtLevel=1 "${classes}"` }
}

const classesOf = (directory: string) => join(directory, 'classes.jsa')

/** Java writes its classes only at an orderly end. */
async function keepClasses(directory: string, pid: number): Promise<void> {
  const deadline = Date.now() + CLASSES_WITHIN_MS
  process.kill(pid, 'SIGTERM')
  while (isAlive(pid) && Date.now() < deadline) await sleep(50)
  if (isAlive(pid) || !existsSync(classesOf(directory))) return
  await mkdir(dirname(CLASSES), { recursive: true })
  // Another run may look for it at the same moment, and the folders may be on different disks.
  await copyFile(classesOf(directory), `${CLASSES}.${process.pid}`)
  await rename(`${CLASSES}.${process.pid}`, CLASSES)
}

async function startProcess(options: StartFusekiOptions, watched = process.pid): Promise<Fuseki> {
  const directory = options.directory ?? (await newDirectory())
  await mkdir(directory, { recursive: true })
  const logFile = join(directory, 'log')
  const log = openSync(logFile, 'a')
  // The process that asked may be killed: Fuseki must not outlive it.
  const supervise = 'bash "$0" start & echo $!; while kill -0 $! && kill -0 $1; do sleep 1; done; kill -9 $!'
  const supervisor = spawn('bash', ['-c', supervise, RUN, String(watched)], {
    detached: true,
    stdio: ['ignore', 'pipe', log],
    env: {
      ...process.env,
      FUSEKI_DIR: directory,
      FUSEKI_PORT: String(await freePort()),
      FUSEKI_LISTEN: 'localhost',
      FUSEKI_USER: '',
      FUSEKI_PASSWORD: '',
      ...(options.config ? { FUSEKI_CONFIG: options.config } : {}),
      ...options.env,
      ...(options.longLived ? {} : shortLife(directory)),
    },
  })
  const pid = await new Promise<number>((resolvePid, reject) => {
    supervisor.once('error', reject)
    supervisor.stdout!.once('data', (line: Buffer) => resolvePid(Number(line.toString())))
  })
  supervisor.stdout!.destroy()
  supervisor.unref()
  try {
    await untilReady(directory, pid)
  } catch (error) {
    await kill(pid)
    throw new Error(`Fuseki does not start: ${(await readFile(logFile, 'utf8')).slice(-2000)}`, { cause: error })
  }
  await writeFile(join(directory, 'pid'), String(pid))
  const fuseki = describeRunning(directory, pid)
  return {
    ...fuseki,
    stop: async () => {
      await kill(pid)
      await rm(join(directory, 'pid'), { force: true })
      if (!options.directory) await rm(directory, { recursive: true, force: true })
    },
  }
}

function describeRunning(directory: string, pid: number): Fuseki {
  // `env $(cat store.env)` of the documents splits the file in the same way.
  const variables = execFileSync('bash', ['-c', 'variables=$(<store.env) && env -i $variables env'], {
    cwd: directory,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const settings = variablesOf(variables.trim().split('\n'))
  const endpoint: StoreEndpoint = {
    queryUrl: settings['SPARQL_QUERY_URL']!,
    updateUrl: settings['SPARQL_UPDATE_URL']!,
    graphStoreUrl: settings['SPARQL_GRAPH_STORE_URL']!,
    user: settings['SPARQL_USER'],
    password: settings['SPARQL_PASSWORD'],
  }
  return {
    endpoint,
    publicQueryUrl: endpoint.queryUrl,
    pid,
    directory,
    reset: () => new SparqlClient({ endpoint, timeoutMs: RESET_TIMEOUT_MS }).update('DROP ALL', 'urn:all'),
    stop: () => kill(pid),
  }
}

/** Ready is who takes the login that was made for this directory: an answer alone could come from another server. */
async function untilReady(directory: string, pid: number): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS
  for (;;) {
    if (!isAlive(pid)) throw new Error('it ended')
    try {
      const { endpoint } = describeRunning(directory, pid)
      await new SparqlClient({ endpoint, timeoutMs: 5_000 }).getGraph('http://example.org/none').next()
      return
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
    await sleep(50)
  }
}

async function kill(pid: number): Promise<void> {
  if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  while (isAlive(pid)) await sleep(20)
}

/** True if this machine has a process with this number. */
function isAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
