/**
 * Whatever is wrong with a file or a command line: exit code 1, one clear line on stderr, and the store as it was. The
 * whole table runs within this process, beside a running service; some of it as a program of its own, as an operator
 * runs it.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { SKOS } from '../../../src/base/namespaces.ts'
import { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { runCommand } from '../../command.ts'
import { CRAFTS } from '../../app.ts'
import { newDirectory, runToEnd, startService, storeEnv, type ServiceProcess } from '../../process.ts'
import { storeOf } from '../../stores.ts'

const V = 'http://example.org/v/'
const PREFIXES = `@prefix skos: <${SKOS}> . @prefix : <${V}> .\n`
const GOOD = `${PREFIXES}:s a skos:ConceptScheme .\n:a a skos:Concept ; skos:inScheme :s ; skos:prefLabel "Ä"@de .\n`
const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'
const ONE_RECORD = `{"uri":"${V}a","type":["${SKOS}Concept"],"inScheme":[{"uri":"${V}s"}],"prefLabel":{"de":"Ä"}}`
const XML = `<rdf:RDF xmlns:rdf="${RDF}" xmlns:skos="${SKOS}">\n<skos:Concept rdf:about="${V}a">\n`

const FILES: Record<string, string | Buffer> = {
  'good.ttl': GOOD,
  'broken.ttl': `${GOOD}:b a skos:Concept ;\n  skos:prefLabel "not closed .\n`,
  'prefix.ttl': `${GOOD}:b a skos:Concept ; dct:title "x" .\n`,
  'broken.ttl.gz': gzipSync(`${GOOD}:b skos:prefLabel .\n`),
  'broken.nt': `<${V}a> <${RDF}type> <${SKOS}Concept> .\n<${V}a> <${SKOS}prefLabel> .\n`,
  'broken.nq': `<${V}a> <${RDF}type> <${SKOS}Concept> <${V}s> .\n<${V}a> "Ä" <${V}s> .\n`,
  'broken.trig': `${PREFIXES}:s { :a a skos:Concept .\n`,
  'broken.rdf': `${XML}</skos:Koncept></rdf:RDF>`,
  'open.rdf': XML,
  'broken.jsonld': `{"@context": {"skos": "${SKOS}"},\n "@id": "${V}a" "@type": "skos:Concept"}`,
  'open.jsonld': `{"@context": {"skos": "${SKOS}"},\n "@id": "${V}a",`,
  'remote.jsonld': `{"@context": "http://example.org/context.json", "@id": "${V}a"}`,
  'broken.json': `[\n${ONE_RECORD},\n{"uri": "${V}b", "prefLabel": {"de": }}]`,
  'open.json': `[\n${ONE_RECORD},\n`,
  'no-uri.json': `[\n${ONE_RECORD},\n{"prefLabel": {"de": "B"}}]`,
  'broken.ndjson': `${ONE_RECORD}\n{"uri": \n`,
  'list.ndjson': `${ONE_RECORD}\n"text"\n`,
  'latin1.ttl': Buffer.from(GOOD, 'latin1'),
  'utf16.ttl': Buffer.from(`\ufeff${GOOD}`, 'utf16le'),
  'latin1.rdf': Buffer.from(`<?xml version="1.0" encoding="KOI-9"?>\n${XML}`, 'latin1'),
  'cut.ttl.gz': gzipSync(GOOD).subarray(0, -20),
  'damaged.ttl.gz': gzipSync(GOOD).fill(0x55, 20, 40),
  'plain.ttl.gz': GOOD,
  'empty.ttl': '',
  'blank.ttl': '\n  \n',
  'empty.ttl.gz': gzipSync(''),
  'comment.ttl': '# nothing yet\n',
  'empty.json': '[]',
  'relative.ttl': `${GOOD}:a skos:broader\n  <b> .\n`,
  'relative.rdf': `${XML}<skos:broader rdf:resource="b"/></skos:Concept></rdf:RDF>`,
  'relative.json': ONE_RECORD.replace(`${V}s`, 's'),
  'space.ttl': `${GOOD}:a skos:broader <${V}b c> .\n`,
  'bracket.ttl': `${GOOD}:a skos:broader <http://[b> .\n`,
  'tag.ttl': `${GOOD}:a skos:altLabel "x"@a-b .\n`,
  'number.ndjson': `${ONE_RECORD}\n${ONE_RECORD.replace('"Ä"', '5')}\n`,
  'ends.ttl': `${GOOD}:a skos:broader :b`,
  'no-scheme.ttl': `${PREFIXES}:a a skos:Concept ; skos:prefLabel "A"@en .\n`,
  'two-schemes.ttl': `${GOOD}:t a skos:ConceptScheme .\n`,
  'shape.ttl': `${GOOD}:a skos:broader "text" .\n`,
  'no-id.ttl': GOOD.replaceAll(':s ', '<http://example.org/> '),
  'orphan.ttl': `${PREFIXES}:sub a skos:Collection ; skos:notation "subset_x" ; skos:member :a ; <http://purl.org/dc/terms/isPartOf> :s . :a a skos:Concept .`,
  'text.txt': 'Concepts: bread, butter\n',
  'picture.png': Buffer.from('89504e470d0a1a0a0000000d49484452ff', 'hex'),
  'book.xlsx': Buffer.from('504b0304140006000800', 'hex'),
  'circle.ttl': `${GOOD}:a skos:broader :b .\n:b a skos:Concept ; skos:broader :a .\n`,
  'list.csv': 'notation,prefLabel@en,broader\n1,Boats,\n2,Canoes,Boots\n',
  'members.txt': `${V}nothing\n`,
  'format.json': '{"title": "no id"}',
}

const CASES: [args: string[], line: RegExp][] = [
  [['load', 'broken.ttl'], /^broken\.ttl, line 5, column 17: /],
  [['load', 'good.ttl', 'broken.ttl'], /^broken\.ttl, line 5, column 17: /],
  [['load', 'prefix.ttl'], /^prefix\.ttl, line 4, column 21: .*dct/],
  [['load', 'broken.ttl.gz'], /^broken\.ttl\.gz, line 4, column 19: /],
  [['load', 'broken.nt'], /^broken\.nt, line 2, column \d+: /],
  [['load', 'broken.nq'], /^broken\.nq, line 2, column \d+: /],
  [['load', 'broken.trig'], /^broken\.trig, line 3, column 1: /],
  [['load', 'broken.rdf'], /^broken\.rdf, line 3, column 15: unexpected close tag/],
  [['load', 'open.rdf'], /^open\.rdf, line 3, column 1: unclosed tag/],
  [['load', 'broken.jsonld'], /^broken\.jsonld, line 2, column 34: broken JSON: /],
  [['load', 'open.jsonld'], /^open\.jsonld, line 2, column 34: broken JSON: /],
  [['load', 'remote.jsonld'], /^remote\.jsonld.*: the context http:\/\/example\.org\/context\.json is not fetched/],
  [['load', 'broken.json'], /^broken\.json, line 3, column \d+: /],
  [['load', 'open.json'], /^open\.json, line 3, column 1: the JSON ends too early/],
  [['load', 'no-uri.json'], /^no-uri\.json, line 3: expected a JSKOS record with a uri/],
  [['load', 'broken.ndjson'], /^broken\.ndjson, line 3, column 1: the JSON ends too early/],
  [['load', 'list.ndjson'], /^list\.ndjson, line 2, column 1: expected a JSON object/],
  [['load', 'latin1.ttl'], /^latin1\.ttl, line 3, column 56: expected UTF-8/],
  [['load', 'utf16.ttl'], /^utf16\.ttl: the encoding is UTF-16, expected UTF-8/],
  [
    ['load', 'latin1.rdf'],
    /^latin1\.rdf, line 1: the encoding is declared as KOI-9, which is not known; expected UTF-8/,
  ],
  [['load', 'cut.ttl.gz'], /^cut\.ttl\.gz: the \.gz file is cut off/],
  [['load', 'damaged.ttl.gz'], /^damaged\.ttl\.gz: the \.gz file is damaged/],
  [['load', 'plain.ttl.gz'], /^plain\.ttl\.gz: .* not gzip/],
  [['load', 'empty.ttl'], /^empty\.ttl: the file is empty/],
  [['load', 'blank.ttl'], /^blank\.ttl: the file is empty/],
  [['load', 'empty.ttl.gz'], /^empty\.ttl\.gz: the file is empty/],
  [['load', 'comment.ttl'], /^comment\.ttl: found no RDF statement/],
  [['load', 'empty.json'], /^empty\.json: found no RDF statement/],
  [['load', 'relative.ttl'], /^relative\.ttl, line 5, column 3: .*relative IRI <b>/],
  [['load', 'relative.rdf'], /^relative\.rdf, line 3, column \d+: .*relative IRI <b>/],
  [
    ['load', 'relative.json', '--scheme', `${V}s`, '--strict'],
    /what is no IRI are left out: <s> \(relative\.json, line 1, /,
  ],
  [['load', 'space.ttl'], /^space\.ttl, line 4, column 16: the IRI that begins with .* has a space/],
  [['load', 'tag.ttl', '--strict'], /ill-formed language tag, which is cut: a-b: <http:\/\/example\.org\/v\/a>/],
  [['load', 'bracket.ttl', '--strict'], /^iri: .*: <http:\/\/\[b> \(bracket\.ttl, line 4, column 17\)/],
  [['load', 'number.ndjson'], /^number\.ndjson, line 2: prefLabel: expected texts by language, found 5\./],
  [['load', 'ends.ttl'], /^ends\.ttl, line 4, column \d+: Expected punctuation after the statement/],
  [['load', 'no-scheme.ttl'], /no concept scheme; give its URI with --scheme/],
  [['load', 'two-schemes.ttl'], /2 concept schemes; say with --scheme which one: http:\/\/example\.org\/v\/s, /],
  [['load', 'shape.ttl', '--strict'], /skos:broader has text instead of a concept: <http:\/\/example\.org\/v\/a>/],
  [['load', 'no-id.ttl'], /no part of <http:\/\/example\.org\/> can be its id; --id gives another\./],
  [['load', 'orphan.ttl'], /the subset is part of <http:\/\/example\.org\/v\/s>, which is not loaded/],
  [['load', 'text.txt'], /^text\.txt: unknown format: expected Turtle/],
  [['load', 'picture.png'], /^picture\.png, line 1, column 1: expected UTF-8/],
  [['load', 'book.xlsx'], /^book\.xlsx: the file is no workbook: expected \.xlsx or \.ods/],
  [['load', 'list.csv'], /no concept scheme; give its URI with --scheme/],
  [
    ['load', 'list.csv', '--scheme', V, '--strict'],
    /list\.csv!C3: no concept has the notation, label or URI "Boots" \(broader\); did you mean "Boats"/,
  ],
  [['load', 'list.csv', '--language', 'd e'], /expected a language tag such as de/],
  [['load', 'list.csv', '--order', 'alphabet'], /--order.*Allowed choices are natural, code-point/],
  [['template', 'list.csv'], /^list\.csv: expected a name that ends in \.xlsx/],
  [['template', 'book.xlsx'], /^book\.xlsx: the file exists already/],
  [['load', 'circle.ttl', '--strict'], /^cycle: a concept is in a cycle of broader concepts: <\S+a> and 1 more/],
  [['load', 'missing.ttl'], /^missing\.ttl: no such file/],
  [['load', 'folder'], /^folder: expected a file/],
  [['load', 'good.ttl', '--id', 'crafts'], /the id crafts is taken by <http:\/\/example\.org\/vocabulary\/crafts\/>/],
  [['load', 'good.ttl', '--id', 'fine', '--id', 'Not Fine'], /"Not Fine" cannot be an id: expected a-z/],
  [['load', 'good.ttl', '--id', 'top'], /"top" cannot be an id/],
  [['load', 'good.ttl', '--id', 'subset_x'], /"subset_x" cannot be an id/],
  [['load', 'good.ttl', '--id', ''], /"" cannot be an id/],
  [['load', 'good.ttl', '--scheme', 's'], /--scheme: expected an absolute URI, found "s"/],
  [['split', 'no-scheme.ttl'], /^no-scheme\.ttl: the file has no concept scheme\./],
  [['load', 'good.ttl', '--record', 'missing.ttl'], /^missing\.ttl: no such file/],
  [['load', 'good.ttl', '--record', 'broken.ttl'], /^broken\.ttl, line 5, column 17: /],
  [['load'], /missing required argument 'file'/],
  [['load', 'good.ttl', '--schema', V], /unknown option '--schema' .*--scheme/],
  [['load', 'good.ttl', '--scheme'], /option '--scheme <uri>' argument missing/],
  [['lod', 'good.ttl'], /unknown command 'lod' .*load/],
  [[], /expected a command/],
  [['subset'], /expected a command/],
  [['subset', 'add', '--id', 'subset_x'], /required option '--of <id>' not specified/],
  [['subset', 'add', '--id', 'x', '--of', 'crafts', '--branch', CRAFTS], /--id: expected subset_/],
  [['subset', 'add', '--id', 'subset_x', '--of', 'crafts'], /expected either --branch or --members/],
  [['subset', 'add', '--id', 'subset_x', '--of', 'crafts', '--branch', `${V}x`], /--branch: <.*> is not a concept of/],
  [['subset', 'add', '--id', 'subset_x', '--of', 'crafts', '--members', 'members.txt'], /^members\.txt, line 1: /],
  [['subset', 'add', '--id', 'subset_x', '--of', 'none', '--branch', `${V}x`], /no vocabulary none/],
  [['subset', 'remove', 'crafts'], /crafts is not a subset/],
  [['remove', 'none'], /no vocabulary none/],
  [['export', 'none'], /no vocabulary none/],
  [
    ['export', 'crafts', '--format', 'pdf'],
    /argument 'pdf' is invalid.*turtle, ntriples, jsonld, rdfxml, ndjson, csv, xlsx/,
  ],
  [['normalise', 'none'], /no vocabulary none/],
  [['check', 'broken.ttl'], /^broken\.ttl, line 5, column 17: /],
  [['check', 'shape.ttl'], /skos:broader has text instead of a concept/],
  [
    ['check', 'circle.ttl'],
    /^2 kinds of violations; first: cycle: a concept is in a cycle of broader concepts \(2 times\)/,
  ],
  [['check', 'list.csv'], /^1 kinds of violations; first: table: list\.csv!C3: no concept has .* "Boots"/],
  [['check', 'book.xlsx'], /^book\.xlsx: the file is no workbook/],
  [['account', 'add', '--username', 'a', '--voc', 'none'], /no vocabulary none/],
  [['account', 'add', '--username', 'a', '--voc', 'crafts', '--email', 'nobody'], /expected one address/],
  [['account', 'add', '--username', 'a', '--voc', 'crafts', '--limits', 'many'], /expected limits such as/],
  [['account', 'remove', 'nobody'], /no account nobody/],
  [['account', 'rotate', 'nobody'], /no account nobody/],
  [['formats', 'load', 'format.json'], /^format\.json.*id/],
  [['concordances', 'load', 'empty.json'], /^empty\.json: found no concordances\./],
  [['mappings', 'load', 'empty.json', 'empty.json'], /^empty\.json, empty\.json: found no mappings\./],
  [['formats', 'load', 'empty.json'], /^empty\.json: found no records\./],
  [['formats', 'remove', 'none'], /no record none/],
]

let folder: string
beforeAll(async () => {
  folder = await newDirectory()
  await mkdir(join(folder, 'folder'))
  for (const [name, content] of Object.entries(FILES)) await writeFile(join(folder, name), content)
})
afterAll(() => rm(folder, { recursive: true }))

function inFolder(args: string[]): string[] {
  const names = [...Object.keys(FILES), 'missing.ttl', 'folder']
  return args.map((word) => (names.includes(word) ? join(folder, word) : word))
}

/** Runs a command in this process; gives its stderr, or nothing if it succeeds. */
async function said(args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  return (await runCommand(inFolder(args), env)).stderr
}

