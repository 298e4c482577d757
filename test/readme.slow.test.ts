/**
 * README.md, docs/endpoints.md and docs/ingest.md are right: each of their commands runs as it stands there, in its
 * order, except for the port and the data directory.
 */
import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { SparqlClient } from '../src/graph/sparql/client.ts'
import { newDirectory, ROOT, startService, storeEnv, type ServiceProcess } from './process.ts'
import { blocksOf, commandsOf } from './shown-commands.ts'
import { describeOver, EMBEDDED } from './stores.ts'

/** A command, and the answer that the next block shows. */
interface Step {
  command: string
  answer: string | undefined
}

/** The documents, one after the other as a reader takes them: the second vocabulary comes from README.md. */
const DOCUMENTS = ['README.md', 'docs/endpoints.md', 'docs/ingest.md']

async function stepsOf(document: string): Promise<Step[]> {
  const blocks = await blocksOf(document)
  return blocks.flatMap(({ language, text }, at): Step[] => {
    if (language !== 'sh') return []
    const commands = commandsOf(text)
    const next = blocks[at + 1]?.language === 'json' ? blocks[at + 1]!.text.trim() : undefined
    return commands.map((command, number) => ({ command, answer: number === commands.length - 1 ? next : undefined }))
  })
}

const steps = (await Promise.all(DOCUMENTS.map(stepsOf))).flat()
const startsWith = (beginning: string) => steps.filter(({ command }) => command.startsWith(beginning))
const curls = startsWith('curl ')
const vocabs = startsWith('npm run vocab ')
/** A backup of everything, after all other commands. */
const ARCHIVES = ['npm run vocab -- backup backup.tar.gz', 'npm run vocab -- restore backup.tar.gz']
/** The output of commands. */
const OUTPUT: Record<string, RegExp[]> = {
  'load bridges.ttl --id bridges': [/^loaded http:\/\/example.org\/bridges\/ as bridges: 2 concepts/m, /^3 created, /m],
  list: [/^bridges\t/m, /^crafts\t/m],
  'account add --username alice --voc bridges --email editors@example.org': [/^token /m],
  'load bridges.ttl': [
    /^replaced .* 3 concepts/m,
    /^0 created, 0 changed, 0 deprecated, 0 gone$/m,
    /^kept: 1 proposal$/m,
  ],
  'proposals bridges': [/^Hängebrücke\talice\t\d{4}-\d\d-\d\d\thttp:\/\/example.org\/bridges\/[0-9a-f-]{36}$/m],
}

