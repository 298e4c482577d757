/** docs/tutorial.md is right: its files, commands and form do what it describes, in its order. */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { NO_BROWSER, startBrowser } from './browser.ts'
import { newDirectory, ROOT, startService, type ServiceProcess } from './process.ts'
import { blocksOf, commandsOf } from './shown-commands.ts'

const blocks = await blocksOf('docs/tutorial.md')
const block = (wanted: string) => blocks.find(({ language }) => language === wanted)!.text
const commands = blocks.filter(({ language }) => language === 'sh').flatMap(({ text }) => commandsOf(text))

/** What a command prints or answers. */
const OUTPUT: Readonly<Record<string, RegExp>> = {
  'npm run vocab -- check boats.csv': /^nothing to report$/m,
  'npm run vocab -- load boats.csv --id boats': /^loaded http:\/\/example.org\/boats\/ as boats: 5 concepts/m,
  'npm run vocab -- list': /^boats\t/m,
  "curl 'http://localhost:3000/voc/boats/top?properties=notation,prefLabel,narrower,-@context'": /"Dinghy"/,
  "curl 'http://localhost:3000/suggest?search=cat&voc=boats&language=en'": /Catamaran/,
  'npm run vocab -- account add --username museum --voc boats': /^token /m,
  'npm run vocab -- proposals boats': /^Kajak\tmuseum\t/m,
  'npm run vocab -- mappings load boats-crafts.ndjson': /^loaded 1 mappings/m,
  "curl 'http://localhost:3000/mappings?to=http://example.org/vocabulary/crafts/woodcraft'": /example\.org\/boats\/1"/,
  "curl 'http://localhost:3000/mappings/apply?from=1&fromScheme=boats&toScheme=crafts'": /"Woodcraft"/,
  'npm run vocab -- mappings remove --all': /removed/,
  'npm run vocab -- remove boats': /boats/,
}

describe('docs/tutorial.md', () => {
  let service: ServiceProcess
  let browser: Browser | undefined
  let directory: string
  let env: NodeJS.ProcessEnv

  const run = async (command: string) => {
    const line = command
      .replaceAll('http://localhost:3000', service.url)
      .replace('npm run vocab', `npm --prefix '${ROOT}' run vocab`)
      .replace(/boats(?:-crafts)?\.(?:csv|ndjson)/, `${directory}/$&`)
    const options = { cwd: directory, env: { ...process.env, ...env } }
    return promisify(execFile)('bash', ['-c', line], options).then(
      ({ stdout }) => stdout,
      (error: { stdout: string }) => error.stdout,
    )
  }

  beforeAll(async () => {
    directory = await newDirectory()
    await writeFile(join(directory, 'boats.csv'), block('csv'))
    await writeFile(join(directory, 'boats-crafts.ndjson'), block('ndjson'))
    env = { DATA_DIR: join(directory, 'data') }
    service = await startService(env)
    if (!NO_BROWSER) browser = await startBrowser()
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    await service?.stop()
  })

  test('the mistake that it describes has its cell and its proposal', async () => {
    const [, shown] = /^ {4}(violation: .*)$/m.exec(await readFile(join(ROOT, 'docs/tutorial.md'), 'utf8'))!
    const wrong = block('csv').replace('Gig,Gig,,Rowing boat', 'Gig,Gig,,Roing boat')
    await writeFile(join(directory, 'boats.csv'), wrong)
    expect(await run('npm run vocab -- check boats.csv')).toContain(shown)
    await writeFile(join(directory, 'boats.csv'), block('csv'))
  }, 60_000)

  test.each(commands)(
    '%s',
    async (command) => {
      const output = await run(command)
      expect(output).toMatch(OUTPUT[command]!)
      if (command.includes(' account add ')) await propose(/^token .*: (\S+)$/m.exec(output)![1]!)
      if (command.includes('/suggest?')) {
        const answers = blocks
          .filter(({ language }) => language === 'json')
          .map(({ text }) => JSON.parse(text) as unknown)
        expect(JSON.parse(output)).toEqual(answers[0])
        await tryForm()
      }
    },
    60_000,
  )

  /** What the form at /propose sends. */
  const propose = async (token: string) => {
    const data = JSON.stringify([{ inScheme: [{ uri: 'http://example.org/boats/' }], prefLabel: { de: 'Kajak' } }])
    const body = JSON.stringify([{ username: 'museum', token, data }])
    expect((await fetch(`${service.url}/ingest`, { method: 'POST', body })).status).toBe(201)
  }

  /** The form, while the vocabulary is loaded: what the reader types and chooses is what it sends. */
  const tryForm = async () => {
    if (!browser) return
    const page = await browser.newPage({ locale: 'en-GB' })
    await page.setContent(block('html').replaceAll('http://localhost:3000', service.url))
    await page.getByLabel('Kind of boat').pressSequentially('cat')
    await page.getByRole('option').first().click()
    const sent = await page.evaluate(() => new FormData(document.querySelector('form')!).get('kind'))
    expect(sent).toBe('http://example.org/boats/2.2')
    await page.close()
  }

  test('the registries are those of docs/cocoda.md', async () => {
    const registries = (text: string) => text.includes('"registries"')
    const [here] = blocks.map(({ text }) => text).filter(registries)
    const [there] = (await blocksOf('docs/cocoda.md')).map(({ text }) => text).filter(registries)
    expect(JSON.parse(here!)).toEqual(JSON.parse(there!))
  })
})
