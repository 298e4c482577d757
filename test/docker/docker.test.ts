/**
 * Dockerfiles and docker-compose.yml without an engine: checked by linters, and run as processes with the same commands,
 * files, environment, users and health checks, in the same order.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { validate } from 'dockerfile-utils'
import { fusekiAvailable } from '../fuseki.ts'
import { testLong } from '../long.ts'
import { freePort, ROOT } from '../process.ts'
import { findTool } from '../tools.ts'
import { readCompose, readImage, type Compose, type Image } from './compose.ts'
import { CAN_CHANGE_USER, Container } from './container.ts'

const DOCKERFILES = ['Dockerfile', 'fuseki/Dockerfile', 'deploy/nginx/Dockerfile']
const PASSWORD = 'only-for-this-test'
/** The services that the profile "scale" adds, besides nginx. */
const SCALE = ['fuseki-replica', 'replicate', 'service-2']
const PROFILES: Record<string, string[]> = {
  mailpit: ['dev'],
  ...Object.fromEntries([...SCALE, 'nginx'].map((name) => [name, ['scale']])),
}
/** A name, a version as exact as there is, and the digest of what it was when it was chosen. */
const PINNED = /^[\w/-]+:v?\d+\.\d+\.\d[\w.-]*@sha256:[\da-f]{64}$/

