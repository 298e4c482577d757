/** `vocab proposals`, and where else a concept is said to be a proposal. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { SKOS, UNDER_DEVELOPMENT } from '../../../src/base/namespaces.ts'
import { runCommand } from '../../command.ts'
import { temporaryFolder } from '../../folder.ts'
import { expectAgreement, stored } from '../../writing/history/agreement.ts'
import { concept, startIngest, type IngestService, type TestAccount } from '../../writing/ingest/service.ts'
import { expectPage, HTML } from '../pages/html.ts'
import { storeEnv, type EndedProcess } from '../../process.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const BRIDGES = 'http://example.org/bridges/'
const FERRIES = 'http://example.org/ferries/'
const TURTLE = `
  @prefix skos: <${SKOS}> . @prefix adms: <http://www.w3.org/ns/adms#> . @prefix : <${BRIDGES}> .
  <${BRIDGES}> a skos:ConceptScheme ; skos:prefLabel "Bridges"@en .
  :arch a skos:Concept ; skos:notation "B1" ; skos:prefLabel "Arch"@en .
  :beam a skos:Concept ; skos:notation "B3" ; skos:prefLabel "Beam"@en ; skos:broader :arch .
  :draft a skos:Concept ; skos:notation "B5" ; skos:prefLabel "Draft"@en ; adms:status <${UNDER_DEVELOPMENT}> .`

interface Listed {
  uri: string
  label: string
  account: string | null
}

describeOver(EMBEDDED, 'vocab proposals', (store) => {
  const { write } = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  let service: IngestService
  let ann: TestAccount
  let bob: TestAccount

  beforeAll(async () => {
    running = await store.start()
    service = await startIngest(running.endpoint, { BASE_URL: 'http://localhost:3000/' })
    for (const [id, scheme] of [
      ['bridges', BRIDGES],
      ['ferries', FERRIES],
    ] as const) {
      const file = await write(`${id}.ttl`, TURTLE.replaceAll(BRIDGES, scheme))
      expect((await vocab('load', file, '--id', id)).stderr).toBe('')
    }
    ann = await service.account({ voc: BRIDGES })
    bob = await service.account({ voc: BRIDGES })
  }, 60_000)
  beforeEach(async () => {
    const uris = (await proposals()).map(({ uri }) => uri)
    if (uris.length > 0) expect((await vocab('proposals', 'remove', ...uris)).stderr).toBe('')
  })
  afterAll(async () => {
    expect(service.reported).toEqual([])
    await service.close()
    await running.stop()
  })

  /** Runs a command while the service runs. */
  async function vocab(...args: string[]): Promise<EndedProcess> {
    return withEnv({}, ...args)
  }
  async function withEnv(env: NodeJS.ProcessEnv, ...args: string[]): Promise<EndedProcess> {
    const ended = await runCommand(args, { DATA_DIR: service.dataDir, ...storeEnv(running.endpoint), ...env })
    // A command is another program, whose changes the service sees after MAX_STALENESS_MS.
    service.state.changed()
    return ended
  }
  const proposals = async (...args: string[]) =>
    JSON.parse((await vocab('proposals', ...args, '--json')).stdout) as Listed[]
  const propose = async (account: TestAccount, members: Record<string, unknown> = {}): Promise<string> => {
    const { status, body } = await service.propose(account, [
      concept({ inScheme: [{ uri: BRIDGES }], prefLabel: { de: 'Hängebrücke', en: 'Suspension bridge' }, ...members }),
    ])
    expect(status).toBe(201)
    return (body as { uri: string }[])[0]!.uri
  }
  const today = () => new Date().toISOString().slice(0, 10)

  test('lists label, account, date and URI, of one vocabulary or of all', async () => {
    expect((await vocab('proposals')).stdout).toBe('There are no proposals.\n')
    const uris = await Promise.all([
      propose(ann),
      propose(bob, { prefLabel: { de: 'Zugbrücke' } }),
      propose(ann, { prefLabel: { de: 'Drehbrücke' } }),
    ])
    const expected = [
      ['Hängebrücke', ann.username, today(), uris[0]],
      ['Zugbrücke', bob.username, today(), uris[1]],
      ['Drehbrücke', ann.username, today(), uris[2]],
    ].map((columns) => columns.join('\t'))
    for (const args of [[], ['bridges'], [BRIDGES], [BRIDGES.slice(0, -1)]]) {
      expect((await vocab('proposals', ...args)).stdout.trim().split('\n').sort()).toEqual([...expected].sort())
    }
    const json = await proposals('bridges')
    expect(json.find(({ uri }) => uri === uris[1])).toEqual({
      uri: uris[1],
      label: 'Zugbrücke',
      account: bob.username,
      date: today(),
      voc: 'bridges',
    })
    expect(await proposals('ferries')).toEqual([])
    expect((await vocab('proposals', 'nothing')).stderr).toBe(
      'error: there is no vocabulary nothing; "vocab list" shows all.\n',
    )
    // The store has no name of an account.
    const names = await service.client.select(
      `SELECT ?s WHERE { ?s ?p ?o FILTER(CONTAINS(STR(?o), "${ann.username}")) }`,
    )
    expect(names).toEqual([])
  })

  test('the account is unknown without the history', async () => {
    const uri = await propose(ann)
    const off = await withEnv({ HISTORY: 'off' }, 'proposals')
    expect(off).toEqual({ code: 0, stderr: '', stdout: `Hängebrücke\t-\t${today()}\t${uri}\n` })
    const json = (await withEnv({ HISTORY: 'off' }, 'proposals', '--json')).stdout
    expect(JSON.parse(json)).toMatchObject([{ uri, account: null }])
  })

  test('the account stays known through loads', async () => {
    const uri = await propose(bob)
    const file = await write('again.ttl', TURTLE)
    expect((await vocab('load', file)).stdout).toContain('kept: 1 proposal\n')
    expect(await proposals()).toMatchObject([{ uri, account: bob.username }])
  })

  describe('remove', () => {
    test('takes proposals out of the graph, the lists and the index, while the service runs', async () => {
      const before = await stored(service.client, BRIDGES)
      const listed = (await service.ask('/voc/concepts', { uri: BRIDGES })).body as object[]
      const [first, second, third] = [
        await propose(ann, { notation: ['B2'] }),
        await propose(ann, { notation: ['B4'] }),
        await propose(bob),
      ]
      expect((await vocab('normalise', 'bridges')).stderr).toBe('')
      const removed = await vocab('proposals', 'remove', first, third)
      expect(removed).toEqual({ code: 0, stderr: '', stdout: 'removed: 2 proposals\n' })
      expect((await proposals()).map(({ uri }) => uri)).toEqual([second])
      const names = async () =>
        ((await service.ask('/voc/concepts', { uri: BRIDGES })).body as { notation?: string[] }[]).map(
          ({ notation }) => notation?.[0],
        )
      expect(await names()).toEqual(['B1', 'B3', 'B4', 'B5'])
      expect((await service.ask('/search', { query: 'Hängebrücke', voc: 'bridges' })).body).toHaveLength(1)
      const json = await vocab('proposals', 'remove', second, '--json')
      expect(JSON.parse(json.stdout)).toEqual({ removed: [second] })
      expect(await stored(service.client, BRIDGES)).toEqual(before)
      expect((await service.ask('/voc/concepts', { uri: BRIDGES })).body).toEqual(listed)
    })

    test('all or nothing: a URI that is no proposal', async () => {
      const uri = await propose(ann)
      const before = await stored(service.client, BRIDGES)
      for (const other of [
        `${BRIDGES}arch`,
        `${BRIDGES}draft`,
        `${BRIDGES}1b4e28ba-2fa1-41d2-883f-0016d3cca427`,
        BRIDGES,
        'no URI',
      ]) {
        const { stderr, stdout } = await vocab('proposals', 'remove', uri, other)
        expect([stderr, stdout]).toEqual([`error: <${other}> is no proposal; "vocab proposals" lists all.\n`, ''])
      }
      expect((await vocab('proposals', 'remove')).stderr).toMatch(/^error: .*uri.*\n$/)
      expect(await stored(service.client, BRIDGES)).toEqual(before)
      expect((await vocab('proposals', 'remove', uri, uri)).stdout).toBe('removed: 1 proposal\n')
      expect((await vocab('proposals', 'remove', uri)).stderr).toContain('is no proposal')
    })

    test('counts in the history: the concept is gone, and other statements about it, too', async () => {
      const uri = await propose(ann, { note: { de: ['Notiz'] } })
      await service.client.update(
        `PREFIX skos: <${SKOS}> INSERT DATA { GRAPH <${BRIDGES}> { <${BRIDGES}arch> skos:narrower <${uri}> . <${uri}> skos:broader <${BRIDGES}arch> ; skos:note [ skos:note [ skos:note "tief"@de ] ] } }`,
        BRIDGES,
      )
      expect((await vocab('normalise', 'bridges')).stderr).toBe('')
      expect((await vocab('proposals', 'remove', uri)).stderr).toBe('')
      const [version] = (await service.ask('/history', { uri })).body as object[]
      expect(version).toMatchObject({ kind: 'Delete', by: 'proposals', removed: { prefLabel: { de: 'Hängebrücke' } } })
      const [arch] = (await service.ask('/history', { uri: `${BRIDGES}arch` })).body as object[]
      expect(arch).toMatchObject({ kind: 'Update', by: 'proposals', removed: { narrower: [{ uri }] }, added: {} })
      const entity = await service.ask('/entity', { uri }, { redirect: 'manual' })
      expect([entity.status, entity.body.prefLabel]).toEqual([410, { de: 'Hängebrücke', en: 'Suspension bridge' }])
      const blank = await service.client.select(`SELECT ?o WHERE { GRAPH <${BRIDGES}> { ?s <${SKOS}note> ?o } }`)
      expect(blank).toEqual([])
      // Its work is whole and needs no second look.
      await expectAgreement(service.client, service.dataDir, BRIDGES)
    })

    test('without a history', async () => {
      const uri = await propose(ann)
      const off = await withEnv({ HISTORY: 'off' }, 'proposals', 'remove', uri)
      expect(off).toEqual({ code: 0, stderr: '', stdout: 'removed: 1 proposal\n' })
      expect((await service.ask('/data', { uri })).body).toEqual([])
      // The next load finds out.
      const file = await write('later.ttl', TURTLE)
      expect((await vocab('load', file)).stderr).toBe('')
      await expectAgreement(service.client, service.dataDir, BRIDGES)
    })
  })

  describe('what says that a concept is a proposal', () => {
    let uri: string
    beforeEach(async () => {
      uri = await propose(ann)
    })

    test('the field "status" of records, by name only', async () => {
      const status = async (properties?: string, proposal = uri) =>
        (
          (await service.ask('/data', { uri: proposal, ...(properties ? { properties } : {}) })).body as Record<
            string,
            unknown
          >[]
        )[0]!['status']
      for (const properties of ['status', '+status', '*,status', ' status']) {
        expect([properties, await status(properties)]).toEqual([properties, [UNDER_DEVELOPMENT]])
      }
      for (const properties of [undefined, '*', '+note', '-']) expect(await status(properties)).toBeUndefined()
      expect(await status('status', `${BRIDGES}arch`)).toEqual([])
      const turtle = await service.ask('/data', { uri, properties: 'status', format: 'ntriples' })
      expect(turtle.text).toContain(`<${uri}> <http://www.w3.org/ns/adms#status> <${UNDER_DEVELOPMENT}> .`)
      const context = JSON.parse((await service.ask('/context.json')).text) as { '@context': Record<string, unknown> }
      expect(context['@context']['status']).toEqual({
        '@id': 'http://www.w3.org/ns/adms#status',
        '@type': '@id',
        '@container': '@set',
      })
    })

    test('the graph, for SPARQL users', async () => {
      const rows = await service.client.select(
        `SELECT ?c WHERE { ?c <http://www.w3.org/ns/adms#status> <${UNDER_DEVELOPMENT}> ; <${SKOS}inScheme> <${BRIDGES}> }`,
      )
      expect(rows.map(({ c }) => c!.value).sort()).toEqual([`${BRIDGES}draft`, uri].sort())
    })

    test('/voc/{id}/changes, in records whatever their fields, and in the feed', async () => {
      for (const properties of ['', 'prefLabel', '-', '-inScheme']) {
        const { body } = await service.ask('/voc/bridges/changes', { properties })
        const of = (concept: string) => (body as Record<string, unknown>[]).find((record) => record['uri'] === concept)!
        expect([properties, of(uri)['status']]).toEqual([properties, [UNDER_DEVELOPMENT]])
        for (const other of ['arch', 'draft']) expect(of(BRIDGES + other)).not.toHaveProperty('status')
        expect('inScheme' in of(uri)).toBe(properties === '')
      }
      const { body } = await service.ask('/voc/bridges/changes', { properties: 'status' })
      expect((body as object[]).filter((record) => 'uri' in record && record.uri === `${BRIDGES}draft`)).toMatchObject([
        { status: [UNDER_DEVELOPMENT] },
      ])
      for (const properties of ['', 'prefLabel']) {
        const { text } = await service.ask('/voc/bridges/changes', { format: 'atom', properties })
        expect(text).toContain(`<category term="${UNDER_DEVELOPMENT}" label="Proposed, not yet accepted"/>\n`)
        expect(text.match(/\(proposed\)<\/title>/g)).toHaveLength(1)
        expect(text).toMatch(/<title>Create: .*(Hängebrücke|Suspension bridge) \(proposed\)<\/title>/)
      }
      expect((await service.ask('/voc/bridges/changes', { kind: 'Delete' })).text).not.toContain(UNDER_DEVELOPMENT)
    })

    test.each([
      ['en', 'Proposed, not yet accepted.'],
      ['de', 'Vorgeschlagen, noch nicht angenommen.'],
    ])('the page of the concept: %s', async (lang, note) => {
      const page = async (concept: string) => service.ask('/concept', { uri: concept, lang }, HTML)
      await expectPage(await page(uri))
      expect((await page(uri)).text).toContain(`<p class="notice">${note}</p>`)
      for (const other of ['arch', 'draft']) expect((await page(BRIDGES + other)).text).not.toContain(note)
      const search = async (query: string) => (await service.ask('/find', { query, lang }, HTML)).text
      expect(await search('Hängebrücke')).toContain(`<p class="small">${note}</p>`)
      for (const query of ['Arch', 'Draft']) expect(await search(query)).not.toContain(note)
    })

    test.each([
      ['tree', 'en', 'proposed'],
      ['tree?part=column', 'en', 'proposed'],
      ['tree?part=below', 'de', 'vorgeschlagen'],
      ['index?clang=en&letter=S', 'fr', 'proposé'],
      ['index?clang=en&part=column&letter=S', 'es', 'propuesto'],
      ['index?by=notation', 'it', 'proposto'],
    ])('the lists of the pages: /voc/bridges/%s in %s', async (path, lang, mark) => {
      const address = `/voc/bridges/${path}${path.includes('?') ? '&' : '?'}lang=${lang}`
      const answer = await service.get(address, HTML)
      if (!path.includes('part=')) await expectPage(answer)
      const marked = answer.text.split('</li>').filter((item) => item.includes(`<small class="tag">${mark}</small>`))
      expect(marked).toHaveLength(1)
      expect(marked[0]).toMatch(/(Hängebrücke|Suspension bridge)(<[^>]*>|\s)*<small class="tag">/)
    })

    test('the tree: a concept below another one, and those that no top concept reaches', async () => {
      const other = await propose(ann)
      const update = (text: string) => service.client.update(`PREFIX skos: <${SKOS}> ${text}`, BRIDGES)
      const link = (from: string, to: string) =>
        update(`INSERT DATA { GRAPH <${BRIDGES}> { <${from}> skos:broader <${to}> } }`)
      const normalise = async () => expect((await vocab('normalise', 'bridges')).stderr).toBe('')
      const unlink = (triples: string) =>
        update(`DELETE { GRAPH <${BRIDGES}> { ${triples} } } WHERE { GRAPH <${BRIDGES}> { ${triples} } }`)
      const marks = async (query: string) =>
        (await service.get(`/voc/bridges/tree?lang=en${query}`, HTML)).text.split('<small class="tag">').length - 1
      for (const concept of [uri, other]) {
        await unlink(`<${concept}> skos:topConceptOf ?scheme . ?scheme skos:hasTopConcept <${concept}>`)
      }
      await link(other, uri)
      await link(uri, `${BRIDGES}arch`)
      await normalise()
      expect([await marks(''), await marks(`&uri=${BRIDGES}arch`), await marks(`&uri=${uri}`)]).toEqual([0, 1, 2])
      await unlink(`<${uri}> skos:broader ?concept . ?concept skos:narrower <${uri}>`)
      await link(uri, other)
      await normalise()
      expect([await marks(''), await marks(`&uri=${uri}`)]).toEqual([2, 3])
    })

    test('none of these any more if the vocabulary has taken it over', async () => {
      const file = await write(
        'taken.ttl',
        `${TURTLE} <${uri}> a skos:Concept ; skos:prefLabel "Suspension bridge"@en .`,
      )
      expect((await vocab('load', file)).stdout).toContain('taken over by concepts of the files: 1 proposal\n')
      expect((await service.ask('/data', { uri, properties: 'status' })).body).toMatchObject([{ uri, status: [] }])
      expect((await service.ask('/voc/bridges/changes')).text).not.toContain(UNDER_DEVELOPMENT)
      expect((await service.ask('/concept', { uri, lang: 'en' }, HTML)).text).not.toContain('not yet accepted')
      const [version] = (await service.ask('/history', { uri })).body as object[]
      expect(version).toMatchObject({ kind: 'Update', by: 'load', removed: { status: [UNDER_DEVELOPMENT] } })
      // For the other tests.
      expect((await vocab('load', await write('back.ttl', TURTLE))).stderr).toBe('')
    })
  })
})
