/** A command that only reads makes nothing: in a wrong folder it would leave a data folder with an empty store. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { runCommand } from '../../command.ts'
import { DEMO } from '../../app.ts'
import { newDirectory, storeEnv } from '../../process.ts'
import { DEPLOYED, describeOver } from '../../stores.ts'

/** Commands that read the store, and the line of each over an empty SPARQL store, on either output. */
const READING: [args: string[], line: RegExp][] = [
  [['list'], /^There are no vocabularies\.$/],
  [['export', 'v'], /^error: there is no vocabulary v/],
  [['proposals'], /^There are no proposals\.$/],
  [['mappings', 'list'], /^There are no loaded mappings\.$/],
  [['concordances', 'list'], /^There are no concordances\.$/],
  [['formats', 'list'], /^There are no records of data formats\.$/],
  [['account', 'add', '--username', 'anna', '--voc', 'v'], /^error: there is no vocabulary v/],
]
const FORECAST: (typeof READING)[number] = [['load', '--dry-run', `${DEMO}/crafts.ttl`], /^would load /m]

describe('without a store', () => {
  test.each(READING)('%j is refused, names the folder, and makes nothing', async (args) => {
    const folder = await newDirectory()
    const line = new RegExp(`^error: DATA_DIR: there is no store in ${folder}/data\\. Nothing was made; .*\n$`)
    const { code, stdout, stderr } = await runCommand(args, { DATA_DIR: join(folder, 'data') })
    expect({ code, stdout, stderr }).toEqual({ code: 78, stdout: '', stderr: expect.stringMatching(line) })
    expect(await readdir(folder)).toEqual([])
  })

  test('a dry run compares with an empty store, and leaves nothing', async () => {
    const folder = await newDirectory()
    const [args, line] = FORECAST
    const before = process.env['TMPDIR']
    process.env['TMPDIR'] = folder
    const ended = await runCommand(args, { DATA_DIR: join(folder, 'data') })
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
    expect(ended).toEqual({ code: 0, stdout: expect.stringMatching(line), stderr: '' })
    expect(await readdir(folder)).toEqual([])
  })

  test.each([
    [['account', 'list'], 'There are no accounts.\n'],
    [['mails', 'list'], 'No mail was set aside.\n'],
    [['store', 'show'], expect.stringMatching(/ has not met a store yet\.\n$/)],
  ])('%j makes nothing', async (args, stdout) => {
    const folder = await newDirectory()
    const env = { DATA_DIR: join(folder, 'data') }
    expect(await runCommand(args, env)).toEqual({ code: 0, stdout, stderr: '' })
    expect(await readdir(folder)).toEqual([])
  })

  test('a command that writes makes it, and those that read find it', async () => {
    const env = { DATA_DIR: join(await newDirectory(), 'data') }
    expect(await runCommand(['mappings', 'remove', '--all'], env)).toMatchObject({ code: 0, stderr: '' })
    expect(await runCommand(['list'], env)).toMatchObject({ code: 0, stdout: 'There are no vocabularies.\n' })
  })
})

describeOver(DEPLOYED, 'with a SPARQL store', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  beforeAll(async () => {
    running = await store.start()
  })
  afterAll(() => running?.stop())

  test.each([...READING, FORECAST])('%j makes no data folder', async (args, line) => {
    const folder = await newDirectory()
    const { stdout, stderr } = await runCommand(args, {
      ...storeEnv(running.endpoint),
      DATA_DIR: join(folder, 'data'),
    })
    expect((stdout + stderr).trimEnd()).toMatch(line)
    expect(await readdir(folder)).toEqual([])
  })
})
