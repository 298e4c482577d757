import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import type { Quad } from '@rdfjs/types'
import { DataFactory, Parser } from 'n3'
import { isomorphic } from 'rdf-isomorphic'
import { InputError } from '../../../src/base/files/input-error.ts'
import { parseFile } from '../../../src/writing/source/parse.ts'
import { isAbsoluteIri } from '../../../src/graph/sparql/grammar.ts'
import { fromRoot } from '../../../src/base/root.ts'
import { NO_DATA, TEST_DATA } from '../../data.ts'

const NOT_FETCHED = 'contexts are not fetched: a vocabulary is a file, and loading asks no other host'
const JSON_LD_1_0 = 'the test asks for JSON-LD 1.0; files are read as JSON-LD 1.1'
const DIRECTION = 'the test sets the option rdfDirection; without it a base direction is not part of a text'
const NESTED_CONTEXT = 'jsonld 9 ignores the context of a term that stands for @nest'

/** The tests that loading does not pass, by suite, and the reason for each. */
const DIFFERENCES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'json-ld': {
    tc029: JSON_LD_1_0,
    tc031: NOT_FETCHED,
    tc034: NOT_FETCHED,
    tc037: NESTED_CONTEXT,
    tc038: NESTED_CONTEXT,
    tdi09: DIRECTION,
    tdi10: DIRECTION,
    tdi11: DIRECTION,
    tdi12: DIRECTION,
    te075: 'the test sets the option produceGeneralizedRdf; stores have no blank nodes as predicates',
    te077: 'the test sets the option expandContext; a file has its context in it',
    te126: NOT_FETCHED,
    te127: NOT_FETCHED,
    te128: NOT_FETCHED,
    tep02: JSON_LD_1_0,
    ter21: JSON_LD_1_0,
    ter42: JSON_LD_1_0,
    tso05: NOT_FETCHED,
    tso06: NOT_FETCHED,
    tso08: NOT_FETCHED,
    tso09: NOT_FETCHED,
    tso11: NOT_FETCHED,
    ttn01: JSON_LD_1_0,
    twf05: 'an ill-formed language tag is mended and reported; the text is not lost',
  },
}

const SUITES = resolve(TEST_DATA, 'w3c')
const MANIFEST = 'http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#'
const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'

/** A test of the W3C: a file, and what it states; undefined where it only is or is not in its language. */
interface W3cTest {
  name: string
  file: string
  base: string
  isRefused: boolean
  expected: string | undefined
}

/** The tests of a suite in a folder with a `manifest.ttl`. */
async function rdfTests(suite: string): Promise<W3cTest[]> {
  const folder = resolve(SUITES, 'rdf/rdf11', suite)
  const base = `https://w3c.github.io/rdf-tests/rdf/rdf11/${suite}/`
  const statements = new Parser({ baseIRI: base }).parse(await readFile(resolve(folder, 'manifest.ttl'), 'utf8'))
  const of = (subject: string, property: string) =>
    statements.find(({ subject: { value }, predicate }) => value === subject && predicate.value === property)?.object
      .value
  const list = (cell: string): string[] =>
    cell === `${RDF}nil` ? [] : [of(cell, `${RDF}first`)!, ...list(of(cell, `${RDF}rest`)!)]
  return list(statements.find(({ predicate }) => predicate.value === `${MANIFEST}entries`)!.object.value).map(
    (entry) => {
      const action = of(entry, `${MANIFEST}action`)!
      const result = of(entry, `${MANIFEST}result`)
      return {
        name: entry.slice(entry.indexOf('#') + 1),
        file: resolve(folder, action.slice(base.length)),
        base: action,
        isRefused: /Negative/.test(of(entry, `${RDF}type`)!),
        expected: result && resolve(folder, result.slice(base.length)),
      }
    },
  )
}

/** The tests of JSON-LD 1.1 to RDF. */
async function jsonLdTests(): Promise<W3cTest[]> {
  const folder = resolve(SUITES, 'json-ld')
  const { baseIri, sequence } = JSON.parse(await readFile(resolve(folder, 'toRdf-manifest.jsonld'), 'utf8')) as {
    baseIri: string
    sequence: { '@id': string; '@type': string[]; input: string; expect?: string; option?: Record<string, string> }[]
  }
  return sequence
    .filter(({ option }) => option?.['specVersion'] !== 'json-ld-1.0')
    .map(({ '@id': id, '@type': types, input, expect: expected, option }) => ({
      name: id.slice(1),
      file: resolve(folder, input),
      base: option?.['base'] ?? `${baseIri}${input}`,
      isRefused: types.includes('jld:NegativeEvaluationTest'),
      expected: expected && resolve(folder, expected),
    }))
}

