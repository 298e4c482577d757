/** `vocab backup` and `vocab restore`: everything in one file, from one moment, while the service runs. */
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { create } from 'tar'
import { dataFiles } from '../../../src/writing/commands/backup-files.ts'
import { backup } from '../../../src/writing/commands/backup.ts'
import { REVISION, SKOS } from '../../../src/base/namespaces.ts'
import { indexedLoads } from '../../../src/graph/index/index-file.ts'
import { DEMO, startApp } from '../../app.ts'
import { runCommand } from '../../command.ts'
import { temporaryFolder } from '../../folder.ts'
import { LONG, testLong } from '../../long.ts'
import { newDirectory, run, runToEnd, startService, storeEnv } from '../../process.ts'
import { startStore } from '../../interface/store/start.ts'
import { DEPLOYED, describeOver, testOf } from '../../stores.ts'

const { path, write } = temporaryFolder()
const KEPT = join(import.meta.dirname, '../../data-folders/1.0.0.tar.gz')
/** The token of the account in it. */
const TOKEN = 'MMDDekUaQTUoR71412RJLsHiY80dsNmXb6IxOw8eaqA'
const RIVERS = 'http://example.org/vocabulary/rivers/'
const CONCEPTS = 6_000

/**
 * A folder as a service of 1.0.0 has left it: a vocabulary loaded twice, an account, a proposal, and the mail about it.
 */
async function keptFolder(): Promise<string> {
  const folder = await newDirectory()
  execFileSync('tar', ['-xzf', KEPT, '-C', folder])
  return folder
}

async function get(url: string): Promise<Record<string, unknown>[]> {
  return (await (await fetch(url)).json()) as Record<string, unknown>[]
}

/** @returns the status of the answer. */
async function ingest(url: string, label: string): Promise<number> {
  const data = JSON.stringify([{ inScheme: [{ uri: RIVERS }], prefLabel: { de: label, en: label } }])
  const body = JSON.stringify([{ username: 'ada', token: TOKEN, data }])
  const response = await fetch(`${url}/ingest`, { method: 'POST', body })
  await response.arrayBuffer()
  return response.status
}

/** A backup with a graph, whose list a test may spoil. */
const archive = async (name: string, text: string, spoil: (contents: any) => void = () => undefined) => {
  const folder = path(name)
  await mkdir(join(folder, 'graphs'), { recursive: true })
  await writeFile(join(folder, 'graphs/a.nt'), text)
  const sha256 = createHash('sha256').update(text).digest('hex')
  const graphs = [{ graph: `${RIVERS}`, file: 'graphs/a.nt', bytes: Buffer.byteLength(text), sha256 }]
  const contents = {
    format: 1,
    dataFormat: 1,
    version: '1.0.0',
    created: '2026-11-28T00:00:00.000Z',
    graphs,
    files: [],
  }
  spoil(contents)
  await writeFile(join(folder, 'backup.json'), JSON.stringify(contents))
  await create({ gzip: true, cwd: folder, file: path(`${name}.tar.gz`) }, ['backup.json', 'graphs/a.nt'])
  return path(`${name}.tar.gz`)
}
const TRIPLE = `<${RIVERS}> <${SKOS}notation> "rivers" .\n`

