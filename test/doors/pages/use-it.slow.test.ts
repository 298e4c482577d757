/** The box with lines for other programs on the page of a vocabulary. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { CRAFTS, putDemo, startApp, type RunningApp } from '../../app.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { expectPage, HTML } from './html.ts'

const SPARQL = 'https://sparql.example.org/query'

describeOver(EMBEDDED, 'The box "Use it in"', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint, { SPARQL_PUBLIC_URL: SPARQL })
    await putDemo(app)
  })
  afterAll(async () => {
    await app?.close()
    await running?.stop()
  })

  const uses = async (from: RunningApp, path: string) => {
    const answer = await from.get(`${path}?lang=en`, HTML)
    await expectPage(answer)
    const box = /<section class="use">.*?<\/section>/s.exec(answer.text)![0]
    const entries = box.matchAll(/<summary>(.*?)<\/summary><pre><code>(.*?)<\/code><\/pre>/gs)
    const text = (html: string) =>
      html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
    return Object.fromEntries([...entries].map(([, name, lines]) => [name, text(lines!)]))
  }
  /** The address at this test's port. */
  const here = (address: string) => address.replace(app.config.baseUrl, '/')

  test('has addresses of this service that answer', async () => {
    const lines = await uses(app, '/voc/crafts')
    expect(Object.keys(lines)).toEqual(['Forms', 'OpenRefine', 'Cocoda', 'Assistants (MCP)', 'SPARQL'])
    expect(lines['Forms']).toContain('<vocabulary-picker name="concept" vocabulary="crafts"></vocabulary-picker>')
    const script = /src="([^"]*)"/.exec(lines['Forms'])![1]!
    expect((await app.get(here(script))).headers.get('content-type')).toContain('javascript')
    expect((await app.get(here(lines['OpenRefine']))).body).toMatchObject({ name: expect.any(String) })
    const { registries } = JSON.parse(lines['Cocoda'])
    for (const { status } of registries) expect((await app.get(here(status))).body).toMatchObject({ ok: 1 })
    expect(registries.map(({ provider }: { provider: string }) => provider)).toEqual(['ConceptApi', 'MappingsApi'])
    const { url } = JSON.parse(lines['Assistants (MCP)']).mcpServers.vocabularies
    expect(url).toBe(`${app.config.baseUrl}mcp`)
    expect(lines['SPARQL']).toContain(`# ${SPARQL}\n`)
  })

  test.each(['crafts', 'subset_crafts-textile'])('has a query that finds the concepts of %s', async (id) => {
    const { SPARQL: query } = await uses(app, `/voc/${id}`)
    const rows = await app.client.select(query)
    expect(rows).toHaveLength(20)
    for (const { concept } of rows) expect(concept?.value).toMatch(new RegExp(`^${CRAFTS}`))
  })

  test('leaves out what the service does not offer', async () => {
    const plain = await startApp(running.endpoint, { MCP: 'off' })
    try {
      expect(Object.keys(await uses(plain, '/voc/crafts'))).toEqual(['Forms', 'OpenRefine', 'Cocoda'])
    } finally {
      await plain.close()
    }
  })
})
