import { once } from 'node:events'
import { appendFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from '@jest/globals'
import { SparqlClient } from '../src/graph/sparql/client.ts'
import { readConfig } from '../src/config.ts'
import { softwareVersion } from '../src/base/root.ts'
import { DEMO } from './app.ts'
import { runCommand } from './command.ts'
import { LONG } from './long.ts'
import { listen, newDirectory, runToEnd, startService, storeEnv, type ServiceProcess } from './process.ts'
import { canMount, mountDisk, unmountDisk, whyNoDisk } from './small-disk.ts'
import { DEPLOYED, describeOver, testOf } from './stores.ts'

const services: ServiceProcess[] = []
const start = async (env?: NodeJS.ProcessEnv) => {
  const service = await startService(env)
  services.push(service)
  return service
}
const uris = async (url: string, path: string) => {
  const response = await fetch(url + path)
  expect(response.status).toBe(200)
  return ((await response.json()) as { uri: string }[]).map(({ uri }) => uri)
}

afterAll(() => Promise.all(services.map((service) => service.stop('SIGKILL'))))

describe('the process', () => {
  test('starts with the demo, keeps its data, and loads the demo only once', async () => {
    const dataDir = await newDirectory()
    const first = await start({ DATA_DIR: dataDir })
    expect(await uris(first.url, '/voc')).toHaveLength(2)
    expect(await uris(first.url, '/voc/crafts/top')).not.toEqual([])
    expect(await uris(first.url, '/formats?limit=3')).toHaveLength(3)
    expect(await (await fetch(first.url)).json()).toMatchObject({ version: softwareVersion() })
    const page = await (await fetch(first.url, { headers: { accept: 'text/html' } })).text()
    expect(page).toContain(`vocabulary-service ${softwareVersion()}</p>`)
    expect(first.log[0]).toMatchObject({ msg: 'starting', version: softwareVersion() })
    expect(first.log.find(({ msg }) => msg === 'ready')).toMatchObject({ version: softwareVersion() })
    expect(await first.stop()).toBe(0)

    const { code } = await runCommand(['remove', 'materials'], { DATA_DIR: dataDir })
    expect(code).toBe(0)
    const second = await start({ DATA_DIR: dataDir })
    expect(await uris(second.url, '/voc')).toEqual([expect.stringContaining('crafts')])
    expect(await second.stop()).toBe(0)
    await rm(dataDir, { recursive: true })
  })

  test('starts empty if no demo is wanted', async () => {
    const service = await start({ DEMO: 'false' })
    expect(await uris(service.url, '/voc')).toEqual([])
    expect(await service.stop('SIGINT')).toBe(0)
  })

  test('lists a vocabulary in the order of its last load at once', async () => {
    const dataDir = await newDirectory()
    const service = await start({ DATA_DIR: dataDir, DEMO: 'false' })
    const scheme = 'http://example.org/outline/'
    const file = join(dataDir, 'outline.ttl')
    const concepts = ['7.9', '7.10'].map(
      (notation) => `<${scheme}${notation}> a skos:Concept ; skos:inScheme <${scheme}> ; skos:notation "${notation}" .`,
    )
    const prefix = '@prefix skos: <http://www.w3.org/2004/02/skos/core#> .'
    await writeFile(
      file,
      `${prefix} <${scheme}> a skos:ConceptScheme ; skos:prefLabel "Outline"@en . ${concepts.join(' ')}`,
    )
    // Each address is new, because a look at a remembered answer would notice the load.
    let limit = 10
    for (const [order, first] of [
      ['natural', '7.9'],
      ['code-point', '7.10'],
      ['natural', '7.9'],
    ] as const) {
      const loaded = await runCommand(['load', file, '--order', order], { DATA_DIR: dataDir })
      expect(loaded).toMatchObject({ code: 0 })
      expect((await uris(service.url, `/voc/outline/concepts?limit=${++limit}`))[0]).toBe(scheme + first)
    }
    expect(await service.stop()).toBe(0)
    await rm(dataDir, { recursive: true })
  })

  test('finishes requests under way before it stops, and accepts no more', async () => {
    const service = await start()
    const form = 'properties=-&notation=B1'
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': form.length }
    const slow = request(`${service.url}/data`, { method: 'POST', headers })
    const answered = once(slow, 'response') as Promise<[IncomingMessage]>
    slow.write(form.slice(0, 10))
    // The service answers one request at a time as it reads them: once this one is answered, it has seen the slow one.
    await fetch(`${service.url}/healthz`)
    const stopped = service.stop()
    while (!service.log.some(({ msg }) => msg === 'stopping')) await sleep(20)
    await expect(fetch(service.url)).rejects.toThrow()
    slow.end(form.slice(10))
    const [response] = await answered
    expect(response.statusCode).toBe(200)
    expect(JSON.parse(await text(response))).toHaveLength(1)
    expect(await stopped).toBe(0)
  })

  const WRONG: [env: NodeJS.ProcessEnv, name: string][] = [
    [{ SPARQL_PASSWORD_FILE: '/nowhere/password' }, 'SPARQL_PASSWORD_FILE'],
    [{ SMTP_URL: 'http://user:secret@127.0.0.1' }, 'SMTP_URL'],
    [{ PORT: '70000' }, 'PORT'],
    [{ BASE_URL: 'vocabularies' }, 'BASE_URL'],
    [{ BASE_URL: 'http://127.0.0.1/?a=b' }, 'BASE_URL'],
    [{ BASE_URL: 'http://127.0.0.1/#' }, 'BASE_URL'],
    [{ BASE_URL: 'http://user:secret@127.0.0.1/' }, 'BASE_URL'],
    [{ BASE_URL: 'http:127.0.0.1' }, 'BASE_URL'],
    [{ BASE_URL: 'http://127.0.0.1/a|b' }, 'BASE_URL'],
    [{ JSKOS_CONTEXT_URL: 'http:context' }, 'JSKOS_CONTEXT_URL'],
    [{ SITE_CONTACT: 'https:contact' }, 'SITE_CONTACT'],
    [{ SITE_LINKS: 'Imprint=https:imprint' }, 'SITE_LINKS'],
    [{ SMTP_URL: 'smtp://' }, 'SMTP_URL'],
    [{ SMTP_URL: 'smtp:127.0.0.1' }, 'SMTP_URL'],
    [{ MAIL_FROM: 'Vocabularies' }, 'MAIL_FROM'],
    [{ MAIL_FROM: 'a@example.org, b@example.org' }, 'MAIL_FROM'],
    [{ SPARQL_QUERY_URL: 'ftp://127.0.0.1/' }, 'SPARQL_QUERY_URL'],
    [{ SPARQL_TIMEOUT_MS: 'soon' }, 'SPARQL_TIMEOUT_MS'],
    [{ DEMO: 'perhaps' }, 'DEMO'],
    [{ INGEST_LIMITS: '10/fortnight' }, 'INGEST_LIMITS'],
    [{ MAX_LIMIT: '-1' }, 'MAX_LIMIT'],
    [{ TRUST_PROXY: '10.0.0.0/99' }, 'TRUST_PROXY'],
    [{ TRUST_PROXY: '::1/0' }, 'TRUST_PROXY'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL'],
  ]
  test.each([
    ['http://127.0.0.1/a b', 'http://127.0.0.1/a%20b/'],
    ['HTTPS://Example.org/päth/', 'https://example.org/p%C3%A4th/'],
    ['http://127.0.0.1/<a>//', 'http://127.0.0.1/%3Ca%3E/'],
  ])('writes the address %j as %j', (given, baseUrl) => {
    expect(readConfig({ BASE_URL: given }).baseUrl).toBe(baseUrl)
  })
  test.each(['a@example.org', 'Vocabularies, all <a@example.org>', '"Name, a" <a@example.org>'])(
    'sends mails from %s',
    (given) => {
      expect(readConfig({ MAIL_FROM: given }).mailFrom).toBe(given)
    },
  )
  test('a folder is no logo', async () => {
    const folder = join(await newDirectory(), 'logo.svg')
    await mkdir(folder)
    expect(() => readConfig({ SITE_LOGO: folder })).toThrow(/^SITE_LOGO: /)
  })
  test.each(WRONG)('has no configuration from %j', (env, name) => {
    expect(() => readConfig(env)).toThrow(new RegExp(`^${name}(?!.*secret).*$`))
  })
  // Each takes a process: two by default, all with TEST_LONG=1.
  test.each(LONG ? WRONG : WRONG.slice(0, 2))('ends with one clear line and exit code 78 for %j', async (env, name) => {
    const dataDir = await newDirectory()
    const { code, stdout, stderr } = await runToEnd('dist/main.js', [], { DATA_DIR: dataDir, ...env })
    expect({ code, stdout }).toEqual({ code: 78, stdout: '' })
    expect(stderr).toMatch(new RegExp(`^${name}.*\\n$`))
    expect(stderr).not.toContain('secret')
    expect(await readdir(dataDir)).toEqual([])
  })

  test.each(['/proc/none', '/proc/version/none'])('ends at once if DATA_DIR cannot be made: %s', async (dataDir) => {
    const { code, stdout, stderr } = await runToEnd('dist/main.js', [], { DATA_DIR: dataDir })
    expect(code).toBe(78)
    // Nothing follows the first line, which names the version.
    expect(stdout).toMatch(/^\{[^\n]*"msg":"starting"\}\n$/)
    expect(stderr).toMatch(/^DATA_DIR: .*\n$/)
  })

  test('says which port is taken', async () => {
    const other = createServer()
    const { port } = new URL(await listen(other))
    const dataDir = await newDirectory()
    const { code, stderr } = await runToEnd('dist/main.js', [], {
      DATA_DIR: dataDir,
      PORT: port,
      DEMO: 'false',
    })
    other.close()
    expect(code).toBe(78)
    expect(stderr).toMatch(new RegExp(`^HOST, PORT: .*${port}.*\\n$`))
  })
})

const testFull = canMount ? test : test.skip

/** How much fits on the disk, in KiB, and what is written when it is full. */
const FULL: [kibibytes: number, name: string][] = [
  [4, 'store/held.json'],
  [16, 'store/database.sqlite'],
  [64, 'history/log.sqlite'],
  [300, 'store/graph-'],
  [600, 'store/graph-'],
  [1000, 'ingest/'],
]
describe(`a disk that is full${whyNoDisk}`, () => {
  testFull.each(LONG ? FULL : FULL.filter((_, at) => at % 2 === 0))(
    'after %i KiB ends the start with a line that names %s',
    async (kibibytes, name) => {
      const disk = await newDirectory()
      const env = { DATA_DIR: join(disk, 'data'), PORT: '0' }
      mountDisk(disk, kibibytes * 1024)
      try {
        const { code, stderr } = await runToEnd('dist/main.js', [], env)
        expect(code).not.toBe(0)
        expect(stderr).toMatch(new RegExp(`^[^\n]*${join(disk, 'data', name)}[^\n]* cannot be written: [^\n]*\n$`))
      } finally {
        unmountDisk(disk)
      }
    },
  )

  testFull('or becomes full later: `vocab list` names the file that it cannot write', async () => {
    const disk = await newDirectory()
    const env = { DATA_DIR: join(disk, 'data') }
    mountDisk(disk, 2 ** 24)
    try {
      expect(await runCommand(['load', `${DEMO}/crafts.ttl`], env)).toMatchObject({ code: 0 })
      // The size of the free space is an estimate.
      const fill = async () => {
        for (;;) await appendFile(join(disk, 'filler'), Buffer.alloc(4096))
      }
      await expect(fill()).rejects.toThrow('ENOSPC')
      const { code, stdout, stderr } = await runCommand(['list'], env)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      const file = `${env.DATA_DIR}/store/held.json`
      expect(stderr).toBe(`error: ${file} cannot be written: ENOSPC: no space left on device, write\n`)
    } finally {
      unmountDisk(disk)
    }
  })
})

describeOver(DEPLOYED, 'the process over a store of its own', (store) => {
  const testHere = testOf(store)
  testHere('loads the demo if told to, replaces nothing, and stops with exit code 0', async () => {
    const running = await store.start()
    const env = { ...storeEnv(running.endpoint), DEMO: 'true' }
    const service = await start(env)
    expect(await uris(service.url, '/voc?subset=true')).toHaveLength(4)
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
    expect(await service.stop()).toBe(0)

    const client = new SparqlClient({ endpoint: running.endpoint, timeoutMs: 10_000 })
    const scheme = 'http://example.org/vocabulary/crafts/'
    const concept = `${scheme}new`
    const skos = 'http://www.w3.org/2004/02/skos/core#'
    await client.update(
      `INSERT DATA { GRAPH <${scheme}> { <${concept}> a <${skos}Concept> ; <${skos}inScheme> <${scheme}> } }`,
      scheme,
    )
    await client.deleteGraph('http://example.org/vocabulary/materials/')
    const again = await start(env)
    expect(await uris(again.url, `/data?uri=${concept}`)).toEqual([concept])
    expect(await uris(again.url, '/voc?subset=true')).toHaveLength(4)
    expect(await again.stop()).toBe(0)
    await running.stop()
  })
})
