/**
 * Dockerfiles and docker-compose.yml without an engine: checked by linters, and run as processes with the same
 * commands, files, environment, users and health checks, in the same order.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { validate } from 'dockerfile-utils'
import { readConfig } from '../../src/config.ts'
import { exampleSettings, VARIABLES } from '../configuration.ts'
import { fusekiMissing } from '../fuseki.ts'
import { testLong } from '../long.ts'
import { freePort, ROOT, runToEnd } from '../process.ts'
import { shownCommands } from '../shown-commands.ts'
import { findTool } from '../tools.ts'
import { readCompose, readImage, type Compose, type Image } from './compose.ts'
import { CAN_CHANGE_USER, Container, newContainerFolder } from './container.ts'

const DOCKERFILES = ['Dockerfile', 'fuseki/Dockerfile', 'deploy/nginx/Dockerfile']
const PASSWORD = 'only-for-this-test'
/** The services that the profile "scale" adds, besides nginx. */
const SCALE = ['fuseki-replica', 'replicate', 'service-2']
const PROFILES: Record<string, string[]> = {
  mailpit: ['dev'],
  ...Object.fromEntries([...SCALE, 'nginx'].map((name) => [name, ['scale']])),
}
/**
 * The addresses and folders of the containers; LISTEN and FUSEKI_PASSWORD stand for some. The embedded store has none.
 */
const OF_CONTAINERS = [
  ...['HOST', 'PORT', 'DATA_DIR', 'ACCOUNTS_FILE', 'STORE_MEMORY_MB'],
  ...['SPARQL_QUERY_URL', 'SPARQL_UPDATE_URL', 'SPARQL_GRAPH_STORE_URL', 'SPARQL_PRIMARY_QUERY_URL'],
  ...['SPARQL_USER', 'SPARQL_PASSWORD', 'SPARQL_PASSWORD_FILE'],
]
/** Those of them that lead to the store of the first service. */
const OF_STORE = [
  'SPARQL_QUERY_URL',
  'SPARQL_UPDATE_URL',
  'SPARQL_GRAPH_STORE_URL',
  'SPARQL_USER',
  'SPARQL_PASSWORD_FILE',
]
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
        logging: { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '5' } },
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
    const taken = [...compose.matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name]) => name)
    expect(new Set(Object.keys(await exampleSettings()))).toEqual(new Set(taken))
  })

  test('passes every variable of the configuration on, except those that belong to the containers', async () => {
    const example = await exampleSettings()
    const variables = VARIABLES.filter((name) => !OF_CONTAINERS.includes(name))
    expect(variables.filter((name) => !(name in example))).toEqual([])
    // Not the default of any.
    const env = Object.fromEntries(variables.map((name) => [name, `value of ${name}`]))
    const { services } = await readCompose(env)
    expect(services['service']!.environment).toMatchObject(env)
    expect(services['service-2']!.environment).toMatchObject({ ...env, DEMO: 'false' })
  })

  test('accepts the values of .env.example, and has the defaults of the service without them', async () => {
    const ofService = async (env: Record<string, string>) => {
      const { environment } = (await readCompose(env)).services['service']!
      return { ...environment, SPARQL_PASSWORD_FILE: join(ROOT, 'LICENSE') }
    }
    const example = await ofService(await exampleSettings())
    const files = { SITE_LOGO: join(ROOT, 'src/doors/pages/favicon.svg'), SITE_DIR: ROOT }
    expect(() => readConfig({ ...example, ...files })).not.toThrow()
    expect(() => readConfig(example)).toThrow(/^SITE_LOGO: /)

    const environment = await ofService({})
    const set = Object.entries(environment).filter(([, value]) => value !== '')
    expect(set.map(([name]) => name).sort()).toEqual(['BASE_URL', 'DEMO', ...OF_STORE].sort())
    expect(readConfig(environment)).toEqual(readConfig(Object.fromEntries(set)))
  })
})

/** A command of Compose. */
interface Words {
  /** Without flags that make no difference here. */
  words: string[]
  env: Record<string, string>
  /** The source of its input, and the destination of its output. */
  input: string | undefined
  output: string | undefined
}

