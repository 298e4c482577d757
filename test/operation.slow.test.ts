/**
 * docs/operation.md is right: its commands run as they stand there, except for ports and folders.
 * test/docker/docker.long.test.ts runs those of Compose.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { CRAFTS } from './app.ts'
import { fusekiMissing } from './fuseki.ts'
import { LONG, testLong } from './long.ts'
import { freePort, newDirectory, ROOT, runToEnd, startService, variablesOf, type ServiceProcess } from './process.ts'
import { redisMissing, startRedis, type Redis } from './redis.ts'
import { shownCommands } from './shown-commands.ts'
import { startMailServer } from './smtp.ts'

const commands = await shownCommands('docs/operation.md')
const run: string[] = []
const shown = (text: string): string => {
  const result = commands.find((command) => command.includes(text))
  if (result === undefined) throw new Error(`docs/operation.md does not show ${text}`)
  run.push(result)
  return result
}

interface Concept {
  uri: string
}

/** Links in records begin with it, wherever the service listens. */
const BASE_URL = 'http://vocabularies.test/'

/** Proposes a concept of the demo; gives the status and the URI. */
async function propose({ url }: ServiceProcess, token: string, label: string, headers: Record<string, string> = {}) {
  const data = JSON.stringify([{ inScheme: [{ uri: CRAFTS }], prefLabel: { de: label } }])
  const body = JSON.stringify([{ username: 'editor', token, data }])
  const answer = await fetch(`${url}/ingest`, { method: 'POST', body, headers })
  return { status: answer.status, uri: ((await answer.json()) as Concept[])[0]?.uri }
}
const addAccount = 'npm run vocab -- account add --username editor --voc crafts --email editor@example.org --json'
const get = async ({ url }: ServiceProcess, path: string) => (await fetch(url + path)).json()
const outbox = async ({ url }: ServiceProcess) =>
  Number(/^ingest_outbox_mails (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())![1])

/** Runs commands in a folder that stands for that of the project, which npm needs. */
const shell =
  (directory: string, env: NodeJS.ProcessEnv, moves: [string, string][] = []) =>
  async (command: string): Promise<string> => {
    const line = moves.reduce((text, [from, to]) => text.replaceAll(from, to), command)
    const moved = line.replace('npm run vocab', `npm --silent --prefix '${ROOT}' run vocab`)
    const options = { cwd: directory, env: { ...process.env, ...env }, maxBuffer: 1e8 }
    return (await promisify(execFile)('bash', ['-c', moved], options)).stdout
  }

const missingFuseki = fusekiMissing()
const describeFuseki = missingFuseki === undefined ? describe : describe.skip

