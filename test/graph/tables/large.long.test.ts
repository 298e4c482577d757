/** A large table takes bounded memory. */
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect, test } from '@jest/globals'
import { csvLine } from '../../../src/graph/tables/table-writer.ts'
import { xlsxFile } from '../../../src/graph/tables/write-xlsx.ts'
import { temporaryFolder } from '../../folder.ts'
import { LONG } from '../../long.ts'
import { newDirectory, runToEnd } from '../../process.ts'

const ROWS = LONG ? 100_000 : 5000
/** In MiB: enough for 100,000 rows. */
const HEAP = '--max-old-space-size=512'
const { path } = temporaryFolder()

async function* rows() {
  yield ['notation', 'prefLabel@de', 'prefLabel@en', 'altLabel@de', 'broader', 'definition@en']
  for (let at = 0; at < ROWS; at++) {
    const above = at === 0 ? '' : String(Math.floor(at / 10))
    yield [String(at), `Begriff ${at}`, `Concept ${at}`, `alt ${at}|andere ${at}`, above, `What concept ${at} means.`]
    await Promise.resolve()
  }
}

async function* lines() {
  for await (const row of rows()) yield csvLine(row)
}

test.each([
  ['large.csv', lines],
  ['large.xlsx', () => xlsxFile([{ name: 'Concepts', rows: rows() }])],
])(
  '%s',
  async (name, content) => {
    await pipeline(Readable.from(content()), createWriteStream(path(name)))
    const env = { DATA_DIR: await newDirectory(), NODE_OPTIONS: HEAP }
    const args = ['check', path(name), '--scheme', 'http://example.org/large', '--json']
    const { code, stdout, stderr } = await runToEnd('dist/cli/main.js', args, env)
    expect([code, stderr]).toEqual([0, ''])
    // Nothing in these tables names the vocabulary.
    expect(JSON.parse(stdout)).toMatchObject({ concepts: ROWS, findings: [{ rule: 'scheme-name' }] })
  },
  120_000,
)
