/**
 * What stores get from a client, and connections to them: those that a store closes, and those that the client has to.
 */
import { createServer as createStore, type Server } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { closeServer, listen } from '../../process.ts'

const RESULTS = JSON.stringify({
  head: { vars: ['a'] },
  results: { bindings: [{ a: { type: 'literal', value: '1' } }] },
})
const received: string[] = []
/** The headers `Authorization` of requests with a login. */
const logins: string[] = []
let store: Server
let storeUrl: string
let closing: ReturnType<typeof createServer>
let client: SparqlClient

describe('connections to a store', () => {
  beforeAll(async () => {
    store = createStore((request, response) => {
      received.push(request.url!)
      if (request.headers.authorization) logins.push(request.headers.authorization)
      request
        .resume()
        .on('end', () => response.setHeader('content-type', 'application/sparql-results+json').end(RESULTS))
    })
    storeUrl = `${await listen(store)}/`
    const { port } = new URL(storeUrl)
    // Closes each connection when its second request comes, as a store does whose time for idle connections is over.
    closing = createServer((socket: Socket) => {
      let requests = 0
      socket
        .on('error', () => undefined)
        .on('data', (bytes: Buffer) => {
          if (/^(POST|GET) /.test(bytes.toString('latin1'))) requests++
          if (requests > 1) socket.destroy()
          else upstream.write(bytes)
        })
      const upstream = connect(Number(port), '127.0.0.1')
      upstream.on('error', () => undefined).pipe(socket)
      socket.on('close', () => upstream.destroy())
    })
    const url = await listen(closing)
    client = new SparqlClient({
      endpoint: { queryUrl: `${url}/query`, updateUrl: `${url}/update`, graphStoreUrl: `${url}/data` },
      timeoutMs: 10_000,
    })
  })

  afterAll(async () => {
    closing.close()
    await closeServer(store)
  })

  test('a query over a connection that the store has closed is sent once more, an update is not', async () => {
    for (let round = 0; round < 3; round++) {
      expect(await client.select('SELECT ?a { BIND("1" AS ?a) }')).toHaveLength(1)
    }
    expect(received).toEqual(['/query', '/query', '/query'])
    await expect(client.update('INSERT DATA { <a:a> <a:b> <a:c> }', 'http://example.org/')).rejects.toMatchObject({
      name: 'BackendError',
    })
    expect(received).toHaveLength(3)
  })

  test.each(['word', 'Zürich', 'Żółw'])(
    'updates and graphs get the same login, with the password %s, and queries beside them none',
    async (password) => {
      const endpoint = {
        queryUrl: `${storeUrl}store/query`,
        updateUrl: `${storeUrl}store/update`,
        graphStoreUrl: `${storeUrl}store/data`,
        user: 'jürgen',
        password,
      }
      const client = new SparqlClient({ endpoint, timeoutMs: 10_000 })
      logins.length = 0
      await client.update('INSERT DATA { <a:a> <a:b> <a:c> }', 'http://example.org/')
      await client.putGraph('http://example.org/', '<a:a> <a:b> <a:c> .\n')
      await client.deleteGraph('http://example.org/')
      const expected = `Basic ${Buffer.from(`jürgen:${password}`).toString('base64')}`
      expect(logins).toEqual([expected, expected, expected])
      await client.select('SELECT ?a { BIND("1" AS ?a) }')
      expect(logins).toHaveLength(3)
    },
  )

  test('a body that is refused because nobody can tell its end leaves no connection behind', async () => {
    const lines = '<a:a> <a:b> <a:c> .\n'.repeat(1000)
    let ended: Promise<unknown> | undefined
    const endless = createServer((socket) => {
      ended = new Promise((resolve) => socket.once('close', resolve))
      const write = () => void (socket.writable && socket.write(lines, write))
      socket.on('error', () => undefined).resume()
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/n-triples\r\nConnection: close\r\n\r\n', write)
    })
    const url = `${await listen(endless)}/`
    const client = new SparqlClient({
      endpoint: { queryUrl: url, updateUrl: url, graphStoreUrl: url },
      timeoutMs: 10_000,
    })
    const read = async () => {
      for await (const chunk of client.getGraph('http://example.org/')) throw new Error(`${chunk.length} bytes`)
    }
    for (const asked of [read, () => client.construct('CONSTRUCT WHERE { ?s ?p ?o }')]) {
      await expect(asked()).rejects.toMatchObject({ name: 'BackendError' })
      await ended
    }
    endless.close()
  })
})
