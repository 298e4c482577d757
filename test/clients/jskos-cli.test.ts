/** jskos-cli's commands as they are: labels from the service for records that only have URIs. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadDemo } from '../../src/demo.ts'
import { CRAFTS, MATERIALS, startApp, type RunningApp } from '../app.ts'
import { describeStores } from '../stores.ts'

const bin = (name: string) => resolve(import.meta.dirname, '../../node_modules/jskos-cli/bin', name)
const run = (name: string, ...args: string[]) => promisify(execFile)(process.execPath, [bin(name), ...args])

const lines = (records: object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')

describeStores('jskos-cli', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  let directory: string

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'vocabulary-service-jskos-cli-'))
    running = await store.start()
    app = await startApp(running.endpoint)
    await loadDemo(app.client, app.config)
    app.registry.invalidate()
  })
  afterAll(async () => {
    expect(app.reported).toEqual([])
    await app.close()
    await running.stop()
    await rm(directory, { recursive: true })
  })

  test('jskos-enrich gives records the labels of their subjects', async () => {
    const [schemes, input, output] = ['schemes.json', 'input.ndjson', 'output.ndjson'].map((name) =>
      join(directory, name),
    )
    const API = [{ type: 'http://bartoc.org/api-type/jskos', url: `${app.url}/` }]
    await writeFile(schemes!, JSON.stringify([CRAFTS, MATERIALS].map((uri) => ({ uri, namespace: uri, API }))))
    const named = { uri: 'http://example.org/else', prefLabel: { en: 'Named already' } }
    await writeFile(
      input!,
      lines([
        { uri: 'http://example.org/book/1', subject: [{ uri: `${CRAFTS}bookbinding` }, named] },
        { uri: 'http://example.org/book/2', subject: [{ uri: `${CRAFTS}none` }] },
        { uri: 'http://example.org/book/3' },
      ]),
    )
    await run('jskos-enrich', '--schemes', schemes!, '--properties', 'subject', input!, output!)
    const written = (await readFile(output!, 'utf8')).trim().split('\n')
    expect(written.map((line) => JSON.parse(line))).toEqual([
      {
        uri: 'http://example.org/book/1',
        subject: [{ uri: `${CRAFTS}bookbinding`, prefLabel: { de: 'Buchbinderei', en: 'Bookbinding' } }, named],
      },
      { uri: 'http://example.org/book/2', subject: [{ uri: `${CRAFTS}none` }] },
      { uri: 'http://example.org/book/3' },
    ])
  })

  test('jskos-validate finds nothing wrong with a download, of all that JSKOS has fields for', async () => {
    const file = join(directory, 'crafts.ndjson')
    const download = await app.ask('/voc/concepts', { uri: CRAFTS, download: 'ndjson', properties: '-license' })
    await writeFile(file, download.text)
    expect(download.text.trim().split('\n')).toHaveLength(137)
    const { stdout, stderr } = await run('jskos-validate', '-v', 'concept', file)
    expect(stdout + stderr).toMatch(/^ok/)
    await writeFile(file, download.text.replace('"de":"', '"DE":"'))
    await expect(run('jskos-validate', '-v', 'concept', file)).rejects.toMatchObject({ code: 1 })
  })
})
