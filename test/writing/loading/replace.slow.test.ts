import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { History } from '../../../src/writing/history/history.ts'
import { HOLD, SKOS } from '../../../src/base/namespaces.ts'
import { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { readVocabularies } from '../../../src/graph/vocabularies/vocabulary.ts'
import { rdfOf } from '../../exported.ts'
import { loadVocabulary, normaliseStored } from '../../../src/writing/loading/load-vocabulary.ts'
import { removeVocabulary } from '../../../src/writing/commands/remove.ts'
import { addSubset } from '../../../src/writing/loading/subsets.ts'
import { removeSubset } from '../../../src/writing/commands/remove.ts'
import { startApp } from '../../app.ts'
import { temporaryFolder } from '../../folder.ts'
import { ROOT, storeEnv } from '../../process.ts'
import { describeOver, EVERY, testOf } from '../../stores.ts'
import { expectAgreement } from '../history/agreement.ts'
import { LONG } from '../../long.ts'
import { canonical } from '../source/canonical.ts'

const URI = 'http://example.org/replace/'
/** How many loads are killed; more of them, and larger ones, find rarer moments. */
const KILLS = Number(process.env['LOAD_KILLS'] ?? (LONG ? 2 : 0))
const KILLED_CONCEPTS = KILLS > 2 ? 20_000 : 4_000

/** A vocabulary of which every label says its version. */
function version(name: string, concepts: number, uri = URI): string {
  const lines = [`<${uri}> a <${SKOS}ConceptScheme> ; <${SKOS}notation> "${/(\w+)\/$/.exec(uri)![1]}" .`]
  for (let at = 0; at < concepts; at++) {
    lines.push(
      `<${uri}${at}> a <${SKOS}Concept> ; <${SKOS}inScheme> <${uri}> ; <${SKOS}prefLabel> "${name} ${at}"@en .`,
    )
  }
  return lines.join('\n')
}

describeOver(EVERY, 'replacing and keeping vocabularies', (store) => {
  const { path, write: file } = temporaryFolder()
  let client: SparqlClient
  let running: Awaited<ReturnType<typeof store.start>>

  beforeAll(async () => {
    running = await store.start()
    client = new SparqlClient({ endpoint: running.endpoint, timeoutMs: 60_000 })
  })
  afterAll(async () => {
    await running.stop()
  })

  async function counts(): Promise<Record<string, number>> {
    const rows = await client.select(
      `SELECT ?version (COUNT(*) AS ?count) WHERE { GRAPH <${URI}> { ?c <${SKOS}prefLabel> ?l } BIND(STRBEFORE(STR(?l), " ") AS ?version) } GROUP BY ?version`,
    )
    return Object.fromEntries(rows.map((row) => [row.version!.value, Number(row.count!.value)]))
  }
  async function dump(uri: string): Promise<string[]> {
    let text = ''
    for await (const chunk of rdfOf(client, uri, 'ntriples')) text += chunk
    return canonical(text.split('\n').filter((line) => line !== ''))
  }

  test('readers see all of the old version or all of the new one during a replacement', async () => {
    const [old, young] = [await file('old.ttl', version('old', 600)), await file('new.ttl', version('new', 900))]
    await loadVocabulary(client, [old], { check: false })
    const seen = new Set<string>()
    let done = false
    const polling = (async () => {
      while (!done) seen.add(JSON.stringify(await counts()))
      seen.add(JSON.stringify(await counts()))
    })()
    await loadVocabulary(client, [young], { check: false })
    done = true
    await polling
    expect([...seen].filter((state) => state !== '{"old":600}' && state !== '{"new":900}')).toEqual([])
    expect(seen).toContain('{"new":900}')
  })

  test('a search finds no replaced label', async () => {
    const app = await startApp(running.endpoint)
    const countOf = async (word: string) => {
      const { status, body } = await app.ask('/search', { query: word, voc: 'replace' })
      expect(status).toBe(200)
      return body.length
    }
    try {
      for (const [word, concepts, replaced] of [
        ['zitronenfalter', 5, 'pfauenauge'],
        ['pfauenauge', 4, 'zitronenfalter'],
        ['zitronenfalter', 3, 'pfauenauge'],
      ] as const) {
        await loadVocabulary(client, [await file(`${word}.ttl`, version(word, concepts))], { check: false })
        // The load did not go through this service, which takes what it looked at a moment ago for the present.
        app.state.changed()
        await app.index.caughtUp()
        expect([await countOf(word), await countOf(replaced)]).toEqual([concepts, 0])
      }
    } finally {
      await app.close()
    }
  })

  // Over Oxigraph's server with LOAD_KILLS alone: it takes as long as everything else here.
  const testKills = KILLS > (store.name === 'oxigraph' ? 2 : 0) ? test : test.skip
  testKills(
    'a load that is killed at any moment leaves the old version or the new one, whole, and a history that agrees',
    async () => {
      const dataDir = path('data')
      const loadBefore = async () => {
        const history = await History.open(dataDir, client)
        try {
          await loadVocabulary(client, [path('k1.ttl')], { check: false, history })
        } finally {
          await history.close()
        }
      }
      await file('k1.ttl', version('before', 100))
      await loadBefore()
      const before = await dump(URI)
      const large = await file('k2.ttl', version('after', KILLED_CONCEPTS))
      const env = { ...process.env, ...storeEnv(running.endpoint), DATA_DIR: dataDir }
      let cutInUpload = 0
      for (let trial = 0; trial < KILLS; trial++) {
        const child = spawn(process.execPath, ['dist/cli/main.js', 'load', large], { cwd: ROOT, env })
        let output = ''
        child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
        const ended = new Promise((done) => child.once('exit', done))
        // One of four while it reads, the others while it writes, the first of them at once.
        const isEarly = trial % 4 === 3
        while (!isEarly && !output.includes('sending') && child.exitCode === null) await sleep(2)
        await sleep(Math.random() * (isEarly ? 2000 : trial === 0 ? 0 : 80))
        child.kill('SIGKILL')
        await ended
        await sleep(200)
        await expectAgreement(client, dataDir, URI)
        const left = await counts()
        if (left['after'] === KILLED_CONCEPTS) {
          expect(left).toEqual({ after: KILLED_CONCEPTS })
          await loadBefore()
        } else {
          expect(left).toEqual({ before: 100 })
          if (output.includes('sending')) cutInUpload++
        }
      }
      // Of few, chance may let all upload as a whole.
      if (KILLS > 2) expect(cutInUpload).toBeGreaterThan(0)
      const withoutRevision = (lines: string[]) => lines.filter((line) => !line.includes('urn:x-vocabulary-service:'))
      expect(withoutRevision(await dump(URI))).toEqual(withoutRevision(before))
      // A killed load may hold the vocabulary for 20 s more, and the next test would wait for that.
      await client.update(`DELETE WHERE { GRAPH <${URI}> { <${URI}> <${HOLD}> ?hold } }`, URI)
    },
    KILLS * 60_000,
  )

  test('load, export, load: the same graph, in every format', async () => {
    // A vocabulary of its own: Oxigraph's server may still be writing what a load sent that was killed.
    const URI = 'http://example.org/trip/'
    const source = `${version('x', 3, URI)}
      <${URI}0> <${SKOS}narrower> <${URI}1> ; <${SKOS}scopeNote> [ <http://www.w3.org/1999/02/22-rdf-syntax-ns#value> "\\"a\\" \\\\ \\n b"@de ] ;
        <${SKOS}notation> "1", "01"^^<http://example.org/type>, 5 ; <${SKOS}altLabel> "ü 😀"@de .
      <${URI}list> <${SKOS}memberList> ( <${URI}0> <${URI}1> ) .`
    await loadVocabulary(client, [await file('trip.ttl', source)])
    const first = await dump(URI)
    for (const [format, extension] of [
      ['turtle', 'ttl'],
      ['ntriples', 'nt'],
      ['jsonld', 'jsonld'],
    ] as const) {
      let text = ''
      for await (const chunk of rdfOf(client, URI, format)) text += chunk
      expect(text).not.toContain('urn:x-vocabulary-service:')
      await removeVocabulary(client, URI)
      const report = await loadVocabulary(client, [await file(`trip.${extension}`, text)])
      expect(report.changes).toEqual({})
      expect(await dump(URI)).toEqual(first)
    }
  })

  testOf(store)('subsets: a branch, a list, a record with notes; removed with the vocabulary', async () => {
    await loadVocabulary(client, [
      await file(
        's.ttl',
        `${version('x', 4)} <${URI}0> <${SKOS}narrower> <${URI}1> . <${URI}2> <${SKOS}broader> <${URI}1> .`,
      ),
    ])
    const members = async (uri: string) =>
      (await client.select(`SELECT ?m WHERE { GRAPH <${uri}> { <${uri}> <${SKOS}member> ?m } } ORDER BY ?m`)).map(
        ({ m }) => m!.value,
      )
    const branch = await addSubset(client, { id: 'subset_b', of: 'replace', branch: `${URI}1` })
    expect(await members(branch.uri)).toEqual([`${URI}1`, `${URI}2`])
    const record = await file(
      'r.ttl',
      `<http://example.org/sub> a <${SKOS}Collection> ; <${SKOS}prefLabel> "List" . <${URI}3> <${SKOS}scopeNote> "here"@en , "see <urn:x-vocabulary-service:load> there"@en .`,
    )
    const list = await addSubset(client, {
      id: 'subset_l',
      of: URI,
      members: await file('m.txt', `# members\n${URI}3\n\n<${URI}0>\n`),
      record,
    })
    const changes = { 'untagged text marked und': 1 }
    expect(list).toEqual({ uri: 'http://example.org/sub', id: 'subset_l', of: URI, members: 2, changes })
    expect(await members(list.uri)).toEqual([`${URI}0`, `${URI}3`])
    expect(await dump(list.uri)).toContain(`<${URI}3> <${SKOS}scopeNote> "here"@en .`)
    expect(await dump(list.uri)).toContain(
      `<${URI}3> <${SKOS}scopeNote> "see <urn:x-vocabulary-service:load> there"@en .`,
    )
    const refused: [Parameters<typeof addSubset>[1], RegExp][] = [
      [{ id: 'b', of: 'replace', branch: `${URI}1` }, /--id: expected subset_/],
      [{ id: 'subset_c', of: 'nothing', branch: `${URI}1` }, /no vocabulary nothing/],
      [{ id: 'subset_c', of: 'replace', branch: `${URI}9` }, /is not a concept of/],
      [
        { id: 'subset_c', of: 'replace', members: await file('bad.txt', `${URI}0\n${URI}9\n`) },
        /bad\.txt, line 2: .*9> is not a concept/,
      ],
      [{ id: 'subset_c', of: 'replace' }, /either --branch or --members/],
    ]
    for (const [options, message] of refused) await expect(addSubset(client, options)).rejects.toThrow(message)
    await removeSubset(client, 'subset_b')
    await expect(removeSubset(client, 'replace')).rejects.toThrow(/is not a subset/)
    await removeVocabulary(client, 'replace')
    expect(
      (await readVocabularies(client)).filter(({ uri }) => uri.includes('replace') || uri.includes('sub')),
    ).toEqual([])
  })

  test('an id that another vocabulary has is refused, and nothing is changed', async () => {
    await loadVocabulary(client, [await file('one.ttl', version('x', 1))])
    const other = version('y', 1).replaceAll(URI, 'http://example.org/other/')
    await expect(loadVocabulary(client, [await file('two.ttl', other)])).rejects.toThrow(
      /id replace is taken by <http:\/\/example.org\/replace\/>/,
    )
    expect((await readVocabularies(client)).map(({ uri }) => uri)).not.toContain('http://example.org/other/')
    expect((await loadVocabulary(client, [await file('two.ttl', other)], { ids: ['two'] })).ids).toEqual(['two'])
    expect((await loadVocabulary(client, [await file('two.ttl', other)])).ids).toEqual(['two'])
  })

  test('a vocabulary that was written into the store is normalised', async () => {
    const uri = 'http://example.org/written'
    await client.update(
      `INSERT DATA { GRAPH <${uri}> { <${uri}> a <${SKOS}ConceptScheme> . <${uri}/a> a <${SKOS}Concept> ; <${SKOS}narrower> <${uri}/b> . <${uri}/b> a <${SKOS}Concept> } }`,
      uri,
    )
    const report = await normaliseStored(client, 'written')
    expect(report.changes).toMatchObject({
      'skos:broader added': 1,
      'skos:inScheme added': 2,
      'skos:hasTopConcept added': 1,
    })
    expect((await normaliseStored(client, 'written')).changes).toEqual({})
    await client.update(
      `INSERT DATA { GRAPH <${uri}/s> { <${uri}/s> a <${SKOS}Collection> ; <${SKOS}notation> "subset_written" ; <http://purl.org/dc/terms/isPartOf> <${uri}/> ;
        <${SKOS}prefLabel> "A"@en, "B"@en ; <${SKOS}member> <${uri}/a> . <${uri}/a> <${SKOS}note> "plain" } }`,
      `${uri}/s`,
    )
    expect((await normaliseStored(client, 'written')).changes).toEqual({
      'untagged text marked und': 1,
      'further prefLabel of a language made altLabel': 1,
      'vocabulary of a subset named by its own URI': 1,
    })
    expect(await dump(`${uri}/s`)).toContain(`<${uri}/a> <${SKOS}note> "plain"@und .`)
    expect((await normaliseStored(client, 'written')).changes).toEqual({})
    await client.update(
      `INSERT DATA { GRAPH <${uri}s> { <${uri}s> a <${SKOS}ConceptScheme> ; <${SKOS}notation> "written" } }`,
      `${uri}s`,
    )
    await expect(normaliseStored(client, `${uri}s`)).rejects.toThrow(
      /has an id of <.*written>, written; give it a skos:notation/,
    )
  })

  test('subsets name their vocabulary by its URI, also after that changes', async () => {
    const uri = 'http://example.org/turned'
    const text = `<${uri}/a> a <${SKOS}Concept> .`
    const partOf = async (subset: string) => {
      const query = `SELECT ?whole { GRAPH <${subset}> { <${subset}> <http://purl.org/dc/terms/isPartOf> ?whole } }`
      return (await client.select(query)).map(({ whole }) => whole!.value)
    }
    await loadVocabulary(client, [await file('turned.ttl', `<${uri}> a <${SKOS}ConceptScheme> . ${text}`)])
    const options = { id: 'subset_turned', of: 'turned', branch: `${uri}/a` }
    const subset = await addSubset(client, options)
    const turned = `https${uri.slice(4)}/`
    const inFile = `<${uri}/b> a <${SKOS}Collection> ; <${SKOS}notation> "subset_b" ; <http://purl.org/dc/terms/isPartOf> <${uri}> .`
    await loadVocabulary(client, [await file('turned.ttl', `<${turned}> a <${SKOS}ConceptScheme> . ${text} ${inFile}`)])
    expect(await Promise.all([subset.uri, `${uri}/b`].map(partOf))).toEqual([[turned], [turned]])
    expect(await addSubset(client, options)).toMatchObject({ uri: subset.uri, of: turned })
  })
})
