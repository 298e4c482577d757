/** Many cataloguers at once: every ingest is there exactly once, and so is every mail about one. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { setTimeout as sleep } from 'node:timers/promises'
import { putDemo } from '../../app.ts'
import { startMailServer, type MailServer } from '../../smtp.ts'
import { DEPLOYED, describeOver } from '../../stores.ts'
import { LONG } from '../../long.ts'
import { concept, startIngest, type IngestService, type TestAccount } from './service.ts'

const CLIENTS = 20
const INGESTS = LONG ? 25 : 2

describeOver(DEPLOYED, 'many clients at once', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let mail: MailServer
  let service: IngestService

  beforeAll(async () => {
    running = await store.start()
    mail = await startMailServer()
    service = await startIngest(running.endpoint, { SMTP_URL: mail.url })
    await putDemo(service)
  })
  afterAll(async () => {
    await service.close()
    await mail.stop()
    await running.stop()
  })

  test(`${CLIENTS} clients, ${INGESTS} ingests each: all concepts and all mails exactly once`, async () => {
    const uris = new Map<string, string>()
    const accounts: TestAccount[] = []
    for (let number = 0; number < CLIENTS; number++) {
      accounts.push(await service.account({ emails: [`editor-${number}@example.org`] }))
    }
    const client = async (account: TestAccount, number: number) => {
      for (let at = 0; at < INGESTS; at++) {
        const label = `Begriff ${number}-${at}`
        const { status, body } = await service.propose(account, [concept({ prefLabel: { de: label } })])
        expect([label, status]).toEqual([label, 201])
        uris.set(label, body[0].uri)
      }
    }
    await Promise.all(accounts.map(client))
    expect(uris.size).toBe(CLIENTS * INGESTS)

    const top = (await service.get('/voc/crafts/top')).body as { uri: string; prefLabel: { de: string } }[]
    const stored = top.filter(({ prefLabel }) => prefLabel.de.startsWith('Begriff '))
    const byName = ([a]: [string, string], [b]: [string, string]) => (a < b ? -1 : 1)
    expect(stored.map(({ uri, prefLabel }): [string, string] => [prefLabel.de, uri]).sort(byName)).toEqual(
      [...uris].sort(byName),
    )

    await mail.until(uris.size, 120_000)
    await sleep(500)
    const told = mail.received.map(({ text, recipients }): [string, string] => [
      /Begriff (\d+)-\d+/.exec(text)![0],
      /URI: (\S+)/.exec(text)![1]! + recipients.join(),
    ])
    expect(told.sort(byName)).toEqual(
      [...uris]
        .map(([label, uri]): [string, string] => [label, `${uri}editor-${/\d+/.exec(label)![0]}@example.org`])
        .sort(byName),
    )
    expect(new Set(mail.received.map(({ headers }) => headers['message-id'])).size).toBe(uris.size)
    expect(service.reported).toEqual([])
  }, 300_000)
})
