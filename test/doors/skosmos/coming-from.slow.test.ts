/** docs/skosmos.md, "From `config.ttl` to `load`": its example loads as the page says. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { startApp } from '../../app.ts'
import { outputOf } from '../../command.ts'
import { temporaryFolder } from '../../folder.ts'
import { ROOT, storeEnv } from '../../process.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const URI = 'http://example.org/bridges/'

describeOver(EMBEDDED, 'coming from Skosmos', (store) => {
  const { path, write } = temporaryFolder()

  test('the vocabulary of the example has what its configuration says', async () => {
    const page = readFileSync(join(ROOT, 'docs/skosmos.md'), 'utf8')
    const [, record] = [...page.matchAll(/^```turtle\n(.*?)^```$/gms)].map(([, code]) => code!)
    const [, options] = /^npm run vocab -- load bridges.ttl (.*) --record bridges-record.ttl$/m.exec(page)!
    const file = await write('bridges.ttl', `<${URI}arch> a <http://www.w3.org/2004/02/skos/core#Concept> .`)
    const args = [
      'load',
      file,
      ...options!.split(' '),
      '--record',
      await write('bridges-record.ttl', record!),
      '--json',
    ]
    const running = await store.start()
    try {
      const env = { DATA_DIR: path('data'), ...storeEnv(running.endpoint) }
      expect(JSON.parse(await outputOf(args, env))).toMatchObject({ uri: URI, ids: ['bridges'], concepts: 1 })
      const app = await startApp(running.endpoint)
      const { body } = await app.ask('/voc', { uri: URI, properties: '*' })
      await app.close()
      expect(body).toMatchObject([
        {
          prefLabel: { de: 'Brücken', en: 'Bridges' },
          languages: ['de', 'en'],
          namespace: URI,
          subject: [{ uri: 'http://example.org/subjects/engineering', prefLabel: { en: 'Engineering' } }],
        },
      ])
    } finally {
      await running.stop()
    }
  }, 60_000)
})