const LISTS: [name: string, spoil: (contents: any) => void, reason: RegExp][] = [
  ['graphs-null', (contents) => (contents.graphs = null), /backup\.json, graphs: .*expected array, received null/],
  ['version-object', (contents) => (contents.version = { a: 1 }), /backup\.json, version: .*expected string/],
  ['later-object', (contents) => Object.assign(contents, { format: 9, version: {} }), /a later version has made it/],
  ['created-number', (contents) => (contents.created = 5), /backup\.json, created: .*expected string/],
  ['files-object', (contents) => (contents.files = {}), /backup\.json, files: .*expected array/],
  ['entry-null', (contents) => (contents.graphs = [null]), /backup\.json, graphs\.0: .*expected object/],
  [
    'no-iri',
    (contents) => (contents.graphs[0].graph = 'a'),
    /backup\.json, graphs\.0\.graph: expected an absolute IRI/,
  ],
  ['no-digest', (contents) => (contents.graphs[0].sha256 = 7), /backup\.json, graphs\.0\.sha256: /],
  ['bytes-text', (contents) => (contents.graphs[0].bytes = '7'), /backup\.json, graphs\.0\.bytes: .*expected/],
  ['twice', (contents) => contents.graphs.push(contents.graphs[0]), /has the graph <.*> twice/],
  ['outside', (contents) => (contents.graphs[0].file = '../a.nt'), /\.\.\/a\.nt is missing/],
]
const TEXTS: [name: string, text: string, reason: RegExp][] = [
  ['no-end', `${TRIPLE}<${RIVERS}a> <${SKOS}note> "open .\n`, /a\.nt, line 2, column \d+: /],
  ['turtle', `${TRIPLE}@prefix a: <urn:a> .\n`, /a\.nt, line 2, column \d+: /],
  ['relative', `${TRIPLE}<a> <${SKOS}note> "x" .\n`, /a\.nt, line 2, column \d+: /],
  ['garbage', '\u0000\u0001\u0002', /a\.nt.*: /],
]
/** Restores are refused with one line that names the archive, and the store and the folder are as before. */
async function expectRefusals(endpoint: NodeJS.ProcessEnv, archives: [file: string, reason: RegExp][]): Promise<void> {
  const env = { ...endpoint, DATA_DIR: await newDirectory() }
  expect((await runCommand(['load', `${DEMO}/crafts.ttl`], env)).code).toBe(0)
  const before = await runCommand(['list'], env)
  for (const [file, reason] of archives) {
    const { code, stdout, stderr } = await runCommand(['restore', file, '--replace'], env)
    expect({ file, code, stdout }).toEqual({ file, code: 1, stdout: '' })
    expect(stderr).toMatch(/^error: [^\n]*\n$/)
    expect(stderr).toContain(`${file}: `)
    expect(stderr).toMatch(reason)
    expect(await readdir(env.DATA_DIR)).toEqual(expect.not.arrayContaining(['restoring', 'restoring.json']))
  }
  expect(await runCommand(['list'], env)).toEqual(before)
  // The next test may have the same store.
  expect((await runCommand(['remove', 'crafts'], env)).code).toBe(0)
}

/** A backup of the kept folder, made while no service runs. */
let kept: string

beforeAll(async () => {
  await mkdir(path(''), { recursive: true })
  kept = path('kept.tar.gz')
  const { code, stderr, stdout } = await runCommand(['backup', kept], { DATA_DIR: await keptFolder() })
  expect([code, stderr, stdout]).toEqual([0, '', 'saved 1 graphs and 3 files.\n'])
})

test('a graph that takes the place of a removed one while a backup is made has a file of its own', async () => {
  const store = await startStore()
  const app = await startApp(store.endpoint)
  const graph = (name: string) =>
    `<http://example.org/${name}/> a <${SKOS}ConceptScheme> ; <${SKOS}notation> "${name}" ; <${REVISION}> "${name} 1" .`
  const put = (name: string) => app.put(`http://example.org/${name}/`, graph(name))
  // Between two looks at the revisions.
  const getGraph = app.client.getGraph.bind(app.client)
  const read: string[] = []
  app.client.getGraph = async function* (name, options) {
    yield* getGraph(name, options)
    if (read.push(name) !== 2) return
    await app.client.deleteGraph(read[0]!)
    await put('c')
  }
  try {
    for (const name of ['a', 'b']) await put(name)
    const { graphs } = await backup(app.client, app.config, { file: path('places.tar.gz') })
    expect(graphs.map((graph) => graph.graph)).toEqual([read[1], 'http://example.org/c/'])
    expect(new Set(graphs.map(({ file }) => file)).size).toBe(2)
  } finally {
    await app.close()
    await store.close()
  }
})

