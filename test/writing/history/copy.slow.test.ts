/** The program of docs/history.md that keeps a copy of a vocabulary, as it stands there. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { temporaryFolder } from '../../folder.ts'
import { blocksOf } from '../../shown-commands.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { startIngest, type IngestService } from '../ingest/service.ts'

const LAKES = 'http://example.org/lakes/'
/** More than a page of changes. */
const COUNT = 130
const [program] = (await blocksOf('docs/history.md')).filter(({ language }) => language === 'python')
const run = promisify(execFile)
const hasPython = await run('python3', ['-c', '{} | {}']).then(
  () => true,
  () => false,
)
const testPython = hasPython ? test : test.skip
const without = hasPython ? '' : ', skipped: there is no python3 from 3.9 on'

const turtle = (names: readonly string[]) => `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
  <${LAKES}> a skos:ConceptScheme ; skos:prefLabel "Lakes"@en .
  ${names.map((name, at) => `<${LAKES}${at}> a skos:Concept ; skos:inScheme <${LAKES}> ; skos:prefLabel "${name}"@en .`).join('\n')}`

describeOver(EMBEDDED, 'A copy by /changes', (store) => {
  const { path, write } = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  let service: IngestService
  beforeAll(async () => {
    running = await store.start()
    service = await startIngest(running.endpoint)
  })
  afterAll(async () => {
    await service.close()
    await running.stop()
  })

  const load = async (names: readonly string[]) => {
    const { client, history } = service
    await loadVocabulary(client, [await write('lakes.ttl', turtle(names))], { ids: ['lakes'], history, check: false })
    service.state.changed()
  }
  /** Runs the program; gives the labels of its copy by URI. */
  const copy = async () => {
    const here = program!.text.replace('http://localhost:3000', service.url).replaceAll('crafts', 'lakes')
    const cwd = dirname(await write('copy.py', here))
    await run('python3', ['copy.py'], { cwd })
    const [, records] = JSON.parse(await readFile(path('lakes.json'), 'utf8')) as [string, Record<string, any>]
    return Object.fromEntries(Object.entries(records).map(([uri, { prefLabel }]) => [uri, prefLabel.en]))
  }
  const expected = (names: readonly string[]) =>
    Object.fromEntries([[LAKES, 'Lakes'], ...names.map((name, at) => [LAKES + at, name])])

  testPython(`has all, then what is new, changed and gone${without}`, async () => {
    const names = Array.from({ length: COUNT }, (_, at) => `Lake ${at}`)
    await load(names)
    expect(await copy()).toEqual(expected(names))
    const next = ['Another lake', ...names.slice(1, -1)]
    await load(next)
    expect(await copy()).toEqual(expected(next))
    expect(await copy()).toEqual(expected(next))
  })
})
