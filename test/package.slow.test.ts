/**
 * The package as npm makes it: what is in it, and in an empty folder, installed as its users install it. TEST_LONG=1
 * installs it, which needs the registry of npm.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, readdir, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import express from 'express'
import type { createService as Declared } from '../src/package-types.d.ts'
import { createService } from '../src/package.ts'
import { LONG } from './long.ts'
import { closeServer, freePort, listen, newDirectory, ROOT } from './process.ts'

const run = promisify(execFile)
const npm = (args: readonly string[], cwd: string) => run('npm', args, { cwd, maxBuffer: 64 << 20 })

interface Manifest {
  version: string
  dependencies: Record<string, string>
}
const manifest = async () => JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Manifest

/** The names of the packages that the programs import when they run. */
async function importedPackages(): Promise<Set<string>> {
  const outdir = await newDirectory()
  const metafile = join(outdir, 'meta.json')
  const programs = ['bin.ts', 'package.ts', 'doors/validate/thread-main.ts', 'interface/store/thread-main.ts']
  const options = ['--bundle', '--format=esm', '--splitting', '--platform=node', '--packages=external']
  await run(
    'node_modules/.bin/esbuild',
    [
      ...[...programs, 'interface/search/thread-main.ts'].map((name) => `src/${name}`),
      ...[...options, '--log-level=error', `--outdir=${outdir}`, `--metafile=${metafile}`],
    ],
    { cwd: ROOT },
  )
  const { outputs } = JSON.parse(await readFile(metafile, 'utf8')) as {
    outputs: Record<string, { imports: { path: string; external?: boolean }[] }>
  }
  const paths = Object.values(outputs).flatMap(({ imports }) => imports.filter(({ external }) => external))
  const names = paths.map(({ path }) => /^(?:@[^/]+\/)?[^/]+/.exec(path)![0])
  return new Set(names.filter((name) => !name.startsWith('node:')))
}

describe('the package', () => {
  test('has what the service needs, and nothing else', async () => {
    const { stdout } = await npm(['pack', '--dry-run', '--json', '--ignore-scripts'], ROOT)
    const [packed] = JSON.parse(stdout) as [{ files: { path: string }[] }]
    const paths = packed.files.map(({ path }) => path)
    expect(paths).toEqual(
      expect.arrayContaining([
        ...[
          'README.md',
          'LICENSE',
          'CHANGELOG.md',
          'package.json',
          'dist/THIRD-PARTY-NOTICES',
          'src/package-types.d.ts',
          'src/doors/picker/types.d.ts',
        ],
        ...[
          'dist/bin.js',
          'dist/main.js',
          'dist/package.js',
          'dist/assets/style.css',
          'dist/assets/picker.js',
          'dist/search/thread-main.js',
        ],
        ...['queries/narrower.rq', 'src/doors/demo/crafts.ttl', 'src/doors/demo/formats.ndjson'],
      ]),
    )
    const folders = new Set(paths.map((path) => (path.includes('/') ? path.split('/')[0] : '')))
    expect([...folders].sort()).toEqual(['', 'dist', 'docs', 'queries', 'shapes', 'src'])
    expect(paths.filter((path) => /\.(tsx?|map)$/.test(path) && !path.endsWith('.d.ts'))).toEqual([])
  })

  test('depends on all that it imports, and on nothing else', async () => {
    const inNode = await importedPackages()
    const inBrowsers = (await readFile(join(ROOT, 'dist/THIRD-PARTY-NOTICES'), 'utf8')).split('\n')
    const { dependencies } = await manifest()
    const names = Object.keys(dependencies)
    expect([...inNode].filter((name) => !names.includes(name))).toEqual([])
    expect(names.filter((name) => !inNode.has(name) && !inBrowsers.includes(name))).toEqual([])
    expect([...inNode]).toEqual(expect.arrayContaining(['express', 'nodemailer', 'libsql']))
    // What browsers load is built in, and has packages of its own in turn.
    expect(inBrowsers).toEqual(expect.arrayContaining(['@codemirror/view', '@lezer/common', 'style-mod']))
  })
})

/** Starts the installed service and gives its address when it listens. */
async function start(folder: string): Promise<{ url: string; child: ChildProcess }> {
  const port = await freePort()
  const env = { PATH: process.env['PATH'], PORT: String(port) }
  const child = spawn('node_modules/.bin/vocabulary-service', [], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise<void>((isReady) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.includes('"msg":"ready"')) isReady()
    })
  })
  return { url: `http://127.0.0.1:${port}`, child }
}

async function stop(child: ChildProcess): Promise<unknown> {
  child.kill('SIGTERM')
  return (await once(child, 'exit'))[0] as unknown
}