describeOver(DEPLOYED, 'a backup', (store) => {
  let endpoint: NodeJS.ProcessEnv = {}
  let stop = () => Promise.resolve()
  beforeAll(async () => {
    if (store.name === 'embedded') return
    const started = await store.start()
    endpoint = storeEnv(started.endpoint)
    stop = () => started.stop()
  })
  afterAll(() => stop())

  test('with a graph that is no N-Triples is refused, and changes nothing', async () => {
    const archives: [string, RegExp][] = []
    for (const [name, text, reason] of TEXTS) archives.push([await archive(name, text), reason])
    await expectRefusals(endpoint, archives)
  })

  testOf(store)('moves everything to another machine, and is of one moment while ingests go on', async () => {
    const env = { DATA_DIR: await newDirectory(), DEMO: 'false', INGEST_LIMITS: 'none', ...endpoint }
    expect(await runCommand(['restore', kept], env)).toMatchObject({ code: 0, stderr: '' })
    const service = await startService(env)
    expect(await get(`${service.url}/data?uri=${RIVERS}brook`)).toMatchObject([{ altLabel: { en: ['beck'] } }])
    expect(service.log).toContainEqual(expect.objectContaining({ waiting: 1 }))

    const written: string[] = []
    let isOver = false
    const loop = (async () => {
      for (let number = 1; !isOver; number++) {
        expect(await ingest(service.url, `water ${number}`)).toBe(201)
        written.push(`water ${number}`)
      }
    })()
    while (written.length < 5) await sleep(20)
    const before = [...written]
    const file = path(`${store.name}.tar.gz`)
    const saved = await runCommand(['backup', file, '--json'], env)
    isOver = true
    await loop
    expect([saved.code, saved.stderr]).toEqual([0, ''])
    expect(JSON.parse(saved.stdout)).toMatchObject({ format: 1, graphs: [{ graph: RIVERS }] })
    expect(await service.stop()).toBe(0)

    // The same place again, so this replaces what is there.
    const refused = await runCommand(['restore', file], env)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/--replace removes what is there/)])
    expect(await runCommand(['restore', file, '--replace'], env)).toMatchObject({ code: 0, stderr: '' })
    const again = await startService(env)
    const labels = (records: Record<string, unknown>[]) =>
      records.flatMap(({ prefLabel }) => (prefLabel as { en?: string }).en?.match(/^water \d+$/) ?? []).sort()
    const concepts = labels(await get(`${again.url}/voc/rivers/concepts?limit=10000`))
    const changed = labels(await get(`${again.url}/voc/rivers/changes?limit=10000`))
    expect(concepts).toEqual(expect.arrayContaining(before))
    expect(changed).toEqual(concepts)
    expect(await get(`${again.url}/search?search=weir`)).toMatchObject([{ prefLabel: { en: 'weir' } }])
    expect(await ingest(again.url, 'afterwards')).toBe(201)
    expect(await again.stop()).toBe(0)
    // One mail for each ingest, that of the kept folder, and perhaps one of an ingest that was under way. If the ledger
    // did not have the end of an ingest yet, the first start has found it.
    const last = await startService(env)
    const { waiting } = last.log.find((entry) => entry['waiting'] !== undefined) as { waiting: number }
    expect(waiting - concepts.length - 2).toBeGreaterThanOrEqual(0)
    expect(waiting - concepts.length - 2).toBeLessThanOrEqual(1)
    expect(await last.stop()).toBe(0)

    const embedded = { DATA_DIR: await newDirectory() }
    expect(await runCommand(['restore', file], embedded)).toMatchObject({ code: 0, stderr: '' })
    const [rivers] = JSON.parse((await runCommand(['list', '--json'], embedded)).stdout) as { concepts: number }[]
    expect(rivers!.concepts).toBeGreaterThanOrEqual(concepts.length)
  })
})