describe.each(DOCKERFILES)('%s', (path) => {
  test('has nothing that dockerfile-utils finds wrong', async () => {
    expect(validate(await readFile(join(ROOT, path), 'utf8'))).toEqual([])
  })

  const hadolint = findTool('hadolint')
  const checked = hadolint.path ? test : test.skip
  checked(`has nothing that hadolint finds wrong${hadolint.skipped}`, () => {
    const { stdout, status } = spawnSync(hadolint.path!, [join(ROOT, path)], { encoding: 'utf8' })
    expect([status, stdout]).toEqual([0, ''])
  })

  test('is not root, names versions and digests, and keeps data in a volume', async () => {
    const image = await readImage(path)
    expect(image.user).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    const text = await readFile(join(ROOT, path), 'utf8')
    const argument = /^ARG NODE_IMAGE=(.*)$/m.exec(text)?.[1]
    for (const from of image.from) expect(from === '${NODE_IMAGE}' ? argument : from).toMatch(PINNED)
    expect(image.volumes).toHaveLength(1)
  })

  test('copies existing files that .dockerignore lets through', async () => {
    const image = await readImage(path)
    const ignore = (await readFile(join(ROOT, '.dockerignore'), 'utf8')).split('\n')
    const allowed = ignore.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
    expect(ignore.filter((line) => line !== '' && !/^[#!]/.test(line))).toEqual(['*'])
    const fromContext = image.copies.filter(({ stage }) => stage === undefined)
    for (const source of [...fromContext, ...image.earlierCopies].flatMap(({ sources }) => sources)) {
      execFileSync('test', ['-e', join(ROOT, source)])
      expect(allowed).toContain(source.split('/')[0])
    }
  })
})

describe('docker-compose.yml', () => {
  const checker = findTool('check-jsonschema')
  const checked = checker.path ? test : test.skip
  checked(`is valid by the Compose Specification${checker.skipped}`, () => {
    const words = ['--builtin-schema', 'vendor.compose-spec', join(ROOT, 'docker-compose.yml')]
    const { stdout, status } = spawnSync(checker.path!, words, { encoding: 'utf8' })
    expect([status, stdout]).toEqual([0, expect.stringContaining('ok')])
  })

  test('needs no settings, and has no password: Fuseki makes one, or takes that of the operator, and hands it over', async () => {
    for (const given of ['', PASSWORD]) {
      const { fuseki, service } = (await readCompose({ FUSEKI_PASSWORD: given })).services
      expect(fuseki!.environment!['FUSEKI_PASSWORD']).toBe(given)
      const file = fuseki!.environment!['FUSEKI_PASSWORD_FILE']
      expect(service!.environment).toMatchObject({ SPARQL_PASSWORD_FILE: file })
      expect(service!.environment).not.toHaveProperty('SPARQL_PASSWORD')
      expect([fuseki!.volumes, service!.volumes]).toEqual([
        expect.arrayContaining(['login:/login']),
        expect.arrayContaining(['login:/login:ro']),
      ])
    }
  })

  test('prevents writing to the root, gaining privileges, and reaching more than the service', async () => {
    const { services, volumes } = await readCompose()
    expect(Object.keys(services)).toEqual(['fuseki', 'service', 'mailpit', ...SCALE, 'nginx'])
    for (const [name, service] of Object.entries(services)) {
      expect(service.profiles).toEqual(PROFILES[name])
      expect(service).toMatchObject({
        read_only: true,
        tmpfs: ['/tmp'],
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        mem_limit: expect.stringMatching(/^\d+[mg]$/),
        pids_limit: expect.any(Number),
      })
      for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/)
      for (const volume of service.volumes ?? []) expect(Object.keys(volumes)).toContain(volume.split(':')[0])
    }
    expect(services['fuseki']!.ports).toBeUndefined()
    expect(services['fuseki-replica']!.ports).toBeUndefined()
    for (const name of ['fuseki', 'fuseki-replica', 'replicate']) expect(services[name]!.networks).toEqual(['store'])
    expect(services['mailpit']!.image).toMatch(PINNED)
  })

  test('names the instances as the configuration of nginx does', async () => {
    const configuration = await readFile(join(ROOT, 'deploy/nginx/vocabulary-service.conf'), 'utf8')
    const { services } = await readCompose()
    const aliases = ['service', 'service-2'].map((name) => {
      const networks = services[name]!.networks as Record<string, { aliases: string[] }>
      return `${networks['default']!.aliases.join()}:3000`
    })
    const named = [...configuration.matchAll(/^\s*server ([\w.-]+:\d+)/gm)].map(([, address]) => address)
    expect(new Set(named)).toEqual(new Set(aliases))
    expect(Object.keys(services['nginx']!.depends_on!)).toEqual(['service', 'service-2'])
  })

  test('takes every variable of .env.example', async () => {
    const compose = await readFile(join(ROOT, 'docker-compose.yml'), 'utf8')
    const example = await readFile(join(ROOT, '.env.example'), 'utf8')
    const named = [...example.matchAll(/^#?([A-Z_]+)=/gm)].map(([, name]) => name)
    const taken = [...compose.matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name]) => name)
    expect(new Set(named)).toEqual(new Set(taken))
  })
})

const availability = fusekiAvailable()
const describeRunning = availability.available ? describe : describe.skip

describeRunning(
  `the commands of docker compose${availability.available ? '' : `, skipped: ${availability.reason}`}`,
  () => {
    let directory: string
    let compose: Compose
    const containers: Record<string, Container> = {}
    /** Those of the profile "scale". */
    const added: Record<string, Container> = {}
    const images: Record<string, Image> = {}
    let url: string
    let secondUrl: string

    beforeAll(async () => {
      // Readable for the users of the containers, unlike the directories of other tests.
      directory = await mkdtemp(join(tmpdir(), 'vocabulary-service-docker-'))
      await chmod(directory, 0o755)
      compose = await readCompose({ DEMO: 'true', FUSEKI_HEAP: '512m' })
      const [java, jar] = execFileSync('bash', [join(ROOT, 'fuseki/run'), 'check'], { encoding: 'utf8' }).split('\n')
      const ports = new Map<string, number>()
      for (const name of ['fuseki', 'service', ...SCALE]) ports.set(name, await freePort())
      url = `http://127.0.0.1:${ports.get('service')}`
      secondUrl = `http://127.0.0.1:${ports.get('service-2')}`
      await mkdir(join(directory, 'volumes'))
      for (const name of ['fuseki', 'service', ...SCALE]) {
        const service = compose.services[name]!
        const kind = service.image.replace('vocabulary-service/', '')
        images[name] = await readImage(kind === 'fuseki' ? 'fuseki/Dockerfile' : 'Dockerfile')
        const root = join(directory, kind)
        const container = new Container({
          image: images[name],
          service,
          root,
          volumes: join(directory, 'volumes'),
          replacements: [
            ['fuseki-replica:3030', `127.0.0.1:${ports.get('fuseki-replica')}`],
            ['fuseki:3030', `127.0.0.1:${ports.get('fuseki')}`],
            ['0.0.0.0', '127.0.0.1'],
            ['3000', String(ports.get(name))],
            ['3030', String(ports.get(name))],
          ],
          // Java keeps a file in the directory for temporary files; in a short life, a quick start is worth most.
          env: {
            JAVA_HOME: resolve(java!, '../..'),
            JAVA_TOOL_OPTIONS: `-Djava.io.tmpdir=${root}/tmp -XX:+UseSerialGC -XX:TieredStopAtLevel=1`,
          },
        })
        await container.build(jar)
        ;(SCALE.includes(name) ? added : containers)[name] = container
      }
    })
    afterAll(async () => {
      await Promise.all(Object.values({ ...added, ...containers }).map((container) => container.stop()))
      await rm(directory, { recursive: true, force: true })
    })

    const startInOrder = async (containers: Record<string, Container>, started: string[] = []) => {
      const start = async (name: string): Promise<void> => {
        if (started.includes(name)) return
        for (const [needed, { condition }] of Object.entries(compose.services[name]!.depends_on ?? {})) {
          const hasCheck = !compose.services[needed]!.healthcheck?.disable
          expect(condition).toBe(hasCheck ? 'service_healthy' : 'service_started')
          await start(needed)
        }
        containers[name]!.start()
        await containers[name]!.untilHealthy()
        started.push(name)
      }
      for (const name of Object.keys(containers).reverse()) await start(name)
      return started
    }

    test('is not healthy before it is started', async () => {
      for (const container of Object.values(containers)) expect(await container.check()).not.toBe(0)
    })

    test('becomes healthy in the order of its dependencies, and answers', async () => {
      expect(await startInOrder(containers)).toEqual(['fuseki', 'service'])
      let vocabularies: unknown[] = []
      // The demo is loaded after the service has begun to listen.
      for (const end = Date.now() + 60_000; vocabularies.length < 2 && Date.now() < end; await sleep(100)) {
        vocabularies = (await (await fetch(`${url}/voc`)).json()) as unknown[]
      }
      expect(vocabularies).toHaveLength(2)
      const search = await fetch(`${url}/search?search=buchbinderei`)
      expect([search.status, ((await search.json()) as unknown[]).length > 0]).toEqual([200, true])
      const command = ['node', 'dist/cli/main.js', 'list']
      expect([await containers['service']!.exec(command), containers['service']!.output]).toEqual([
        0,
        expect.stringContaining('crafts'),
      ])
    }, 180_000)

    test('has a list of the packages of the service', async () => {
      const [, commands] = /&& (npm pkg delete .* && npm sbom .*) > dist\/sbom\.cdx\.json$/m.exec(
        await readFile(join(ROOT, 'Dockerfile'), 'utf8'),
      )!
      const folder = join(directory, 'sbom')
      await mkdir(folder)
      await copyFile(join(ROOT, 'package.json'), join(folder, 'package.json'))
      execFileSync('cp', ['-al', join(directory, 'service/app/node_modules'), folder])
      const list = JSON.parse(execFileSync('bash', ['-c', commands!], { cwd: folder, encoding: 'utf8' })) as {
        components: { name: string; version: string }[]
      }
      const { dependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
        dependencies: Record<string, string>
      }
      // Some are there in several versions.
      const listed = list.components.map(({ name, version }) => `${name}@${version}`)
      expect(listed).toEqual(
        expect.arrayContaining(Object.entries(dependencies).map(([name, version]) => `${name}@${version}`)),
      )
    })

    const asOther = CAN_CHANGE_USER ? test : test.skip
    asOther(
      `can write to its volumes alone${CAN_CHANGE_USER ? '' : ', skipped: only root can start it as its user'}`,
      async () => {
        for (const [name, container] of Object.entries(containers)) {
          const password = join(directory, 'volumes/login/password')
          expect(await container.exec(['bash', '-c', `[ $(wc -c < ${password}) = 49 ]`])).toBe(0)
          if (name === 'service') expect(await container.exec(['bash', '-c', `echo >> ${password}`])).not.toBe(0)
          const volume = join(directory, 'volumes', name)
          expect(await container.exec(['bash', '-c', `echo > ${volume}/try && rm ${volume}/try`])).toBe(0)
          expect(await container.exec(['bash', '-c', `echo > try`])).not.toBe(0)
          expect(await container.exec(['bash', '-c', `[ $(id -u):$(id -g) = ${images[name]!.user} ]`])).toBe(0)
        }
      },
    )

    // Two more services and a Fuseki.
    testLong(
      'with the profile "scale", only with TEST_LONG=1: a second service answers over a second store, and writes to the first one',
      async () => {
        await startInOrder(added, ['fuseki', 'service'])
        expect(await (await fetch(`${secondUrl}/voc`)).json()).toEqual(await (await fetch(`${url}/voc`)).json())
        const words = [
          'account',
          'add',
          '--username',
          'editor',
          '--voc',
          'crafts',
          '--email',
          'editor@example.org',
          '--json',
        ]
        expect(await containers['service']!.exec(['node', 'dist/cli/main.js', ...words])).toBe(0)
        // The log of the service is there as well.
        const [, token] = /"token": ?"([^"]+)"/.exec(containers['service']!.output)!
        const crafts = [{ uri: 'http://example.org/vocabulary/crafts/' }]
        const data = JSON.stringify([{ inScheme: crafts, prefLabel: { de: 'Silberlöten' } }])
        const body = JSON.stringify([{ username: 'editor', token, data }])
        const answer = await fetch(`${secondUrl}/ingest`, { method: 'POST', body })
        expect(answer.status).toBe(201)
        const [{ uri }] = (await answer.json()) as [{ uri: string }]
        const find = async (at: string) =>
          (await (await fetch(`${at}/data?uri=${encodeURIComponent(uri)}`)).json()) as unknown[]
        expect(await find(url)).toHaveLength(1)
        for (const end = Date.now() + 30_000; (await find(secondUrl)).length === 0;)
          expect(Date.now()).toBeLessThan(end)
      },
      180_000,
    )

    testLong(
      'is stopped in order, and has everything again afterwards, only with TEST_LONG=1',
      async () => {
        expect(await containers['service']!.stop()).toBe(0)
        // Java says that it was a signal.
        expect(await containers['fuseki']!.stop()).toBe(143)
        for (const container of Object.values(containers)) expect(await container.check()).not.toBe(0)
        // Reading goes on over the second store.
        expect((await fetch(`${secondUrl}/voc/crafts`)).status).toBe(200)
        const codes: Record<string, unknown> = {}
        for (const name of [...SCALE].reverse()) codes[name] = await added[name]!.stop()
        expect(codes).toEqual({ 'service-2': 0, replicate: 0, 'fuseki-replica': 143 })
        await startInOrder(containers)
        expect(await (await fetch(`${url}/voc/crafts`)).json()).toHaveLength(1)
      },
      180_000,
    )
  },
)
