import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ControlAddress } from '../../../src/interface/http/control-endpoint.ts'
import { composeMail } from '../../../src/writing/ingest/mail.ts'
import type { Account } from '../../../src/writing/ingest/accounts.ts'
import { basicAuthorization } from '../../../src/graph/sparql/http.ts'
import { CRAFTS, putDemo } from '../../app.ts'
import { outputOf } from '../../command.ts'
import { testLong } from '../../long.ts'
import { newDirectory } from '../../process.ts'
import { startMailServer, type MailServer } from '../../smtp.ts'
import { storeOf } from '../../stores.ts'
import { TestClock } from './clock.ts'
import { concept, startIngest, type IngestService, type TestAccount } from './service.ts'
import { startStoreProxy, type StoreProxy } from './store-proxy.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

// These tests do not depend on the store, so the embedded one is enough.
const store = storeOf('embedded')

describe('mails about ingests', () => {
  let running: Awaited<ReturnType<typeof store.start>>
  let proxy: StoreProxy
  let mail: MailServer
  let dataDir: string
  let clock: TestClock
  let service: IngestService
  let account: TestAccount
  let first = true

  const editors = ['anna@example.org', 'bert@example.org']
  const start = (env: NodeJS.ProcessEnv = {}) =>
    startIngest(
      proxy.endpoint,
      { SMTP_URL: mail.url, MAIL_FROM: 'Vokabulare <service@example.org>', ...env },
      { dataDir, clock },
    )
  const restart = async (env: NodeJS.ProcessEnv = {}) => {
    await service.close()
    service = await start(env)
  }
  /** Proposes a concept, and waits until the first attempt to send the mail about it has ended. */
  const propose = async (members: Record<string, unknown> = {}, options: Partial<Account> = {}) => {
    const emails = options.emails ?? editors
    account = await service.account({ ...options, emails })
    const { sleeps } = clock
    const { status, body } = await service.propose(account, [concept(members)])
    expect(status).toBe(201)
    // The outbox hears of the mail after the answer, and sleeps again after the attempt.
    while (emails.length > 0 && clock.sleeps === sleeps) await sleep(5)
    return body[0] as { uri: string }
  }

  /** Resolves when the service knows of every ingest whether the store has it. */
  const decided = async () => {
    while ([...service.ingest.ledger.claimed()].length > 0) await new Promise((resolve) => setTimeout(resolve, 20))
  }

  beforeAll(async () => {
    running = await store.start()
    proxy = await startStoreProxy(running.endpoint)
  })
  beforeEach(async () => {
    dataDir = await newDirectory()
    clock = new TestClock()
    mail = await startMailServer()
    service = await start()
    if (first) await putDemo(service)
    first = false
  })
  afterEach(async () => {
    proxy.update = proxy.query = 'none'
    const log = service.logged.join('')
    for (const secret of [...editors, account.token, 'Silberlöten']) expect(log).not.toContain(secret)
    await service.close()
    await mail.stop()
    await rm(dataDir, { recursive: true })
  })
  afterAll(async () => {
    await proxy.close()
    await running.stop()
  })

  test('one mail to all editors, in plain text, German and English', async () => {
    const { uri } = await propose()
    await mail.until(1)
    const [received] = mail.received
    expect(received!.recipients).toEqual(editors)
    const { headers, text } = received!
    expect(headers['from']).toBe('Vokabulare <service@example.org>')
    expect(headers['to']).toBe('anna@example.org, bert@example.org')
    expect(headers['subject']).toBe('crafts: Silberlöten (neuer Begriff / new concept)')
    expect(headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(headers['auto-submitted']).toBe('auto-generated')
    expect(headers['message-id']).toMatch(/^<ingest-[0-9a-f-]{36}@vocabularies\.test>$/)
    expect(text.trimEnd()).toBe(
      [
        `In das Vokabular crafts (${CRAFTS}) wurde ein neuer Begriff aufgenommen.`,
        `Aufgenommen von: ${account.username}`,
        'Zeit: 2026-03-01 08:00:00 UTC',
        '',
        `A new concept was added to the vocabulary crafts (${CRAFTS}).`,
        `Added by: ${account.username}`,
        'Time: 2026-03-01 08:00:00 UTC',
        '',
        'Silberlöten',
        `   URI: ${uri}`,
        `   http://vocabularies.test/concept?uri=${uri}`,
      ].join('\n'),
    )
    expect(received!.source).not.toContain(account.token)
    await clock.pass(DAY)
    expect(mail.received).toHaveLength(1)
  })

  test('one mail for several concepts, with all of them', async () => {
    account = await service.account({ emails: editors })
    const names = Array.from({ length: 12 }, (_, at) => `Begriff ${at}`)
    const { body } = await service.propose(
      account,
      names.map((de) => concept({ prefLabel: { de } })),
    )
    await mail.until(1)
    const { text, headers } = mail.received[0]!
    expect(headers['subject']).toBe('crafts: 12 neue Begriffe / 12 new concepts')
    for (const [at, { uri }] of body.entries()) expect(text).toContain(`${at + 1}. Begriff ${at}\n   URI: ${uri}\n`)
    await clock.pass(HOUR)
    expect(mail.received).toHaveLength(1)
  })

  test('no mail if the account has no addresses', async () => {
    await propose({}, { emails: [] })
    await clock.pass(HOUR)
    expect(mail.connections).toBe(0)
  })

  test('no mail for a request that was refused', async () => {
    account = await service.account({ emails: editors })
    expect((await service.propose(account, [{}])).status).toBe(422)
    await clock.pass(HOUR)
    expect(mail.connections).toBe(0)
  })

  test.each([
    'Bcc: evil@example.org',
    'a\u00a0\u2003b',
    '=?utf-8?q?=0D=0ABcc:_evil@example.org?=',
    'x'.repeat(3000),
    '"<script>alert(1)</script>" <evil@example.org>, evil@example.org',
    '.',
    '日本語'.repeat(100),
  ])('a label does not become a header or a recipient: %j', async (de) => {
    await propose({ prefLabel: { de } })
    await mail.until(1)
    const { headers, recipients, source } = mail.received[0]!
    expect(recipients).toEqual(editors)
    expect(Object.keys(headers).sort()).toEqual(
      [
        'auto-submitted',
        'content-transfer-encoding',
        'content-type',
        'date',
        'from',
        'message-id',
        'mime-version',
        'subject',
        'to',
      ].sort(),
    )
    for (const line of source.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(998)
  })

  test('the server is down for an hour: no request waits for it, and the mail arrives by itself', async () => {
    await mail.stop()
    await propose()
    // The answer came before the mail could go.
    expect(service.ingest.outbox.size).toBe(1)
    await clock.pass(HOUR)
    expect(service.ingest.outbox.size).toBe(1)
    await mail.start()
    await clock.pass(15 * MINUTE)
    expect(mail.received).toHaveLength(1)
    expect(service.ingest.outbox.size).toBe(0)
    await clock.pass(DAY)
    expect(mail.received).toHaveLength(1)
  })

  test('it is tried at once, then after 5 s, doubling up to 15 minutes', async () => {
    const times: number[] = []
    mail.onMail = () => {
      times.push(clock.now())
      return Promise.reject(Object.assign(new Error('try later'), { responseCode: 451 }))
    }
    await propose()
    await clock.pass(HOUR)
    const gaps = times.slice(1).map((time, at) => (time - times[at]!) / 1000)
    expect(gaps).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 900, 900])
    expect(new Set(mail.received.map(({ headers }) => headers['message-id'])).size).toBe(0)
  })

  test.each([DAY, -DAY])('a clock that is set by %d ms changes nothing of when it is tried', async (change) => {
    const times: number[] = []
    mail.onMail = () => {
      times.push(clock.elapsed())
      return Promise.reject(Object.assign(new Error('try later'), { responseCode: 451 }))
    }
    await propose()
    await clock.pass(MINUTE)
    clock.set(change)
    await clock.pass(10 * MINUTE)
    const gaps = times.slice(1).map((time, at) => (time - times[at]!) / 1000)
    expect(gaps).toEqual([5, 10, 20, 40, 80, 160, 320])
    mail.onMail = () => Promise.resolve()
    await clock.pass(15 * MINUTE)
    expect(mail.received).toHaveLength(1)
    expect(service.ingest.outbox.size).toBe(0)
  })

  test('after 5 days it is set aside, with a line in the log', async () => {
    await mail.stop()
    const { uri } = await propose()
    await clock.pass(4.9 * DAY)
    expect(service.ingest.outbox.size).toBe(1)
    await clock.pass(0.2 * DAY)
    expect(service.ingest.outbox.size).toBe(0)
    expect(service.logged.filter((line) => line.includes('set aside'))).toHaveLength(1)
    await restart()
    expect([...service.ingest.ledger.undelivered()]).toMatchObject([{ uris: [uri], recipients: editors }])
    await mail.start()
    await clock.pass(DAY)
    expect(mail.received).toHaveLength(0)
  })

  test('a clock that is 6 days ahead for a while makes nobody give up the mails that wait', async () => {
    await mail.stop()
    for (let at = 0; at < 5; at++) await propose()
    await clock.pass(HOUR)
    clock.set(6 * DAY)
    await clock.pass(HOUR / 2)
    expect(service.ingest.outbox.size).toBe(5)
    clock.set(-6 * DAY)
    // Another time, longer after the first one than a mail is tried when its days are over.
    await clock.pass(2 * HOUR)
    clock.set(6 * DAY)
    await clock.pass(MINUTE)
    clock.set(-6 * DAY)
    await clock.pass(HOUR)
    expect(service.ingest.outbox.size).toBe(5)
    expect(service.logged.filter((line) => line.includes('set aside'))).toEqual([])
    await mail.start()
    await clock.pass(15 * MINUTE)
    expect(mail.received).toHaveLength(5)
  })

  describe('vocab mails', () => {
    /** Runs a command as `npm run vocab -- mails ...` does; gives what it prints. */
    const mails = (...words: string[]) => outputOf(['mails', ...words], { DATA_DIR: dataDir })
    const listed = async () => JSON.parse(await mails('list', '--json')) as { id: string; uris: string[] }[]
    /** An ingest whose mail was set aside while the service runs. */
    const giveUp = async () => {
      await mail.stop()
      const { uri } = await propose()
      await clock.leap(5.1 * DAY)
      await clock.pass(1.5 * HOUR)
      await mail.start()
      return uri
    }

    test('while the service runs: a command shows mails set aside, and they go out after a retry', async () => {
      expect(await mails('list')).toBe('No mail was set aside.\n')
      const uri = await giveUp()
      const { id } = (await listed())[0]!
      expect(await mails('list')).toMatch(new RegExp(`^${id}\t2026-.*\tcrafts\t1\t${editors.join(',')}\n$`))
      expect(JSON.parse(await mails('retry', id, '--json'))).toEqual({ ids: [id] })
      await mail.until(1)
      expect([mail.received[0]!.recipients, mail.received[0]!.text]).toEqual([editors, expect.stringContaining(uri)])
      expect(await listed()).toEqual([])
      await restart()
      await clock.pass(DAY)
      expect(mail.received).toHaveLength(1)
    })

    testLong('one that is tried again has 5 days again, only with TEST_LONG=1', async () => {
      await giveUp()
      await mail.stop()
      expect(await mails('retry', '--all')).toBe('1 mail is in the outbox again.\n')
      await clock.leap(4.9 * DAY)
      expect([service.ingest.outbox.size, await listed()]).toEqual([1, []])
      await clock.pass(0.2 * DAY)
      expect([service.ingest.outbox.size, (await listed()).length]).toEqual([0, 1])
      await mail.start()
    })

    test('while the service does not run', async () => {
      const uri = await giveUp()
      await service.close()
      expect(await listed()).toMatchObject([{ uris: [uri] }])
      expect(await mails('retry', '--all')).toBe('1 mail is in the outbox again.\n')
      expect(await listed()).toEqual([])
      service = await start()
      await mail.until(1)
      expect(mail.received[0]!.recipients).toEqual(editors)
    })

    test('remove forgets it for good', async () => {
      await giveUp()
      const { id } = (await listed())[0]!
      expect(await mails('remove', id)).toBe('1 mail is removed.\n')
      await restart()
      expect(await listed()).toEqual([])
    })

    testLong('a mistake in the command changes nothing, only with TEST_LONG=1', async () => {
      await giveUp()
      for (const words of [['retry'], ['remove'], ['retry', 'x', '--all'], ['remove', 'x']]) {
        await expect(mails(...words)).rejects.toThrow(/expected ids of mails, or --all|there is no mail x/)
      }
      expect(await listed()).toHaveLength(1)
    })

    test('other processes cannot ask the service', async () => {
      const held = await readFile(join(dataDir, 'ingest/held.json'), 'utf8')
      const { about } = JSON.parse(held) as { about: ControlAddress }
      expect((await stat(join(dataDir, 'ingest/held.json'))).mode & 0o077).toBe(0)
      for (const headers of [
        {},
        { authorization: 'Basic x' },
        { authorization: basicAuthorization({ ...about, password: 'x'.repeat(about.password.length) }) },
      ]) {
        expect((await fetch(about.url, { headers })).status).toBe(401)
      }
      // Not needed by this test, but by what is looked for in the log after each.
      await propose()
    })
  })

  test('every one of several mails that wait is set aside after its 5 days', async () => {
    await mail.stop()
    for (let at = 0; at < 3; at++) await propose()
    // After a restart they are tried together, and the failure of the first speaks for all.
    await restart()
    await clock.leap(4.9 * DAY)
    expect(service.ingest.outbox.size).toBe(3)
    await clock.pass(0.2 * DAY)
    expect(service.ingest.outbox.size).toBe(0)
    expect(service.logged.filter((line) => line.includes('set aside'))).toHaveLength(3)
  })

  test('one of the recipients is refused: the others get one mail, and only the refused one is tried again', async () => {
    mail.refused.set('anna@example.org', 450)
    await propose()
    await clock.pass(10 * MINUTE)
    expect(mail.received.map(({ recipients }) => recipients)).toEqual([['bert@example.org']])
    mail.refused.clear()
    await clock.pass(30 * MINUTE)
    expect(mail.received.map(({ recipients }) => recipients)).toEqual([['bert@example.org'], ['anna@example.org']])
    const [first, second] = mail.received
    expect(second!.headers['message-id']).toBe(first!.headers['message-id'])
  })

  test('a recipient that is refused for good is set aside in the end', async () => {
    mail.refused.set('anna@example.org', 550)
    await propose()
    await clock.pass(6 * DAY)
    expect(mail.received.map(({ recipients }) => recipients)).toEqual([['bert@example.org']])
    expect([...service.ingest.ledger.undelivered()]).toMatchObject([{ recipients: ['anna@example.org'] }])
  })

  test('the server hangs in the middle: ingest goes on', async () => {
    let release = () => {}
    await propose()
    await mail.until(1)
    mail.onMail = () => new Promise((resolve) => (release = resolve))
    for (let at = 0; at < 9; at++) expect((await service.propose(account, [concept()])).status).toBe(201)
    expect(mail.received).toHaveLength(1)
    mail.onMail = () => Promise.resolve()
    release()
    await mail.until(10)
    expect(new Set(mail.received.map(({ headers }) => headers['message-id'])).size).toBe(10)
  })

  test('waiting mails survive a restart, also one without a mail server in between', async () => {
    await mail.stop()
    await propose()
    await restart()
    await clock.pass(MINUTE)
    await restart({ SMTP_URL: '' })
    expect(service.logged.join('')).toContain('SMTP_URL is not set')
    await clock.pass(10 * DAY)
    expect(service.ingest.outbox.size).toBe(1)
    expect([...service.ingest.ledger.undelivered()]).toEqual([])
    await mail.start()
    // The days without a server to send to count, too: this is the last attempt.
    await restart()
    await mail.until(1)
    await restart()
    await clock.pass(DAY)
    expect(mail.received).toHaveLength(1)
  })

  test('an update whose answer was lost: the mail goes out once it is known that the concept is there', async () => {
    account = await service.account({ emails: editors })
    proxy.update = 'answer lost'
    expect((await service.propose(account, [concept()])).status).toBe(201)
    await mail.until(1)
    proxy.update = 'none'
    await clock.pass(HOUR)
    expect(mail.received).toHaveLength(1)
  })

  test('an update that arrives after its deadline: the mail goes out then', async () => {
    account = await service.account({ emails: editors })
    await restart({ SPARQL_TIMEOUT_MS: '500' })
    proxy.update = 'late'
    expect((await service.propose(account, [concept({ prefLabel: { de: 'Feilen' } })])).status).toBe(504)
    expect(mail.received).toHaveLength(0)
    proxy.update = 'none'
    // A store of a busy machine may not answer this service in time.
    const isThere = () => service.client.ask(`ASK { GRAPH <${CRAFTS}> { ?c ?p "Feilen"@de } }`).catch(() => false)
    while (!(await isThere())) await sleep(100)
    await clock.passUntil(mail.until(1, 60_000))
    await clock.pass(HOUR)
    expect(mail.received).toHaveLength(1)
  })

  test('an update that never arrived: no mail, and it is forgotten', async () => {
    account = await service.account({ emails: editors })
    await restart({ SPARQL_TIMEOUT_MS: '2000' })
    proxy.update = 'refused'
    expect((await service.propose(account, [concept()])).status).toBe(504)
    expect([...service.ingest.ledger.claimed()]).toHaveLength(1)
    await clock.pass(2 * HOUR)
    await clock.passUntil(decided())
    expect(service.ingest.outbox.size).toBe(0)
    expect(mail.connections).toBe(0)
  })

  test('an update that was finished by the same request again: one mail', async () => {
    account = await service.account({ emails: editors })
    await restart({ SPARQL_TIMEOUT_MS: '2000' })
    const key = { 'idempotency-key': 'k' }
    proxy.update = 'refused'
    expect((await service.propose(account, [concept()], key)).status).toBe(504)
    await clock.pass(2 * HOUR)
    await clock.passUntil(decided())
    proxy.update = 'none'
    for (let at = 0; at < 3; at++) expect((await service.propose(account, [concept()], key)).status).toBe(201)
    await mail.until(1)
    await clock.pass(HOUR)
    expect(mail.received).toHaveLength(1)
  })

  test('over TLS, with a login', async () => {
    await mail.stop()
    const logins: string[] = []
    // The certificate of smtp-server is one that everybody knows; here nobody minds.
    const warned = jest.spyOn(console, 'error').mockImplementation(() => undefined)
    mail = await startMailServer({
      secure: true,
      authOptional: false,
      onAuth: (
        { username, password }: { username: string; password: string },
        _session: unknown,
        done: (error: Error | null, ok?: object) => void,
      ) => {
        logins.push(`${username} ${password}`)
        done(null, { user: username })
      },
    })
    warned.mockRestore()
    const url = new URL(mail.url.replace('smtp:', 'smtps:'))
    await restart({ SMTP_URL: `smtps://me:geheim%40@${url.host}?tls.rejectUnauthorized=false` })
    await propose()
    await mail.until(1)
    expect(logins).toEqual(['me geheim@'])
    expect(service.logged.join('')).not.toContain('geheim')
    // A certificate that nobody has signed is not accepted unless the URL says so.
    await restart({ SMTP_URL: `smtps://me:geheim%40@${url.host}` })
    await propose()
    await clock.pass(MINUTE)
    expect(mail.received).toHaveLength(1)
    expect(service.ingest.outbox.size).toBe(1)
  })
})

describe('composeMail', () => {
  const entry = {
    id: '00000000-0000-4000-8000-000000000000',
    time: '2026-03-01T08:00:00.000Z',
    username: 'anna\r\nBcc: evil@example.org',
    scheme: 'http://example.org/v#',
    voc: 'v',
    uris: ['http://example.org/v#a&b=c+d ü'],
    labels: ['x\r\nBcc: evil@example.org\u2028y'],
    state: 'stored' as const,
    recipients: [],
  }

  test('keeps everything in its line', () => {
    const { subject, text } = composeMail(entry, 'http://localhost:3000/')
    expect(subject).toBe('v: x Bcc: evil@example.org y (neuer Begriff / new concept)')
    expect(text).toContain('Aufgenommen von: anna Bcc: evil@example.org\n')
    expect(text).not.toMatch(/\r|\u2028/)
    expect(text).toContain('http://localhost:3000/concept?uri=http://example.org/v%23a%26b%3Dc%2Bd%20%C3%BC\n')
  })
})
