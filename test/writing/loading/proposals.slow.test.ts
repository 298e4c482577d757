/** Concepts that came by ingest stay through loads until somebody decides. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { LoadForecast, LoadReport } from '../../../src/writing/loading/report.ts'
import { RDF, SKOS, STATUS, UNDER_DEVELOPMENT } from '../../../src/base/namespaces.ts'
import { runCommand } from '../../command.ts'
import { temporaryFolder } from '../../folder.ts'
import { expectAgreement, stored } from '../history/agreement.ts'
import { concept, startIngest, type IngestService, type TestAccount } from '../ingest/service.ts'
import { runToEnd, storeEnv, type EndedProcess } from '../../process.ts'
import { LONG } from '../../long.ts'
import { DEPLOYED, describeOver, isWhole, testOf } from '../../stores.ts'

const BRIDGES = 'http://example.org/bridges/'
const OFFICE = 'http://example.org/office'
const PREFIXES = `
  @prefix skos: <${SKOS}> . @prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix dct: <http://purl.org/dc/terms/> .
  @prefix adms: <http://www.w3.org/ns/adms#> . @prefix rdf: <${RDF}> . @prefix : <${BRIDGES}> .`
const SCHEME = `<${BRIDGES}> a skos:ConceptScheme ; skos:prefLabel "Bridges"@en .`
const PUBLISHED = `<${BRIDGES}> dct:publisher <${OFFICE}> . <${OFFICE}> skos:prefLabel "Office"@en .`
const CONCEPTS = `
  :arch a skos:Concept ; skos:notation "B1" ; skos:prefLabel "Arch"@en .
  :beam a skos:Concept ; skos:notation "B3" ; skos:prefLabel "Beam"@en ; skos:broader :arch .`
const WHOLE = `${SCHEME} ${PUBLISHED} ${CONCEPTS}`

interface Listed {
  uri: string
  label: string
  account: string | null
  date: string | null
  voc: string
}

describeOver(DEPLOYED, 'proposals and loads', (store) => {
  // Without a history loads do less, whatever the store is.
  const histories = LONG ? ['on', 'off'] : isWhole(store) ? ['on'] : ['off']
  const { path, write } = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>

  beforeAll(async () => {
    running = await store.start()
  }, 60_000)
  afterAll(() => running.stop())

  // The history may be switched off, so nothing here may depend on it.
  describe.each(histories)('HISTORY=%s', (HISTORY) => {
    let service: IngestService
    let account: TestAccount
    let number = 0
    const testHere = HISTORY === 'on' ? test : testOf(store)

    beforeAll(async () => {
      service = await startIngest(running.endpoint, { HISTORY })
      account = await service.account({ voc: BRIDGES })
    })
    afterEach(async () => {
      if (HISTORY === 'on') {
        await service.history!.recordIngests()
        await expectAgreement(service.client, service.dataDir, BRIDGES)
      }
      expect(service.reported).toEqual([])
      await vocab('remove', 'bridges')
    })
    afterAll(() => service.close())

    /** Runs a command of the operator. */
    async function vocab(...args: string[]): Promise<EndedProcess> {
      const ended = await runCommand(args, { DATA_DIR: service.dataDir, HISTORY, ...storeEnv(running.endpoint) })
      service.state.changed()
      service.registry.invalidate()
      return ended
    }
    const inFile = (turtle: string, name = `${number++}.ttl`) =>
      write(name, name.endsWith('.ttl') ? PREFIXES + turtle : turtle)
    /** Loads, after a dry run that must foretell the same. */
    async function load(turtle: string, ...options: string[]): Promise<LoadReport> {
      return loadFile(await inFile(turtle), ...options)
    }
    async function loadFile(file: string, ...options: string[]): Promise<LoadReport> {
      const dry = await vocab('load', file, '--id', 'bridges', '--dry-run', '--json', ...options)
      const done = await vocab('load', file, '--id', 'bridges', '--json', ...options)
      expect([dry.stderr, done.stderr]).toEqual(['', ''])
      const report = JSON.parse(done.stdout) as LoadReport
      const { changes, dangling, warnings, read, ...difference } = JSON.parse(dry.stdout) as LoadForecast
      expect(report).toMatchObject(difference)
      // A load that has nothing to do reads nothing; one that writes may find out more.
      if (!report.isUnchanged) {
        expect(report).toMatchObject({ changes, dangling, read, warnings: expect.arrayContaining(warnings) })
      }
      return report
    }
    const propose = async (members: Record<string, unknown> = {}, scheme = BRIDGES, by = account): Promise<string> => {
      const { status, text, body } = await service.propose(by, [
        concept({ inScheme: [{ uri: scheme }], prefLabel: { de: 'Hängebrücke' }, ...members }),
      ])
      expect([status, text]).toEqual([201, expect.any(String)])
      return (body as { uri: string }[])[0]!.uri
    }
    const record = async (uri: string, properties = '*,status,ancestors') =>
      ((await service.ask('/data', { uri, properties })).body as Record<string, unknown>[])[0]
    const proposals = async (...args: string[]) =>
      JSON.parse((await vocab('proposals', ...args, '--json')).stdout) as Listed[]
    const top = async () =>
      ((await service.ask('/voc/bridges/top')).body as { uri: string }[]).map(({ uri }) => uri.replace(BRIDGES, ''))
    const all = async () =>
      ((await service.ask('/voc/concepts', { uri: BRIDGES })).body as { uri: string }[]).map(({ uri }) =>
        uri.replace(BRIDGES, ''),
      )
    const short = (uri: string) => uri.replace(BRIDGES, '')
    const graph = () => stored(service.client, BRIDGES)
    const sparql = async (update: string, target = BRIDGES) => {
      const prefixes = PREFIXES.replace(/@prefix (\S+ <[^>]*>) \./g, 'PREFIX $1')
      await service.client.update(`${prefixes} ${update}`, target)
      service.state.changed()
    }

    test('load keeps the proposals that the file does not have, with all that was proposed, and says how many', async () => {
      await load(WHOLE)
      const uris = [
        await propose({
          type: ['http://example.org/class/Bridge'],
          notation: ['B2'],
          identifier: ['http://example.org/elsewhere/1', 'local 17'],
          prefLabel: { de: 'Hängebrücke', en: 'Suspension bridge' },
          altLabel: { de: ['Kettenbrücke'] },
          hiddenLabel: { de: ['Haengebruecke'] },
          note: { de: ['Eine Notiz\nin zwei Zeilen.'] },
          definition: { de: ['Eine Brücke an Seilen.'] },
          scopeNote: { de: ['Nur große.'] },
          example: { de: ['Golden Gate'] },
        }),
        await propose(),
      ]
      const before = await Promise.all(uris.map((uri) => record(uri)))
      const [first] = uris
      expect(before[0]).toMatchObject({
        status: [UNDER_DEVELOPMENT],
        publisher: [{ uri: OFFICE }],
        mapping: [{ from: first, to: 'http://example.org/elsewhere/1' }],
      })
      const wasIn = await graph()

      const report = await load(WHOLE)
      expect(report.proposals).toEqual({ kept: 2, takenOver: 0, dropped: 0 })
      expect(report).toMatchObject({ concepts: 4, created: 0, changed: 0, gone: 0, vanishing: [] })
      expect((await vocab('load', await inFile(WHOLE))).stdout).toMatch(/^kept: 2 proposals$/m)
      expect(await graph()).toEqual(wasIn)
      expect(await Promise.all(uris.map((uri) => record(uri)))).toEqual(before)
      expect((await proposals('bridges')).map(({ uri }) => uri).sort()).toEqual([...uris].sort())
    })

    testHere(
      'proposals are top concepts and have their places in lists, before the next load and after it',
      async () => {
        await load(WHOLE)
        const first = await propose({ notation: ['B2'] })
        expect(await top()).toEqual(['arch', short(first)])
        await load(WHOLE)
        expect(await all()).toEqual(['arch', short(first), 'beam'])
        expect(await top()).toEqual(['arch', short(first)])
        const second = await propose({ notation: ['B0'] })
        expect(await all()).toEqual([short(second), 'arch', short(first), 'beam'])
        await load(WHOLE)
        expect(await all()).toEqual([short(second), 'arch', short(first), 'beam'])
        expect((await service.ask('/search', { query: 'Hänge', voc: 'bridges' })).body).toHaveLength(2)
        expect((await service.ask('/data', { notation: 'B0' })).body).toHaveLength(1)
      },
    )

    test('a concept of the file with the URI of a proposal takes it over: the file counts, and it is no proposal any more', async () => {
      await load(WHOLE)
      const uri = await propose({ note: { de: ['Bitte prüfen'] } })
      const report = await load(
        `${WHOLE} <${uri}> a skos:Concept ; skos:prefLabel "Suspension"@en ; skos:broader :arch .`,
      )
      expect(report.proposals).toEqual({ kept: 0, takenOver: 1, dropped: 0 })
      expect(report).toMatchObject({ changed: 3, gone: 0 })
      expect(await record(uri)).toMatchObject({
        prefLabel: { en: 'Suspension' },
        broader: [{ uri: `${BRIDGES}arch` }],
        status: [],
      })
      expect(await record(uri)).not.toHaveProperty('note')
      expect(await proposals()).toEqual([])
      // From now on it belongs to the file.
      expect(await load(WHOLE)).toMatchObject({ gone: 1, vanishing: [uri], proposals: { kept: 0 } })
    })

    testHere('a concept of the file with the mark and the URI of a proposal stays a proposal', async () => {
      await load(WHOLE)
      const uri = await propose()
      const marked = `<${uri}> a skos:Concept ; skos:prefLabel "Suspension"@en ; adms:status <${UNDER_DEVELOPMENT}> .`
      expect((await load(`${WHOLE} ${marked}`)).proposals).toEqual({ kept: 1, takenOver: 0, dropped: 0 })
      expect(await record(uri)).toMatchObject({ prefLabel: { en: 'Suspension' }, status: [UNDER_DEVELOPMENT] })
      expect((await load(WHOLE)).proposals.kept).toBe(1)
      expect(await proposals()).toMatchObject([{ uri, label: 'Suspension' }])
    })

    const NAMINGS: [by: string, naming: (uri: string) => string][] = [
      ['exactMatch', (uri) => `skos:exactMatch <${uri}>`],
      ['an identifier', (uri) => `dct:identifier "${uri}"`],
      ['an identifier that is an IRI', (uri) => `dct:identifier <${uri}>`],
    ]
    test.each(isWhole(store) ? NAMINGS : NAMINGS.slice(0, 1))(
      'a concept of the file that names a proposal by %s replaces it',
      async (_, naming) => {
        await load(WHOLE)
        const [uri, other] = [await propose(), await propose()]
        const rope = `:rope a skos:Concept ; skos:prefLabel "Rope"@en ; ${naming(uri)} .`
        const report = await load(`${WHOLE} ${rope}`)
        expect(report.proposals).toEqual({ kept: 1, takenOver: 1, dropped: 0 })
        expect(report).toMatchObject({ created: 1, gone: 1, vanishing: [uri] })
        expect((await graph()).has(uri)).toBe(false)
        expect((await proposals()).map((proposal) => proposal.uri)).toEqual([other])
        expect((await service.ask('/data', { uri })).body).toEqual([])
        // With and without a history.
        expect((await service.ask('/data', { id: uri })).body).toMatchObject([{ uri: `${BRIDGES}rope` }])
        const entity = await service.ask('/entity', { uri }, { redirect: 'manual' })
        if (HISTORY === 'off') expect(entity.status).toBe(404)
        else {
          expect([entity.status, entity.body]).toEqual([
            410,
            expect.objectContaining({
              uri,
              prefLabel: { de: 'Hängebrücke' },
              replacedBy: [{ uri: `${BRIDGES}rope`, prefLabel: { en: 'Rope' } }],
            }),
          ])
          const deleted = (await service.ask('/voc/bridges/changes', { kind: 'Delete' })).body as { uri: string }[]
          const gone = deleted.find((concept) => concept.uri === uri)
          expect(gone).toMatchObject({ replacedBy: [{ uri: `${BRIDGES}rope` }] })
          const [end] = (await service.ask('/history', { uri })).body as object[]
          expect(end).toMatchObject({ kind: 'Delete', by: 'load', added: { replacedBy: [{ uri: `${BRIDGES}rope` }] } })
        }
        expect((await load(`${WHOLE} ${rope}`)).proposals).toEqual({ kept: 1, takenOver: 0, dropped: 0 })
        // A replaced one may come back.
        await load(`${WHOLE} ${rope} <${uri}> a skos:Concept ; skos:prefLabel "Again"@en .`)
        expect(await record(uri)).toMatchObject({ prefLabel: { en: 'Again' } })
      },
    )

    testHere('what is no concept of the vocabulary takes over nothing', async () => {
      await load(WHOLE)
      const uri = await propose()
      const ferry = `<http://example.org/ferries/> a skos:ConceptScheme . <http://example.org/ferries/1> a skos:Concept ;
        skos:inScheme <http://example.org/ferries/> ; skos:exactMatch <${uri}> .
        :list a skos:Collection ; dct:identifier <${uri}> . :arch skos:closeMatch <${uri}> .`
      expect((await load(`${WHOLE} ${ferry}`, '--scheme', BRIDGES)).proposals).toEqual({
        kept: 1,
        takenOver: 0,
        dropped: 0,
      })
      expect(await record(uri)).toMatchObject({ status: [UNDER_DEVELOPMENT] })
    })

    testHere('drafts of the vocabulary itself are no proposals, whatever their URIs', async () => {
      const status = `adms:status <${UNDER_DEVELOPMENT}>`
      const uuid = '1b4e28ba-2fa1-41d2-883f-0016d3cca427'
      const drafts = [
        ':draft',
        `<http://example.org/elsewhere/${uuid}>`,
        `<${BRIDGES}x-${uuid}>`,
        `<${BRIDGES}x/${uuid}>`,
      ]
      await load(`${WHOLE} ${drafts.map((uri) => `${uri} a skos:Concept ; ${status} .`).join(' ')}`)
      const uri = await propose()
      // Without the mark it is none either.
      await load(`${WHOLE} <${BRIDGES}${uuid}> a skos:Concept .`)
      expect((await proposals()).map((proposal) => proposal.uri)).toEqual([uri])
      expect(await load(WHOLE)).toMatchObject({ gone: 1, vanishing: [BRIDGES + uuid], proposals: { kept: 1 } })
      expect((await all()).sort()).toEqual(['arch', 'beam', short(uri)].sort())
    })

    test('--drop-proposals removes them, and --forbid-removal then refuses', async () => {
      await load(WHOLE)
      const uris = [await propose(), await propose()].sort()
      const file = await inFile(WHOLE)
      const refused = await vocab('load', file, '--drop-proposals', '--forbid-removal')
      expect(refused.stderr).toMatch(/^error: --forbid-removal: 2 URIs of .* would vanish: /)
      expect((await vocab('load', file, '--forbid-removal')).stderr).toBe('')
      expect(await proposals()).toHaveLength(2)
      const { stdout } = await vocab('load', file, '--drop-proposals', '--dry-run')
      for (const line of [/^dropped: 2 proposals$/m, /^warning: 2 URIs will vanish/m]) expect(stdout).toMatch(line)
      const report = await load(WHOLE, '--drop-proposals')
      expect(report.proposals).toEqual({ kept: 0, takenOver: 0, dropped: 2 })
      expect({ gone: report.gone, vanishing: [...report.vanishing].sort() }).toEqual({ gone: 2, vanishing: uris })
      expect(await proposals()).toEqual([])
      expect(await all()).toEqual(['arch', 'beam'])
    })

    testHere('a load prints created, changed, deprecated, gone and vanishing concepts, as a dry run does', async () => {
      const first = `${WHOLE} :old a skos:Concept ; skos:exactMatch <http://example.org/x> . :toll a skos:Concept .`
      const fresh = await vocab('load', await inFile(first))
      expect(fresh.stdout).toMatch(/^5 created, 0 changed, 0 deprecated, 0 gone$/m)
      const second = await inFile(`${SCHEME} ${PUBLISHED} :arch a skos:Concept ; skos:prefLabel "Arch bridge"@en .
        :toll a skos:Concept ; owl:deprecated true . :new a skos:Concept .`)
      const uri = await propose()
      const lines = ({ stdout }: { stdout: string }) => stdout.split('\n')
      const dry = lines(await vocab('load', second, '--dry-run'))
      const done = lines(await vocab('load', second))
      const figures = '1 created, 2 changed, 1 deprecated, 2 gone'
      expect(dry).toContain(figures)
      expect(done).toContain(figures)
      const common = [
        'kept: 1 proposal',
        'lost: 2 top concepts',
        'lost: 1 mappings',
        `  ${BRIDGES}beam`,
        `  ${BRIDGES}old`,
      ]
      for (const line of common)
        expect([dry, done]).toEqual([expect.arrayContaining([line]), expect.arrayContaining([line])])
      expect(done).toContain('warning: 2 URIs have vanished, which breaks links to them:')
      expect(await record(uri)).toBeDefined()
    })

    testHere('what an editor has added to a proposal in the store stays: hierarchy, collections, notes', async () => {
      const list = ':list a skos:Collection ; skos:prefLabel "List"@en ; skos:member :arch .'
      await load(`${WHOLE} ${list}`)
      const [uri, other] = [await propose(), await propose()]
      await sparql(`DELETE { GRAPH <${BRIDGES}> { <${BRIDGES}> skos:hasTopConcept <${uri}> . <${uri}> skos:topConceptOf ?any } }
        INSERT { GRAPH <${BRIDGES}> { <${uri}> skos:broader :arch ; skos:note [ rdf:value "Seil"@de ; dct:source [ dct:title "Buch" ] ] .
          :arch skos:related <${other}> . :list skos:member <${uri}> . <${other}> skos:narrower <${uri}> } }
        WHERE { GRAPH <${BRIDGES}> { <${uri}> skos:topConceptOf ?any } }`)
      await load(`${WHOLE} ${list}`)
      expect(await record(uri)).toMatchObject({
        broader: [{ uri: `${BRIDGES}arch` }, { uri: other }],
        topConceptOf: [],
        note: { de: ['Seil'] },
      })
      expect(
        (await service.ask('/narrower', { uri: `${BRIDGES}arch` })).body.map((concept: { uri: string }) => concept.uri),
      ).toEqual([`${BRIDGES}beam`, uri])
      expect(await top()).toEqual(['arch', short(other)])
      const now = await graph()
      expect(now.get(`${BRIDGES}list`)).toContain(`<${SKOS}member> <${uri}>`)
      expect(now.get(`${BRIDGES}arch`)).toContain(`<${SKOS}related> <${other}>`)
      expect(now.get(uri)!.filter((line) => line.includes('"Buch"'))).toHaveLength(1)
      expect((await load(`${WHOLE} ${list}`)).changed).toBe(0)
      // A link to what is gone dangles, and the proposal becomes a top concept again.
      const report = await load(`${SCHEME} :beam a skos:Concept ; skos:prefLabel "Beam"@en .`)
      expect(report).toMatchObject({ dangling: { broader: 1 }, proposals: { kept: 2 } })
      expect(await top()).toEqual(expect.arrayContaining(['beam', short(other)]))
    })

    testHere('the names of publisher and licence stay, even if the file does not name them any more', async () => {
      const licence = `<${BRIDGES}> dct:license <http://example.org/cc0> . <http://example.org/cc0> skos:notation "CC0" .`
      await load(`${WHOLE} ${licence}`)
      const uri = await propose()
      const before = await record(uri)
      expect(before).toMatchObject({ publisher: [{ prefLabel: { en: 'Office' } }], license: [{ notation: ['CC0'] }] })
      await load(`${SCHEME} ${CONCEPTS}`)
      expect(await record(uri)).toEqual(before)
      await load(`${SCHEME} ${CONCEPTS} <${OFFICE}> skos:prefLabel "New office"@en .`)
      expect(await record(uri)).toMatchObject({ publisher: [{ prefLabel: { en: 'New office' } }] })
    })

    testHere('membership and notes in subsets stay, if the file has the subset too', async () => {
      const subset = `:sub a skos:Collection ; skos:notation "subset_b" ; dct:isPartOf <${BRIDGES}> ; skos:member :arch .`
      await load(`${WHOLE} ${subset}`)
      const uri = await propose()
      const members = await write('members.txt', `${BRIDGES}arch\n${uri}\n`)
      expect((await vocab('subset', 'add', '--id', 'subset_b', '--of', 'bridges', '--members', members)).stderr).toBe(
        '',
      )
      await sparql(`INSERT DATA { GRAPH :sub { <${uri}> skos:scopeNote "Hier auch"@de } }`, `${BRIDGES}sub`)
      const inSubset = async () => {
        const { body } = await service.ask('/data', { uri, voc: 'subset_b', properties: 'scopeNote' })
        return (body as { scopeNote?: object }[]).map(({ scopeNote }) => scopeNote)
      }
      expect(await inSubset()).toEqual([{ de: ['Hier auch'] }])
      for (const turtle of [WHOLE, `${WHOLE} ${subset}`]) {
        await load(turtle)
        expect(await inSubset()).toEqual([{ de: ['Hier auch'] }])
      }
      // The file of the subset alone.
      expect((await vocab('load', await inFile(subset))).stderr).toBe('')
      expect(await inSubset()).toEqual([{ de: ['Hier auch'] }])
      expect((await service.ask('/voc/subset_b/top', { voc: 'subset_b' })).body).toHaveLength(2)
    })

    test('normalise keeps them as proposals', async () => {
      await load(WHOLE)
      const uri = await propose({ notation: ['B2'] })
      const before = await record(uri)
      const { stderr, stdout } = await vocab('normalise', 'bridges', '--json')
      expect(stderr).toBe('')
      expect(JSON.parse(stdout)).toMatchObject({ changes: {}, proposals: { kept: 1, takenOver: 0, dropped: 0 } })
      expect(await record(uri)).toEqual(before)
      expect(await all()).toEqual(['arch', short(uri), 'beam'])
      expect(await proposals()).toMatchObject([{ uri }])
    })

    test('the vocabulary has neither languages nor a namespace from them, also as a download or normalised', async () => {
      await load(`<${BRIDGES}> a skos:ConceptScheme .`)
      const uri = await propose()
      const before = await graph()
      expect(JSON.parse((await vocab('normalise', 'bridges', '--json')).stdout)).toMatchObject({
        changes: {},
        changed: 0,
      })
      expect(await graph()).toEqual(before)
      const { text } = await service.get('/voc/bridges/export?format=turtle')
      expect(await loadFile(await write('download.ttl', text))).toMatchObject({ changes: {}, changed: 0 })
      expect(await graph()).toEqual(before)
      expect(await proposals()).toMatchObject([{ uri }])
    })

    testHere.each(LONG ? ['turtle', 'ntriples', 'jsonld', 'rdfxml', 'ndjson'] : ['turtle', 'ndjson'])(
      'an export as %s has them, and loading it changes nothing',
      async (format) => {
        await load(WHOLE)
        const uri = await propose({ identifier: ['http://example.org/elsewhere/1'], note: { de: ['Notiz'] } })
        const before = await graph()
        const file = path(`export.${{ turtle: 'ttl', ntriples: 'nt', rdfxml: 'rdf' }[format] ?? format}`)
        const text = await exported(format)
        expect(text).toContain(UNDER_DEVELOPMENT)
        expect(text).not.toContain('urn:x-vocabulary-service:')
        await write(file.replace(path(''), ''), text)
        const report = await loadFile(file)
        expect(report.proposals).toEqual({ kept: 1, takenOver: 0, dropped: 0 })
        expect(report).toMatchObject({ created: 0, gone: 0, vanishing: [] })
        // JSKOS says some things in another way.
        if (format !== 'ndjson') expect([report.changed, await graph()]).toEqual([0, before])
        expect((await graph()).get(uri)).toEqual(before.get(uri))
        // If there is nothing yet, they are proposals, too.
        await vocab('remove', 'bridges')
        await loadFile(file)
        expect(await proposals()).toMatchObject([{ uri }])
        expect((await load(WHOLE)).proposals.kept).toBe(1)
      },
    )
    /** As a program of its own, because it writes to standard output. */
    async function exported(format: string): Promise<string> {
      const env = { DATA_DIR: service.dataDir, HISTORY, ...storeEnv(running.endpoint) }
      const { code, stdout, stderr } = await runToEnd(
        'dist/cli/main.js',
        ['export', 'bridges', '--format', format],
        env,
      )
      expect([code, stderr]).toEqual([0, ''])
      return stdout
    }

    test('they stay if the URI of the vocabulary is written in another way, also after an interrupted load', async () => {
      await load(WHOLE)
      const uri = await propose({ notation: ['B2'] })
      const other = 'https://example.org/bridges'
      const moved = `<${other}> a skos:ConceptScheme ; skos:prefLabel "Bridges"@en . ${CONCEPTS}`
      expect((await load(moved)).proposals).toEqual({ kept: 1, takenOver: 0, dropped: 0 })
      expect(await record(uri)).toMatchObject({
        inScheme: [{ uri: other }],
        topConceptOf: [{ uri: other }],
        status: [UNDER_DEVELOPMENT],
      })
      expect((await graph()).size).toBe(0)
      expect(await proposals('bridges')).toMatchObject([{ uri }])
      expect(await top()).toEqual(['arch', short(uri)])

      // A load was killed after it had written the graph with the new URI, before it removed the other one.
      await vocab('remove', 'bridges')
      await load(moved)
      const inNew = await propose({}, other, await service.account({ voc: other }))
      await service.put(
        BRIDGES,
        `${PREFIXES} ${WHOLE} <${uri}> a skos:Concept ; skos:inScheme <${BRIDGES}> ; adms:status <${UNDER_DEVELOPMENT}> .`,
      )
      service.registry.invalidate()
      expect((await load(moved)).proposals).toEqual({ kept: 2, takenOver: 0, dropped: 0 })
      expect((await graph()).size).toBe(0)
      expect((await proposals()).map((proposal) => proposal.uri).sort()).toEqual([uri, inNew].sort())
      expect(await record(uri)).toMatchObject({ inScheme: [{ uri: other }] })
    })

    testHere('--strict and the warnings are about the file', async () => {
      await load(WHOLE)
      const uri = await propose()
      await sparql(`INSERT DATA { GRAPH <${BRIDGES}> { <${uri}> skos:broader "text" } }`)
      const report = await load(WHOLE, '--strict')
      expect([report.warnings.map(({ rule }) => rule), report.proposals.kept]).toEqual([['no-scheme'], 1])
      expect(report.read).toBe((await load(WHOLE)).read)
      expect((await graph()).get(uri)).toEqual(expect.arrayContaining([expect.stringContaining(STATUS)]))
    })
  })
})
