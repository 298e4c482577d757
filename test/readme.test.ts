/** README.md is right: each of its commands runs as it stands there, except for the port and the data directory. */
import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newDirectory, ROOT, startService, type ServiceProcess } from './process.ts'

const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
const blocks = [...readme.matchAll(/^( *)```(\w+)\n(.*?)^ *```/gms)].map(([, indent, language, text]) => ({
  language,
  text: text!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
}))
const shown = (language: string) => blocks.filter((block) => block.language === language).map(({ text }) => text)
/** A line that is indented continues the command before it. */
const commands = shown('sh').flatMap((text) => text.trim().split(/\n(?! )/))
const curls = commands.filter((command) => command.startsWith('curl '))
const vocabs = commands.filter((command) => command.startsWith('npm run vocab '))
const archives = commands.filter((command) => command.startsWith('tar '))
const [firstAnswer, topConcepts, ingested] = shown('json')
const reading = curls.filter((command) => !command.includes('TOKEN'))
const [ingest] = curls.filter((command) => command.includes('TOKEN'))

describe('README.md', () => {
  let service: ServiceProcess
  let directory: string
  const dataDir = () => join(directory, 'data')

  const run = async (command: string) => {
    const line = command
      .replaceAll('http://localhost:3000', service.url)
      .replace('npm run vocab', `npm --prefix '${ROOT}' run vocab`)
      .replace('bridges.ttl', `${directory}/$&`)
    const env = { ...process.env, DATA_DIR: dataDir() }
    const { stdout } = await promisify(execFile)('bash', ['-c', line], { cwd: directory, env, maxBuffer: 1e8 })
    return stdout
  }
  /** The answer, and its status as the last line. */
  const ask = async (command: string) => {
    const [status, ...lines] = (await run(command.replace('curl', `curl -sS -w '\\n%{http_code}'`)))
      .split('\n')
      .reverse()
    return { status, body: lines.reverse().join('\n') }
  }

  beforeAll(async () => {
    directory = await newDirectory()
    await writeFile(join(directory, 'bridges.ttl'), shown('turtle')[0]!)
    service = await startService({ DATA_DIR: dataDir() })
  })
  afterAll(() => service?.stop())

  test('shows the first answer as it is', async () => {
    expect((await ask(curls[0]!)).body.trim()).toBe(firstAnswer!.trim())
  })

  test('loads a vocabulary, lists it and accepts a proposed concept, as shown', async () => {
    const [load, list, account] = vocabs
    expect(await run(load!)).toContain('loaded http://example.org/bridges/ as bridges: 2 concepts')
    expect((await run(list!)).split('\n')).toEqual(
      expect.arrayContaining([expect.stringMatching(/^bridges\t/), expect.stringMatching(/^crafts\t/)]),
    )
    const top = reading.find((command) => command.includes('/voc/bridges/top'))!
    expect((await ask(top)).body.trim()).toBe(topConcepts!.trim())

    const [, token] = /^token .*: (\S+)$/m.exec(await run(account!))!
    const { status, body } = await ask(ingest!.replace('TOKEN', token!))
    expect(status).toBe('201')
    const unlike = (text: string) =>
      text
        .trim()
        .replace(/[0-9a-f-]{36}/g, 'UUID')
        .replace(/"\d{4}-\d\d-\d\d"/g, '"DATE"')
    expect(unlike(body)).toBe(unlike(ingested!))
  })

  test.each(reading)('%s', async (command) => {
    const { status, body } = await ask(command)
    expect(status).toBe('200')
    expect(body.length).toBeGreaterThan(50)
  })

  test('makes a backup that restores the data, as shown', async () => {
    const [save, restore] = archives
    await service.stop()
    await run(save!)
    await rm(dataDir(), { recursive: true })
    await run(restore!)
    service = await startService({ DATA_DIR: dataDir() })
    const answer = await fetch(`${service.url}/voc/bridges/top`)
    const labels = ((await answer.json()) as { prefLabel: { en: string } }[]).map(({ prefLabel }) => prefLabel.en)
    expect(labels.sort()).toEqual(['Arch bridge', 'Suspension bridge'])
  })

  test('has every command that it shows run, here or in another test', () => {
    const others = ['npm ci && npm start', 'npm ci && npm test', 'npm run fuseki']
    // test/docker runs the commands of the images.
    const docker = commands.filter((command) => command.startsWith('docker compose '))
    const known = [...curls, ...vocabs, ...archives, ...others, ...docker]
    expect(commands.filter((command) => !known.includes(command))).toEqual([])
    expect([reading.length > 8, vocabs.length, archives.length]).toEqual([true, 3, 2])
  })

  test('has the variables that the configuration reads, and no others', async () => {
    const source = await readFile(join(ROOT, 'src/config.ts'), 'utf8')
    const read = new Set([...source.matchAll(/'([A-Z][A-Z_]{3,})'/g)].map(([, name]) => name))
    const table = readme.slice(readme.indexOf('| variable |'), readme.indexOf('\n## ', readme.indexOf('| variable |')))
    const rows = table.split('\n').flatMap((row) => row.split('|')[1] ?? [])
    const names = new Set(rows.flatMap((cell) => [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name)))
    expect([...names].sort()).toEqual([...read].sort())
  })
})