/** The same by a process of its own, which has to end with exit code 1. */
async function saidByProgram(args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  const { code, stderr } = await runToEnd('dist/cli/main.js', inFolder(args), env)
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.any(String) })
  return stderr
}

/** One line, without what only the machine is concerned with; gives what comes after `error: `. */
function oneLine(stderr: string): string {
  expect(stderr).toMatch(/^error: [^\n]+\n$/)
  expect(stderr).not.toContain(folder)
  return stderr.slice('error: '.length)
}

describe('beside a service over the embedded store', () => {
  let service: ServiceProcess
  let env: NodeJS.ProcessEnv
  let before: string[]

  async function everything(): Promise<string[]> {
    const query = 'SELECT ?g ?s ?p ?o WHERE { GRAPH ?g { ?s ?p ?o } }'
    const response = await fetch(`${service.url}/sparql?query=${encodeURIComponent(query)}`, {
      headers: { accept: 'text/tab-separated-values' },
    })
    return (await response.text()).split('\n').sort()
  }

  beforeAll(async () => {
    env = { DATA_DIR: await newDirectory() }
    service = await startService(env)
    before = await everything()
    expect(before.length).toBeGreaterThan(100)
  })
  afterAll(async () => {
    await service.stop()
    await rm(env['DATA_DIR']!, { recursive: true })
  })

  test.each(CASES.map(([args, line]) => [args.join(' '), args, line] as const))('vocab %s', async (_, args, line) => {
    expect(oneLine(await said(args, env))).toMatch(line)
  })

  test('none of them has changed anything', async () => {
    expect(await everything()).toEqual(before)
  })

  test.each<[needs: boolean, args: string[]]>([
    [true, ['no-scheme.ttl']],
    [true, ['two-schemes.ttl']],
    [false, ['no-scheme.ttl', '--scheme', V]],
    [false, ['good.ttl']],
    [false, ['orphan.ttl']],
  ])('load needs --scheme, which check says: %s for %j', async (needs, args) => {
    const { stdout } = await runCommand(inFolder(['check', ...args]), env)
    expect(stdout).toMatch(/^1 concepts checked$/m)
    expect(/no concept scheme or several; load needs --scheme/.test(stdout)).toBe(needs)
  })

  test.each([
    ['load', 'broken.ttl', '--id', 'other'],
    ['load', 'good.ttl', '--schema', V],
  ])('as a program: vocab %s %s %s %s', async (...args) => {
    expect(oneLine(await saidByProgram(args, env))).toBe(oneLine(await said(args, env)))
    expect(await everything()).toEqual(before)
  })

  test('only the mistake matters: the same file without it loads', async () => {
    expect(await said(['load', 'good.ttl'], env)).toBe('')
    expect(await everything()).not.toEqual(before)
  })
})

