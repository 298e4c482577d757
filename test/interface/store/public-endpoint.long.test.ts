import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from '@jest/globals'
import { cleanUp, startStore } from './start.ts'

const MEGABYTE = 2 ** 20
const CLIENTS = 12
/** An answer of seven megabytes. */
const ROWS = `SELECT ?a ?b WHERE { ?a <urn:p> ?x . ?b <urn:p> ?y } LIMIT 80000`

/** Sends a request and does not read the answer. */
async function askWithoutReading(url: string, query: string): Promise<Socket> {
  const { hostname, port, pathname } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.pause()
  socket.write(`GET ${pathname}?query=${encodeURIComponent(query)} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`)
  return socket
}

/** The status and the headers of an answer. */
async function headOf(socket: Socket): Promise<string> {
  const [chunk] = (await once(socket.resume(), 'data')) as [Buffer]
  socket.pause()
  return chunk.toString('latin1').split('\r\n\r\n')[0]!
}

describe('answers of the public endpoint', () => {
  afterEach(cleanUp)

  test('that nobody reads take a bounded amount of memory, all together', async () => {
    // An eighth is for such answers: 32 MB.
    const store = await startStore({ memoryBytes: 256 * MEGABYTE, queryTimeoutMs: 50_000 })
    const lines = Array.from({ length: 300 }, (_, i) => `<urn:subject:${i}> <urn:p> "${i}" .\n`)
    await store.client.putGraph('urn:g', lines.join(''))
    const ask = () => fetch(`${store.publicUrl}?${new URLSearchParams({ query: ROWS }).toString()}`)
    expect((await (await ask()).arrayBuffer()).byteLength).toBeGreaterThan(6 * MEGABYTE)
    const before = process.memoryUsage()

    const sockets = await Promise.all(Array.from({ length: CLIENTS }, () => askWithoutReading(store.publicUrl, ROWS)))
    const heads = await Promise.all(sockets.map(headOf))
    const refused = heads.filter((head) => head.startsWith('HTTP/1.1 503'))
    expect(heads.filter((head) => head.startsWith('HTTP/1.1 200')).length).toBe(CLIENTS - refused.length)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.length).toBeLessThan(CLIENTS)
    for (const head of refused) expect(head).toMatch(/^retry-after: [1-9]/im)
    const { arrayBuffers } = process.memoryUsage()
    expect(arrayBuffers - before.arrayBuffers).toBeLessThan(48 * MEGABYTE)
    expect((await ask()).status).toBe(503)

    for (const socket of sockets) socket.destroy()
    let status = 0
    for (let tries = 0; tries < 50 && status !== 200; tries++) {
      await sleep(100)
      const response = await ask()
      await response.arrayBuffer()
      status = response.status
    }
    expect(status).toBe(200)
  })
})
