/** What README.md shows is what happens: each of its commands is run as it stands there, but for port and data directory. */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newDirectory, ROOT, startService, type ServiceProcess } from './process.ts'

const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
const blocks = [...readme.matchAll(/^```(\w+)\n(.*?)^```/gms)].map(([, language, text]) => ({ language, text: text! }))
const commands = blocks.filter(({ language }) => language === 'sh').flatMap(({ text }) => text.trim().split('\n'))
const curls = commands.filter((command) => command.startsWith('curl '))
const vocabs = commands.filter((command) => command.startsWith('npm run vocab '))

const THESAURUS = `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
<http://example.org/mine/> a skos:ConceptScheme ; skos:prefLabel "Mine"@en .
<http://example.org/mine/1> a skos:Concept ; skos:inScheme <http://example.org/mine/> ; skos:prefLabel "One"@en .
`

describe('README.md', () => {
  let service: ServiceProcess
  let dataDir: string

  const run = async (command: string) => {
    const line = command.replaceAll('http://localhost:3000', service.url).replace('my-thesaurus.ttl', `${dataDir}/$&`)
    const env = { ...process.env, DATA_DIR: dataDir }
    const { stdout } = await promisify(execFile)('bash', ['-c', line], { cwd: ROOT, env, maxBuffer: 1e8 })
    return stdout
  }

  beforeAll(async () => {
    dataDir = await newDirectory()
    await writeFile(join(dataDir, 'my-thesaurus.ttl'), THESAURUS)
    service = await startService({ DATA_DIR: dataDir })
  })
  afterAll(() => service?.stop())

  test('shows the first answer as it is', async () => {
    const shown = blocks.find(({ language }) => language === 'json')!.text
    expect((await run(curls[0]!.replace('curl', 'curl -sS'))).trim()).toBe(shown.trim())
  })

  test.each(curls)('%s', async (command) => {
    const stdout = await run(command.replace('curl', `curl -sS -w '\\n%{http_code}'`))
    const [status, ...lines] = stdout.split('\n').reverse()
    expect(status).toBe('200')
    const body = lines.reverse().join('\n')
    expect(body.length).toBeGreaterThan(50)
    expect(body).not.toBe('[]')
  })

  test('loads, lists and gives accounts as shown', async () => {
    const outputs: string[] = []
    for (const command of vocabs) outputs.push(await run(command))
    expect(outputs[0]).toContain('my-thesaurus')
    expect(outputs[1]).toContain('my-thesaurus')
    expect(outputs[1]).toContain('crafts')
    expect(outputs[2]).toMatch(/token/i)
    const answer = await fetch(`${service.url}/voc/my-thesaurus/top`)
    expect(await answer.json()).toMatchObject([{ uri: 'http://example.org/mine/1' }])
  })

  test('has every command that it shows run, here or in another test', () => {
    const others = ['npm ci && npm start', 'npm ci && npm test', 'npm run fuseki']
    // What an engine would run is run in test/docker.
    const docker = commands.filter((command) => command.startsWith('docker compose '))
    const known = [...curls, ...vocabs, ...others, ...docker]
    expect(commands.filter((command) => !known.includes(command))).toEqual([])
    expect([curls.length > 8, vocabs.length]).toEqual([true, 3])
  })

  test('has the variables that the configuration reads, and no others', async () => {
    const source = await readFile(join(ROOT, 'src/config.ts'), 'utf8')
    const read = new Set([...source.matchAll(/'([A-Z][A-Z_]{3,})'/g)].map(([, name]) => name))
    const table = readme.slice(readme.indexOf('| variable |'), readme.indexOf('\n## ', readme.indexOf('| variable |')))
    const rows = table.split('\n').flatMap((row) => row.split('|')[1] ?? [])
    const shown = new Set(rows.flatMap((cell) => [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name)))
    expect([...shown].sort()).toEqual([...read].sort())
  })
})
