// Builds the service, starts it over the demo, asks it, runs a command beside it and stops it, all with the Node.js that
// runs this: node .ci/probe.mjs. Ends with exit code 1 and the reason if one of these fails.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/** Many times what a start takes. */
const START_MS = 60_000
const root = join(import.meta.dirname, '..')
const folder = await mkdtemp(join(tmpdir(), 'vocabulary-service-probe-'))
const port = await freePort()
const env = { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: String(port), DATA_DIR: folder, LOG_LEVEL: 'error' }

/** Runs a program to its end and gives what it prints. */
async function run(args) {
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  expect(code === 0, `${args.join(' ')} to end with exit code 0, not ${code}`)
  return output
}

async function ask(path, accept = 'application/json') {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept } })
  expect(answer.ok, `${path} to be answered, not ${answer.status}`)
  return answer.text()
}

function expect(isSo, what) {
  if (!isSo) throw new Error(`expected ${what}`)
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

async function untilReady(service) {
  for (const end = Date.now() + START_MS; Date.now() < end; await sleep(100)) {
    expect(service.exitCode === null, `the service to start, not to end with exit code ${service.exitCode}`)
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
    if (answer?.ok) return
  }
  expect(false, `the service to be ready within ${START_MS / 1000} s`)
}

// Without this file the build cannot tell that nothing has changed.
await rm(join(root, 'dist/built-from'), { force: true })
await run(['build.mjs'])
const service = spawn(process.execPath, ['dist/bin.js'], { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] })
try {
  await untilReady(service)
  const [concept] = JSON.parse(await ask('/data?notation=B1'))
  expect(concept?.prefLabel.en === 'Bookbinding', '/data?notation=B1 to have a concept of the demo')
  expect((await ask('/', 'text/html')).includes('<!DOCTYPE html>'), '/ to be a page')
  expect((await run(['dist/bin.js', 'list'])).includes('crafts'), 'the command list to name the demo')
  service.kill('SIGTERM')
  const [code] = await once(service, 'exit')
  expect(code === 0, `the service to stop with exit code 0, not ${code}`)
} finally {
  service.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
}
process.stdout.write(`Node.js ${process.version}: built, started, asked and stopped\n`)