describe('a restore', () => {
  test('builds the search index, so that nothing has to be read before searches answer', async () => {
    const from = { DATA_DIR: await newDirectory() }
    for (const name of ['crafts', 'materials']) {
      expect(await runCommand(['load', `${DEMO}/${name}.ttl`, '--id', name], from)).toMatchObject({ code: 0 })
    }
    const file = path('indexed.tar.gz')
    expect(await runCommand(['backup', file], from)).toMatchObject({ code: 0 })
    const env = { DATA_DIR: await newDirectory() }
    expect(await runCommand(['restore', file], env)).toMatchObject({ code: 0, stderr: '' })
    const loads = await indexedLoads(env.DATA_DIR)
    expect(loads).toEqual(await indexedLoads(from.DATA_DIR))
    expect(loads.size).toBeGreaterThanOrEqual(2)
    const service = await startService({ ...env, DEMO: 'false' })
    // The index opens beside the first answers.
    while (JSON.stringify(await get(`${service.url}/readyz`)) !== '{"ok":1}') await sleep(10)
    const results = await get(`${service.url}/search?search=bookbinding&limit=1`)
    expect(results).toMatchObject([{ prefLabel: { en: 'Bookbinding' } }])
    expect(await service.stop()).toBe(0)
  })

  testLong('that is killed leaves a folder that is refused, and can be done again', async () => {
    const concept = (at: number) =>
      `<${RIVERS}${at}> a skos:Concept ; skos:inScheme <${RIVERS}> ; skos:prefLabel "${at}"@en .\n`
    const concepts = Array.from({ length: CONCEPTS }, (_, at) => concept(at)).join('')
    const scheme = `<${RIVERS}> a skos:ConceptScheme ; skos:prefLabel "R"@en .\n`
    const source = await write('many.ttl', `@prefix skos: <${SKOS}> .\n${scheme}${concepts}`)
    const from = { DATA_DIR: await newDirectory() }
    expect(await runCommand(['load', source, '--id', 'rivers'], from)).toMatchObject({ code: 0 })
    const file = path('many.tar.gz')
    expect(await runCommand(['backup', file], from)).toMatchObject({ code: 0 })

    const env = { DATA_DIR: await keptFolder(), PORT: '0' }
    const child = run('dist/cli/main.js', ['restore', file, '--replace'], env)
    const ended = new Promise((resolve) => child.once('exit', resolve))
    while (child.exitCode === null && !existsSync(join(env.DATA_DIR, 'restoring.json'))) await sleep(1)
    child.kill('SIGKILL')
    await ended
    expect(existsSync(join(env.DATA_DIR, 'restoring.json'))).toBe(true)

    const service = await runToEnd('dist/main.js', [], env)
    const line = /^DATA_DIR: the restore of a backup into .* was not finished: run "vocab restore" again\n$/
    expect([service.code, service.stderr]).toEqual([78, expect.stringMatching(line)])
    expect(await runCommand(['list'], env)).toMatchObject({ code: 78 })
    expect(await runCommand(['restore', file], env)).toMatchObject({ code: 0, stderr: '' })
    expect((await runCommand(['list', '--json'], env)).stdout).toContain(`"concepts":${CONCEPTS}`)
    expect(await readdir(env.DATA_DIR)).not.toContain('restoring')
  })

  test('changes nothing if the file is damaged, of a later version or something else', async () => {
    const env = { DATA_DIR: await keptFolder() }
    const list = await runCommand(['list', '--json'], env)
    const bytes = await readFile(kept)
    // One bit may stand for a repetition that is the same from elsewhere.
    const damaged = Buffer.from(bytes).fill(0x55, bytes.length >> 1, (bytes.length >> 1) + 100)
    const later = path('later')
    await mkdir(later)
    await writeFile(join(later, 'backup.json'), '{"format":9,"dataFormat":1,"version":"9.0.0","graphs":[],"files":[]}')
    await create({ gzip: true, cwd: later, file: path('later.tar.gz') }, ['backup.json'])
    const files: [string, RegExp][] = [
      [await write('damaged.tar.gz', damaged), /damaged/],
      [await write('cut.tar.gz', bytes.subarray(0, bytes.length - 200)), /damaged/],
      [await write('text.tar.gz', 'no backup'), /no backup/],
      [path('later.tar.gz'), /version 9\.0\.0 has made it; this is version /],
      [path('missing.tar.gz'), /missing\.tar\.gz/],
    ]
    for (const [file, message] of files) {
      const { code, stderr } = await runCommand(['restore', file, '--replace'], env)
      expect([file, code, stderr]).toEqual([file, 1, expect.stringMatching(message)])
      expect(stderr.trimEnd()).not.toContain('\n')
    }
    expect(await runCommand(['list', '--json'], env)).toEqual(list)
    expect(await readdir(env.DATA_DIR)).toEqual(expect.not.arrayContaining(['restoring', 'restoring.json']))
  })

  test('of a backup with a wrong list is refused, and changes nothing', async () => {
    const archives: [string, RegExp][] = []
    for (const [name, spoil, reason] of LONG ? LISTS : LISTS.slice(-4))
      archives.push([await archive(name, TRIPLE, spoil), reason])
    await expectRefusals({}, archives)
  })

  test('of a good list is restored', async () => {
    const env = { DATA_DIR: await newDirectory() }
    expect(await runCommand(['restore', await archive('good', TRIPLE)], env)).toMatchObject({ code: 0, stderr: '' })
  })

  testLong(
    'takes little memory, however much a part of the archive unpacks to',
    async () => {
      /** The most memory of the process of a restore, in MiB, and its line. */
      const restored = async (text: string, name: string) => {
        const file = await archive(name, text, (contents) => (contents.graphs[0].sha256 = '0'.repeat(64)))
        const child = run('dist/cli/main.js', ['restore', file], { DATA_DIR: await newDirectory() })
        let line = ''
        child.stderr!.on('data', (chunk) => (line += String(chunk)))
        const ended = once(child, 'close')
        let most = 0
        for (let isOver = false; !isOver;) {
          const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')
          most = Math.max(most, Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024)
          isOver = await Promise.race([ended.then(() => true), sleep(20).then(() => false)])
        }
        expect(line).toMatch(/a\.nt is not what was written, so the backup is damaged\.\n$/)
        return most
      }
      const small = await restored(TRIPLE, 'small')
      // The library itself refuses what becomes more than a thousand times as large.
      const pieces = Array.from({ length: 10_000 }, () => ' '.repeat(40_000) + randomBytes(64).toString('hex'))
      const large = await restored(pieces.join(''), 'large')
      expect(large - small).toBeLessThan(150)
    },
    60_000,
  )

  test('is refused while the service runs', async () => {
    const env = { DATA_DIR: await newDirectory(), DEMO: 'false' }
    const service = await startService(env)
    const { code, stderr } = await runCommand(['restore', kept, '--replace'], env)
    expect([code, stderr]).toEqual([1, expect.stringMatching(/in use by process \d+/)])
    await service.stop()
  })
})

