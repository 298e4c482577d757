import { once } from 'node:events'
import { afterEach, expect, test } from '@jest/globals'
import { CHANGED_GRAPH, SparqlClient } from '../../../src/graph/sparql/client.ts'
import { authorization, cleanUp, spawnStore, startStore, temporaryDirectory, versionedGraph } from './start.ts'

afterEach(cleanUp)

const COUNT = 'SELECT (COUNT(*) AS ?n) WHERE { GRAPH <urn:g> { ?s ?p ?o } }'

test('writes that find no room on the disk are refused, and acknowledged data stay', async () => {
  const directory = await temporaryDirectory()
  const { process: child, endpoint } = await spawnStore(directory, { mostFileBytes: 400_000 })
  const client = new SparqlClient({ endpoint, timeoutMs: 20_000 })
  const send = (contentType: string, url: string, method: string, body: string) =>
    fetch(url, {
      method,
      headers: { ...authorization({ endpoint }), 'content-type': contentType, [CHANGED_GRAPH]: 'urn:g' },
      body,
    })

  // A disk that is full takes neither the update nor new files.
  const large = 'x'.repeat(150_000)
  let acknowledged = 0
  let refused: Response | undefined
  for (let i = 0; i < 20 && !refused; i++) {
    const update = `INSERT DATA { GRAPH <urn:g> { <urn:s${i}> <urn:p> "${large}" } }`
    const response = await send('application/sparql-update', endpoint.updateUrl, 'POST', update)
    if (response.status === 204) acknowledged++
    else refused = response
  }
  expect(refused?.status).toBe(503)
  const { message } = (await refused!.json()) as { message: string }
  expect(message).toContain(`The store cannot write to its disk: ${directory}/`)
  expect(acknowledged).toBeGreaterThan(0)

  const put = await send(
    'application/n-triples',
    `${endpoint.graphStoreUrl}?graph=urn:h`,
    'PUT',
    versionedGraph(1, 20_000),
  )
  expect(put.status).toBe(503)
  expect(await put.text()).toMatch(/graph-\w+\.nt cannot be written: /)
  expect(await client.ask('ASK { GRAPH <urn:h> { ?s ?p ?o } }')).toBe(false)
  expect(await client.select(COUNT)).toMatchObject([{ n: { value: `${acknowledged}` } }])

  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
  const again = await startStore({ directory })
  expect(await again.client.select(COUNT)).toMatchObject([{ n: { value: `${acknowledged}` } }])
  await again.client.update('INSERT DATA { GRAPH <urn:g> { <urn:more> <urn:p> 1 } }', 'urn:g')
  expect(await again.client.select(COUNT)).toMatchObject([{ n: { value: `${acknowledged + 1}` } }])
})