describeOver(EMBEDDED, 'README.md and the documents that go on from it', (store) => {
  let service: ServiceProcess
  let directory: string
  let running: Awaited<ReturnType<typeof store.start>> | undefined
  let env: NodeJS.ProcessEnv
  let token: string

  /** Runs a command; gives what it prints. */
  const run = async (command: string) => {
    const line = command
      .replaceAll('http://localhost:3000', service.url)
      .replace('npm run vocab', `npm --prefix '${ROOT}' run vocab`)
      .replace(/bridges\.ttl|backup\.tar\.gz/, `${directory}/$&`)
    const options = { cwd: directory, env: { ...process.env, ...env }, maxBuffer: 1e8 }
    const { stdout } = await promisify(execFile)('bash', ['-c', line], options)
    return stdout
  }
  /** The answer, and its status. */
  const ask = async (command: string) => {
    const [status, ...lines] = (await run(command.replace('curl', `curl -sS -w '\\n%{http_code}'`)))
      .split('\n')
      .reverse()
    return { status, body: lines.reverse().join('\n').trim() }
  }
  const topLabels = async () => {
    const answer = await fetch(`${service.url}/voc/bridges/top`)
    const labels = ((await answer.json()) as { prefLabel: { en: string } }[]).map(({ prefLabel }) => prefLabel.en)
    return labels.sort()
  }

  beforeAll(async () => {
    directory = await newDirectory()
    const turtle = (await blocksOf('README.md')).find(({ language }) => language === 'turtle')!.text
    await writeFile(join(directory, 'bridges.ttl'), turtle)
    // The embedded store belongs to the service; another one has to be asked to load the demo.
    if (store.name !== 'embedded') running = await store.start()
    env = { DATA_DIR: join(directory, 'data'), ...(running ? { DEMO: 'true', ...storeEnv(running.endpoint) } : {}) }
    service = await startService(env)
  }, 120_000)
  afterAll(async () => {
    await service?.stop()
    await running?.stop()
  })

  for (const { command, answer } of steps) {
    if (curls.some((step) => step.command === command)) {
      const isIngest = command.includes('TOKEN')
      // The answer of a wrong request names its status.
      const wrong = answer === undefined ? undefined : /^\{ "error".* "status": (\d+)/.exec(answer)?.[1]
      // Other stores have a SPARQL endpoint of their own.
      const isElsewhere = command.includes('/sparql') && store.name !== 'embedded'
      test(command, async () => {
        const { status, body } = await ask(command.replace('TOKEN', token))
        expect(status).toBe(wrong ?? (isElsewhere ? '404' : isIngest ? '201' : '200'))
        expect(body.length).toBeGreaterThan(50)
        if (answer !== undefined) expect(JSON.parse(withoutChance(body))).toEqual(JSON.parse(withoutChance(answer)))
      })
    } else if (vocabs.some((step) => step.command === command)) {
      test(command, async () => {
        const output = await run(command)
        for (const expected of OUTPUT[command.replace('npm run vocab -- ', '')]!) expect(output).toMatch(expected)
        token = /^token .*: (\S+)$/m.exec(output)?.[1] ?? token
      })
    }
  }

  test.each(ARCHIVES)('%s', async (command) => {
    const isRestored = command.includes(' restore ')
    if (isRestored) {
      await service.stop()
      await rm(env['DATA_DIR']!, { recursive: true })
      if (running) {
        await new SparqlClient({ endpoint: running.endpoint, timeoutMs: 60_000 }).update('DROP ALL', 'urn:all')
      }
    }
    expect(await run(command)).toMatch(isRestored ? /^restored \d+ graphs /m : /^saved \d+ graphs and 3 files\.$/m)
    if (!isRestored) return
    service = await startService(env)
    expect(await topLabels()).toEqual(['Arch bridge', 'Suspension bridge'])
  })

  test('then the first load again: the proposed concept is still there', async () => {
    const before = await (await fetch(`${service.url}/voc/bridges/top?properties=*,status`)).text()
    const output = await run(vocabs[0]!.command)
    expect(output).toMatch(/^replaced .* 3 concepts/m)
    expect(output).toMatch(/^kept: 1 proposal$/m)
    expect(await topLabels()).toEqual(['Arch bridge', 'Suspension bridge'])
    expect(await (await fetch(`${service.url}/voc/bridges/top?properties=*,status`)).text()).toBe(before)
  })
})

/** UUIDs and days differ each time. */
function withoutChance(text: string): string {
  return text.replace(/[0-9a-f-]{36}/g, 'UUID').replace(/"\d{4}-\d\d-\d\d"/g, '"DATE"')
}

describe('README.md', () => {
  test('has every command that it shows run, here or in another test, and so have the documents', () => {
    const elsewhere = ['npm ci && npm start', 'npm ci && npm test']
    const tried = [...curls, ...vocabs].map(({ command }) => command)
    const commands = steps.map(({ command }) => command)
    expect(commands.filter((command) => ![...tried, ...elsewhere].includes(command))).toEqual([])
    expect([curls.length > 8, vocabs.length]).toEqual([true, Object.keys(OUTPUT).length])
    expect(steps.filter(({ answer }) => answer !== undefined)).toHaveLength(3)
  })
})