const testLong = LONG ? test : test.skip
testLong(
  `the installed package starts, loads, answers and goes on later${LONG ? '' : ', skipped: only with TEST_LONG=1'}`,
  async () => {
    const folder = await newDirectory()
    // The build for the package removes everything else from dist/, where other tests run programs.
    const copy = await newDirectory()
    const ignored = ['node_modules', 'dist', '.git', 'data', '.fuseki', '.ci']
    for (const name of (await readdir(ROOT)).filter((name) => !ignored.includes(name)))
      await cp(join(ROOT, name), join(copy, name), { recursive: true })
    await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
    const { stdout } = await npm(['pack', '--json', '--pack-destination', folder], copy)
    const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [{ filename: string }]
    await writeFile(join(folder, 'package.json'), '{ "name": "mine", "version": "1.0.0", "type": "module" }')
    await npm(['install', '--omit=dev', '--no-audit', '--no-fund', filename], folder)
    const bin = (...args: string[]) =>
      run('node_modules/.bin/vocabulary-service', args, { cwd: folder, env: { PATH: process.env['PATH'] } })
    const sbom = JSON.parse((await npm(['sbom', '--sbom-format=cyclonedx'], folder)).stdout) as {
      components: { name: string; version: string }[]
    }
    const listed = sbom.components.map(({ name, version }) => `${name}@${version}`)
    const wanted = Object.entries((await manifest()).dependencies).map(([name, version]) => `${name}@${version}`)
    expect(listed).toEqual(expect.arrayContaining(wanted))
    // Packages of packages, too.
    expect(sbom.components.map(({ name }) => name)).toEqual(expect.arrayContaining(['body-parser', 'hono', 'ky']))
    expect((await bin('--version')).stdout.trim()).toBe((await manifest()).version)
    expect((await bin('--help')).stdout).toMatch(/^Usage: vocabulary-service /)

    const ask = async (url: string, path: string) => (await (await fetch(url + path)).json()) as { uri: string }[]
    let service = await start(folder)
    expect(existsSync(join(folder, 'data/store'))).toBe(true)
    expect(await ask(service.url, '/data?notation=B1')).toHaveLength(1)
    const skos = 'http://www.w3.org/2004/02/skos/core#'
    await writeFile(
      join(folder, 'my.ttl'),
      `@prefix skos: <${skos}> . <http://example.org/my/> a skos:ConceptScheme . <http://example.org/my/a> a skos:Concept ; skos:inScheme <http://example.org/my/> .`,
    )
    await bin('load', 'my.ttl', '--id', 'my')
    expect(await ask(service.url, '/voc/my/concepts')).toMatchObject([{ uri: 'http://example.org/my/a' }])
    expect(await stop(service.child)).toBe(0)
    service = await start(folder)
    expect(await ask(service.url, '/voc/my/concepts')).toHaveLength(1)
    expect(await stop(service.child)).toBe(0)

    await writeFile(
      join(folder, 'library.js'),
      `import { createService } from 'vocabulary-service'
       const service = await createService({ DATA_DIR: './other', LOG_LEVEL: 'error' })
       console.log(typeof service.app)
       await service.close()`,
    )
    expect((await run('node', ['library.js'], { cwd: folder })).stdout.trim()).toBe('function')
  },
  300_000,
)

test('createService is what its types say', () => {
  const declared: typeof Declared = createService
  expect(declared).toBe(createService)
})

test('createService gives an application to mount in another one', async () => {
  const dataDir = join(await newDirectory(), 'data')
  await mkdir(dataDir)
  const server = createServer()
  const url = await listen(server)
  const service = await createService({ DATA_DIR: dataDir, BASE_URL: `${url}/vocabularies/`, LOG_LEVEL: 'error' })
  try {
    const logged: string[] = []
    const outer = express()
      .disable('x-powered-by')
      .use((request, response, next) => {
        response.once('finish', () => logged.push(request.originalUrl))
        next()
      })
      .use('/vocabularies', service.app)
    outer.get('/', (_request, response) => void response.json('outer'))
    server.on('request', outer)
    const mounted = await fetch(`${url}/vocabularies/voc/crafts/top?limit=1`)
    expect(await mounted.json()).toHaveLength(1)
    expect(mounted.headers.get('x-powered-by')).toBeNull()
    expect(mounted.headers.get('link')).toContain(`<${url}/vocabularies/voc/crafts/top?limit=1&offset=1>; rel="next"`)
    expect(await (await fetch(url)).json()).toBe('outer')
    expect((await fetch(`${url}/vocabularies/no-such`)).status).toBe(404)
    // The log of the outer application.
    expect(logged).toEqual(['/vocabularies/voc/crafts/top?limit=1', '/', '/vocabularies/no-such'])
    const page = await fetch(`${url}/vocabularies/`, { headers: { accept: 'text/html' } })
    expect(await page.text()).toContain(`/vocabularies/`)
  } finally {
    await closeServer(server)
    await service.close()
  }
  await expect(createService({ DATA_DIR: dataDir, MAX_LIMIT: 'none' })).rejects.toThrow(/^MAX_LIMIT: /)
  // @ts-expect-error The types do not have it either.
  await expect(createService({ DATADIR: dataDir })).rejects.toThrow(/^DATADIR: .*DATA_DIR$/)
})

test('createService that fails keeps nothing open', async () => {
  const DATA_DIR = await newDirectory()
  const settings = { DATA_DIR, DEMO: 'false', LOG_LEVEL: 'error' } as const
  const ACCOUNTS_FILE = join(DATA_DIR, 'wrong.json')
  await writeFile(ACCOUNTS_FILE, 'no JSON')
  await expect(createService({ ...settings, ACCOUNTS_FILE })).rejects.toThrow(/^ACCOUNTS_FILE: /)
  await (await createService(settings)).close()
})
