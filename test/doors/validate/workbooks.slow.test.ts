/** Workbooks that are small and unpack to much: POST /validate refuses them before they take memory. */
import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { unzipSync, zipSync } from 'fflate'
import { writeOds } from 'hucre/ods'
import { writeXlsx } from 'hucre/xlsx'
import { LONG } from '../../long.ts'
import { startService, type ServiceProcess } from '../../process.ts'

/** Bytes that one request may take above those of the idle service. */
const MOST_MEMORY = 200e6

let service: ServiceProcess
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const BOOK = {
  sheets: [
    {
      name: 'Concepts',
      rows: [
        ['notation', 'prefLabel@en'],
        ['1', 'One'],
      ],
    },
  ],
}

/** A workbook with so much white space before the end of a part. */
function spaced(archive: Uint8Array, name: string, length: number): Uint8Array {
  const { [name]: part, ...rest } = unzipSync(archive)
  const end = Buffer.from(part!).lastIndexOf('</')
  const filled = Buffer.concat([part!.subarray(0, end), Buffer.alloc(length, ' '), part!.subarray(end)])
  return zipSync({ ...rest, [name]: filled })
}

const xlsx = async (length: number) => spaced(await writeXlsx(BOOK), 'xl/worksheets/sheet1.xml', length)
const ods = async (length: number) => spaced(await writeOds(BOOK), 'content.xml', length)

async function validate(body: Uint8Array) {
  const answer = await fetch(`${service.url}/validate`, { method: 'POST', body: Buffer.from(body) })
  return { status: answer.status, text: await answer.text() }
}

function memory(figure: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${service.pid}/status`, 'utf8')
  return Number(new RegExp(`^${figure}:\\s+(\\d+) kB`, 'm').exec(status)![1]) * 1024
}

const LARGE: [title: string, make: typeof xlsx, length: number, status: number][] = [
  ['a spreadsheet of 31 MB', ods, 31_000_000, 200],
  ['a workbook of 380 MB', xlsx, 380_000_000, 413],
  ['a workbook of 31 MB', xlsx, 31_000_000, 200],
  ['a spreadsheet of 380 MB', ods, 380_000_000, 413],
]
test.each(LONG ? LARGE : LARGE.slice(0, 1))(
  '%s takes at most 200 MB',
  async (_, make, length, expected) => {
    const body = await make(length)
    expect((await validate(await xlsx(0))).status).toBe(200)
    // From here on the peak counts.
    writeFileSync(`/proc/${service.pid}/clear_refs`, '5')
    const idle = memory('VmRSS')
    const { status, text } = await validate(body)
    expect({ status, taken: memory('VmHWM') - idle < MOST_MEMORY }).toEqual({ status: expected, taken: true })
    if (expected === 413) expect(text).toMatch(/would unpack to more than 32 MiB/)
  },
  60_000,
)
