/** `-` in the place of a file: what comes by standard input, as into a container. */
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { SKOS } from '../../../src/base/namespaces.ts'
import { temporaryFolder } from '../../folder.ts'
import { newDirectory, runToEnd, startService, type ServiceProcess } from '../../process.ts'

const { write, path } = temporaryFolder()
const V = 'http://example.org/v/'
const TYPE = '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>'
const SCHEME = `@prefix skos: <${SKOS}> .\n<${V}> a skos:ConceptScheme ; skos:prefLabel "V"@en .\n`
const TURTLE = `${SCHEME}<${V}a> a skos:Concept ; skos:inScheme <${V}> ; skos:prefLabel "A"@en .\n`
const QUADS = `<${V}> ${TYPE} <${SKOS}ConceptScheme> <${V}> .\n<${V}a> ${TYPE} <${SKOS}Concept> <${V}> .\n`
const RECORDS = `{"uri":"${V}","type":["${SKOS}ConceptScheme"]}\n{"uri":"${V}a","inScheme":[{"uri":"${V}"}],"prefLabel":{"en":"A"}}\n`
const XML = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="${SKOS}">
<skos:ConceptScheme rdf:about="${V}"/><skos:Concept rdf:about="${V}a"/></rdf:RDF>`

describe('standard input', () => {
  let service: ServiceProcess
  let env: NodeJS.ProcessEnv
  const vocab = (args: string[], input: string | Buffer) => runToEnd('dist/cli/main.js', args, env, input)

  beforeAll(async () => {
    await mkdir(path('tmp'))
    env = { DATA_DIR: await newDirectory(), TMPDIR: path('tmp') }
    service = await startService({ ...env, DEMO: 'false' })
  })
  afterAll(() => service?.stop())

  test.each<[string, string | Buffer]>([
    ['Turtle', TURTLE],
    ['N-Quads', QUADS],
    ['RDF/XML', XML],
    ['JSKOS', RECORDS],
    ['gzip', gzipSync(TURTLE)],
  ])('is a vocabulary in %s, which the content tells', async (_, input) => {
    const { code, stdout, stderr } = await vocab(['load', '-', '--id', 'v'], input)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/ as v: 1 concepts, /)
    const top = (await (await fetch(`${service.url}/voc/v/top`)).json()) as { uri: string }[]
    expect(top.map(({ uri }) => uri)).toEqual([`${V}a`])
  })

  test('goes together with files, and has its name in the history', async () => {
    const more = await write('more.ttl', TURTLE.replaceAll(`${V}a`, `${V}b`))
    expect(await vocab(['load', more, '-'], TURTLE)).toMatchObject({ code: 0, stderr: '' })
    const history = await fetch(`${service.url}/history?uri=${encodeURIComponent(`${V}b`)}`)
    expect(await history.json()).toMatchObject([{ files: ['more.ttl', 'standard input'] }])
  })

  test('is checked, and has format records', async () => {
    expect((await vocab(['check', '-'], TURTLE)).stdout).toMatch(/^1 concepts checked$/m)
    const record = JSON.stringify({ id: 'mine', title: 'Mine' })
    expect((await vocab(['formats', 'load', '-'], record)).stdout).toBe(
      'loaded 1 format records, 1 new and 0 replaced.\n',
    )
  })

  test.each<[string, string[], string | Buffer, RegExp]>([
    ['is broken', ['load', '-'], `${TURTLE}<${V}a> skos:narrower <${V}b>`, /^standard input, line 4, column \d+: /],
    [
      'has a relative IRI',
      ['load', '-'],
      `${TURTLE}<${V}a> skos:narrower\n <b> .`,
      /^standard input, line 5, column 2: /,
    ],
    ['is empty', ['load', '-'], '', /^standard input: the file is empty/],
    ['is cut off', ['check', '-'], gzipSync(TURTLE).subarray(0, -20), /^standard input: the \.gz file is cut off/],
    ['is no vocabulary', ['load', '-'], 'bread and butter', /^standard input: unknown format/],
    ['is no format record', ['formats', 'load', '-'], '{"title": "no id"}', /^standard input, line 1, record 1/],
    ['is there twice', ['load', '-', '-'], TURTLE, /^expected - \(standard input\) only once/],
  ])('that %s is an error with its name', async (_, args, input, message) => {
    const { code, stderr } = await vocab(args, input)
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: [^\n]*\n$/)])
    expect(stderr.slice('error: '.length)).toMatch(message)
  })

  test('leaves no file behind', async () => {
    expect(await readdir(join(path('tmp')))).toEqual([])
  })
})
