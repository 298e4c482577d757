/** Workbooks that must not be opened: one clear error each, nothing fetched and nothing run. */
import { expect, test } from '@jest/globals'
import { strToU8, unzipSync, zipSync } from 'fflate'
import { writeXlsx } from 'hucre/xlsx'
import { InputError } from '../../../src/base/files/input-error.ts'
import { temporaryFolder } from '../../folder.ts'
import { readTable } from './read.ts'

const { write } = temporaryFolder()
const ROWS = [
  ['notation', 'prefLabel@en'],
  ['1', 'One'],
]
const plain = () => writeXlsx({ sheets: [{ name: 'Concepts', rows: ROWS }] })

/** A workbook with some parts more or in the place of others. */
async function withParts(files: Record<string, Uint8Array>): Promise<Buffer> {
  return Buffer.from(zipSync({ ...unzipSync(await plain()), ...files }))
}

const CENTRAL = Buffer.from('504b0102', 'hex')

/** Writes other sizes of a part into the central directory (APPNOTE 6.3, section 4.3.12). */
function withSize(archive: Buffer, name: string, size: number): Buffer {
  const changed = Buffer.from(archive)
  for (let at = changed.indexOf(CENTRAL); at >= 0; at = changed.indexOf(CENTRAL, at + 1)) {
    const length = changed.readUInt16LE(at + 28)
    if (changed.toString('latin1', at + 46, at + 46 + length) === name) changed.writeUInt32LE(size, at + 24)
  }
  return changed
}

const SHEET = 'xl/worksheets/sheet1.xml'
const bomb = () => withParts({ [SHEET]: new Uint8Array(60_000_000).fill(0x20) })

test.each<[string, () => Promise<Buffer>, RegExp]>([
  ['a zip bomb', async () => withSize(await bomb(), SHEET, 2_000_000_000), /would unpack to more than 400 MiB/],
  ['a zip bomb that says it is small', async () => withSize(await bomb(), SHEET, 1000), /sheet1\.xml cannot be read/],
  ['a zip bomb that says nothing', async () => withSize(await bomb(), SHEET, 0), /the workbook is damaged/],
  ['macros', () => withParts({ 'xl/vbaProject.bin': strToU8('x') }), /has macros/],
  [
    'links to other workbooks',
    () => withParts({ 'xl/externalLinks/externalLink1.xml': strToU8('<x/>') }),
    /links to other/,
  ],
  [
    'a password',
    async () =>
      Buffer.from(
        await writeXlsx({ sheets: [{ name: 'C', rows: ROWS }], encryption: { password: 'x', spinCount: 1000 } }),
      ),
    /is encrypted/,
  ],
  [
    'an old workbook',
    () => Promise.resolve(Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)])),
    /\(\.xls\)/,
  ],
  [
    'another archive',
    () => Promise.resolve(Buffer.from(zipSync({ 'a.txt': strToU8('a') }))),
    /ZIP archive, but no workbook/,
  ],
  ['a text', () => Promise.resolve(Buffer.from('Once upon a time')), /no workbook/],
  ['half a workbook', async () => Buffer.from(await plain()).subarray(0, 900), /no workbook/],
])('%s', async (_, content, message) => {
  const refused = readTable(await write('hostile.xlsx', await content()))
  await expect(refused).rejects.toThrow(InputError)
  await expect(refused).rejects.toThrow(message)
})

test('the workbook that they are made from is read', async () => {
  const { quads } = await readTable(await write('good.xlsx', Buffer.from(await plain())), {
    scheme: 'http://example.org/s',
  })
  expect(quads.length).toBeGreaterThan(3)
})