test('an embedded store that no service runs on: nothing is changed, and it is let go of', async () => {
  const env = { DATA_DIR: await newDirectory() }
  const stored = async () => (await runToEnd('dist/cli/main.js', ['export', 's', '--format', 'ntriples'], env)).stdout
  expect(await said(['load', 'good.ttl'], env)).toBe('')
  const before = await stored()
  expect(before).toContain('prefLabel')
  expect(oneLine(await saidByProgram(['load', 'broken.ttl'], env))).toMatch(/^broken\.ttl, line 5/)
  expect(oneLine(await said(['load', 'no-scheme.ttl'], env))).toMatch(/no concept scheme/)
  expect(await stored()).toBe(before)
})

const fuseki = storeOf('fuseki')
const overFuseki = fuseki.skip ? describe.skip : describe
overFuseki(`over Fuseki${fuseki.skip ? `, skipped: ${fuseki.skip}` : ''}`, () => {
  let running: Awaited<ReturnType<typeof fuseki.start>>
  beforeAll(async () => {
    running = await fuseki.start()
  })
  afterAll(() => running.stop())

  test('nothing is changed', async () => {
    const env = { DATA_DIR: await newDirectory(), ...storeEnv(running.endpoint) }
    const count = async () =>
      new SparqlClient({ endpoint: running.endpoint, timeoutMs: 10_000 }).select(
        'SELECT (COUNT(*) AS ?count) WHERE { GRAPH ?g { ?s ?p ?o } }',
      )
    expect(await said(['load', 'good.ttl'], env)).toBe('')
    const before = await count()
    expect(oneLine(await saidByProgram(['load', 'broken.ttl'], env))).toMatch(/^broken\.ttl, line 5/)
    expect(oneLine(await said(['load', 'shape.ttl', '--strict'], env))).toMatch(/skos:broader has text/)
    expect(await count()).toEqual(before)
  })

  test('a store that is not there is named as the reason', async () => {
    const away = storeEnv({ ...running.endpoint, queryUrl: 'http://127.0.0.1:9/none' })
    const gone = { DATA_DIR: await newDirectory(), ...away }
    expect(oneLine(await said(['load', 'good.ttl'], gone))).toMatch(/store/)
  })
})
