/** Loads through the embedded store of a service that is killed. */
import { once } from 'node:events'
import type { ChildProcess } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { expect, test } from '@jest/globals'
import { SKOS } from '../../../src/base/namespaces.ts'
import { temporaryFolder } from '../../folder.ts'
import { newDirectory, run, startService } from '../../process.ts'

/** So many that the loads are still at work. */
const CONCEPTS = 20_000
const ENDS_WITHIN_MS = 15_000

const { write } = temporaryFolder()

function vocabulary(name: string): Promise<string> {
  const base = `http://example.org/${name}/`
  const concepts = Array.from({ length: CONCEPTS }, (_, at) => {
    return `:c${at} a skos:Concept ; skos:prefLabel "Lock ${at} of ${name}"@en ; skos:altLabel "Bolt ${at}"@en, "Bar ${at}"@en .`
  })
  const head = `@prefix skos: <${SKOS}> . @prefix : <${base}> . <${base}> a skos:ConceptScheme ; skos:prefLabel "${name}"@en .`
  return write(`${name}.ttl`, [head, ...concepts].join('\n'))
}

/** Resolves when a command shows that it has begun a step; fails if the command ends before. */
async function hasBegun(child: ChildProcess, step: string): Promise<void> {
  let shown = ''
  for await (const chunk of child.stdout!.iterator({ destroyOnReturn: false })) {
    if ((shown += String(chunk)).includes(step)) return
  }
  throw new Error(`the command has ended: ${shown}`)
}

test('two loads end soon after the service is killed, each with one line', async () => {
  const dataDir = await newDirectory()
  const files = await Promise.all(['gates', 'safes'].map(vocabulary))
  const service = await startService({ DATA_DIR: dataDir })
  const loads = files.map((file) => run('dist/cli/main.js', ['load', file], { DATA_DIR: dataDir }))
  const ends = loads.map(async (load) => {
    const [stderr, [code]] = await Promise.all([text(load.stderr!), once(load, 'exit') as Promise<[number | null]>])
    return { code, stderr }
  })
  await Promise.all(loads.map((load) => hasBegun(load, 'checking')))
  await service.stop('SIGKILL')
  const killed = performance.now()
  // The line is the same whether the look at the service finds its end first, or a request to the store.
  const stderr = 'error: The service that had the store has ended. Start it, and try again.\n'
  expect(await Promise.all(ends)).toEqual([
    { code: 1, stderr },
    { code: 1, stderr },
  ])
  expect(performance.now() - killed).toBeLessThan(ENDS_WITHIN_MS)
})
