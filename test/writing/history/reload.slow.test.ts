/**
 * Loading the same files again records nothing, whatever the order of their statements and the labels of their blank
 * nodes. By default this tests the demo, with TEST_LONG=1 also the vocabularies of TEST_DATA_DIR.
 */
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { BlankNode, Parser, Writer, type Term } from 'n3'
import { History } from '../../../src/writing/history/history.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { DEMO } from '../../app.ts'
import { dataFiles, NO_DATA, TEST_DATA } from '../../data.ts'
import { temporaryFolder } from '../../folder.ts'
import { LONG } from '../../long.ts'
import { newDirectory } from '../../process.ts'
import { DEPLOYED, describeOver } from '../../stores.ts'
import { replayed, stored } from './agreement.ts'

const demo = ['crafts.ttl', 'materials.ttl', 'subset-textile.ttl', 'subset-school.ttl'].map((name) =>
  resolve(DEMO, name),
)
const isWhole = LONG && !NO_DATA

/** The scheme of a file that has several. */
function schemeOf(file: string): string | undefined {
  if (demo.includes(file)) return undefined
  const listed = JSON.parse(readFileSync(resolve(TEST_DATA, 'vocabularies.json'), 'utf8')) as {
    file: string
    uri: string
  }[]
  return listed.find((vocabulary) => vocabulary.file === `vocab/${basename(file)}`)?.uri
}

/** The same statements the other way round, with other blank nodes. */
function shuffled(turtle: string): string {
  const quads = new Parser().parse(turtle).reverse()
  const writer = new Writer({ format: 'N-Triples' })
  const other = <Any extends Term>(term: Any) =>
    term.termType === 'BlankNode' ? new BlankNode(`other-${term.value.replace(/\W/g, '-')}`) : term
  return quads
    .map(({ subject, predicate, object }) => writer.quadToString(other(subject), predicate, other(object)))
    .join('')
}

describeOver(DEPLOYED, 'the same files loaded again', (store) => {
  const { write } = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  let client: SparqlClient
  let dataDir: string
  let history: History

  beforeAll(async () => {
    running = await store.start()
    client = new SparqlClient({ endpoint: running.endpoint, timeoutMs: 60_000 })
    dataDir = await newDirectory()
    history = await History.open(dataDir, client)
  }, 60_000)
  afterAll(async () => {
    await history.close()
    await running.stop()
    await rm(dataDir, { recursive: true })
  })

  // The log depends only on the files and its earlier state, not on the store.
  const testHere = store.name === 'embedded' || LONG ? test : test.skip
  testHere(
    `note nothing: ${isWhole ? 'the demo and all vocabularies' : 'the demo'}`,
    async () => {
      const files = [...demo, ...(isWhole ? dataFiles('vocab') : [])]
      const load = (file: string, scheme: string | undefined) =>
        loadVocabulary(client, [file], { scheme, history, check: false })
      const uris: string[] = []
      for (const file of files) uris.push((await load(file, schemeOf(file))).uri)
      const before = (await history.log.graphs()).map(({ uri, changes, changeset }) => ({ uri, changes, changeset }))
      expect(before.every(({ changes }) => changes > 0)).toBe(true)
      expect(before.length).toBeGreaterThanOrEqual(files.length)

      for (const file of files) {
        const other = await write(basename(file).replace('.ttl', '.nt'), shuffled(readFileSync(file, 'utf8')))
        await load(other, schemeOf(file))
      }
      for (const file of files) await load(file, schemeOf(file))

      const after = (await history.log.graphs()).map(({ uri, changes, changeset }) => ({ uri, changes, changeset }))
      expect(after).toEqual(before)
      for (const uri of uris) expect(await replayed(history, uri)).toEqual(await stored(client, uri))
    },
    60_000 + (isWhole ? 1_200_000 : 60_000),
  )
})
