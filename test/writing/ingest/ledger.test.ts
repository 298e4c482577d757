/** The ledger of ingests after damage. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { putDemo } from '../../app.ts'
import { LONG } from '../../long.ts'
import { newDirectory } from '../../process.ts'
import { startMailServer, type MailServer } from '../../smtp.ts'
import { storeOf } from '../../stores.ts'
import { TestClock } from './clock.ts'
import { concept, startIngest, type IngestService, type TestAccount } from './service.ts'

// These tests do not depend on the store, so the embedded one is enough.
const store = storeOf('embedded')
const EDITOR = 'editor@example.org'

describe('the books of ingests', () => {
  let running: Awaited<ReturnType<typeof store.start>>
  let mail: MailServer
  let dataDir: string
  let clock: TestClock
  let account: TestAccount
  let service: IngestService | undefined

  const start = async (env: NodeJS.ProcessEnv = {}) =>
    (service = await startIngest(running.endpoint, { SMTP_URL: mail.url, ...env }, { dataDir, clock }))
  const stop = async () => {
    await service?.close()
    service = undefined
  }
  const propose = (label: string) =>
    service!.propose(account, [concept({ prefLabel: { de: label } })], {
      'idempotency-key': label.replaceAll(' ', '-'),
    })

  beforeAll(async () => {
    running = await store.start()
    const first = await startIngest(running.endpoint)
    await putDemo(first)
    await first.close()
  })
  beforeEach(async () => {
    dataDir = await newDirectory()
    clock = new TestClock()
    mail = await startMailServer()
    await start()
    account = await service!.account({ emails: [EDITOR] })
    await stop()
  })
  afterEach(async () => {
    await stop()
    await mail.stop()
    await rm(dataDir, { recursive: true })
  })
  afterAll(() => running.stop())

  describe('damaged while four mails are owed', () => {
    let file: string
    let sound: string
    let answers: string[]

    beforeEach(async () => {
      file = join(dataDir, 'ingest/database.sqlite')
      sound = join(dataDir, 'sound')
      await mail.stop()
      await start()
      answers = []
      for (let at = 0; at < 4; at++) answers.push((await propose(`Begriff ${at} ${dataDir}`)).text)
      await stop()
      await mail.start()
      await cp(join(dataDir, 'ingest'), sound, { recursive: true })
    })

    // `database.test.ts` damages files in every way.
    const DAMAGE: [title: string, damage: (file: string) => Promise<void>][] = [
      ['removed', (file) => rm(file)],
      [
        'a byte of an address changed',
        async (file) => {
          const bytes = await readFile(file, 'latin1')
          expect(bytes).toContain(EDITOR)
          await writeFile(file, bytes.replaceAll(EDITOR, 'editos@example.org'), 'latin1')
        },
      ],
      ['every line replaced by garbage', (file) => writeFile(file, 'garbage\n'.repeat(4000))],
      ['emptied', (file) => truncate(file)],
      ['cut off', (file) => truncate(file, 8192)],
      [
        'the progress of one taken for that of another moment',
        async (file) => {
          const bytes = await readFile(file, 'latin1')
          await writeFile(file, bytes.replace('"state":"stored"', '"state":"absent"'), 'latin1')
        },
      ],
    ]
    test.each(LONG ? DAMAGE : DAMAGE.slice(0, 2))(
      '%s: the start is refused and changes nothing; with the backup all goes on',
      async (_, damage) => {
        await damage(file)
        const before = existsSync(file) ? await readFile(file) : undefined
        await expect(start()).rejects.toThrow(/database\.sqlite is damaged: .*[Rr]estore its folder from a backup/)
        expect(existsSync(file) ? await readFile(file) : undefined).toEqual(before)
        expect(mail.received).toEqual([])

        await rm(join(dataDir, 'ingest'), { recursive: true })
        await cp(sound, join(dataDir, 'ingest'), { recursive: true })
        await start()
        await mail.until(4)
        for (const [at, text] of answers.entries()) expect((await propose(`Begriff ${at} ${dataDir}`)).text).toBe(text)
        await clock.pass(3_600_000)
        expect(mail.received).toHaveLength(4)
      },
    )
  })

  test('in the form before the database: the start is refused and changes nothing', async () => {
    const folder = join(dataDir, 'ingest')
    await rm(folder, { recursive: true })
    await mkdir(join(folder, 'answers'), { recursive: true })
    const journal = join(folder, 'journal.ndjson')
    await writeFile(journal, '{"id":"a"}\n')
    await expect(start()).rejects.toThrow(
      `${join(folder, 'database.sqlite')} is damaged: it is missing beside journal.ndjson. Nothing was changed.`,
    )
    expect(await readFile(journal, 'utf8')).toBe('{"id":"a"}\n')
    expect((await readdir(folder)).sort()).toEqual(['answers', 'journal.ndjson'])
  })
})
