/** jskos-cli's commands as they are: labels from the service for records that only have URIs. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { CRAFTS, MATERIALS, type RunningApp } from '../app.ts'
import { startDemo } from '../doors/demo/demo.ts'
import { temporaryFolder } from '../folder.ts'
import { runOver } from '../run-over.ts'
import { describeOver, EMBEDDED } from '../stores.ts'
import { tried } from './tried.ts'

const bin = (name: string) => resolve(import.meta.dirname, '../../node_modules/jskos-cli/bin', name)
const run = (name: string, ...args: string[]) => promisify(execFile)(process.execPath, [bin(name), ...args])

const lines = (records: object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')

describeOver(EMBEDDED, tried('jskos-cli'), (store) => {
  const { path, write } = temporaryFolder()
  let app: RunningApp

  runOver(store, async (endpoint) => (app = await startDemo(endpoint)))

  test('jskos-enrich gives records the labels of their subjects', async () => {
    const API = [{ type: 'http://bartoc.org/api-type/jskos', url: `${app.url}/` }]
    const schemes = await write(
      'schemes.json',
      JSON.stringify([CRAFTS, MATERIALS].map((uri) => ({ uri, namespace: uri, API }))),
    )
    const named = { uri: 'http://example.org/else', prefLabel: { en: 'Named already' } }
    const input = await write(
      'input.ndjson',
      lines([
        { uri: 'http://example.org/book/1', subject: [{ uri: `${CRAFTS}bookbinding` }, named] },
        { uri: 'http://example.org/book/2', subject: [{ uri: `${CRAFTS}none` }] },
        { uri: 'http://example.org/book/3' },
      ]),
    )
    const output = path('output.ndjson')
    await run('jskos-enrich', '--schemes', schemes, '--properties', 'subject', input, output)
    const written = (await readFile(output, 'utf8')).trim().split('\n')
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
    const download = await app.ask('/voc/concepts', { uri: CRAFTS, download: 'ndjson', properties: '-license' })
    const file = await write('crafts.ndjson', download.text)
    expect(download.text.trim().split('\n')).toHaveLength(137)
    const { stdout, stderr } = await run('jskos-validate', '-v', 'concept', file)
    expect(stdout + stderr).toMatch(/^ok/)
    await write('crafts.ndjson', download.text.replace('"de":"', '"DE":"'))
    await expect(run('jskos-validate', '-v', 'concept', file)).rejects.toMatchObject({ code: 1 })
  })
})
