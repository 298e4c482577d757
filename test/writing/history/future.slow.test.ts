import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadDemo } from '../../../src/doors/demo/demo.ts'
import { addSubset } from '../../../src/writing/loading/subsets.ts'
import { CRAFTS, MATERIALS } from '../../app.ts'
import { RDF, SKOS } from '../../../src/base/namespaces.ts'
import { temporaryFolder } from '../../folder.ts'
import { startIngest, type IngestService } from '../ingest/service.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

describeOver(EMBEDDED, 'GET /data with at in the future', (store) => {
  const { write } = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  let service: IngestService

  beforeAll(async () => {
    running = await store.start()
    service = await startIngest(running.endpoint)
    const { client, config, history } = service
    await loadDemo(client, config, { history })
    await addSubset(client, { id: 'subset_new', of: 'crafts', branch: `${CRAFTS}bookbinding` }, history)
    const turtle = `<${CRAFTS}subset/group> a <${RDF}Bag> ; <${SKOS}definition> "Of another class"@en .`
    const record = await write('group.ttl', turtle)
    const members = await write('group.txt', `${CRAFTS}bookbinding`)
    await addSubset(client, { id: 'subset_group', of: 'crafts', members, record }, history)
    service.state.changed()
  }, 120_000)
  afterAll(async () => {
    await service.close()
    await running.stop()
  })

  // The last two are no concept schemes in the graph; commands make subsets collections.
  const SUBSETS = ['subset/school', 'subset/textile', 'subset/group', 'subset_new'].map((name) => CRAFTS + name)
  const GROUPS = ['japan', 'fibre-to-garment'].map((name) => `${CRAFTS}collection/${name}`)
  test.each([CRAFTS, MATERIALS, ...SUBSETS, ...GROUPS, `${CRAFTS}bookbinding`, `${CRAFTS}suminagashi`])(
    'gives %s as it is, in all vocabularies and in each subset',
    async (uri) => {
      let count = 0
      for (const voc of ['*', ...SUBSETS]) {
        for (const properties of ['', '+notation', '*']) {
          const { body } = await service.ask('/data', { uri, voc, properties })
          expect((await service.ask('/data', { uri, voc, properties, at: '2999-01-01' })).body).toEqual(body)
          count += body.length
        }
      }
      expect(count).toBeGreaterThan(2)
    },
  )
})
