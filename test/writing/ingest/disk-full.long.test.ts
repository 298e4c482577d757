/**
 * A disk that is full while mails go out: what the mail server has taken is noted as soon as there is room, and no mail
 * goes out twice.
 */
import { spawnSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { newToken } from '../../../src/writing/ingest/accounts.ts'
import { LONG } from '../../long.ts'
import { newDirectory, startService, type ServiceProcess } from '../../process.ts'
import { startMailServer } from '../../smtp.ts'
import { addAccount, concept } from './service.ts'

const MAILS = 6
const account = { username: 'anna', token: newToken() }

// A limit for the size of files, set while the process runs, stands in for the disk.
const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0
const reason = hasPrlimit ? '' : ', skipped: there is no prlimit'

/** A service whose disk is full since the first of its mails was taken. */
async function fillDisk() {
  const dataDir = await newDirectory()
  const mail = await startMailServer()
  await addAccount(dataDir, account)
  await mail.stop()
  const start = () =>
    startService({
      DATA_DIR: dataDir,
      SMTP_URL: mail.url,
      INGEST_LIMITS: 'none',
      // A write over the limit fails, and ends nothing.
      NODE_OPTIONS: "--import=data:text/javascript,process.on('SIGXFSZ',()=>{})",
    })
  let service: ServiceProcess = await start()
  for (let at = 0; at < MAILS; at++) {
    const data = JSON.stringify([concept({ prefLabel: { de: `Begriff ${at}` } })])
    const response = await fetch(`${service.url}/ingest`, {
      method: 'POST',
      body: JSON.stringify([{ ...account, data }]),
    })
    expect(response.status).toBe(201)
  }
  const limitFiles = (bytes: number | 'unlimited') => {
    const { status, stderr } = spawnSync('prlimit', ['--pid', String(service.pid), `--fsize=${bytes}:`])
    expect([status, String(stderr)]).toEqual([0, ''])
  }
  mail.onMail = () => {
    // The first that is taken fills the disk.
    if (mail.received.length === 0) limitFiles(0)
    return Promise.resolve()
  }
  await mail.start()
  await mail.until(1)
  return {
    mail,
    limitFiles,
    log: () => service.log,
    ids: () => mail.received.map(({ headers }) => headers['message-id']),
    stop: () => service.stop(),
    startAgain: async () => {
      service = await start()
    },
    end: async () => {
      await service.stop('SIGKILL')
      await mail.stop()
      await rm(dataDir, { recursive: true })
    },
  }
}

type FullDisk = Awaited<ReturnType<typeof fillDisk>>

/** With the pauses of the outbox, on a busy machine. */
const TEST_MS = 180_000

/** Each has a service of its own, and mostly waits. */
const testFull = (title: string, body: (disk: FullDisk) => Promise<void>, isWanted = true) =>
  (hasPrlimit && isWanted ? test.concurrent : test.skip)(
    title,
    async () => {
      const disk = await fillDisk()
      try {
        await body(disk)
      } finally {
        await disk.end()
      }
    },
    TEST_MS,
  )

describe(`a disk that is full while mails go out${reason}`, () => {
  testFull(
    'no other mail is sent before the first is noted; then all are, once each, only with TEST_LONG=1',
    async (disk) => {
      await sleep(7000)
      expect(disk.mail.received).toHaveLength(1)
      expect(disk.log().filter(({ msg }) => String(msg).includes('a mail could not be tried'))).not.toEqual([])
      disk.limitFiles('unlimited')
      await disk.mail.until(MAILS, 60_000)
      expect(await disk.stop()).toBe(0)
      await disk.startAgain()
      await sleep(1000)
      expect(new Set(disk.ids()).size).toBe(MAILS)
      expect(disk.mail.received).toHaveLength(MAILS)
    },
    LONG,
  )

  testFull('the end of the process writes pending changes', async (disk) => {
    await sleep(300)
    disk.limitFiles('unlimited')
    expect(await disk.stop()).toBe(0)
    const before = disk.ids()
    await disk.startAgain()
    await disk.mail.until(MAILS, 60_000)
    expect(new Set(disk.ids()).size).toBe(MAILS)
    expect(disk.mail.received).toHaveLength(MAILS)
    expect(before.length).toBeLessThan(MAILS)
  })

  testFull('a disk that stays full: at most one mail goes out again, and the end reports the error', async (disk) => {
    await sleep(300)
    expect(await disk.stop()).toBe(1)
    expect(disk.mail.received).toHaveLength(1)
    await disk.startAgain()
    await disk.mail.until(MAILS, 60_000)
    await sleep(1000)
    expect(new Set(disk.ids()).size).toBe(MAILS)
    expect(disk.mail.received.length).toBeLessThanOrEqual(MAILS + 1)
  })
})
