/** The order in which requests go to a store that has no time for all of them at once. */
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { inBackground, SparqlClient } from '../../../src/graph/sparql/client.ts'
import { closeServer, listen } from '../../process.ts'

const asked: string[] = []
let answerAll: (() => void)[] = []
let isPatient = false
const server = createServer((request, response) => {
  void text(request).then(async (body) => {
    const form = new URLSearchParams(body)
    asked.push(form.get('query') ?? form.get('update')!)
    if (isPatient) await new Promise<void>((resolve) => answerAll.push(resolve))
    response.setHeader('content-type', 'application/sparql-results+json').end('{"boolean":true}')
  })
})
let url: string
const clientOf = (options: object) =>
  new SparqlClient({ endpoint: { queryUrl: url, updateUrl: url, graphStoreUrl: url }, timeoutMs: 10_000, ...options })

describe('the order of requests to a store', () => {
  beforeAll(async () => {
    url = await listen(server)
  })
  afterAll(() => closeServer(server))
  beforeEach(() => {
    asked.splice(0)
    isPatient = false
  })

  test('what nobody waits for comes after what clients wait for, also if it has begun before', async () => {
    const client = clientOf({ concurrency: 1 })
    const ahead = inBackground()
    const ask = (name: string, signal?: AbortSignal) => client.ask(`# ${name}`, { signal })
    await ask('ahead 1', ahead)
    const requests = [
      ask('client 1', new AbortController().signal),
      ask('ahead 2', ahead),
      ask('hierarchy', inBackground()),
      ask('client 2', new AbortController().signal),
      ask('of an ingest'),
    ]
    await Promise.all(requests)
    expect(asked).toEqual(
      ['ahead 1', 'client 1', 'of an ingest', 'client 2', 'ahead 2', 'hierarchy'].map((name) => `# ${name}`),
    )
  })

  test('what nobody waits for is refused like the rest if too many requests wait', async () => {
    const client = clientOf({ concurrency: 1, maxQueued: 1 })
    const ahead = inBackground()
    await client.ask('# ahead', { signal: ahead })
    const waiting = [client.ask('# 1'), client.ask('# 2')]
    await expect(client.ask('# ahead', { signal: ahead })).rejects.toMatchObject({ name: 'ServiceUnavailableError' })
    await Promise.all(waiting)
  })

  test('one update at a time, even after the deadline; the next ones are refused before they are sent, and leave with their clients', async () => {
    isPatient = true
    const client = clientOf({ timeoutMs: 400 })
    const graph = 'http://example.org/'
    const first = client.update('first', graph)
    const gone = new AbortController()
    const abandoned = client.update('abandoned', graph, { signal: gone.signal })
    gone.abort()
    await expect(abandoned).rejects.toThrow()
    await expect(client.update('second', graph)).rejects.toMatchObject({ status: 503, retryAfter: 5 })
    await expect(first).rejects.toMatchObject({ name: 'TimeoutError' })
    await expect(client.update('third', graph)).rejects.toMatchObject({ status: 503 })
    // Readers go on.
    isPatient = false
    expect(await client.ask('# reader')).toBe(true)
    expect(asked).toEqual(['first', '# reader'])
    for (const answer of answerAll) answer()
    answerAll = []
    await client.update('fourth', graph)
    expect(asked).toEqual(['first', '# reader', 'fourth'])
  })
})
