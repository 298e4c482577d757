/** Workbooks that must not be opened: one clear error each, nothing fetched and nothing run. */
import { expect, test } from '@jest/globals'
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
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

const TYPES = '[Content_Types].xml'
const VBA = 'application/vnd.ms-office.vbaProject'

/** A workbook with another part, of which the list of types says what it is. */
async function withType(name: string, type: string, named = `Override PartName="/${name}"`): Promise<Buffer> {
  const types = strFromU8(unzipSync(await plain())[TYPES]!)
  const more = types.replace('</Types>', `<${named} ContentType="${type}"/></Types>`)
  return withParts({ [name]: strToU8('x'), [TYPES]: strToU8(more) })
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

/** Lists a part so many times more in the central directory: the same bytes count as many parts. */
function listedAgain(archive: Buffer, name: string, times: number): Buffer {
  const directory = archive.indexOf(CENTRAL)
  const end = archive.indexOf(Buffer.from('504b0506', 'hex'))
  const at = archive.lastIndexOf(name) - 46
  const entry = archive.subarray(at, at + 46 + name.length)
  const entries = Buffer.concat([archive.subarray(directory, end), ...Array<Buffer>(times).fill(entry)])
  const record = Buffer.from(archive.subarray(end))
  const count = record.readUInt16LE(10) + times
  record.writeUInt16LE(count, 8)
  record.writeUInt16LE(count, 10)
  record.writeUInt32LE(entries.length, 12)
  return Buffer.concat([archive.subarray(0, directory), entries, record])
}

const SHEET = 'xl/worksheets/sheet1.xml'
const STRANGE = 'xl/worksheets/sheet1.bin'
const RELATIONS = 'xl/_rels/workbook.xml.rels'

/** The bytes of a sheet with so much white space between its rows. */
async function spacedSheet(length: number): Promise<Buffer> {
  const sheet = Buffer.from(unzipSync(await plain())[SHEET]!)
  const end = sheet.indexOf('</sheetData>')
  return Buffer.concat([sheet.subarray(0, end), Buffer.alloc(length, ' '), sheet.subarray(end)])
}

const spaced = async (length: number) => withParts({ [SHEET]: await spacedSheet(length) })
/** The same, with a sheet whose name does not end in .xml. */
async function spacedStrangely(length: number): Promise<Buffer> {
  const relations = strFromU8(unzipSync(await plain())[RELATIONS]!).replace('sheet1.xml', 'sheet1.bin')
  return withParts({ [RELATIONS]: strToU8(relations), [STRANGE]: await spacedSheet(length) })
}

async function listedOften(): Promise<Buffer> {
  const stored = Buffer.from(zipSync({ ...unzipSync(await spaced(200_000)) }, { level: 0 }))
  return withSize(listedAgain(stored, SHEET, 300), SHEET, 1)
}
const bomb = () => withParts({ [SHEET]: new Uint8Array(34_000_000).fill(0x20) })

test.each<[string, () => Promise<Buffer>, RegExp]>([
  ['a zip bomb', async () => withSize(await bomb(), SHEET, 2_000_000_000), /would unpack to more than 32 MiB/],
  ['white space', () => spaced(34_000_000), /would unpack to more than 32 MiB/],
  [
    'white space of a strange name that claims to be small',
    async () => withSize(await spacedStrangely(34_000_000), STRANGE, 1000),
    /sheet1\.bin cannot be read/,
  ],
  [
    'white space of a strange name that claims nothing',
    async () => withSize(await spacedStrangely(34_000_000), STRANGE, 0),
    /sheet1\.bin cannot be read/,
  ],
  ['a sheet listed 300 times', listedOften, /would unpack to more than 32 MiB/],
  ['a zip bomb that says it is small', async () => withSize(await bomb(), SHEET, 1000), /sheet1\.xml cannot be read/],
  ['a zip bomb that says nothing', async () => withSize(await bomb(), SHEET, 0), /the workbook is damaged/],
  ['macros', () => withParts({ 'xl/vbaProject.bin': strToU8('x') }), /has macros/],
  ['macros in a part of another name', () => withType('xl/media/image1.png', VBA), /has macros/],
  ['macros by an extension', () => withType('xl/code.dat', VBA, 'Default Extension="dat"'), /has macros/],
  ['a sheet of macros', () => withType('xl/sheet9.xml', 'application/vnd.ms-excel.macrosheet+xml'), /has macros/],
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

test('a workbook of 30 MiB of white space is read, also if its sheet has a strange name', async () => {
  for (const content of [await spaced(30 * 2 ** 20), await spacedStrangely(1000)]) {
    const { quads } = await readTable(await write('spaced.xlsx', content), { scheme: 'http://example.org/s' })
    expect(quads.length).toBeGreaterThan(3)
  }
})
