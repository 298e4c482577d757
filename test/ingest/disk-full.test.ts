/** A disk that is full while mails go out: what the mail server has taken is noted as soon as there is room, and no mail goes out twice. */
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { changeAccounts, hashToken, newToken } from '../../src/ingest/accounts.ts'
import { CRAFTS } from '../app.ts'
import { startService, type ServiceProcess } from '../process.ts'
import { startMailServer, type MailServer } from '../smtp.ts'
import { concept } from './service.ts'

const MAILS = 6
const account = { username: 'anna', token: newToken() }

// A limit for the size of files, set while the process runs, stands in for the disk.
const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0
const reason = hasPrlimit ? '' : ', skipped: there is no prlimit'

;(hasPrlimit ? describe : describe.skip)(`a disk that is full while mails go out${reason}`, () => {
  let dataDir: string
  let mail: MailServer
  let service: ServiceProcess

  const start = () =>
    startService({
      DATA_DIR: dataDir,
      SMTP_URL: mail.url,
      INGEST_LIMITS: 'none',
      // A write over the limit fails, and ends nothing.
      NODE_OPTIONS: "--import=data:text/javascript,process.on('SIGXFSZ',()=>{})",
    })
  const limitFiles = (bytes: number | 'unlimited') => {
    const { status, stderr } = spawnSync('prlimit', ['--pid', String(service.pid), `--fsize=${bytes}:`])
    expect([status, String(stderr)]).toEqual([0, ''])
  }
  const ids = () => mail.received.map(({ headers }) => headers['message-id'])

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'vocabulary-service-full-'))
    mail = await startMailServer()
    await changeAccounts(join(dataDir, 'accounts.json'), () => [
      [
        {
          username: account.username,
          tokenHash: hashToken(account.token),
          voc: CRAFTS,
          emails: ['editor@example.org'],
          created: '2026-01-01',
        },
      ],
      undefined,
    ])
    await mail.stop()
    service = await start()
    for (let at = 0; at < MAILS; at++) {
      const data = JSON.stringify([concept({ prefLabel: { de: `Begriff ${at}` } })])
      const response = await fetch(`${service.url}/ingest`, {
        method: 'POST',
        body: JSON.stringify([{ ...account, data }]),
      })
      expect(response.status).toBe(201)
    }
    mail.onMail = () => {
      // The first that is taken fills the disk.
      if (mail.received.length === 0) limitFiles(0)
      return Promise.resolve()
    }
    await mail.start()
    await mail.until(1)
  })
  afterEach(async () => {
    await service.stop('SIGKILL')
    await mail.stop()
    await rm(dataDir, { recursive: true })
  })

  test('no other mail is sent before the first is noted; then all are, once each', async () => {
    await sleep(7000)
    expect(mail.received).toHaveLength(1)
    expect(service.log.filter(({ msg }) => String(msg).includes('could not be followed up'))).not.toEqual([])
    limitFiles('unlimited')
    await mail.until(MAILS, 60_000)
    expect(await service.stop()).toBe(0)
    service = await start()
    await sleep(1000)
    expect(new Set(ids()).size).toBe(MAILS)
    expect(mail.received).toHaveLength(MAILS)
  })

  test('what could not be noted is noted at the end of the process', async () => {
    await sleep(300)
    limitFiles('unlimited')
    expect(await service.stop()).toBe(0)
    const before = ids()
    service = await start()
    await mail.until(MAILS, 60_000)
    expect(new Set(ids()).size).toBe(MAILS)
    expect(mail.received).toHaveLength(MAILS)
    expect(before.length).toBeLessThan(MAILS)
  })

  test('a disk that stays full: one mail at most is sent again, and the end says what went wrong', async () => {
    await sleep(300)
    expect(await service.stop()).toBe(1)
    expect(mail.received).toHaveLength(1)
    service = await start()
    await mail.until(MAILS, 60_000)
    await sleep(1000)
    expect(new Set(ids()).size).toBe(MAILS)
    expect(mail.received.length).toBeLessThanOrEqual(MAILS + 1)
  })
})
