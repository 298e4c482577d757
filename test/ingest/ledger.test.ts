/** The ledger of ingests after damage, and its takeover from the version before. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { CRAFTS, putDemo } from '../app.ts'
import { startMailServer, type MailServer } from '../smtp.ts'
import { stores } from '../stores.ts'
import { TestClock } from './clock.ts'
import { concept, startIngest, type IngestService, type TestAccount } from './service.ts'

// These tests do not depend on the store, so the embedded one is enough.
const store = stores().find(({ name }) => name === 'embedded')!
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
    dataDir = await mkdtemp(join(tmpdir(), 'vocabulary-service-books-'))
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

    test.each<[string, (file: string) => Promise<void>]>([
      ['every line replaced by garbage', (file) => writeFile(file, 'garbage\n'.repeat(4000))],
      ['emptied', (file) => truncate(file)],
      ['cut off', (file) => truncate(file, 8192)],
      ['removed', (file) => rm(file)],
      [
        'a byte of an address changed',
        async (file) => {
          const bytes = await readFile(file, 'latin1')
          expect(bytes).toContain(EDITOR)
          await writeFile(file, bytes.replaceAll(EDITOR, 'editos@example.org'), 'latin1')
        },
      ],
      [
        'the progress of one taken for that of another moment',
        async (file) => {
          const bytes = await readFile(file, 'latin1')
          await writeFile(file, bytes.replace('"state":"stored"', '"state":"absent"'), 'latin1')
        },
      ],
    ])('%s: the start is refused and changes nothing; with the backup all goes on', async (_, damage) => {
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
    })
  })

  describe('in the form of the version before', () => {
    const entry = (members: Record<string, unknown>) => ({
      id: '11111111-1111-4111-8111-111111111111',
      time: '2026-03-01T07:00:00.000Z',
      username: account.username,
      scheme: CRAFTS,
      voc: 'crafts',
      uris: [`${CRAFTS}old`],
      labels: ['Alter Begriff'],
      state: 'claimed',
      recipients: [EDITOR],
      ...members,
    })
    const folder = (name = '') => join(dataDir, 'ingest', name)
    const writeJournal = async (lines: unknown[], end = '\n') => {
      await rm(folder(), { recursive: true })
      await mkdir(folder('answers'), { recursive: true })
      await writeFile(folder('journal.ndjson'), lines.map((line) => JSON.stringify(line)).join('\n') + end)
    }

    test('it is taken over once, with its mails, keys and answers', async () => {
      await start()
      await propose(`Begriff ${dataDir}`)
      const [known] = service!.ingest.ledger.open()
      const { key, fingerprint } = known ?? service!.ingest.ledger.findKey(account.username, `Begriff-${dataDir}`)!
      await stop()
      await mail.until(1)

      const id = '22222222-2222-4222-8222-222222222222'
      await writeJournal([
        entry({}),
        entry({ id, key, fingerprint, recipients: [] }),
        { id: entry({}).id, state: 'stored' },
        { id, state: 'stored' },
        { id: 'forgotten', state: 'stored' },
      ])
      await writeFile(folder(`answers/${id}.json`), JSON.stringify([{ uri: 'x:y', kept: true }]))
      await writeFile(folder('undelivered.ndjson'), `${JSON.stringify(entry({ id: 'given up' }))}\n`)
      await writeFile(folder('lock'), JSON.stringify({ process: 2 ** 22 + 1, host: hostname(), id: 'a' }))
      await start()
      await mail.until(2)
      expect(mail.received[1]!.text).toContain('Alter Begriff')
      expect((await propose(`Begriff ${dataDir}`)).body).toEqual([{ uri: 'x:y', kept: true }])
      expect([...service!.ingest.ledger.undelivered()]).toEqual([entry({ id: 'given up' })])
      expect((await readdir(folder())).sort()).toEqual([
        'database.sqlite',
        'database.sqlite-journal',
        'database.sqlite.made',
        'held',
        'held.json',
      ])
      await stop()
      await start()
      await clock.pass(3_600_000)
      expect(mail.received).toHaveLength(2)
    })

    test.each<[string, unknown[], string, string]>([
      ['null', [null], '\n', 'line 1'],
      ['an array', [[]], '\n', 'line 1'],
      [
        'an entry without its lists',
        [
          { id: 'a', uris: null, state: 'claimed' },
          { id: 'b', uris: 1 },
        ],
        '\n',
        'line 2',
      ],
      ['a change to something else', [{}, { recipients: 'x' }], '\n', 'line 1'],
      ['garbage', [], 'garbage\n'.repeat(10), 'line 1'],
      ['garbage without an end', [], 'garbage', 'line 1'],
    ])('with %s in its journal it is refused and stays', async (_, lines, end, place) => {
      await writeJournal(lines, end)
      const before = readFileSync(folder('journal.ndjson'), 'utf8')
      await expect(start()).rejects.toThrow(`journal.ndjson is damaged: ${place}: expected`)
      expect(readFileSync(folder('journal.ndjson'), 'utf8')).toBe(before)
    })

    test('a line that a crash has cut off is left out, because it was never acknowledged', async () => {
      await writeJournal([entry({ state: 'stored' })], '\n{"id":"3333')
      await start()
      await mail.until(1)
    })

    test('it is refused while a process of that version has it', async () => {
      await writeJournal([entry({})])
      await writeFile(folder('lock'), JSON.stringify({ process: process.ppid, host: hostname(), id: 'a' }))
      await expect(start()).rejects.toThrow(`in use by process ${process.ppid}`)
    })
  })
})
