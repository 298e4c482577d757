import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { cleanUp, startStore, type StartedStore } from './start.ts'

const GRAPH = 'http://example.org/'
const CONCEPTS = 3000
const CONSTRUCT = 'CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }'

let store: StartedStore
let here: SparqlClient

describe('queries within the process', () => {
  beforeAll(async () => {
    store = await startStore()
    here = new SparqlClient({ endpoint: store.endpoint, answerQuery: store.answerQuery, timeoutMs: 30_000 })
    const lines = Array.from(
      { length: CONCEPTS },
      (_, i) => `<${GRAPH}${i}> <${GRAPH}name> "süß \\"${i}\\" \u{1F44D}"@de .`,
    )
    await here.putGraph(GRAPH, lines.join('\n'))
  })
  afterAll(cleanUp)

  describe('a store within the process answers as it does over HTTP', () => {
    test.each([
      ['solutions', (client: SparqlClient) => client.select(`SELECT ?s ?o { ?s ?p ?o } ORDER BY ?s LIMIT 50`)],
      ['a boolean', (client: SparqlClient) => client.ask(`ASK { <${GRAPH}1> ?p ?o }`)],
      ['a graph in several pieces', async (client: SparqlClient) => [...(await client.construct(CONSTRUCT))].sort()],
      ['a query that is no SPARQL', (client: SparqlClient) => failureOf(client.select('SELECT nonsense'))],
      ['a query that changes data', (client: SparqlClient) => failureOf(client.select(`DROP GRAPH <${GRAPH}>`))],
      ['an answer of another form', (client: SparqlClient) => failureOf(client.ask(CONSTRUCT))],
    ])('%s', async (_, ask) => {
      const answer = await ask(here)
      expect(answer).toEqual(await ask(store.client))
      expect(answer).toBeTruthy()
    })

    test('a query without an answer at the deadline', async () => {
      const slow = 'SELECT (COUNT(*) AS ?n) WHERE { ?a ?b ?c . ?d ?e ?f FILTER(?c != ?f) }'
      const late = (client: SparqlClient) => failureOf(client.select(slow, { timeoutMs: 50 }))
      const answer = await late(here)
      expect(answer).toMatchObject({ name: 'TimeoutError', status: 504 })
      expect(answer).toEqual(await late(store.client))
    })

    test('a query to a store that has closed', async () => {
      const closed = await startStore()
      const client = new SparqlClient({ endpoint: closed.endpoint, answerQuery: closed.answerQuery, timeoutMs: 30_000 })
      await closed.close()
      expect(await failureOf(client.ask('ASK {}'))).toMatchObject({ name: 'ServiceUnavailableError', status: 503 })
    })
  })

  test('the requests of others have a turn while a long answer is read', async () => {
    let turns = 0
    const count = () => {
      turns++
      timer = setImmediate(count)
    }
    const { answerQuery } = store
    let timer: NodeJS.Immediate | undefined
    const client = new SparqlClient({
      endpoint: store.endpoint,
      timeoutMs: 30_000,
      answerQuery: async (...query) => {
        const answer = await answerQuery(...query)
        timer = setImmediate(count)
        return answer
      },
    })
    expect((await client.construct(CONSTRUCT)).size).toBe(CONCEPTS)
    clearImmediate(timer)
    expect(turns).toBeGreaterThanOrEqual(2)
  })

  /** The error that clients see. */
  async function failureOf(answer: Promise<unknown>) {
    const { name, message, status } = (await answer.catch((error: unknown) => error)) as {
      name: string
      message: string
      status: number
    }
    return { name, message, status }
  }
})
