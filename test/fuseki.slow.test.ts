import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readStatements } from '../src/interface/search/store-labels.ts'
import { SparqlClient } from '../src/graph/sparql/client.ts'
import { queryTemplate } from '../src/graph/sparql/templates.ts'
import { iri } from '../src/graph/sparql/terms.ts'
import { fusekiMissing, startFuseki, type Fuseki } from './fuseki.ts'
import { LONG, testLong } from './long.ts'
import { newDirectory } from './process.ts'

const RUN = resolve(import.meta.dirname, '../fuseki/run')
const SKOS = 'http://www.w3.org/2004/02/skos/core#'
const GRAPH = 'http://example.org/'
const CONCEPT = 'http://example.org/c1'

const WITH_TEXT_INDEX = { FUSEKI_TEXT_INDEX: 'on' }

const missing = fusekiMissing()
const describeFuseki = missing ? describe.skip : describe
const title = (name: string) => (missing ? `${name}, skipped: ${missing}` : name)

const label = (text: string, property = 'prefLabel', language = '@de') =>
  `<${CONCEPT}> <${SKOS}${property}> ${JSON.stringify(text)}${language} .\n`

describeFuseki(title('Fuseki'), () => {
  let fuseki: Fuseki
  let client: SparqlClient

  beforeAll(async () => {
    fuseki = await startFuseki({ isPrivate: true, env: WITH_TEXT_INDEX })
    client = new SparqlClient({ endpoint: fuseki.endpoint, timeoutMs: 30_000 })
  })
  afterAll(() => fuseki?.stop())

  /** The labels that a text query finds, in code point order. */
  const find = async (search: string, properties = 'skos:prefLabel skos:altLabel skos:hiddenLabel skos:notation') => {
    const rows = await client.select(`
      PREFIX skos: <${SKOS}>
      PREFIX text: <http://jena.apache.org/text#>
      SELECT ?label WHERE { (?concept ?score ?label) text:query (${properties} ${JSON.stringify(search)}) }`)
    return rows.map((row) => row['label']?.value).sort()
  }

  const count = async () => {
    const [row] = await client.select('SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }')
    return Number(row?.['n']?.value)
  }

  describe('text index', () => {
    beforeAll(async () => {
      await fuseki.reset()
      await client.putGraph(
        GRAPH,
        [
          label('München'),
          label('Munich', 'prefLabel', '@en'),
          label('Isar-Athen an der Straße', 'altLabel'),
          label('Café Müller', 'hiddenLabel', '@fr'),
          label('11H(JOHN)(+12)', 'notation', ''),
          label('QA 76.9', 'notation', ''),
        ].join(''),
      )
    })

    test.each([
      ['München', ['München']],
      ['Muenchen', ['München']],
      ['MUNCHEN', ['München']],
      ['Münch*', ['München']],
      ['muench*', ['München']],
      ['mun*', ['Munich', 'München']],
      ['strasse', ['Isar-Athen an der Straße']],
      ['athen AND isar', ['Isar-Athen an der Straße']],
      ['cafe', ['Café Müller']],
      ['CAFÉ mueller', ['Café Müller']],
      ['11h\\(john\\)\\(\\+12\\)', ['11H(JOHN)(+12)']],
      ['76.9', []],
      ['unich', []],
    ])('%s finds %j', async (search, expected) => {
      expect(await find(search)).toEqual(expected)
    })

    // Asked for in labels too, these are an error: there a beginning is of one word.
    test.each([
      ['11H\\(j*', ['11H(JOHN)(+12)']],
      ['qa\\ 76*', ['QA 76.9']],
      ['76*', []],
    ])('%s finds the notations %j', async (search, expected) => {
      expect(await find(search, 'skos:notation')).toEqual(expected)
    })

    test('searches the properties that are asked for, and no others', async () => {
      expect(await find('athen', 'skos:prefLabel')).toEqual([])
      expect(await find('athen', 'skos:altLabel')).toEqual(['Isar-Athen an der Straße'])
    })

    test.each([
      ['the default graph, which is the union of all', `SELECT ?c WHERE { ?c text:query 'muenchen' }`, 1],
      ['the graph that is named', `SELECT ?c WHERE { GRAPH <${GRAPH}> { ?c text:query 'muenchen' } }`, 1],
      ['no other graph', `SELECT ?c WHERE { GRAPH <${GRAPH}other> { ?c text:query 'muenchen' } }`, 0],
      ['any graph', `SELECT ?c WHERE { GRAPH ?g { ?c text:query 'muenchen' } }`, 1],
      ['one language', `SELECT ?c WHERE { ?c text:query (skos:prefLabel 'mun*' 'lang:en') }`, 1],
    ])('searches in %s', async (_, query, hits) => {
      const prefixes = `PREFIX skos: <${SKOS}> PREFIX text: <http://jena.apache.org/text#>`
      expect(await client.select(`${prefixes} ${query}`)).toHaveLength(hits)
    })
  })

  // https://github.com/apache/jena/issues/1985: replaced labels once stayed in the index.
  describe('the text index forgets removed data', () => {
    const other = `${GRAPH}new`
    const withUpdate = (update: string) => () => client.update(update, GRAPH)
    const removals: [string, () => Promise<void>, string[]][] = [
      ['PUT', () => client.putGraph(GRAPH, label('newer')), ['moved', 'newer']],
      ['DELETE', () => client.deleteGraph(GRAPH), ['moved']],
      ['DROP', withUpdate(`DROP GRAPH <${GRAPH}>`), ['moved']],
      ['CLEAR', withUpdate(`CLEAR GRAPH <${GRAPH}>`), ['moved']],
      ['DELETE WHERE', withUpdate(`DELETE WHERE { GRAPH <${GRAPH}> { ?s ?p ?o } }`), ['moved']],
      ['MOVE', withUpdate(`MOVE <${other}> TO <${GRAPH}>`), ['moved']],
      ['COPY', withUpdate(`COPY <${other}> TO <${GRAPH}>; DROP GRAPH <${other}>`), ['moved']],
      ['DROP ALL', withUpdate('DROP ALL'), []],
    ]
    test.each(LONG ? removals : removals.slice(0, 3))('%s', async (_, replace, expected) => {
      await fuseki.reset()
      // More than one batch of Fuseki's own deletion.
      const older = Array.from({ length: 3_000 }, (_, i) => label(`older ${i}`, 'altLabel')).join('')
      await client.putGraph(GRAPH, older + label('older'))
      await client.putGraph(other, label('moved'))
      expect(await find('older')).toHaveLength(3_001)

      await replace()

      expect(await find('older')).toEqual([])
      expect(await find('newer moved')).toEqual(expected)
    })

    test.each<[string, () => Promise<void>]>([
      ['PUT', () => client.putGraph(GRAPH, label('same'))],
      ['INSERT DATA', () => client.update(`INSERT DATA { GRAPH <${GRAPH}> { ${label('same')} } }`, GRAPH)],
    ])('%s of what is there already makes no second entry', async (_, write) => {
      await fuseki.reset()
      await write()
      await write()
      expect(await find('same')).toEqual(['same'])
    })

    test('a PUT that fails changes neither the data nor the index', async () => {
      await fuseki.reset()
      await client.putGraph(GRAPH, label('older'))
      const broken = `${label('newer').repeat(1_000)}<${CONCEPT}> this is no N-Triples`
      await expect(client.putGraph(GRAPH, broken)).rejects.toMatchObject({ name: 'BackendError' })
      expect(await find('newer')).toEqual([])
      expect(await find('older')).toEqual(['older'])

      await client.putGraph(GRAPH, label('newest'))
      expect(await find('newest')).toEqual(['newest'])
      expect(await find('older')).toEqual([])
    })
  })

  describe('the public service', () => {
    const service = () => fuseki.publicQueryUrl.replace(/\/sparql$/, '')
    const server = () => new URL(fuseki.publicQueryUrl).origin
    const insert = 'INSERT DATA { GRAPH <http://example.org/> { <a:b> <a:c> <a:d> } }'
    const form = (fields: Record<string, string>) => ({ method: 'POST', body: new URLSearchParams(fields) })
    const turtle = (method: string) => ({
      method,
      headers: { 'content-type': 'text/turtle' },
      body: '<a:b> <a:c> <a:d> .',
    })

    test('answers queries', async () => {
      const response = await fetch(`${fuseki.publicQueryUrl}?query=ASK%7B%7D`)
      expect(response.status).toBe(200)
      expect(await response.json()).toMatchObject({ boolean: true })
    })

    test.each<[string, () => string, RequestInit]>([
      ['an update', () => fuseki.publicQueryUrl, form({ update: insert })],
      [
        'an update as such',
        () => fuseki.publicQueryUrl,
        { method: 'POST', headers: { 'content-type': 'application/sparql-update' }, body: insert },
      ],
      ['an update as a query', () => fuseki.publicQueryUrl, form({ query: insert })],
      ['an update of the dataset', service, form({ update: insert })],
      ['an update endpoint', () => `${service()}/update`, form({ update: insert })],
      ['PUT of a graph', () => `${service()}?graph=http://example.org/`, turtle('PUT')],
      ['PUT of the default graph', () => `${service()}?default`, turtle('PUT')],
      ['PUT to the query endpoint', () => `${fuseki.publicQueryUrl}?default`, turtle('PUT')],
      ['PUT to a graph store', () => `${service()}/data?default`, turtle('PUT')],
      ['POST to a graph store', () => `${service()}/data?default`, turtle('POST')],
      ['POST of data', service, turtle('POST')],
      ['DELETE of a graph', () => `${service()}?graph=http://example.org/`, { method: 'DELETE' }],
      ['upload', () => `${service()}/upload`, turtle('POST')],
      ['the private update', () => fuseki.endpoint.updateUrl, form({ update: insert })],
      ['the private graph store', () => `${fuseki.endpoint.graphStoreUrl}?default`, turtle('PUT')],
      ['the private graph store for reading', () => `${fuseki.endpoint.graphStoreUrl}?default`, {}],
      ['the private query endpoint', () => `${server()}/private/sparql?query=ASK%7B%7D`, {}],
      ['SERVICE', () => fuseki.publicQueryUrl, form({ query: 'ASK { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }' })],
      [
        'a function in JavaScript',
        () => fuseki.publicQueryUrl,
        form({
          query: 'ASK { FILTER(<http://jena.apache.org/ARQ/jsFunction#f>(1)) }',
        }),
      ],
      ['a list of datasets', () => `${server()}/$/datasets`, {}],
      ['a new dataset', () => `${server()}/$/datasets`, form({ dbName: 'new', dbType: 'mem' })],
      ['removal of the dataset', () => `${server()}/$/datasets/vocabularies`, { method: 'DELETE' }],
      ['backup', () => `${server()}/$/backup/vocabularies`, { method: 'POST' }],
      ['compaction', () => `${server()}/$/compact/vocabularies`, { method: 'POST' }],
      ['shutdown', () => `${server()}/$/shutdown`, { method: 'POST' }],
      ['state', () => `${server()}/$/server`, {}],
      ['statistics', () => `${server()}/$/stats`, {}],
      ['a web interface', () => `${server()}/`, {}],
    ])('refuses %s', async (_, url, request) => {
      const before = await count()
      const response = await fetch(url(), request)
      expect(response.status).toBeGreaterThanOrEqual(400)
      expect(response.status).toBeLessThan(500)
      expect(await count()).toBe(before)
    })

    test('SERVICE SILENT reaches no other machine', async () => {
      await fuseki.reset()
      await client.putGraph(GRAPH, label('here'))
      const rows = await client.select(`SELECT * WHERE { SERVICE SILENT <${fuseki.publicQueryUrl}> { ?s ?p ?o } }`)
      expect(rows).toEqual([{}])
    })

    test.each(['file:///etc/hostname', 'http://127.0.0.1:9/'])('reads nothing by FROM <%s>', async (source) => {
      expect(await client.select(`SELECT * FROM <${source}> WHERE { ?s ?p ?o }`)).toEqual([])
    })
  })

  // With the regular expressions of Java such a query goes on for minutes or hours, and no time limit ends it.
  describe('a regular expression that can match in many ways', () => {
    const text = `${'a'.repeat(40)}!`
    test.each([
      String.raw`REGEX("${text}", "^(a|aa)+(b?)\\2$")`,
      `REGEX("${text}", "(.*a){20}$")`,
      `REGEX("${text}", "^((a|aa)+)+b")`,
      `<http://www.w3.org/2005/xpath-functions#matches>("${text}", "(.*a){20}$")`,
    ])('%s', async (expression) => {
      expect(await client.select(`SELECT (${expression} AS ?is) {}`)).toMatchObject([{ is: { value: 'false' } }])
    })

    test.each([
      ['Straße', 'STRASSE', 'i', false],
      ['Ähre', '^ähr', 'i', true],
      ['a\nb', 'a.b', '', false],
      ['a\nb', 'a.b', 's', true],
      ['a\nb', '^b$', '', false],
      ['a\nb', '^b$', 'm', true],
      ['ab', 'a b', 'x', true],
      ['a.b', 'A.B', 'qi', true],
      ['axb', 'a.b', 'q', false],
      ['Ähre 7', '^\\p{Lu}\\p{Ll}+ \\d$', '', true],
      ['𝄞', '^.$', '', true],
    ])('%j by %j with the flags %j: %s', async (...[value, pattern, flags, expected]) => {
      const values = [value, pattern, flags].map((text) => JSON.stringify(text)).join()
      expect(await client.select(`SELECT (REGEX(${values}) AS ?is) {}`)).toMatchObject([
        { is: { value: `${expected}` } },
      ])
    })
  })

  describe('a query past its time', () => {
    const endless = 'WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l FILTER(CONCAT(STR(?c), STR(?l)) = "none") }'
    let impatient: Fuseki

    beforeAll(async () => {
      const directory = await newDirectory()
      const config = join(directory, 'config.ttl')
      const text = await readFile(resolve(RUN, '../config.ttl'), 'utf8')
      const timeouts = '"15000,30000"'
      expect(text).toContain(timeouts)
      await writeFile(config, text.replace(timeouts, '"500,500"'))
      impatient = await startFuseki({ isPrivate: true, config, env: WITH_TEXT_INDEX })
      await rm(directory, { recursive: true })
      const many = Array.from({ length: 1_000 }, (_, i) => label(`word ${i}`, 'altLabel')).join('')
      await new SparqlClient({ endpoint: impatient.endpoint, timeoutMs: 30_000 }).putGraph(GRAPH, many)
    })
    afterAll(() => impatient?.stop())

    const ask = (query: string, accept: string) =>
      fetch(impatient.publicQueryUrl, { method: 'POST', headers: { accept }, body: new URLSearchParams({ query }) })

    test.each([
      ['SELECT', `SELECT * ${endless}`, 'application/sparql-results+json'],
      ['ASK', `ASK ${endless}`, 'application/sparql-results+json'],
      ['CONSTRUCT', `CONSTRUCT { ?a ?b ?c } ${endless}`, 'application/n-triples'],
      // Fuseki holds back what a CONSTRUCT has found until it has found all.
      [
        'CONSTRUCT in the midst',
        `CONSTRUCT { ?a ?b ?c } WHERE { { SELECT * { ?a ?b ?c } } UNION { SELECT * ${endless} } }`,
        'application/n-triples',
      ],
    ])('%s: 503', async (_, query, accept) => {
      const response = await ask(query, accept)
      expect(response.status).toBe(503)
      expect(await response.text()).toBe('Query timed out\n')
    })

    test('SELECT that has begun to answer: a body that is not JSON', async () => {
      const query = `SELECT * WHERE { { SELECT * { ?a ?b ?c } } UNION { SELECT * ${endless} } }`
      const response = await ask(query, 'application/sparql-results+json')
      expect(response.status).toBe(200)
      const text = await response.text()
      expect(text).toContain('word 999')
      expect(() => JSON.parse(text) as unknown).toThrow()
    })

    testLong('the labels of a graph without a revision come nevertheless: as a whole graph', async () => {
      const client = new SparqlClient({ endpoint: impatient.endpoint, timeoutMs: 30_000 })
      const large = `${GRAPH}large`
      const labels = Array.from({ length: 100_000 }, (_, at) => `<urn:c${at}> <${SKOS}prefLabel> "label ${at}"@en .\n`)
      await client.putGraph(large, labels.join(''))
      const query = queryTemplate('search/labels').bind({ terms: { graph: [iri(large)] } })
      await expect(client.constructInPieces(query, {}, () => Promise.resolve(true))).rejects.toMatchObject({
        name: 'TimeoutError',
      })
      let read = 0
      for await (const some of readStatements(client, { uri: large, revision: undefined, triples: undefined }))
        read += some.length
      expect(read).toBe(labels.length)
      await client.deleteGraph(large)
    })

    // Queries aborted within a text index once broke it.
    test('leaves the text index whole', async () => {
      const query = `SELECT * WHERE { (?a ?score ?c) <http://jena.apache.org/text#query> 'x' } ORDER BY ?c`
      const slow = `SELECT * WHERE { (?s ?x ?y) <http://jena.apache.org/text#query> (<${SKOS}altLabel> 'word') . { SELECT * ${endless} } }`
      expect((await ask(slow, 'application/sparql-results+json')).status).toBe(503)
      const client = new SparqlClient({ endpoint: impatient.endpoint, timeoutMs: 30_000 })
      await client.putGraph(`${GRAPH}x`, label('x'))
      expect(await client.select(query)).toHaveLength(1)
    })
  })

  test('a client can ask for less time than the configuration gives', async () => {
    await fuseki.reset()
    await client.putGraph(GRAPH, Array.from({ length: 500 }, (_, i) => label(`word ${i}`)).join(''))
    const endless = 'SELECT * WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i FILTER(CONCAT(STR(?c), STR(?i)) = "none") }'
    const started = performance.now()
    const response = await fetch(`${fuseki.publicQueryUrl}?timeout=1,1`, {
      method: 'POST',
      body: new URLSearchParams({ query: endless }),
    })
    expect(response.status).toBe(503)
    expect(performance.now() - started).toBeLessThan(10_000)
  })

  test('the private service refuses a wrong password', async () => {
    const wrong = new SparqlClient({ endpoint: { ...fuseki.endpoint, password: 'wrong' }, timeoutMs: 30_000 })
    await expect(wrong.update('INSERT DATA { <a:b> <a:c> <a:d> }', 'a:')).rejects.toMatchObject({
      name: 'BackendError',
    })
  })

  test('the login is for the owner of the process alone', async () => {
    const modes = await Promise.all(
      ['passwd', 'store.env'].map(async (name) => (await stat(join(fuseki.directory, name))).mode & 0o777),
    )
    expect(modes).toEqual([0o600, 0o600])
  })

  const offline = (command: string, directory: string) => {
    const { status, stderr } = spawnSync('bash', [RUN, command], {
      encoding: 'utf8',
      env: { ...process.env, FUSEKI_DIR: directory, JDK_JAVA_OPTIONS: '-XX:+UseSerialGC -XX:TieredStopAtLevel=1' },
    })
    return { status, stderr }
  }

  testLong(
    'a Fuseki of one’s own keeps its data over a restart, compaction and a new text index, and is gone when stopped, only with TEST_LONG=1',
    async () => {
      const directory = await newDirectory()
      try {
        await client.putGraph(GRAPH, label('shared'))
        const first = await startFuseki({ directory, env: WITH_TEXT_INDEX })
        const firstClient = new SparqlClient({ endpoint: first.endpoint, timeoutMs: 30_000 })
        expect(await firstClient.ask('ASK { ?s ?p ?o }')).toBe(false)
        await firstClient.putGraph(GRAPH, label('kept'))
        expect(offline('reindex', directory)).toMatchObject({ status: 1, stderr: expect.stringContaining('lock') })
        await first.stop()
        await rm(join(directory, 'lucene'), { recursive: true })
        for (const command of ['compact', 'reindex']) {
          expect(offline(command, directory)).toEqual({ status: 0, stderr: '' })
        }
        await expect(firstClient.ask('ASK {}')).rejects.toMatchObject({ name: 'BackendError' })

        const second = await startFuseki({ directory, env: WITH_TEXT_INDEX })
        const rows = await new SparqlClient({ endpoint: second.endpoint, timeoutMs: 30_000 }).select(
          `SELECT ?l WHERE { (?c ?score ?l) <http://jena.apache.org/text#query> 'kept' . ?c <${SKOS}prefLabel> ?l }`,
        )
        expect(rows.map((row) => row['l']?.value)).toEqual(['kept'])
        expect(second.endpoint.password).toBe(first.endpoint.password)
        await second.stop()

        const plain = await startFuseki({ directory })
        const plainClient = new SparqlClient({ endpoint: plain.endpoint, timeoutMs: 30_000 })
        await plainClient.putGraph(GRAPH, label('newer'))
        await plain.stop()
        await expect(stat(join(directory, 'lucene'))).rejects.toMatchObject({ code: 'ENOENT' })
        const again = await startFuseki({ directory, env: WITH_TEXT_INDEX })
        const answer = await new SparqlClient({ endpoint: again.endpoint, timeoutMs: 30_000 }).select(
          `SELECT ?l WHERE { (?c ?score ?l) <http://jena.apache.org/text#query> 'newer kept' }`,
        )
        expect(answer.map(({ l }) => l?.value)).toEqual(['newer'])
        await again.stop()
      } finally {
        await rm(directory, { recursive: true, force: true })
      }
    },
    180_000,
  )

  test('starts after a kill in the midst of a commit, without the transaction that was not complete', async () => {
    const directory = await newDirectory()
    try {
      const first = await startFuseki({ directory })
      await new SparqlClient({ endpoint: first.endpoint, timeoutMs: 30_000 }).putGraph(GRAPH, label('kept'))
      await first.stop()
      const journal = join(directory, 'tdb2/Data-0001/journal.jrnl')
      // The head of an entry with 100 bytes, of which 4 were written; then a part of a head.
      const entry = Buffer.from([0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])
      for (const length of [entry.length, 5]) {
        await writeFile(journal, entry.subarray(0, length))
        const again = await startFuseki({ directory })
        const rows = await new SparqlClient({ endpoint: again.endpoint, timeoutMs: 30_000 }).select(
          'SELECT ?o WHERE { ?s ?p ?o }',
        )
        expect(rows.map(({ o }) => o?.value)).toEqual(['kept'])
        await again.stop()
        expect((await stat(journal)).size).toBe(0)
      }
      expect((await readFile(join(directory, 'log'), 'utf8')).match(/dropped a transaction/g)).toHaveLength(2)
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  }, 120_000)

  test('its README’s commands make a backup while it runs, and restore it, text index included', async () => {
    const readme = await readFile(resolve(import.meta.dirname, '../fuseki/README.md'), 'utf8')
    const commands = (title: string) => {
      const section = readme.split('\n### ').find((text) => text.startsWith(title))!
      return [...section.matchAll(/^ {4}(.*)$/gm)].map(([, command]) => command!)
    }
    const run = (command: string) => {
      const login = `set -a; . ${fuseki.directory}/store.env; set +a; set -o pipefail`
      const options = { encoding: 'utf8', cwd: fuseki.directory } as const
      const { status, stderr } = spawnSync('bash', ['-c', `${login}; ${command}`], options)
      expect([command, status, stderr]).toEqual([command, 0, ''])
    }
    const other = 'http://example.org/other/'
    await client.update('DROP ALL', GRAPH)
    await client.putGraph(GRAPH, label('saved'))
    await client.putGraph(other, label('also saved', 'altLabel'))

    expect(commands('Backup').map(run)).toHaveLength(1)
    await client.putGraph(GRAPH, label('later'))
    await client.deleteGraph(other)
    expect(await find('saved')).toEqual([])

    expect(commands('Restore').map(run)).toHaveLength(2)
    const rows = await client.select('SELECT ?g ?o WHERE { GRAPH ?g { ?s ?p ?o } } ORDER BY ?g')
    expect(rows.map(({ g, o }) => [g!.value, o!.value])).toEqual([
      [GRAPH, 'saved'],
      [other, 'also saved'],
    ])
    expect([await find('saved'), await find('later')]).toEqual([['also saved', 'saved'], []])
  })
})

describe('fuseki/run reports errors in one line', () => {
  let bin: string

  // A PATH with the tools of the script, an old Java, and no Maven.
  beforeAll(async () => {
    bin = await newDirectory()
    for (const name of ['bash', 'cut', 'sed', 'head', 'od', 'tr', 'dirname', 'mkdir', 'sha512sum', 'grep', 'cat']) {
      const path = execFileSync('bash', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()
      await writeFile(join(bin, name), `#!/bin/sh\nexec ${path} "$@"\n`, { mode: 0o755 })
    }
    await writeFile(join(bin, 'java'), '#!/bin/sh\necho \'openjdk version "17.0.15" 2025-04-15\' >&2\n', {
      mode: 0o755,
    })
  })
  afterAll(() => rm(bin, { recursive: true, force: true }))

  const run = (command: string, environment: Record<string, string>) => {
    const { status, stderr } = spawnSync('bash', [RUN, command], {
      encoding: 'utf8',
      env: { ...process.env, FUSEKI_DIR: join(bin, 'data'), ...environment },
    })
    return { status, lines: stderr.trim().split('\n') }
  }

  const needsFuseki = missing ? test.skip : test
  needsFuseki.each([
    [{ FUSEKI_PORT: 'x' }, 'FUSEKI_PORT: expected a port number, got "x".'],
    [{ FUSEKI_HEAP: 'much' }, 'FUSEKI_HEAP: expected a size such as 512m or 2g, got "much".'],
    [{ FUSEKI_LISTEN: '10.0.0.1' }, 'FUSEKI_LISTEN: expected localhost or all, got "10.0.0.1".'],
    [{ FUSEKI_CONFIG: '/nowhere.ttl' }, 'FUSEKI_CONFIG: there is no file /nowhere.ttl.'],
    [{ FUSEKI_TEXT_INDEX: 'yes' }, 'FUSEKI_TEXT_INDEX: expected on or off, got "yes".'],
    [{ FUSEKI_DIR: '/dev/null/data' }, 'FUSEKI_DIR: cannot create or enter /dev/null/data.'],
    [{ FUSEKI_PASSWORD: 'a b' }, 'FUSEKI_PASSWORD: expected letters, digits and any of ._~+/@%*=-'],
    [{ FUSEKI_USER: 'a:b' }, 'FUSEKI_USER: expected letters, digits, ".", "_" and "-".'],
  ])('%j', (environment, message) => {
    expect(run('start', environment as Record<string, string>)).toEqual({
      status: 1,
      lines: [`fuseki/run: ${message}`],
    })
  })

  needsFuseki('compact without data', () => {
    expect(run('compact', { FUSEKI_DIR: '/nowhere' })).toEqual({
      status: 1,
      lines: ['fuseki/run: there is no dataset in /nowhere.'],
    })
  })

  // In a project of its own, whose .fuseki is empty.
  needsFuseki('no jar and no Maven', async () => {
    const [java] = execFileSync('bash', [RUN, 'check'], { encoding: 'utf8' }).split('\n')
    const script = join(bin, 'project/fuseki/run')
    await mkdir(join(bin, 'project/fuseki'), { recursive: true })
    await copyFile(RUN, script)
    const { status, stderr } = spawnSync('bash', [script, 'check'], {
      encoding: 'utf8',
      env: { PATH: bin, JAVA_HOME: resolve(java!, '../..'), HOME: '/nowhere' },
    })
    expect(status).toBe(1)
    expect(stderr).toMatch(/^fuseki\/run: jena-fuseki-server-[\d.]+\.jar is neither in .* is not in PATH\.\n$/)
  })
})
