/**
 * A load that is killed after any of its durable steps leaves what ARCHITECTURE.md, "The order of durable steps", says.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from '@jest/globals'
import { fileURLToPath } from 'node:url'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { HOLD, LOADS_GRAPH, SKOS } from '../../../src/base/namespaces.ts'
import type { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { temporaryFolder } from '../../folder.ts'
import { expectAgreement } from '../history/agreement.ts'
import type { IngestService } from '../ingest/service.ts'
import { LONG } from '../../long.ts'
import { DEPLOYED, describeOver, isWhole } from '../../stores.ts'
import { serviceOver } from './service.ts'

const LOCKS = 'http://example.org/locks/'
const SUBSET = `${LOCKS}old`
const VICTIM = fileURLToPath(new URL('./victim.ts', import.meta.url))

describeOver(DEPLOYED, 'a load that is killed', (store) => {
  const { write } = temporaryFolder()
  let client: SparqlClient
  let service: IngestService
  const running = serviceOver(store, async (...begun) => {
    ;[client, service] = begun
    await loadVocabulary(client, [await version('Old', 40)], { history: service.history })
    // So that the index takes few changes alone.
    await service.index.caughtUp()
  })

  /**
   * A concept with so many labels that other ones for all concepts are most of the graph, which an update does not
   * change.
   */
  const labelled = (at: number, word: string) =>
    `:l${at} a skos:Concept ; skos:prefLabel "${word} ${at}"@en ; skos:altLabel ${Array.from({ length: 6 }, (_, name) => `"${word} ${at} ${name}"@en`).join(', ')} .`
  /** A vocabulary with a subset. @param changed the number of concepts whose names begin with a word. */
  const version = (word: string, changed: number) =>
    write(
      `${word}.ttl`,
      `@prefix skos: <${SKOS}> . @prefix : <${LOCKS}> . <${LOCKS}> a skos:ConceptScheme ; skos:prefLabel "Locks"@en .
      ${Array.from({ length: 40 }, (_, at) => labelled(at, at < changed ? word : 'Old')).join('\n')}
      <${SUBSET}> a skos:Collection ; skos:notation "subset_${word.toLowerCase()}" ;
        <http://purl.org/dc/terms/isPartOf> <${LOCKS}> ; skos:member :l0 .`,
    )
  /** The number of concepts with a name, and the notation of the subset. */
  const stored = async (word: string) => {
    const [row] = await client.select(
      `SELECT (COUNT(?c) AS ?count) WHERE { GRAPH <${LOCKS}> { ?c <${SKOS}prefLabel> ?l FILTER(STRSTARTS(STR(?l), "${word} ")) } }`,
    )
    const notation = `<${SKOS}notation> "subset_${word.toLowerCase()}"`
    return [Number(row!['count']!.value), await client.ask(`ASK { GRAPH <${SUBSET}> { <${SUBSET}> ${notation} } }`)]
  }
  const countOf = async (word: string) => {
    for (;;) {
      service.state.changed()
      await service.index.caughtUp()
      const { status, headers } = await service.ask('/search', { query: word, voc: LOCKS, limit: '1' })
      if (status === 200) return Number(headers.get('x-total-count'))
      expect(status).toBe(503)
    }
  }

  const STEPS: [step: string, changed: number, expected: [number, boolean]][] = [
    ['history draft', 40, [0, false]],
    ['index draft', 40, [0, false]],
    ['turn', 2, [0, false]],
    ['hold', 40, [0, false]],
    ['graph', 40, [40, false]],
    ['graph', 2, [2, false]],
    ['subset', 2, [2, true]],
    ['history', 2, [2, true]],
    ['index', 40, [40, true]],
  ]
  /** The same steps of the other kind of load. */
  const FURTHER: typeof STEPS = [
    ['history draft', 2, [0, false]],
    ['turn', 40, [0, false]],
    ['index', 2, [2, true]],
    ['subset', 40, [40, true]],
    ['history', 40, [40, true]],
  ]
  const isWanted = ([step]: (typeof STEPS)[number]) => isWhole(store) || step === 'graph'
  test.each([...STEPS, ...(LONG ? FURTHER : [])].filter(isWanted))(
    'after the step "%s" of %s changes',
    async (step, changed, expected) => {
      const file = await version('New', changed)
      const parameters = [step, file, JSON.stringify(running.endpoint), service.dataDir]
      const child = spawn(process.execPath, ['--import', 'tsx', VICTIM, ...parameters], {
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
      expect(await stored('New')).toEqual(expected)
      expect((await stored('Old'))[0]).toBe(40 - Number(expected[0]))
      await expectAgreement(client, service.dataDir, LOCKS)
      expect(await countOf('New')).toBe(expected[0])
      // The holds end after 20 seconds; without waiting for that, the next load completes everything.
      for (const graph of [LOCKS, LOADS_GRAPH]) {
        await client.update(`DELETE WHERE { GRAPH <${graph}> { ?any <${HOLD}> ?hold } }`, graph)
      }
      await loadVocabulary(client, [file], { history: service.history })
      expect(await stored('New')).toEqual([changed, true])
      await expectAgreement(client, service.dataDir, LOCKS)
      expect(await countOf('New')).toBe(changed)
    },
  )
})
