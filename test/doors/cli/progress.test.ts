import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { SKOS } from '../../../src/base/namespaces.ts'
import { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { IndexOfCommands } from '../../../src/interface/search/index-of-commands.ts'
import { startEmbeddedStore } from '../../../src/interface/store/embedded.ts'
import { History } from '../../../src/writing/history/history.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import type { LoadProgress } from '../../../src/writing/source/read-files.ts'
import { outputOf } from '../../command.ts'
import { temporaryFolder } from '../../folder.ts'
import { testLong } from '../../long.ts'
import { newDirectory, storeEnv } from '../../process.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { showProgress } from '../../../src/doors/cli/progress.ts'

const { write } = temporaryFolder()

describeOver(EMBEDDED, 'the progress of a load', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let DATA_DIR: string

  beforeAll(async () => {
    running = await store.start()
    DATA_DIR = await newDirectory()
  }, 60_000)
  afterAll(async () => {
    await running.stop()
    await rm(DATA_DIR, { recursive: true })
  })

  test.each([
    ['of a new vocabulary', [], ['reading', 'checking', 'writing the history', 'writing the index', 'sending']],
    [
      'that must remove nothing',
      ['--forbid-removal'],
      ['reading', 'checking', 'comparing', 'writing the history', 'writing the index', 'sending'],
    ],
  ])('names each step in its order: a load %s', async (title, options, steps) => {
    const text = `<http://example.org/steps/> a <${SKOS}ConceptScheme> ; <${SKOS}note> "${title}" .`
    const file = await write('steps.ttl', text)
    const output = await outputOf(['load', file, ...options], { DATA_DIR, ...storeEnv(running.endpoint) })
    expect(output.split('\n').filter((line) => line.endsWith(' ...'))).toEqual(steps.map((step) => `${step} ...`))
  })
})

test('where there is no terminal, a long step tells its share and the time left every half minute', () => {
  let time = 0
  let text = ''
  const { show, end } = showProgress((some) => (text += some), { isTerminal: false, now: () => time })
  show('check', 0)
  for (const [seconds, done] of [
    [10, 0.1],
    [31, 0.25],
    [40, 0.3],
    [400, 0.5],
  ] as const) {
    time = seconds * 1000
    show('check', done)
  }
  show('index', 0)
  end()
  expect(text.split('\n')).toEqual([
    'checking ...',
    'checking: 25 %, 93 s left',
    'checking: 50 %, 7 min left',
    'writing the index ...',
    '',
  ])
})

test('on a terminal, a bar has the share and the time left of its step', () => {
  let time = 0
  let text = ''
  const { show, end } = showProgress((some) => (text += some), { isTerminal: true, now: () => time })
  show('history', 0)
  time = 20_000
  show('history', 0.5)
  show('send', 0)
  end()
  const lines = text.split('\r').map((line) => line.trimEnd())
  expect(lines).toEqual([
    '',
    'writing the history [                              ] 0 %',
    'writing the history [===============               ] 50 %, 20 s left',
    'sending             [                              ] 0 %',
    '',
    '',
  ])
})

testLong('index and history go on in their progress after the text is read', async () => {
  const shares = new Map<string, number[]>()
  const folder = await newDirectory()
  const store = await startEmbeddedStore({ directory: join(folder, 'store'), queryTimeoutMs: 10_000 })
  const client = new SparqlClient({ endpoint: store.endpoint, timeoutMs: 60_000 })
  const history = await History.open(folder, client)
  const index = new IndexOfCommands(folder, () => undefined)
  try {
    const concepts = Array.from({ length: 12_000 }, (_, at) => {
      return `<http://example.org/many/${at}> a <${SKOS}Concept> ; <${SKOS}prefLabel> "concept number ${at}"@en .\n`
    })
    const file = await write('many.ttl', `<http://example.org/many/> a <${SKOS}ConceptScheme> .\n${concepts.join('')}`)
    const onProgress: LoadProgress = (step, done) =>
      void (shares.get(step) ?? shares.set(step, []).get(step)!).push(done)
    await loadVocabulary(client, [file], { history, index, onProgress })
  } finally {
    await index.close()
    await history.close()
    await store.close()
    await rm(folder, { recursive: true })
  }
  for (const step of ['read', 'check', 'index', 'history', 'send']) {
    const some = shares.get(step)!
    expect([step, some]).toEqual([step, [...some].sort((a, b) => a - b)])
    if (step !== 'read') expect(some[0]).toBe(0)
  }
  // A quarter of these steps is the reading of the text.
  for (const step of ['index', 'history'])
    expect(shares.get(step)!.filter((done) => done > 0.3).length).toBeGreaterThan(3)
  expect(shares.get('check')!.length).toBeGreaterThan(2)
})
