/** Mails to proposers about decisions. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { putDemo, CRAFTS } from '../../app.ts'
import { runCommand } from '../../command.ts'
import { storeEnv } from '../../process.ts'
import { startMailServer, type MailServer } from '../../smtp.ts'
import { DEPLOYED, describeOver } from '../../stores.ts'
import { concept, startIngest, type IngestService, type TestAccount } from './service.ts'

describeOver(DEPLOYED, 'mails about decisions', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let mail: MailServer
  let service: IngestService
  let ann: TestAccount
  let bob: TestAccount

  beforeAll(async () => {
    running = await store.start()
    mail = await startMailServer()
    service = await startIngest(running.endpoint, { SMTP_URL: mail.url })
    await putDemo(service)
    ann = await service.account({ emails: [], replyTo: 'ann@example.org' })
    bob = await service.account({ emails: ['editors@example.org'] })
  }, 60_000)
  afterEach(async () => {
    expect(service.reported).toEqual([])
    await outboxIsEmpty()
    mail.received.length = 0
  })
  afterAll(async () => {
    await service.close()
    await mail.stop()
    await running.stop()
  })

  const outboxIsEmpty = async () => {
    while (service.ingest.outbox.size > 0) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const propose = async (by: TestAccount, name: string) => {
    const { status, body } = await service.propose(by, [concept({ prefLabel: { de: name } })])
    expect(status).toBe(201)
    return (body as { uri: string }[])[0]!.uri
  }
  /** Decides by a command, as another process does. */
  const decide = async (...args: string[]) => {
    const env = { DATA_DIR: service.dataDir, ...storeEnv(running.endpoint) }
    expect((await runCommand(['proposals', ...args], env)).stderr).toBe('')
    service.state.changed()
  }
  const look = () => service.ingest.decisionMails!.look()

  test('the proposer gets one about each decision, with the reason and without the editor', async () => {
    const [first, second, third] = [await propose(ann, 'Silberlöten'), await propose(ann, 'B'), await propose(ann, 'C')]
    await decide('accept', first, '--reason', 'Good.\nBcc: victim@example.org')
    await look()
    await mail.until(1)
    const [accepted] = mail.received
    expect(accepted!.recipients).toEqual(['ann@example.org'])
    expect(accepted!.headers['subject']).toBe('crafts: Silberlöten (angenommen / accepted)')
    expect(accepted!.headers['bcc']).toBeUndefined()
    expect(accepted!.headers['content-type']).toMatch(/^text\/plain/)
    expect(accepted!.text).toContain(`> Good.\n> Bcc: victim@example.org\n`)
    expect(accepted!.text).toContain(`   URI: ${first}\n   http://vocabularies.test/concept?uri=`)
    expect(accepted!.text).toContain(`(${CRAFTS})`)
    await decide('refuse', second, third)
    await look()
    await mail.until(2)
    const { headers, text } = mail.received[1]!
    expect(headers['subject']).toBe('crafts: 2 Begriffe / 2 concepts (abgelehnt / refused)')
    for (const part of [second, third]) expect(text).toContain(`   URI: ${part}\n`)
    expect(text).toMatch(/^1\. [BC]\n[^]*\n2\. [BC]\n/m)
    expect(text).not.toContain('reason')
    // Nothing is said twice.
    await look()
    await outboxIsEmpty()
    expect(mail.received).toHaveLength(2)
    await decide('remove', first)
  })

  test('nobody else gets one: an account without an address of its own, or for another proposal', async () => {
    const uri = await propose(bob, 'Ohne Adresse')
    await mail.until(1)
    expect(mail.received[0]!.recipients).toEqual(['editors@example.org'])
    await decide('refuse', uri)
    await look()
    await outboxIsEmpty()
    expect(mail.received).toHaveLength(1)
    expect((await service.history!.log.unannounced()).size).toBe(0)
  })

  test.each(['claimed', 'announced'])('one that was interrupted after it was %s goes out once', async (step) => {
    const uri = await propose(ann, 'Unterbrochen')
    const { ledger, decisionMails } = service.ingest
    const { log } = service.history!
    const [announce, change] = [log.announce.bind(log), ledger.change.bind(ledger)]
    const interrupted = () => Promise.reject(new Error('interrupted'))
    try {
      if (step === 'claimed') log.announce = interrupted
      else ledger.change = interrupted
      await decide('refuse', uri, '--reason', 'Nein.')
      await look()
      expect(service.ingest.outbox.size).toBe(0)
    } finally {
      Object.assign(log, { announce })
      Object.assign(ledger, { change })
    }
    await decisionMails!.look()
    await mail.until(1)
    await look()
    await outboxIsEmpty()
    expect(mail.received.map(({ recipients }) => recipients)).toEqual([['ann@example.org']])
    expect(mail.received[0]!.text).toContain('> Nein.')
  })
})
