/** Assistants of both kinds: the official clients of revision 2026-07-28, and of those with a handshake, 2025-11-25. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as HandshakeClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as HandshakeStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as HandshakeHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { resolve } from 'node:path'
import { CRAFTS } from '../../app.ts'
import { newDirectory, ROOT, startService } from '../../process.ts'

const NAMED = { name: 'test', version: '1' }
const PRESENT = '2026-07-28'

let dataDir: string
let service: Awaited<ReturnType<typeof startService>>
beforeAll(async () => {
  dataDir = await newDirectory()
  service = await startService({ DATA_DIR: dataDir, DEMO: 'true' })
})
afterAll(() => service?.stop())

/** How a client reaches the service: an address, or a program that it starts. */
type Way = URL | { command: string; args: string[]; env: Record<string, string> }

const program = (...args: string[]): Way => ({
  command: process.execPath,
  args: [resolve(ROOT, 'dist/cli/main.js'), 'mcp', ...args],
  env: { DATA_DIR: dataDir },
})

const WAYS: Readonly<Record<string, () => Way>> = {
  HTTP: () => new URL(`${service.url}/mcp`),
  'standard input and output, the store': () => program(),
  'standard input and output, --url': () => program('--url', service.url),
}

/** What the tests need of a client; both packages have it. */
type Assistant = Pick<Client, 'callTool' | 'listTools' | 'listResources' | 'readResource' | 'getPrompt' | 'close'>

async function connect(mode: 'legacy' | 'auto' | { pin: string }, way: Way): Promise<Client> {
  const client = new Client(NAMED, { versionNegotiation: { mode } })
  await client.connect(way instanceof URL ? new StreamableHTTPClientTransport(way) : new StdioClientTransport(way))
  return client
}

const CLIENTS: readonly [name: string, revision: string, (way: Way) => Promise<Assistant & { revision?: string }>][] = [
  ...([{ pin: PRESENT }, 'auto', 'legacy'] as const).map((mode): (typeof CLIENTS)[number] => [
    `client 2, ${JSON.stringify(mode)}`,
    mode === 'legacy' ? '2025-11-25' : PRESENT,
    async (way) => {
      const client = await connect(mode, way)
      return Object.assign(client, { revision: client.getNegotiatedProtocolVersion()! })
    },
  ]),
  [
    'client 1',
    '2025-11-25',
    async (way) => {
      const client = new HandshakeClient(NAMED)
      const transport = way instanceof URL ? new HandshakeHttp(way) : new HandshakeStdio(way)
      let revision = ''
      // A client of this package tells its transport alone which revision was agreed.
      Object.assign(transport, { setProtocolVersion: (version: string) => (revision = version) })
      await client.connect(transport)
      return Object.assign(client as unknown as Assistant, { revision })
    },
  ],
]

describe.each(Object.entries(WAYS))('over %s', (_way, wayOf) => {
  test.each(CLIENTS)('%s speaks %s', async (_name, revision, open) => {
    const client = await open(wayOf())
    try {
      expect(client.revision).toBe(revision)
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['search_concepts', 'describe_changes']))
      expect(tools.every(({ outputSchema }) => outputSchema?.type === 'object')).toBe(true)
      const call = { name: 'get_concepts', arguments: { uris: [`${CRAFTS}bookbinding`], language: 'en' } }
      const { structuredContent, isError } = await client.callTool(call)
      expect([isError ?? false, structuredContent]).toMatchObject([false, { concepts: [{ label: 'Bookbinding' }] }])
      const refused = await client.callTool({ name: 'get_narrower', arguments: { uri: 'no uri' } })
      expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/absolute URI/) }] })
      const { resources } = await client.listResources()
      const { contents } = await client.readResource({ uri: resources.find(({ name }) => name === 'crafts')!.uri })
      expect(contents).toMatchObject([{ text: expect.stringContaining('topConcepts') }])
      const prompt = { name: 'index_document', arguments: { text: 'On bindings', vocabulary: 'crafts' } }
      expect(JSON.stringify((await client.getPrompt(prompt)).messages)).toContain('On bindings')
    } finally {
      await client.close()
    }
  })
})

describe('a message of revision 2026-07-28', () => {
  const post = async (method: string, { revision = PRESENT, params = {} } = {}) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientInfo': NAMED,
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const answer = await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': revision,
        'mcp-method': method,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
    })
    const type = answer.headers.get('content-type')
    return { status: answer.status, type, session: answer.headers.get('mcp-session-id'), body: await answer.json() }
  }

  test('server/discover names the revision and what there is', async () => {
    const { status, type, session, body } = await post('server/discover')
    expect([status, type, session]).toEqual([200, expect.stringMatching(/^application\/json/), null])
    expect(body).toMatchObject({
      result: {
        supportedVersions: [PRESENT],
        capabilities: { tools: { listChanged: false } },
        instructions: expect.stringContaining('Never invent a URI'),
      },
    })
  })

  test('needs no other message before it', async () => {
    expect(await post('tools/list')).toMatchObject({ status: 200, body: { result: { tools: { length: 8 } } } })
  })

  test('of a revision to come, of a method that is gone, for a stream of changes: errors of the protocol', async () => {
    expect(await post('tools/list', { revision: '2099-01-01' })).toMatchObject({
      status: 400,
      body: { id: 1, error: { code: -32_022, data: { supported: [PRESENT] } } },
    })
    expect(await post('initialize')).toMatchObject({ body: { id: 1, error: { code: -32_601 } } })
    const params = { notifications: { toolsListChanged: true } }
    expect(await post('subscriptions/listen', { params })).toMatchObject({ body: { id: 1, error: { code: -32_603 } } })
  })
})
