import { resolve } from 'node:path'
import { expect, test } from '@jest/globals'
import { LOAD } from '../../../src/base/namespaces.ts'
import { loadTemplates, type Template } from '../../../src/graph/sparql/templates.ts'
import { CRAFTS, type RunningApp } from '../../app.ts'
import { startDemo } from '../../doors/demo/demo.ts'
import { runOver } from '../../run-over.ts'
import { describeOver } from '../../stores.ts'

const templates = loadTemplates(resolve(import.meta.dirname, '../../../queries'))

/** Shows that each template finds or changes something in the demo as it stands, over some stores. */
export function describeEveryTemplate(stores: Parameters<typeof describeOver>[0]): void {
  describeOver(stores, 'every template as it stands, over the demo', (store) => {
    let app: RunningApp

    runOver(store, async (endpoint) => (app = await startDemo(endpoint)))

    const isUpdate = ({ file }: Template) => file.endsWith('.ru')
    const [updates, queries] = [true, false].map((kind) =>
      [...templates].filter(([, template]) => isUpdate(template) === kind),
    ) as [[string, Template][], [string, Template][]]

    test.each(queries)('%s finds something', async (_, { text }) => {
      if (/^ASK\b/m.test(text)) expect(await app.client.ask(text)).toBe(true)
      else if (/^CONSTRUCT\b/m.test(text)) expect((await app.client.construct(text)).size > 0).toBe(true)
      else {
        // An aggregate has one row even of nothing.
        const rows = (await app.client.select(text)).filter((row) =>
          Object.values(row).some((term) => term!.value !== '0'),
        )
        expect(rows.length > 0).toBe(true)
      }
    })

    const triples = async () => {
      const rows = await app.client.select('SELECT ?g ?s ?p ?o WHERE { GRAPH ?g { ?s ?p ?o } }')
      return rows.map((row) => JSON.stringify(row)).sort()
    }
    test.each(updates)('%s changes something', async (_, { text }) => {
      // The id of a load is another one each time.
      const load = `<${CRAFTS}> <${LOAD}> "00000000-0000-4000-8000-000000000000"`
      await app.client.update(`INSERT DATA { GRAPH <${CRAFTS}> { ${load} } }`, CRAFTS)
      const before = await triples()
      await app.client.update(text, /\b(?:WITH|GRAPH) <([^>]*)>/.exec(text)![1]!)
      expect(await triples()).not.toEqual(before)
    })
  })
}
