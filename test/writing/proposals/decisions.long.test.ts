/** Decisions about proposals: by command, through loads, and through kills. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { ACCEPTED, HOLD, SKOS, STATUS, UNDER_DEVELOPMENT } from '../../../src/base/namespaces.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import type { LoadReport } from '../../../src/writing/loading/report.ts'
import { decideProposals } from '../../../src/writing/proposals/decide.ts'
import { runCommand } from '../../command.ts'
import { temporaryFolder } from '../../folder.ts'
import { expectPage, HTML } from '../../doors/pages/html.ts'
import { storeEnv, type EndedProcess } from '../../process.ts'
import { DEPLOYED, describeOver } from '../../stores.ts'
import { expectAgreement, stored } from '../history/agreement.ts'
import { concept, startIngest, type IngestService, type TestAccount } from '../ingest/service.ts'

const BRIDGES = 'http://example.org/bridges/'
const PREFIXES = `@prefix skos: <${SKOS}> . @prefix : <${BRIDGES}> . @prefix adms: <http://www.w3.org/ns/adms#> .
  @prefix dct: <http://purl.org/dc/terms/> .`
const WHOLE = `<${BRIDGES}> a skos:ConceptScheme ; skos:prefLabel "Bridges"@en ;
    dct:publisher [ skos:prefLabel "Board"@en ; dct:isPartOf [ skos:prefLabel "Ministry"@en ] ] .
  :arch a skos:Concept ; skos:notation "B1" ; skos:prefLabel "Arch"@en .
  :beam a skos:Concept ; skos:notation "B3" ; skos:prefLabel "Beam"@en ; skos:broader :arch .`
const VICTIM = fileURLToPath(new URL('./victim.ts', import.meta.url))
const REASON = 'Already there: "Arch".'

interface Listed {
  uri: string
  label: string
  account: string | null
  decision?: { date: string; account: string | null; reason: string | null }
}

describeOver(DEPLOYED, 'decisions about proposals', (store) => {
  const { write } = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  let service: IngestService
  let account: TestAccount
  let number = 0
  const proposed = new Set<string>()

  beforeAll(async () => {
    running = await store.start()
    service = await startIngest(running.endpoint)
    account = await service.account({ voc: BRIDGES })
  }, 60_000)
  beforeEach(async () => {
    proposed.clear()
    await load(WHOLE)
  })
  afterEach(async () => {
    await service.history!.recordIngests()
    await expectAgreement(service.client, service.dataDir, BRIDGES)
    expect(service.reported).toEqual([])
    await vocab('remove', 'bridges')
  })
  afterAll(async () => {
    await service.close()
    await running.stop()
  })

  async function vocab(...args: string[]): Promise<EndedProcess> {
    const ended = await runCommand(args, { DATA_DIR: service.dataDir, ...storeEnv(running.endpoint) })
    service.state.changed()
    service.registry.invalidate()
    return ended
  }
  const done = async (...args: string[]) => {
    const { stderr, stdout } = await vocab(...args)
    expect(stderr).toBe('')
    return stdout
  }
  async function load(turtle: string, ...options: string[]): Promise<LoadReport> {
    const file = await write(`${number++}.ttl`, PREFIXES + turtle)
    return JSON.parse(await done('load', file, '--id', 'bridges', '--json', ...options)) as LoadReport
  }
  const propose = async (members: Record<string, unknown> = {}): Promise<string> => {
    const { status, text, body } = await service.propose(account, [
      concept({ inScheme: [{ uri: BRIDGES }], prefLabel: { de: 'Hängebrücke' }, ...members }),
    ])
    expect([status, text]).toEqual([201, expect.any(String)])
    const [{ uri }] = body as [{ uri: string }]
    proposed.add(uri)
    return uri
  }
  const proposals = async (status: string) =>
    JSON.parse(await done('proposals', 'bridges', '--status', status, '--json')) as Listed[]
  /** The proposals of this test by state; the log keeps those of other tests. */
  const states = async () => {
    const byState: Record<string, string[]> = {}
    for (const status of ['open', 'accepted', 'refused']) {
      byState[status] = (await proposals(status)).map(({ uri }) => uri).filter((uri) => proposed.has(uri))
    }
    return byState
  }
  const record = async (uri: string, properties = '*,status') =>
    ((await service.ask('/data', { uri, properties })).body as Record<string, unknown>[])[0]
  const all = async () =>
    ((await service.ask('/voc/bridges/concepts')).body as { uri: string }[]).map(({ uri }) => uri.replace(BRIDGES, ''))
  const found = async (query: string) => {
    await service.index.caughtUp()
    return ((await service.ask('/search', { query, voc: 'bridges' })).body as { uri: string }[]).map(({ uri }) => uri)
  }
  const isAccepted = (uri: string) =>
    service.client.ask(`ASK { GRAPH <${BRIDGES}> { <${BRIDGES}> <${ACCEPTED}> <${uri}> } }`)

  describe('accept', () => {
    test('takes the mark away, and changes nothing else', async () => {
      const [uri, other] = [await propose({ notation: ['B2'], note: { de: ['Notiz'] } }), await propose()]
      const [before, wasIn] = [await record(uri), await stored(service.client, BRIDGES)]
      expect(await done('proposals', 'accept', uri, '--reason', REASON)).toBe('accepted: 1 proposal\n')
      expect(await record(uri)).toEqual({ ...before, status: [] })
      const mark = `<${STATUS}> <${UNDER_DEVELOPMENT}>`
      wasIn.set(
        uri,
        wasIn.get(uri)!.filter((statement) => statement !== mark),
      )
      expect(await stored(service.client, BRIDGES)).toEqual(wasIn)
      expect(await all()).toEqual(['arch', uri.replace(BRIDGES, ''), 'beam', other.replace(BRIDGES, '')])
      expect(await found('Hängebrücke')).toEqual(expect.arrayContaining([uri, other]))
      expect(await states()).toEqual({ open: [other], accepted: [uri], refused: [] })
      expect(await proposals('accepted')).toMatchObject([
        { label: 'Hängebrücke', account: account.username, decision: { account: null, reason: REASON } },
      ])
      const [version] = (await service.ask('/history', { uri })).body as object[]
      expect(version).toMatchObject({
        kind: 'Update',
        by: 'proposals',
        decision: 'accepted',
        reason: REASON,
        removed: { status: [UNDER_DEVELOPMENT] },
      })
      const line = `Hängebrücke\t${account.username}\t\\d{4}-\\d\\d-\\d\\d\t${uri}\t\\d{4}-\\d\\d-\\d\\d\t${REASON}\n`
      expect(await done('proposals', '--status', 'accepted')).toMatch(new RegExp(`^${line}$`))
      // Exports have no bookkeeping.
      expect((await service.ask('/voc/bridges/export', { format: 'ntriples' })).text).not.toContain(ACCEPTED)
    })

    test('an accepted one stays through loads until a file has it, which then counts', async () => {
      const [uri, other] = [await propose(), await propose({ prefLabel: { de: 'Zugbrücke' } })]
      await done('proposals', 'accept', uri, other)
      // A few changes, and many: an update and a new graph.
      const many = `${WHOLE} ${Array.from({ length: 40 }, (_, at) => `:c${at} a skos:Concept ; skos:prefLabel "C ${at}"@en .`).join(' ')}`
      for (const turtle of [WHOLE, `${WHOLE} :rope a skos:Concept ; skos:prefLabel "Rope"@en .`, many, WHOLE]) {
        expect((await load(turtle)).proposals).toEqual({ kept: 2, takenOver: 0, dropped: 0 })
        expect(await states()).toEqual({ open: [], accepted: expect.arrayContaining([uri, other]), refused: [] })
        expect(await record(uri)).toMatchObject({ prefLabel: { de: 'Hängebrücke' }, status: [] })
      }
      await done('normalise', 'bridges')
      expect((await states())['accepted']).toHaveLength(2)
      const taken = `${WHOLE} <${uri}> a skos:Concept ; skos:prefLabel "Hängebrücke"@de .`
      expect((await load(taken)).proposals).toEqual({ kept: 1, takenOver: 1, dropped: 0 })
      expect(await states()).toEqual({ open: [], accepted: [other], refused: [] })
      expect(await isAccepted(uri)).toBe(false)
      // From now on it belongs to the file.
      expect(await load(WHOLE)).toMatchObject({ gone: 1, vanishing: [uri], proposals: { kept: 1 } })
    })

    test('a file that has an accepted one word by word takes it over', async () => {
      const uri = await propose()
      await done('proposals', 'accept', uri)
      const whole = (await service.ask('/voc/bridges/export', { format: 'ntriples' })).text
      const report = await load(whole)
      expect(report).toMatchObject({ changed: 0, gone: 0, proposals: { kept: 0, takenOver: 1 } })
      expect(await states()).toEqual({ open: [], accepted: [], refused: [] })
      expect((await load(WHOLE)).vanishing).toEqual([uri])
    })

    test('--drop-proposals drops open ones alone; a concept that names an accepted one replaces it', async () => {
      const [uri, open] = [await propose(), await propose()]
      await done('proposals', 'accept', uri)
      expect((await load(WHOLE, '--drop-proposals')).proposals).toEqual({ kept: 1, takenOver: 0, dropped: 1 })
      expect(await record(open)).toBeUndefined()
      const rope = `${WHOLE} :rope a skos:Concept ; skos:prefLabel "Rope"@en ; skos:exactMatch <${uri}> .`
      expect((await load(rope)).proposals).toEqual({ kept: 0, takenOver: 1, dropped: 0 })
      expect(await states()).toEqual({ open: [], accepted: [], refused: [] })
      const gone = await service.ask('/entity', { uri }, { redirect: 'manual' })
      expect([gone.status, gone.body.replacedBy]).toEqual([410, [expect.objectContaining({ uri: `${BRIDGES}rope` })]])
    })

    test('remove takes an accepted one away', async () => {
      const uri = await propose()
      await done('proposals', 'accept', uri)
      expect(await done('proposals', 'remove', uri)).toBe('removed: 1 proposal\n')
      expect(await isAccepted(uri)).toBe(false)
      expect(await states()).toEqual({ open: [], accepted: [], refused: [] })
      const gone = await service.ask('/entity', { uri }, { redirect: 'manual' })
      expect([gone.status, gone.body.decision]).toEqual([410, undefined])
    })
  })

  describe('refuse', () => {
    test('a reason of two lines is on the line of its proposal', async () => {
      const uri = await propose()
      await done('proposals', 'refuse', uri, '--reason', 'Already there:\n"Arch".')
      expect(await done('proposals', 'bridges', '--status', 'refused')).toMatch(
        new RegExp(`\\t${uri}\\t.*\\t${REASON}\\n$`),
      )
    })

    test('takes a proposal out of the graph; its URI gives the reason, and the list of the refused has it', async () => {
      const before = await stored(service.client, BRIDGES)
      const uri = await propose({ notation: ['B2'] })
      await done('proposals', 'refuse', uri, '--reason', ` ${REASON}\n`)
      expect(await stored(service.client, BRIDGES)).toEqual(before)
      expect((await service.ask('/data', { uri })).body).toEqual([])
      expect(await all()).toEqual(['arch', 'beam'])
      expect(await found('Hängebrücke')).toEqual([])
      expect(await service.client.ask(`ASK { { <${uri}> ?p ?o } UNION { ?s ?p <${uri}> } }`)).toBe(false)
      expect((await service.ask('/voc/bridges/export', { format: 'ntriples' })).text).not.toContain(uri)
      const entity = await service.ask('/entity', { uri }, { redirect: 'manual' })
      expect([entity.status, entity.body]).toEqual([
        410,
        expect.objectContaining({
          error: 'GoneError',
          message: expect.stringMatching(/ was proposed, and refused on \d{4}-\d\d-\d\d: Already there: "Arch"\.$/),
          uri,
          prefLabel: { de: 'Hängebrücke' },
          decision: 'refused',
          reason: REASON,
        }),
      ])
      const page = await service.ask('/concept', { uri, lang: 'en' }, HTML)
      await expectPage(page, 410)
      expect(page.text).toContain('Already there: &quot;Arch&quot;.')
      expect(await states()).toEqual({ open: [], accepted: [], refused: [uri] })
      const { decision, ...entry } = (await proposals('refused')).find((proposal) => proposal.uri === uri)!
      expect(entry).toMatchObject({ label: 'Hängebrücke', account: account.username })
      expect(decision).toMatchObject({ account: null, reason: REASON })
      // Loads leave it where it is.
      expect((await load(WHOLE)).proposals).toEqual({ kept: 0, takenOver: 0, dropped: 0 })
      expect((await states())['refused']).toEqual([uri])
    })

    test('a file that has its URI makes it a concept again', async () => {
      const uri = await propose()
      await done('proposals', 'refuse', uri)
      const { status, body } = await service.ask('/entity', { uri }, { redirect: 'manual' })
      expect([status, body.decision, body.reason]).toEqual([410, 'refused', undefined])
      await load(`${WHOLE} <${uri}> a skos:Concept ; skos:prefLabel "Again"@en .`)
      expect(await record(uri)).toMatchObject({ prefLabel: { en: 'Again' } })
      expect(await states()).toEqual({ open: [], accepted: [], refused: [] })
      expect((await service.ask('/entity', { uri }, { redirect: 'manual' })).status).toBe(303)
    })
  })

  test('all or nothing: what is no open proposal, and what is wrong', async () => {
    const [uri, accepted, refused] = [await propose(), await propose(), await propose()]
    await done('proposals', 'accept', accepted)
    await done('proposals', 'refuse', refused)
    const before = await stored(service.client, BRIDGES)
    for (const other of [accepted, refused, `${BRIDGES}arch`, BRIDGES, 'no URI']) {
      for (const name of ['accept', 'refuse']) {
        const { stderr, stdout } = await vocab('proposals', name, uri, other)
        expect([stderr, stdout]).toEqual([`error: <${other}> is no open proposal; "vocab proposals" lists all.\n`, ''])
      }
    }
    const long = await vocab('proposals', 'refuse', uri, '--reason', 'x'.repeat(2001))
    expect(long.stderr).toBe('error: reason: expected at most 2000 characters, got 2001.\n')
    expect((await vocab('proposals', 'bridges', '--status', 'new')).stderr).toContain(
      'expected open, accepted, refused.',
    )
    const off = await runCommand(['proposals', 'accept', uri], {
      DATA_DIR: service.dataDir,
      HISTORY: 'off',
      ...storeEnv(running.endpoint),
    })
    expect([off.code, off.stderr]).toEqual([1, expect.stringContaining('HISTORY=off')])
    expect(await stored(service.client, BRIDGES)).toEqual(before)
    expect(await states()).toEqual({ open: [uri], accepted: [accepted], refused: [refused] })
  })

  describe('GET /voc/{vocid}/proposals', () => {
    type Proposed = { uri: string; decision?: string; decisionTime?: string; reason?: string; prefLabel: object }
    const ask = (query: Record<string, string> = {}) => service.ask('/voc/bridges/proposals', query)

    test('lists open, accepted and refused ones for everybody, without names of accounts', async () => {
      const names = ['A', 'B', 'C'].map((name) => ({ prefLabel: { de: name }, definition: { de: [`Def ${name}`] } }))
      const uris: string[] = []
      for (const members of names) uris.push(await propose(members))
      const [open, accepted, refused] = uris as [string, string, string]
      await done('proposals', 'accept', accepted, '--reason', 'Good.')
      await done('proposals', 'refuse', refused, '--reason', 'Bad.')
      const [{ body: byDefault }, { body: all }] = [await ask(), await ask({ status: 'open' })]
      expect(byDefault).toEqual(all)
      expect(all).toEqual([await record(open, '')])
      const ours = async (status: string) =>
        ((await ask({ status, limit: '1000' })).body as Proposed[]).filter(({ uri }) => proposed.has(uri))
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)
      expect(await ours('accepted')).toEqual([
        { ...(await record(accepted, '')), decision: 'accepted', decisionTime: time, reason: 'Good.' },
      ])
      expect(await ours('refused')).toMatchObject([
        { uri: refused, prefLabel: { de: 'C' }, decision: 'refused', decisionTime: time, reason: 'Bad.' },
      ])
      for (const status of ['open', 'accepted', 'refused']) {
        const { text } = await ask({ status, properties: '*' })
        expect(text).toContain('Def ')
        expect(text).not.toContain(account.username)
      }
    })

    test('serves accepted ones to the editing system as Turtle and CSV, which load again', async () => {
      const uri = await propose({ prefLabel: { de: 'Zugbrücke' } })
      await propose()
      await done('proposals', 'accept', uri)
      const turtle = await ask({ status: 'accepted', format: 'turtle' })
      expect(turtle.headers.get('content-type')).toContain('text/turtle')
      expect(turtle.text).toContain('"Zugbrücke"@de')
      expect(turtle.text).not.toContain('Hängebrücke')
      const csv = await ask({ status: 'accepted', format: 'csv' })
      expect(csv.headers.get('content-type')).toContain('text/csv')
      expect(csv.text).toContain('Zugbrücke')
      expect(csv.text).toContain(uri)
      // The editing system takes it, and its file counts from then on.
      const whole = await write(`${number++}.ttl`, PREFIXES + WHOLE)
      const file = await write(`${number++}.ttl`, turtle.text)
      const report = JSON.parse(await done('load', whole, file, '--scheme', BRIDGES, '--json')) as LoadReport
      expect(report.proposals).toEqual({ kept: 1, takenOver: 1, dropped: 0 })
      expect((await ask({ status: 'accepted' })).body).toEqual([])
    })

    test('has pages, answers 304, and names what is wrong', async () => {
      for (let at = 0; at < 3; at++) await propose({ prefLabel: { de: `P${at}` } })
      const page = await ask({ limit: '2', offset: '2' })
      expect(page.body).toHaveLength(1)
      expect(page.headers.get('x-total-count')).toBe('3')
      expect(page.headers.get('link')).toContain('rel="prev"')
      const etag = (await ask()).headers.get('etag')!
      const again = await service.get('/voc/bridges/proposals', { headers: { 'if-none-match': etag } })
      expect(again.status).toBe(304)
      for (const status of ['new', 'Open', 'open|accepted']) {
        const { status: code, body } = await ask({ status })
        expect([code, body.message]).toEqual([400, `status: expected one of open, accepted, refused, got "${status}"`])
      }
      expect((await ask({ format: 'pdf' })).body.message).toMatch(/^format: /)
      expect((await service.ask('/voc/none/proposals')).status).toBe(404)
    })
  })

  test.each(['accepted', 'refused'] as const)('a load under way does not undo a decision (%s)', async (decision) => {
    const uri = await propose()
    const { client } = service
    const history = service.history!
    for (const [at, size] of [1, 40].entries()) {
      const more = Array.from(
        { length: size },
        (_, nth) => `:m${at}${nth} a skos:Concept ; skos:prefLabel "M ${nth}"@en .`,
      )
      const file = await write(`${number++}.ttl`, `${PREFIXES} ${WHOLE} ${more.join(' ')}`)
      const loading = loadVocabulary(client, [file], {
        history: {
          hasLoad: history.hasLoad.bind(history),
          prepare: async (replacements) => {
            if (at === 0) await decideProposals({ client, history }, [uri], { decision })
            return history.prepare(replacements)
          },
        },
      })
      if (at === 0) await expect(loading).rejects.toThrow('the proposals of')
      else await loading
      expect(await states()).toEqual({ open: [], accepted: [], refused: [], [decision]: [uri] })
    }
  })

  describe('a decision that is killed', () => {
    test.each([
      ['hold', 'accepted', 'open'],
      ['history draft', 'accepted', 'open'],
      ['graph', 'accepted', 'accepted'],
      ['history', 'accepted', 'accepted'],
      ['index', 'accepted', 'accepted'],
      ['hold', 'refused', 'open'],
      ['history draft', 'refused', 'open'],
      ['graph', 'refused', 'refused'],
      ['history', 'refused', 'refused'],
      ['index', 'refused', 'refused'],
    ])('after the step "%s" (%s)', async (step, decision, state) => {
      const uri = await propose()
      const parameters = [step, decision, uri, JSON.stringify(running.endpoint), service.dataDir]
      const child = spawn(process.execPath, ['--import', 'tsx', VICTIM, ...parameters], {
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
      // The hold ends after 20 seconds.
      await service.client.update(`DELETE WHERE { GRAPH <${BRIDGES}> { <${BRIDGES}> <${HOLD}> ?hold } }`, BRIDGES)
      service.state.changed()
      service.registry.invalidate()
      await expectAgreement(service.client, service.dataDir, BRIDGES)
      expect(await states()).toEqual({ open: [], accepted: [], refused: [], [state]: [uri] })
      const listed = (await proposals(state)).find((proposal) => proposal.uri === uri)
      if (state !== 'open') expect(listed!.decision).toMatchObject({ reason: 'Killed.' })
      expect(await found('Hängebrücke')).toEqual(state === 'refused' ? [] : [uri])
      const end = await service.ask('/entity', { uri }, { redirect: 'manual' })
      expect([end.status, end.body?.reason]).toEqual(state === 'refused' ? [410, 'Killed.'] : [303, undefined])
      // What was not decided can be.
      if (state === 'open') await done('proposals', decision === 'accepted' ? 'accept' : 'refuse', uri)
    })
  })
})