describeFuseki(
  `from the embedded store to Fuseki${missingFuseki === undefined ? '' : `, skipped: ${missingFuseki}`}`,
  () => {
    let directory: string
    let dataDir: string
    let port: number
    let fuseki: ChildProcess | undefined
    let service: ServiceProcess
    let sh: ReturnType<typeof shell>
    let token: string
    const proposed: string[] = []

    /** Starts Fuseki by a command, until it has written its settings and answers. */
    const startFuseki = async (command: string) => {
      const line = command.replace('npm run', `npm --silent --prefix '${ROOT}' run`)
      const env = { FUSEKI_DIR: join(directory, '.fuseki/run'), FUSEKI_PORT: String(port), FUSEKI_HEAP: '512m' }
      fuseki = spawn('bash', ['-c', line], { detached: true, stdio: 'ignore', env: { ...process.env, ...env } })
      const ended = once(fuseki, 'exit')
      for (;;) {
        const early = await Promise.race([ended, sleep(200)])
        if (early) throw new Error(`Fuseki has ended: ${String(early)}`)
        if ((await fetch(`http://localhost:${port}/$/ping`).catch(() => undefined))?.ok) return
      }
    }
    const stopFuseki = async () => {
      if (!fuseki || fuseki.exitCode !== null) return
      const ended = once(fuseki, 'exit')
      process.kill(-fuseki.pid!, 'SIGTERM')
      await ended
      // The processes of npm end before Java.
      while (await fetch(`http://localhost:${port}/$/ping`).catch(() => undefined)) await sleep(50)
      fuseki = undefined
    }
    /** The variables that `env $(cat .fuseki/run/store.env)` sets. */
    const storeSettings = async () => {
      const [prefix] = shown('store.env) npm start').split(' npm start')
      const output = await sh(`env -i PATH="$PATH" ${prefix!.slice('env '.length)} env`)
      return variablesOf(output.trim().split('\n'))
    }
    const contents = async () => ({
      vocabularies: await get(service, '/voc?subset=true'),
      concepts: await get(service, '/voc/crafts/top?properties=*'),
      subset: await get(service, '/voc/subset_crafts-school/top?voc=subset_crafts-school'),
      formats: await get(service, '/formats?limit=1000'),
      history: await get(service, `/history?uri=${encodeURIComponent(proposed[0]!)}`),
    })

    beforeAll(async () => {
      directory = await newDirectory()
      dataDir = join(directory, 'data')
      port = await freePort()
      sh = shell(directory, { DATA_DIR: dataDir }, [
        ['localhost:3030', `localhost:${port}`],
        ['--password-file fuseki-password', `--password-file ${join(directory, 'fuseki-password')}`],
      ])
      await mkdir(join(directory, '.fuseki'))
      service = await startService({ DATA_DIR: dataDir, BASE_URL })
      token = (JSON.parse(await sh(addAccount)) as { token: string }).token
      proposed.push((await propose(service, token, 'Silberlöten')).uri!)
    })
    afterAll(async () => {
      await service?.stop()
      await stopFuseki()
    })

    testLong(
      'vocabularies move; accounts, history, mails and keys go on',
      async () => {
        await startFuseki('npm run fuseki')
        await sh(shown('sed -n'))
        const copy = shown('npm run vocab -- replicate')
        const first = (await sh(copy)).trim().split('\n')
        expect(first.sort()).toEqual(
          [
            ...['', 'subset/school', 'subset/textile'].map((name) => `copied ${CRAFTS}${name}`),
            'copied http://example.org/vocabulary/materials/',
            'copied urn:vocabulary-service:formats',
          ].sort(),
        )
        const key = { 'idempotency-key': 'moved' }
        const { status, uri } = await propose(service, token, 'Hartlöten', key)
        expect(status).toBe(201)
        proposed.push(uri!)
        const before = await contents()
        expect(await outbox(service)).toBe(2)
        expect(await service.stop()).toBe(0)
        expect(await sh(copy)).toBe(`copied ${CRAFTS}\n`)
        expect(await sh(copy)).toBe('')

        const early = { DATA_DIR: dataDir, PORT: '0', ...(await storeSettings()) }
        expect(await runToEnd('dist/main.js', [], early)).toMatchObject({
          code: 78,
          stderr: expect.stringMatching(/belongs to the embedded store/),
        })
        expect(await sh(shown('store change'))).toMatch(/belongs to the store .* now\.\n$/)
        expect(await runToEnd('dist/cli/main.js', ['list'], { DATA_DIR: dataDir })).toMatchObject({ code: 78 })
        service = await startService({ DATA_DIR: dataDir, BASE_URL, ...(await storeSettings()) })
        expect(service.log.find(({ msg }) => msg === 'ready')).toMatchObject({ store: 'SPARQL' })
        expect(await contents()).toEqual(before)
        expect(await outbox(service)).toBe(2)
        // The same key is the same ingest, and a new one goes on with the history.
        expect(await propose(service, token, 'Hartlöten', key)).toEqual({ status: 201, uri })
        const { uri: another } = await propose(service, token, 'Weichlöten')
        const history = (await get(service, `/history?uri=${encodeURIComponent(another!)}`)) as { kind: string }[]
        expect(history.map(({ kind }) => kind)).toEqual(['Create'])
        const changes = (await get(service, '/voc/crafts/changes?properties=-')) as Concept[]
        expect(changes.map((change) => change.uri)).toEqual(expect.arrayContaining([...proposed, another]))
      },
      180_000,
    )

    testLong(
      'Fuseki takes a new password, and keeps it',
      async () => {
        const old = await storeSettings()
        await stopFuseki()
        await startFuseki(shown('FUSEKI_PASSWORD=$(openssl'))
        const settings = await storeSettings()
        expect(settings['SPARQL_PASSWORD']).not.toBe(old['SPARQL_PASSWORD'])
        // The service has the old one, and goes on reading.
        expect(await get(service, '/voc/crafts')).toHaveLength(1)
        expect((await propose(service, token, 'Schweißen')).status).toBe(502)
        await service.stop()
        const { code, stderr } = await runToEnd('dist/main.js', [], { DATA_DIR: dataDir, PORT: '0', ...old })
        expect([code, stderr]).toEqual([78, expect.stringMatching(/^SPARQL_USER, SPARQL_PASSWORD: .* 401/)])
        await stopFuseki()
        await startFuseki('npm run fuseki')
        expect(await storeSettings()).toEqual(settings)
        service = await startService({ DATA_DIR: dataDir, BASE_URL, ...settings })
        expect((await propose(service, token, 'Löten')).status).toBe(201)
      },
      180_000,
    )
  },
)

