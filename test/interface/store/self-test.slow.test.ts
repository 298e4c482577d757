import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { testStore, UnfitStoreError } from '../../../src/self-test.ts'
import { SparqlClient, type StoreEndpoint } from '../../../src/graph/sparql/client.ts'
import { closeServer, listen, newDirectory, runToEnd, storeEnv } from '../../process.ts'
import { describeOver, EVERY, storeOf } from '../../stores.ts'

const clientOf = (endpoint: StoreEndpoint) => new SparqlClient({ endpoint, timeoutMs: 60_000 })

describeOver(EVERY, 'the test of a store', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>

  beforeAll(async () => {
    running = await store.start()
  })
  afterAll(async () => {
    await running.stop()
  })

  test('passes, also several at once, and leaves nothing behind', async () => {
    const client = clientOf(running.endpoint)
    await Promise.all([testStore(client), testStore(client), testStore(client)])
    expect(await client.select('SELECT ?s ?p ?o WHERE { ?s ?p ?o }')).toEqual([])
  })
})

/** Changes a request on its way into another one, or answers it. */
type Change = (kind: string, body: string) => string | { status: number; type?: string; body: string }

const QUERY = (kind: string, body: string) => (kind === 'query' ? new URLSearchParams(body).get('query')! : '')

function inUpdates(text: string, other: string): Change {
  return (kind, body) => {
    if (kind !== 'update') return body
    const update = new URLSearchParams(body).get('update')!
    return new URLSearchParams({ update: update.replaceAll(text, other) }).toString()
  }
}

const UNFIT: [how: string, message: RegExp, Change][] = [
  [
    'answers ASK in the form of SELECT',
    /^this store does not answer ASK with a boolean: no boolean in the answer$/,
    (kind, body) =>
      QUERY(kind, body).startsWith('ASK')
        ? {
            status: 200,
            type: 'application/sparql-results+json',
            body: '{"head":{"vars":[]},"results":{"bindings":[{}]}}',
          }
        : body,
  ],
  [
    'has no Graph Store Protocol',
    /^this store does not replace a graph by PUT \(.+\): store answered 405: no$/,
    (kind, body) => (kind === 'data' ? { status: 405, body: 'no' } : body),
  ],
  [
    'has an empty default graph',
    /^this store does not show the triples of all named graphs in its default graph: /,
    (kind, body) =>
      QUERY(kind, body).startsWith('ASK') && QUERY(kind, body).includes('self-test')
        ? { status: 200, type: 'application/sparql-results+json', body: '{"head":{},"boolean":false}' }
        : body,
  ],
  [
    'wants another login',
    /^this store does not carry out the update of an ingest: store answered 401:$/,
    (kind, body) => (kind === 'update' ? { status: 401, body: '' } : body),
  ],
  [
    'refuses VALUES in updates, with a status that says that it has failed',
    /^this store does not carry out the update of an ingest: store answered 500: Virtuoso 37000 Error SP031: no VALUES$/,
    (kind, body) => (kind === 'update' ? { status: 500, body: 'Virtuoso 37000 Error SP031:\n  no VALUES' } : body),
  ],
  [
    'does nothing and says that it has',
    /^this store does not add new concepts to the lists of a vocabulary, as the update of an ingest says: its answer differs$/,
    (kind, body) => (kind === 'update' ? { status: 204, body: '' } : body),
  ],
  [
    'keeps what it should delete',
    /^this store does not replace the revision of a vocabulary, as the update of an ingest says: /,
    inUpdates('bookkeeping:revision> ?before', 'bookkeeping:lost> ?before'),
  ],
  ['keeps no line breaks', /^this store does not keep texts as they are: its answer differs$/, inUpdates('\\n', ' ')],
  [
    'knows no property paths',
    /^this store does not answer the query "(ancestors|descendants|describe\/.+|search\/scan)": store answered 400: no paths$/,
    (kind, body) => (/>?[*+] \?/.test(QUERY(kind, body)) ? { status: 400, body: 'no paths' } : body),
  ],
]

describe('a store that is unfit', () => {
  const embedded = storeOf('embedded')
  let running: Awaited<ReturnType<typeof embedded.start>>
  let change: Change
  let endpoint: StoreEndpoint
  const server = createServer((request, response) => {
    void (async () => {
      const { queryUrl, updateUrl, graphStoreUrl } = running.endpoint
      const [, kind = '', query = ''] = /^\/(\w+)(\?.*)?$/.exec(request.url!)!
      const changed = change(kind, await text(request))
      if (typeof changed !== 'string') {
        response.writeHead(changed.status, changed.type ? { 'content-type': changed.type } : {}).end(changed.body)
        return
      }
      const target = { query: queryUrl, update: updateUrl, data: graphStoreUrl }[kind]! + query
      const headers = Object.entries(request.headers).filter(
        ([name]) => !['host', 'connection', 'content-length', 'transfer-encoding'].includes(name),
      ) as [string, string][]
      const answer = await fetch(target, { method: request.method!, headers, body: changed })
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
      response.end(Buffer.from(await answer.arrayBuffer()))
    })().catch(() => request.socket.destroy())
  })

  beforeAll(async () => {
    running = await embedded.start()
    const url = await listen(server)
    endpoint = {
      ...running.endpoint,
      queryUrl: `${url}/query`,
      updateUrl: `${url}/update`,
      graphStoreUrl: `${url}/data`,
    }
  })
  afterAll(async () => {
    await closeServer(server)
    await running.stop()
  })

  test.each(UNFIT)('%s', async (_, message, changing) => {
    change = changing
    await expect(testStore(clientOf(endpoint))).rejects.toThrow(UnfitStoreError)
    await expect(testStore(clientOf(endpoint))).rejects.toThrow(message)
  })

  test.each([502, 503, 504])('is not one that is away behind a gateway that says %d', async (status) => {
    change = () => ({ status, body: '' })
    await expect(testStore(clientOf(endpoint))).rejects.toMatchObject({
      name: expect.not.stringMatching('UnfitStoreError'),
    })
  })

  test('the service does not start over it: one line, and the exit code of a wrong configuration', async () => {
    change = UNFIT[1]![2]
    const { code, stderr } = await runToEnd('dist/main.js', [], {
      DATA_DIR: await newDirectory(),
      ...storeEnv(endpoint),
    })
    expect([code, stderr]).toEqual([
      78,
      expect.stringMatching(/^SPARQL_QUERY_URL: this store does not replace a graph by PUT .*\n$/),
    ])
  })
})
