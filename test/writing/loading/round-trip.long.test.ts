/** Loading what was downloaded changes nothing: the loader foretells no change, and the graph is isomorphic. */
import { statSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { InputError } from '../../../src/base/files/input-error.ts'
import { charactersNotInXml, escapeXml } from '../../../src/interface/http/xml.ts'
import { fieldsOf } from '../../../src/graph/jskos/fields.ts'
import type { AnyRecord } from '../../../src/graph/jskos/record.ts'
import { foretellLoad, loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import type { LoadReport } from '../../../src/writing/loading/report.ts'
import type { LoadOptions } from '../../../src/writing/loading/prepare.ts'
import { unescapeNTriples } from '../../../src/graph/sparql/ntriples.ts'
import { EXPORT_FORMATS } from '../../../src/doors/export/export.ts'
import { startApp, type RunningApp } from '../../app.ts'
import { dataFiles, NO_DATA, TEST_DATA } from '../../data.ts'
import { LONG } from '../../long.ts'
import { newDirectory } from '../../process.ts'
import { DEPLOYED, describeOver } from '../../stores.ts'
import { canonical } from '../source/canonical.ts'
import { removeAll } from './remove-all.ts'

const FOLDERS = ['vocab', 'edge', 'wild', 'stress', 'jskos', 'large']
/** All but the one with 1.4 million concepts, which is too large to be tried in each format. */
const VOCABULARIES = /(?<!-full)\.(ttl|nt|rdf|json|ndjson)(\.gz)?$/
/** For files that have none. */
const SCHEME = 'http://example.org/scheme-of-the-test'
/** The messages about the files that are broken, or empty. */
const REFUSED = /the file is empty|disallowed character/
/** By default, each store has one of so many files, and only small ones, whose size is known. */
const SHARE = { embedded: 3, fuseki: 12, oxigraph: 12, rdf4j: 12 }
const MOST_BYTES = 60_000
/** The downloads of the largest vocabularies take minutes on a busy machine. */
const PATIENCE_MS = LONG ? 1_800_000 : 60_000

const NO_CHANGE = { created: 0, changed: 0, deprecated: 0, gone: 0, topConceptsLost: 0, mappingsLost: 0, vanishing: [] }
/** A line of N-Triples without the characters that XML cannot write. */
const inXml = (line: string) => escapeXml(unescapeNTriples(line))

if (NO_DATA) {
  test.skip(`loading what was downloaded${NO_DATA}`, () => undefined)
} else {
  const all = FOLDERS.flatMap((folder) => dataFiles(folder, VOCABULARIES))

  describeOver(DEPLOYED, 'loading what was downloaded', (store) => {
    let folder: string
    let app: RunningApp
    let stop: () => Promise<void>
    beforeAll(async () => {
      folder = await newDirectory()
      const running = await store.start()
      stop = () => running.stop()
      app = await startApp(running.endpoint, { MAX_STALENESS_MS: '0' })
    })
    afterEach(() => removeAll(app.client))
    afterAll(async () => {
      await app?.close()
      await stop?.()
      await rm(folder, { recursive: true })
    })

    const load = (file: string, options: LoadOptions) =>
      loadVocabulary(app.client, [file], { check: false, ...options })
    /**
     * Loads a file as an operator would, who names a scheme if the loader asks for one; undefined if the file is
     * refused.
     */
    async function loadAny(file: string): Promise<{ report: LoadReport; scheme?: string } | undefined> {
      const ids = ['round-trip']
      try {
        return { report: await load(file, { ids }) }
      } catch (error) {
        if (!(error instanceof InputError)) throw error
        if (!error.message.includes('--scheme')) {
          expect(error.message).toMatch(REFUSED)
          return undefined
        }
        const [scheme = SCHEME] = /https?:\/\/[^\s,]+/.exec(error.message) ?? []
        return { report: await load(file, { ids, scheme }), scheme }
      }
    }
    async function graph(uri: string): Promise<string[]> {
      const chunks: Uint8Array[] = []
      for await (const chunk of app.client.getGraph(uri)) chunks.push(chunk)
      const lines = Buffer.concat(chunks).toString().split('\n')
      return canonical(lines.filter((line) => line !== '' && !/^\S+ <urn:x-vocabulary-service:/.test(line)))
    }
    async function download(id: string, format: string): Promise<Buffer> {
      const answer = await fetch(`${app.url}/voc/${encodeURIComponent(id)}/export?format=${format}`)
      const body = Buffer.from(await answer.arrayBuffer())
      expect([id, format, answer.status, answer.ok ? '' : body.toString()]).toEqual([id, format, 200, ''])
      return body
    }
    const copyOf = async (content: Buffer, extension: string) => {
      const copy = join(folder, `copy.${extension}`)
      await writeFile(copy, content)
      return copy
    }

    const small = all.filter((file) => statSync(file).size < MOST_BYTES && !file.endsWith('.gz'))
    const isInAll = LONG && store.name === 'embedded'
    const chosen = LONG ? all : small.filter((_, at) => at % SHARE[store.name] === 0)
    test.each(chosen.map((file, at) => [relative(TEST_DATA, file), file, at] as const))(
      '%s',
      async (_, file, at) => {
        const loaded = await loadAny(file)
        if (!loaded) return
        const { report, scheme } = loaded
        // Otherwise each file in one format of each kind in turn: formats do not depend on the store.
        const formats = [
          // RDF/XML may lose characters, so it comes last.
          ...EXPORT_FORMATS.filter(({ kind }) => kind === 'table').filter((_, index) => isInAll || index === at % 2),
          ...EXPORT_FORMATS.filter(({ kind }) => kind === 'rdf').filter((_, index) => isInAll || index === at % 4),
        ]
        for (const { uri, ids } of [report, ...report.subsets]) {
          const before = await graph(uri)
          for (const {
            formats: [format],
            extension,
          } of formats) {
            const copy = await copyOf(await download(ids[0]!, format), extension)
            const options = uri === report.uri ? { scheme } : {}
            const isLossy = format === 'rdfxml' && before.some((line) => charactersNotInXml(unescapeNTriples(line)) > 0)
            if (!isLossy) {
              const difference = await foretellLoad(app.client, [copy], { check: false, ...options })
              expect([format, difference]).toEqual([format, { ...difference, ...NO_CHANGE }])
            }
            await load(copy, options)
            const after = await graph(uri)
            const [expected, actual] = isLossy ? [before.map(inXml), after.map(inXml)] : [before, after]
            expect([format, actual]).toEqual([format, expected])
          }
        }
        if (!LONG && at % 4 > 0) return
        const records = await download(report.ids[0]!, 'ndjson')
        await load(await copyOf(records, 'ndjson'), { scheme })
        const again = await download(report.ids[0]!, 'ndjson')
        expect(said(again.toString(), report)).toEqual(said(records.toString(), report))
      },
      PATIENCE_MS,
    )
  })
}

const ITEMS = fieldsOf('concept').flatMap(({ name, kind }) => (kind === 'items' ? [name] : []))

/**
 * Records without the differences that JSKOS makes: a text in the place of a link comes back as a link, which may have
 * a name, and the concepts that are only in other schemes of the graph are not there.
 */
function said(ndjson: string, { uri }: LoadReport): AnyRecord[] {
  return ndjson
    .trimEnd()
    .split('\n')
    .map((line) => {
      const record = JSON.parse(line) as AnyRecord
      for (const name of ITEMS) {
        const items = record[name] as AnyRecord[] | undefined
        if (items) record[name] = items.map((item) => item['uri'] ?? item)
      }
      const tops = record['topConceptOf'] as AnyRecord[] | undefined
      return tops ? { ...record, topConceptOf: tops.filter((top) => top['uri'] === uri) } : record
    })
}
