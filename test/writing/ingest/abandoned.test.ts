/** A client that goes away while its ingest waits for the store: nothing is written that nobody asks for any more. */
import { once } from 'node:events'
import { request, type ClientRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { putDemo } from '../../app.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { concept, startIngest, type IngestService, type TestAccount } from './service.ts'
import { startStoreProxy, type StoreProxy } from './store-proxy.ts'

describeOver(EMBEDDED, 'an ingest that its client has given up', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let proxy: StoreProxy
  let service: IngestService
  let account: TestAccount
  let label: string
  let labels = 0

  beforeAll(async () => {
    running = await store.start()
    proxy = await startStoreProxy(running.endpoint)
    service = await startIngest(proxy.endpoint)
    await putDemo(service)
    account = await service.account({ emails: ['editor@example.org'] })
  })
  afterAll(async () => {
    expect(service.reported).toEqual([])
    await service.close()
    await proxy.close()
    await running.stop()
  })
  beforeEach(() => {
    label = `Begriff ${++labels}`
    proxy.updates = 0
  })

  /** Sends an ingest, which then waits for the store to name its vocabulary. */
  async function send(key?: string): Promise<ClientRequest> {
    const sent = request(`${service.url}/ingest`, { method: 'POST', agent: false })
    sent.on('error', () => undefined)
    if (key !== undefined) sent.setHeader('Idempotency-Key', key)
    sent.end(JSON.stringify([{ ...account, data: JSON.stringify([concept({ prefLabel: { de: label } })]) }]))
    await once(sent, 'finish')
    return sent
  }
  function hold(): void {
    service.registry.invalidate()
    proxy.query = 'held'
  }
  async function untilHeld(): Promise<void> {
    while (proxy.held === 0) await sleep(5)
  }
  /** Closes the connection of a request; the service knows of it when it has answered on another one. */
  async function leave(sent: ClientRequest): Promise<void> {
    const closed = new Promise((resolve) => sent.once('close', resolve))
    sent.destroy()
    await closed
    for (let tries = 0; tries < 3; tries++) await service.get('/healthz')
  }
  function letGo(): void {
    proxy.query = 'none'
    proxy.release()
  }
  const matches = async () =>
    (await service.client.select(`SELECT ?c WHERE { GRAPH ?g { ?c ?p "${label}"@de } }`)).length

  test.each([undefined, 'a-key'])('with Idempotency-Key %s: nothing is written, no mail is owed', async (key) => {
    hold()
    const sent = await send(key)
    await untilHeld()
    await leave(sent)
    letGo()
    // The same service writes for those who wait, which shows that the first had its turn.
    expect((await service.propose(account, [concept()])).status).toBe(201)
    expect([await matches(), proxy.updates]).toEqual([0, 1])
    expect([...service.ingest.ledger.open()].flatMap(({ labels: names }) => names)).not.toContain(label)
  })

  test('a request that waits for the answer of the same key still gets it', async () => {
    hold()
    const sent = await send('shared')
    await untilHeld()
    const second = send('shared')
    const answered = second.then((again) => once(again, 'response'))
    await leave(sent)
    letGo()
    const [response] = (await answered) as [{ statusCode: number }]
    expect([response.statusCode, await matches(), proxy.updates]).toEqual([201, 1, 1])
  })
})