/**
 * False for a statement that loading leaves out, because JSON-LD does (JSON-LD 1.1 Processing Algorithms and API,
 * section 8.1).
 */
function hasIris({ subject, predicate, object, graph }: Quad): boolean {
  const terms = [subject, predicate, object, graph].filter(({ termType }) => termType === 'NamedNode')
  return terms.every(({ value }) => isAbsoluteIri(value))
}

/** Language tags are compared without regard to case (RDF 1.1 Concepts, section 3.3). */
function withLowerCaseTag(quad: Quad): Quad {
  const { object } = quad
  if (object.termType !== 'Literal' || object.language === '') return quad
  return DataFactory.quad(
    quad.subject,
    quad.predicate,
    DataFactory.literal(object.value, object.language.toLowerCase()),
    quad.graph,
  )
}

/** What is wrong with the reading of a test; undefined if nothing is. */
async function fault({ file, base, isRefused, expected }: W3cTest): Promise<string | undefined> {
  const quads: Quad[] = []
  try {
    for await (const batch of parseFile(file, { base })) quads.push(...batch.filter(hasIris).map(withLowerCaseTag))
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    // A file without statements is an error of its own.
    if (/the file is empty/.test(error.message) && !isRefused) return undefined
    return isRefused ? undefined : `refused: ${error.message}`
  }
  if (isRefused) return `accepted with ${quads.length} statements`
  if (expected === undefined) return undefined
  const text = await readFile(expected, 'utf8')
  if (/^\S+ _:/m.test(text)) return 'statements with blank nodes as predicates are expected'
  const wanted = new Parser({ format: 'application/n-quads' }).parse(text)
  return isomorphic(quads, wanted) ? undefined : `other statements than expected: ${quads.length} for ${wanted.length}`
}

/**
 * The figures of a suite in docs/loading.md: its tests, those passed, and those that loading reads otherwise on
 * purpose.
 */
async function documentedRow(suite: string): Promise<number[]> {
  const text = await readFile(fromRoot('docs/loading.md'), 'utf8')
  const row = text.split('\n').find((line) => line.startsWith(`| ${NAMES[suite]} |`)) ?? ''
  return row.split('|').slice(2, 5).map(Number)
}

const NAMES: Readonly<Record<string, string>> = {
  'rdf-xml': 'RDF/XML',
  'rdf-turtle': 'Turtle',
  'rdf-trig': 'TriG',
  'rdf-n-triples': 'N-Triples',
  'rdf-n-quads': 'N-Quads',
  'json-ld': 'JSON-LD 1.1 (toRdf)',
}

describe(`suites of the W3C${NO_DATA}`, () => {
  const isThere = existsSync(SUITES)
  const suites: [string, () => Promise<W3cTest[]>][] = [
    ...['rdf-xml', 'rdf-turtle', 'rdf-trig', 'rdf-n-triples', 'rdf-n-quads'].map(
      (suite): [string, () => Promise<W3cTest[]>] => [suite, () => rdfTests(suite)],
    ),
    ['json-ld', jsonLdTests],
  ]
  const testData = isThere ? test : test.skip
  testData.each(suites)('%s', async (suite, read) => {
    const tests = await read()
    expect(tests.length).toBeGreaterThan(50)
    const faults: Record<string, string> = {}
    for (const w3cTest of tests) {
      const wrong = await fault(w3cTest)
      if (wrong !== undefined) faults[w3cTest.name] = wrong
    }
    const differences = DIFFERENCES[suite] ?? {}
    const unlisted = Object.entries(faults).filter(([name]) => !(name in differences))
    expect(unlisted).toEqual([])
    // Those that pass belong in the list no longer.
    expect(Object.keys(differences).filter((name) => !(name in faults))).toEqual([])
    const row = [tests.length, tests.length - Object.keys(faults).length, Object.keys(faults).length]
    expect(await documentedRow(suite)).toEqual(row)
  })
})
