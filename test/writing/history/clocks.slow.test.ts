/**
 * Clocks that were wrong when a change was recorded: at= the present gives the newest version, and the times of the log
 * stay in order.
 */
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { NOTHING } from '../../../src/writing/history/log/digest.ts'
import { SKOS, RDF_TYPE } from '../../../src/base/namespaces.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { temporaryFolder } from '../../folder.ts'
import { newDirectory, startService, storeEnv } from '../../process.ts'
import { startIngest, type IngestService } from '../ingest/service.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const YEAR_MS = 365 * 24 * 3_600_000
const inYears = (years: number) => new Date(Date.now() + years * YEAR_MS).toISOString()

describeOver(EMBEDDED, 'a wrong clock', (store) => {
  const { write } = temporaryFolder()
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

  /** A vocabulary whose changes a test records, some of them by a wrong clock. */
  const vocabulary = (id: string) => {
    const scheme = `http://example.org/${id}/`
    const uri = `${scheme}a`
    return {
      uri: scheme,
      load: async (label: string) => {
        const text = `@prefix skos: <${SKOS}> . <${scheme}> a skos:ConceptScheme . <${uri}> a skos:Concept ; skos:prefLabel "${label}"@en .`
        const { client, history, state } = service
        await loadVocabulary(client, [await write(`${id}.ttl`, text)], { ids: [id], history, check: false })
        state.changed()
      },
      /** A change of something else, at another time. */
      change: async (time: string) => {
        const { log } = service.history!
        const draft = await log.drafts.begin(
          await log.intern(scheme),
          (await log.intern(scheme)).load,
          { by: 'load' },
          time,
        )
        const removed = [`<${RDF_TYPE}> <${SKOS}Concept>`]
        const gone = { kind: 'Delete', isListed: true, before: NOTHING, after: NOTHING, removed, added: [] } as const
        await log.drafts.add(draft, [{ uri: `${scheme}gone/${time}`, ...gone }])
        expect(await log.drafts.commit(draft, { time })).toBe(true)
      },
      at: async (at: string) => {
        const { status, body } = await service.ask('/data', { uri, at })
        return status === 200 ? (body[0]?.prefLabel.en ?? null) : status
      },
      times: async () => {
        const { log } = service.history!
        const graph = (await log.graph(scheme))!
        return (await log.page(graph, 0, graph.changes)).map(({ time }) => time)
      },
    }
  }
  const now = () => {
    const time = new Date().toISOString()
    while (new Date().toISOString() <= time);
    return time
  }

  test('10 years ahead for one change: at= gives what was there at the time, and the newest at present', async () => {
    const { load, change, at, times } = vocabulary('ahead')
    await load('First')
    const first = now()
    await change(inYears(10))
    await load('Second')
    const second = now()
    await load('Third')
    const third = now()
    await change(inYears(11))
    await load('Fourth')
    const fourth = now()
    expect([await at(first), await at(second), await at(third), await at(fourth)]).toEqual([
      'First',
      'Second',
      'Third',
      'Fourth',
    ])
    expect(await at(inYears(1))).toBe('Fourth')
    const all = await times()
    expect(all).toEqual([...all].sort())
  })

  test('ahead for the last change: at= the present has it', async () => {
    const { load, change, at } = vocabulary('last')
    await load('First')
    const first = now()
    await change(inYears(10))
    expect(await at(now())).toBe('First')
    const graph = (await service.history!.log.graph('http://example.org/last/'))!
    expect(await service.history!.log.endAt(graph, { time: first, now: first })).toBeUndefined()
  })

  test('ahead for the first change: the history begins with the first right one', async () => {
    const { load, change, at } = vocabulary('beginning')
    const before = now()
    await change(inYears(10))
    await load('First')
    const first = now()
    await load('Second')
    expect([await at(before), await at(first), await at(now())]).toEqual([null, 'First', 'Second'])
  })

  test('behind for one change: times do not go back, and later versions are right', async () => {
    const { load, change, at, times } = vocabulary('behind')
    await load('First')
    const first = now()
    await change('1970-01-01T00:00:00.000Z')
    await load('Second')
    expect([await at(first), await at(now())]).toEqual(['First', 'Second'])
    const all = await times()
    expect(all).toEqual([...all].sort())
  })

  test('a start names the vocabularies with changes that lie in the future', async () => {
    const { uri, load, change } = vocabulary('warned')
    await load('First')
    const time = inYears(10)
    await change(time)
    const { log } = service.history!
    const names = (await log.inFuture(new Date().toISOString())).map((graph) => graph.uri)
    expect(names).toEqual(['ahead', 'beginning', 'last', 'warned'].map((id) => `http://example.org/${id}/`))
    const DATA_DIR = await newDirectory()
    await cp(join(service.dataDir, 'history'), join(DATA_DIR, 'history'), { recursive: true })
    const started = await startService({ ...storeEnv(running.endpoint), DATA_DIR })
    try {
      const warning = started.log.find(({ msg }) =>
        String(msg).startsWith('the history has changes that lie in the future'),
      )
      expect(warning).toMatchObject({ level: 40, msg: expect.stringContaining(`<${uri}> (${time})`) })
      expect(warning!['msg']).not.toContain('behind')
    } finally {
      await started.stop()
    }
  })
})
