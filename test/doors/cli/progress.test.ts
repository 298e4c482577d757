import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { rm } from 'node:fs/promises'
import { SKOS } from '../../../src/base/namespaces.ts'
import { outputOf } from '../../command.ts'
import { temporaryFolder } from '../../folder.ts'
import { newDirectory, storeEnv } from '../../process.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

describeOver(EMBEDDED, 'the progress of a load', (store) => {
  const { write } = temporaryFolder()
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
    ['of a new vocabulary', [], ['reading', 'checking', 'writing the index', 'writing the history', 'sending']],
    [
      'that must remove nothing',
      ['--forbid-removal'],
      ['reading', 'checking', 'comparing', 'writing the index', 'writing the history', 'sending'],
    ],
  ])('names each step in its order: a load %s', async (title, options, steps) => {
    const text = `<http://example.org/steps/> a <${SKOS}ConceptScheme> ; <${SKOS}note> "${title}" .`
    const file = await write('steps.ttl', text)
    const output = await outputOf(['load', file, ...options], { DATA_DIR, ...storeEnv(running.endpoint) })
    expect(output.split('\n').filter((line) => line.endsWith(' ...'))).toEqual(steps.map((step) => `${step} ...`))
  })
})
