/** SSSOM/TSV of the service, as its own Python package reads it. */
import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startApp, type RunningApp } from '../../app.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { findTool } from '../../tools.ts'
import { loadConcordance } from './concordance.ts'

const { write } = temporaryFolder()
const sssom = findTool('sssom')

describeOver(EMBEDDED, 'SSSOM', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp

  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint)
    await (await loadConcordance(app, write)).close()
  })
  afterAll(async () => {
    expect(app.reported).toEqual([])
    await app.close()
    await running.stop()
  })

  const testValidator = sssom.path ? test : test.skip
  testValidator(`is valid for its own package${sssom.skipped}`, async () => {
    const validate = async (text: string) => {
      const file = await write('set.sssom.tsv', text)
      const { status, stdout, stderr } = spawnSync(sssom.path!, ['validate', file], { encoding: 'utf8' })
      return status === 0 && !/not well-formed/.test(stdout + stderr)
    }
    for (const question of [{ partOf: 'ab' }, {}]) {
      const { text } = await app.ask('/mappings', { ...question, format: 'sssom' })
      expect(await validate(text)).toBe(true)
      expect(await validate(text.replace(/\tsemapv:\w+/g, '\tnothing'))).toBe(false)
    }
  })
})