const missing = redisMissing()
const describeRedis = missing || !LONG ? describe.skip : describe

describeRedis(`a Redis with a password${missing ? `, skipped: ${missing}` : ''}`, () => {
  let redis: Redis
  let dataDir: string
  let token: string
  const url = (password: string) => redis.url.replace('redis://', `redis://:${password}@`)
  const cli = (words: string) => {
    const { port } = new URL(redis.url)
    return shell(dataDir, {}, [['redis-cli', `redis-cli -p ${port} --no-auth-warning`]])(words)
  }

  beforeAll(async () => {
    redis = await startRedis()
    dataDir = await newDirectory()
    await cli('redis-cli CONFIG SET requirepass old-password')
    const service = await startService({ DATA_DIR: dataDir })
    token = (JSON.parse(await shell(dataDir, { DATA_DIR: dataDir })(addAccount)) as { token: string }).token
    await service.stop()
  })
  afterAll(() => redis?.remove())

  /** The statuses of an ingest without and with an Idempotency-Key, by an instance with a password. */
  const statuses = async (password: string) => {
    const service = await startService({ DATA_DIR: dataDir, REDIS_URL: url(password) })
    try {
      const key = { 'idempotency-key': `${password}-${Date.now()}` }
      return [(await propose(service, token, 'Löten')).status, (await propose(service, token, 'Löten', key)).status]
    } finally {
      await service.stop()
    }
  }

  testLong(
    'takes two passwords until the old one is removed',
    async () => {
      expect(await statuses('old-password')).toEqual([201, 201])
      const [add, remove] = [shown('>new-password'), shown('<old-password')]
      expect((await cli(add.replace('redis-cli', 'redis-cli -a old-password'))).trim()).toBe('OK')
      expect(await statuses('old-password')).toEqual([201, 201])
      expect(await statuses('new-password')).toEqual([201, 201])
      expect((await cli(remove.replace('redis-cli', 'redis-cli -a new-password'))).trim()).toBe('OK')
      expect(await statuses('new-password')).toEqual([201, 201])
      const env = { DATA_DIR: dataDir, PORT: '0', REDIS_URL: url('old-password') }
      const { code, stderr } = await runToEnd('dist/main.js', [], env)
      expect([code, stderr]).toEqual([78, `REDIS_URL: the Redis at ${new URL(redis.url).host} refuses the login\n`])
    },
    120_000,
  )
})

testLong(
  'mails wait for the new password of the mail server, which a URL has percent-encoded',
  async () => {
    const password = 'p@ss/word'
    const smtp = await startMailServer({
      authOptional: false,
      onAuth: (
        { password: given }: { password: string },
        _session: unknown,
        done: (error?: Error, ok?: object) => void,
      ) => (given === password ? done(undefined, { user: 'mailer' }) : done(new Error('wrong password'))),
    })
    const dataDir = await newDirectory()
    const encoded = (await shell(dataDir, {})(shown('node -p'))).trim()
    expect(decodeURIComponent(encoded)).toBe(password)
    const start = (secret: string) =>
      startService({ DATA_DIR: dataDir, SMTP_URL: smtp.url.replace('smtp://', `smtp://mailer:${secret}@`) })
    let service = await start('old')
    try {
      const { token } = JSON.parse(await shell(dataDir, { DATA_DIR: dataDir })(addAccount)) as { token: string }
      expect((await propose(service, token, 'Löten')).status).toBe(201)
      while (smtp.connections === 0) await sleep(20)
      await service.stop()
      expect(smtp.received).toEqual([])
      service = await start(encoded)
      await smtp.until(1)
      while ((await outbox(service)) > 0) await sleep(20)
    } finally {
      await service.stop()
      await smtp.stop()
    }
  },
  60_000,
)

testLong('every shown command has run, here or with those of Compose', () => {
  const withCompose = commands.filter((command) => command.includes('docker compose') || command.endsWith('>> .env'))
  expect(commands.filter((command) => ![...run, ...withCompose].includes(command))).toEqual([])
})

test('the table of figures has those of /metrics, and no others', async () => {
  const document = await readFile(join(ROOT, 'docs/operation.md'), 'utf8')
  const table = document.slice(document.indexOf('| name | shows |'))
  const described = table
    .split('\n')
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)/g)].map(([, name]) => name))
  const source = await readFile(join(ROOT, 'src/interface/http/metrics.ts'), 'utf8')
  const made = [...source.matchAll(/(?:name: |gauge\(|counter\(|ofVocabularies\()\s*'(\w+)'/g)].map(([, name]) => name)
  expect(described.length).toBeGreaterThan(10)
  expect(new Set(described)).toEqual(new Set(made))
})