function readWords(text: string): Words {
  const words = text.trim().split(/ +/)
  const after = (sign: string) => (words.includes(sign) ? words.splice(words.indexOf(sign), 2)[1]! : undefined)
  const [input, output] = [after('<'), after('>')]
  const env: Record<string, string> = {}
  for (let pair = after('-e'); pair !== undefined; pair = after('-e')) env[pair.split('=')[0]!] = pair.split('=')[1]!
  const flags = ['', '-T', '--rm', '--no-deps', '--detach', '--wait']
  return { words: words.filter((word) => !flags.includes(word)), env, input, output }
}

const missingFuseki = fusekiMissing()
const describeRunning = missingFuseki === undefined ? describe : describe.skip

describeRunning(
  `the commands of docker compose${missingFuseki === undefined ? '' : `, skipped: ${missingFuseki}`}`,
  () => {
    let directory: string
    let compose: Compose
    const containers: Record<string, Container> = {}
    /** Those of the profile "scale". */
    const added: Record<string, Container> = {}
    const images: Record<string, Image> = {}
    let url: string
    let secondUrl: string
    let fusekiUrl: string

    beforeAll(async () => {
      directory = await newContainerFolder()
      compose = await readCompose({ DEMO: 'true', FUSEKI_HEAP: '512m' })
      const [java, jar] = execFileSync('bash', [join(ROOT, 'fuseki/run'), 'check'], { encoding: 'utf8' }).split('\n')
      const ports = new Map<string, number>()
      for (const name of ['fuseki', 'service', ...SCALE]) ports.set(name, await freePort())
      url = `http://127.0.0.1:${ports.get('service')}`
      secondUrl = `http://127.0.0.1:${ports.get('service-2')}`
      fusekiUrl = `http://127.0.0.1:${ports.get('fuseki')}`
      await mkdir(join(directory, 'volumes'))
      for (const name of ['fuseki', 'service', ...SCALE]) {
        const service = compose.services[name]!
        const kind = /^vocabulary-service\/(\w+):/.exec(service.image)![1]!
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

    const done: string[] = []
    /** Commands of docs/operation.md: the first one with a text, and those after it. */
    const shown = async (text: string, number: number): Promise<string[]> => {
      const all = await shownCommands('docs/operation.md')
      const at = all.findIndex((command) => command.includes(text))
      expect(at).toBeGreaterThanOrEqual(0)
      return all.slice(at, at + number)
    }
    const running = () => Object.keys(containers).filter((name) => containers[name]!.isRunning)

    /** Does what an engine would do with commands that have `docker compose` in them. */
    const run = async (commands: string[]): Promise<void> => {
      for (const command of commands) {
        const [, left, verb, rest] = /^(?:(.+?) \| )?docker compose (\S+)(.*)$/.exec(command)!
        await runCompose(verb!, readWords(rest!), left)
        done.push(command)
      }
    }
    const runCompose = async (verb: string, { words, env, input, output }: Words, left?: string): Promise<void> => {
      const [name, ...inside] = words
      if (verb === 'stop' || verb === 'down') {
        for (const name of ['service', 'fuseki']) await containers[name]!.stop()
        if (verb === 'stop') return
        expect(words).toEqual(['--volumes'])
        await rm(join(directory, 'volumes'), { recursive: true })
        await mkdir(join(directory, 'volumes'))
        // An engine makes them again with the next container.
        for (const container of Object.values({ ...containers, ...added })) await container.build()
      } else if (verb === 'up' || verb === 'restart') {
        if (verb === 'restart') await containers[name!]!.stop()
        await startInOrder(name === undefined ? containers : { [name]: containers[name]! }, running())
      } else {
        expect(['run', 'exec']).toContain(verb)
        const given = left ? execFileSync('bash', ['-c', left], { cwd: directory }) : undefined
        const text = given ?? (input ? await readFile(join(directory, input)) : Buffer.alloc(0))
        const written = await containers[name!]!.run(inside, text, env)
        if (output) await writeFile(resolve(directory, output), written)
      }
    }
    const vocab = async (...words: string[]) =>
      (await containers['service']!.run(['node', 'dist/cli/main.js', ...words], Buffer.alloc(0))).toString()
    const topConcepts = async (id: string) => (await fetch(`${url}/voc/${id}/top?limit=0`)).headers.get('x-total-count')

    test('a file gets into a container as docs/operation.md shows', async () => {
      const text = '<http://example.org/my> a skos:ConceptScheme . <http://example.org/my/a> a skos:Concept .'
      await writeFile(join(directory, 'my.ttl'), `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . ${text}`)
      await copyFile(join(ROOT, 'src/doors/pages/favicon.svg'), join(directory, 'logo.svg'))
      await run(await shown('load - ', 1))
      expect(await topConcepts('my')).toBe('1')
      await vocab('remove', 'my')
      // The same, compressed.
      await run(await shown('gzip -c', 2))
      expect(await topConcepts('my')).toBe('1')
      const [logo, copy] = ['logo.svg', 'volumes/service/logo.svg'].map((name) => readFile(join(directory, name)))
      expect(await copy).toEqual(await logo)
    })

    testLong(
      'everything is saved and restored as docs/operation.md shows, only with TEST_LONG=1',
      async () => {
        const [save, ...restore] = await shown('backup - >', 4)
        await vocab('account', 'add', '--username', 'saved', '--voc', 'my')
        const before = await (await fetch(`${url}/voc`)).json()
        await run([save!, 'docker compose down --volumes'])
        expect(running()).toEqual([])
        await run(restore)
        expect(await (await fetch(`${url}/voc`)).json()).toEqual(before)
        expect(await topConcepts('my')).toBe('1')
        expect(await vocab('account', 'list')).toContain('saved')
        // With the restored login the service can write.
        await vocab('normalise', 'my')
      },
      180_000,
    )

    testLong(
      'Fuseki gets a new password as docs/operation.md shows, and the old one ends, only with TEST_LONG=1',
      async () => {
        const [make, ...restart] = await shown('>> .env', 3)
        const login = join(directory, 'volumes/login/password')
        const old = await readFile(login, 'utf8')
        execFileSync('bash', ['-c', make!], { cwd: directory })
        const [, password] = /^FUSEKI_PASSWORD=(\S{20,})$/m.exec(await readFile(join(directory, '.env'), 'utf8'))!
        // Compose replaces a container whose settings have changed.
        const changed = await readCompose({ DEMO: 'true', FUSEKI_HEAP: '512m', FUSEKI_PASSWORD: password! })
        await containers['fuseki']!.stop()
        containers['fuseki']!.change(changed.services['fuseki']!)
        await run(restart)
        expect((await readFile(login, 'utf8')).trim()).toBe(password)
        await vocab('normalise', 'my')
        const statusWith = async (secret: string) => {
          const authorization = `Basic ${Buffer.from(`vocabulary-service:${secret.trim()}`).toString('base64')}`
          return (await fetch(`${fusekiUrl}/private/data?graph=urn:none`, { headers: { authorization } })).status
        }
        expect([await statusWith(old), await statusWith(password!)]).toEqual([401, 404])
      },
      180_000,
    )

    testLong(
      'an embedded store moves into Compose as docs/operation.md shows, only with TEST_LONG=1',
      async () => {
        const env = { DATA_DIR: join(directory, 'data') }
        const { code } = await runToEnd('dist/cli/main.js', ['load', join(directory, 'my.ttl'), '--id', 'moved'], env)
        expect(code).toBe(0)
        // In the document the volumes are new.
        await run(['docker compose down --volumes', 'docker compose up --detach --wait fuseki'])
        await run(await shown('tar -C data', 4))
        expect(await topConcepts('moved')).toBe('1')
        const history = await fetch(`${url}/history?uri=${encodeURIComponent('http://example.org/my/a')}`)
        expect(await history.json()).toMatchObject([{ kind: 'Create', files: ['my.ttl'] }])
      },
      180_000,
    )

    testLong('every command of Compose in docs/operation.md has run, only with TEST_LONG=1', async () => {
      const all = (await shownCommands('docs/operation.md')).filter((command) => command.includes('docker compose'))
      expect(all.filter((command) => !done.includes(command))).toEqual([])
    })

    test('has a list of the packages of the service', async () => {
      const [, commands] = /&& (npm pkg delete .*) > dist\/sbom\.cdx\.json$/m.exec(
        await readFile(join(ROOT, 'Dockerfile'), 'utf8'),
      )!
      const cwd = join(directory, 'service/app')
      const list = JSON.parse(execFileSync('bash', ['-c', commands!], { cwd, encoding: 'utf8' })) as {
        components: { name: string; version: string }[]
      }
      const { dependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
        dependencies: Record<string, string>
      }
      const listed = list.components.map(({ name, version }) => `${name}@${version}`)
      const wanted = Object.entries(dependencies).map(([name, version]) => `${name}@${version}`)
      expect(listed).toEqual(expect.arrayContaining(wanted))
      expect(list.components.map(({ name }) => name)).not.toContain('jest')
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
