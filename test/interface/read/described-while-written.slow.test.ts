/** Long lists that are described while they are written. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { LOAD, REVISION, SKOS } from '../../../src/base/namespaces.ts'
import { startApp, type RunningApp } from '../../app.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

describeOver(EMBEDDED, 'lists', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  let atRequest: (template: string) => void = () => undefined

  beforeAll(async () => {
    running = await store.start()
    // Nothing becomes too old, however busy the machine is.
    const onRequest = ({ template }: { template: string }) => atRequest(template)
    app = await startApp(running.endpoint, { MAX_STALENESS_MS: '600000' }, { onRequest })
  })
  afterAll(async () => {
    await app?.close()
    await running?.stop()
  })

  describe('a list that is described while it is written', () => {
    const LONG = 'http://example.org/long/'
    const OTHER = 'http://example.org/other/'
    const LENGTH = 2600
    const marks = (uri: string, revision: string, load: string) =>
      `<${uri}> a <${SKOS}ConceptScheme> ; <${REVISION}> "${revision}" ; <${LOAD}> "${load}" .`
    const put = (revision: string, load: string) => app.put(OTHER, marks(OTHER, revision, load))
    const loadLong = (load: string) =>
      app.client.update(
        `DELETE WHERE { GRAPH <${LONG}> { <${LONG}> <${LOAD}> ?o } } ;
          INSERT DATA { GRAPH <${LONG}> { <${LONG}> <${LOAD}> "${load}" } }`,
        LONG,
      )
    beforeAll(async () => {
      const concepts = Array.from(
        { length: LENGTH },
        (_, at) => `<${LONG}${at}> a <${SKOS}Concept> ; <${SKOS}inScheme> <${LONG}> ; <${SKOS}prefLabel> "${at}"@en .`,
      )
      await app.put(LONG, `${marks(LONG, '1', '1')} <${LONG}> <${SKOS}notation> "long" .\n${concepts.join('\n')}`)
      await put('1', '1')
      await app.index.refresh([LONG])
      await app.index.caughtUp()
    })

    test.each(['/voc/long/concepts', '/voc/long/export?format=ndjson'])(
      '%s goes on after changes of another vocabulary, and breaks off after a load of its own',
      async (path) => {
        const during = async (change: () => Promise<void>) => {
          await put('1', '1')
          app.state.changed()
          let changed: Promise<void> | undefined
          atRequest = (template) => {
            if (template === 'describe/concept') changed ??= change().then(() => app.state.changed())
          }
          try {
            const response = await fetch(app.url + path)
            if (!response.ok) throw new Error(`status ${response.status}`)
            return (await response.text()).length
          } finally {
            await changed
            atRequest = () => undefined
          }
        }
        const whole = await during(() => Promise.resolve())
        expect(whole).toBeGreaterThan(LENGTH)
        expect(await during(() => put('2', '1'))).toBe(whole)
        expect(await during(() => put('3', '2'))).toBe(whole)
        expect(await during(() => app.client.update(`DROP GRAPH <${OTHER}>`, OTHER))).toBe(whole)
        await expect(during(() => loadLong('2'))).rejects.toThrow()
        await loadLong('1')
      },
    )
  })
})
