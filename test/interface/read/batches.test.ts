/** What lists ask the store for, and which of them the service keeps as it has sent them. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { REVISION } from '../../../src/base/namespaces.ts'
import { CRAFTS, putDemo, startApp, type RunningApp } from '../../app.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

describeOver(EMBEDDED, 'lists', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  let templates: string[] = []

  beforeAll(async () => {
    running = await store.start()
    // Nothing becomes too old, however busy the machine is.
    const onRequest = ({ template }: { template: string }) => templates.push(template)
    app = await startApp(running.endpoint, { MAX_STALENESS_MS: '600000' }, { onRequest })
    await putDemo(app)
    // The index has lists of vocabularies with a revision only.
    await app.client.update(`INSERT DATA { GRAPH <${CRAFTS}> { <${CRAFTS}> <${REVISION}> "1" } }`, CRAFTS)
    app.state.changed()
    await app.index.refresh([CRAFTS])
    await app.index.caughtUp()
  })
  afterAll(async () => {
    await app?.close()
    await running?.stop()
  })
  beforeEach(() => app.state.changed())

  /**
   * The templates that a request asks the store for, apart from the state of the store and the list of vocabularies.
   */
  const asked = async (path: string, init?: RequestInit) => {
    templates = []
    const answer = await app.get(path, init)
    expect(answer.status).toBe(200)
    return {
      ...answer,
      templates: templates.filter((template) => !['revisions', 'voc', 'list/lengths'].includes(template)),
    }
  }

  test.each([
    ['that the index has', '/voc/crafts/concepts', ['describe/concept']],
    [
      'that a template selects',
      `/voc/crafts/concepts?type=${encodeURIComponent('http://www.w3.org/2004/02/skos/core#Concept')}`,
      ['voc/concepts', 'describe/concept'],
    ],
    ['below a concept', `/narrower?uri=${CRAFTS}book-and-paper`, ['describe/concept']],
  ])('a list of one batch %s is kept as it was sent', async (_, path, expected) => {
    const first = await asked(path)
    expect(first.body.length).toBeGreaterThan(1)
    expect(first.templates).toEqual(expected)
    const second = await asked(path)
    expect(second.templates).toEqual([])
    expect(second.text).toBe(first.text)
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'))
  })

  test.each([
    `/data?uri=${CRAFTS}bookbinding`,
    `/data?uri=${CRAFTS}bookbinding|${CRAFTS}papermaking`,
    '/data?notation=B1',
    `/narrower?uri=${CRAFTS}book-and-paper`,
    `/narrower?uri=${CRAFTS}book-sewing&voc=subset_crafts-school`,
    `/broader?uri=${CRAFTS}bookbinding`,
    `/ancestors?uri=${CRAFTS}bookbinding`,
    '/voc/crafts/top',
    '/voc/crafts/concepts?limit=2&offset=1',
  ])('a first visit of %s takes one request to the store', async (path) => {
    const { body, templates } = await asked(path)
    expect(body.length).toBeGreaterThan(0)
    expect(templates).toEqual(['describe/concept'])
  })

  test.each(['', '&voc=crafts'])(
    'a page that is full takes a second request for the length of the list%s',
    async (voc) => {
      const path = `/narrower?uri=${CRAFTS}book-and-paper${voc}`
      const whole = await asked(path)
      app.state.changed()
      const page = await asked(`${path}&limit=1&offset=1`)
      expect(page.templates).toEqual(['describe/concept', 'describe/count'])
      expect(page.body).toEqual(whole.body.slice(1, 2))
      expect(page.headers.get('x-total-count')).toBe(whole.headers.get('x-total-count'))
    },
  )

  test.each([
    ['a vocabulary', CRAFTS],
    ['a subset', `${CRAFTS}subset/school`],
  ])('concepts by their URIs with %s among them are asked for as without', async (_, more) => {
    const concepts = (await app.get('/voc/crafts/concepts')).body.map(({ uri }: { uri: string }) => uri) as string[]
    // Concepts that the store does not have, so that they are too many for one batch.
    const many = [...concepts, ...Array.from({ length: 400 }, (_, at) => `${CRAFTS}unknown/${at}`)]
    const post = async (uris: readonly string[]) => {
      app.state.changed()
      const body = new URLSearchParams({ uri: uris.join('|'), limit: '3' })
      return asked('/data', { method: 'POST', body })
    }
    const [without, answer] = [await post(many), await post([...many, more])]
    expect(without.templates).toEqual(['data', 'collections/which', 'describe/concept'])
    expect(answer.templates).toEqual(without.templates)
    expect(Number(answer.headers.get('x-total-count'))).toBe(Number(without.headers.get('x-total-count')) + 1)
    expect(answer.body).toEqual(without.body)
  })
})