test('a backup has all files of the data folder', async () => {
  const dataDir = await keptFolder()
  await writeFile(join(dataDir, 'namespaces.json'), '{}')
  const service = await startService({ DATA_DIR: dataDir })
  expect(await ingest(service.url, 'one')).toBe(201)
  expect(await service.stop()).toBe(0)
  const files = await readdir(dataDir, { recursive: true, withFileTypes: true })
  const kinds = files.filter((file) => file.isFile()).map(({ name, parentPath }) => join(parentPath, name))
  // The store and the index are made again, and these files belong to databases or say who holds a folder.
  const beside = /\/(?:store|search)\/|\/(?:held|version\.json|.*\.held|.*\.made|.*-journal)$/
  const named = dataFiles({ dataDir, accountsFile: join(dataDir, 'accounts.json') }).map((file) => file.path)
  expect(kinds.filter((file) => !beside.test(file)).sort()).toEqual(named.sort())
})

test('goes to standard output and comes from standard input', async () => {
  const from = { DATA_DIR: await keptFolder() }
  const child = run('dist/cli/main.js', ['backup', '-'], from)
  const chunks: Buffer[] = []
  for await (const chunk of child.stdout!) chunks.push(chunk as Buffer)
  const env = { DATA_DIR: await newDirectory() }
  expect(await runToEnd('dist/cli/main.js', ['restore', '-'], env, Buffer.concat(chunks))).toMatchObject({
    code: 0,
    stderr: '',
  })
  expect((await runCommand(['list', '--json'], env)).stdout).toEqual(
    (await runCommand(['list', '--json'], from)).stdout,
  )
})
