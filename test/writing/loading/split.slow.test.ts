/** Files with several schemes, and the files that `vocab split` makes of them. */
import { describe, expect, test } from '@jest/globals'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { Parser, type Quad } from 'n3'
import { InputError } from '../../../src/base/files/input-error.ts'
import { prepareVocabulary } from '../../../src/writing/loading/prepare.ts'
import { splitFile, type SchemeFile } from '../../../src/writing/loading/split.ts'
import { runCommand } from '../../command.ts'
import { NO_DATA, TEST_DATA } from '../../data.ts'
import { temporaryFolder } from '../../folder.ts'

const V = 'http://example.org/v/'
const PREFIXES = `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix dct: <http://purl.org/dc/terms/> .
@prefix xl: <http://www.w3.org/2008/05/skos-xl#> . @prefix : <${V}> .
`
const { path, write } = temporaryFolder()

const named = (uri: string) => uri.replace(V, '')

/** The schemes of a file with their files and what these have. */
async function split(file: string): Promise<Map<string, SchemeFile & { quads: Quad[] }>> {
  const { schemes } = await splitFile(file, await mkdtemp(path('split-')))
  const read = ({ file }: SchemeFile) => new Parser({ format: 'N-Quads' }).parse(readFileSync(file, 'utf8'))
  return new Map(schemes.map((scheme) => [named(scheme.uri), { ...scheme, quads: read(scheme) }]))
}

/** What a load makes of a file. */
async function prepared(file: string) {
  const vocabulary = await prepareVocabulary([file], { check: false })
  vocabulary.close()
  const { ids, subsets, normalised } = vocabulary
  return { ids, subsets, concepts: normalised.concepts }
}

describe('several schemes of a file, a file each', () => {
  test('concepts go to their schemes, other resources follow their links', async () => {
    const file = await write(
      'schemes.ttl',
      `${PREFIXES}
      :A a skos:ConceptScheme ; dct:publisher :P ; dct:contributor [ skos:prefLabel "of A"@en ] .
      :B a skos:ConceptScheme ; dct:publisher :P ; skos:hasTopConcept :b .
      :a a skos:Concept ; skos:inScheme :A ; skos:prefLabel "a"@en ; skos:related :b .
      :ab a skos:Concept ; skos:inScheme :A ; skos:topConceptOf :B .
      :b a skos:Concept ; skos:note [ <http://www.w3.org/1999/02/22-rdf-syntax-ns#value> "note of b"@en ] ; xl:prefLabel :l .
      :slash a skos:Concept ; skos:inScheme <${V}B/> .
      :none a skos:Concept .
      :other a skos:Concept ; skos:inScheme :C .
      :l xl:literalForm "label of b"@en ; dct:source :book .
      :P skos:prefLabel "Publisher"@en .
      :collection a skos:Collection ; skos:member :b ; dct:source :shelf .
      :all a skos:Collection ; skos:member :collection, :a .
      :shelf dct:title "shelf" .
      :file dct:title "file" .
      :B-top a skos:Collection ; skos:notation "subset_b-top" ; dct:isPartOf :B ; skos:member :b .`,
    )
    const files = await split(file)
    const subjects = [...files].map(([scheme, { quads }]) => {
      const uris = quads.filter(({ subject }) => subject.termType === 'NamedNode').map(({ subject }) => subject.value)
      return [scheme, [...new Set(uris.map(named))].sort()]
    })
    expect(Object.fromEntries(subjects)).toEqual({
      A: ['A', 'P', 'a', 'ab', 'all', 'collection', 'file', 'none', 'other', 'shelf'],
      B: ['B', 'B-top', 'P', 'ab', 'all', 'b', 'collection', 'l', 'shelf', 'slash'],
    })
    const texts = (scheme: string) => files.get(scheme)!.quads.map(({ object }) => object.value)
    expect(texts('A')).toContain('of A')
    expect(texts('B')).toEqual(expect.arrayContaining(['note of b', 'label of b']))
    expect(texts('B')).not.toContain('of A')
    expect([...files.values()].map(({ file, concepts }) => [basename(file), concepts])).toEqual([
      ['a.nq', 4],
      ['b.nq', 3],
    ])
    expect(await prepared(files.get('A')!.file)).toEqual({ ids: ['a'], subsets: [], concepts: 4 })
    const subsets = [{ uri: `${V}B-top`, ids: ['subset_b-top'], members: 1 }]
    expect(await prepared(files.get('B')!.file)).toEqual({ ids: ['b'], subsets, concepts: 3 })
  })

  test('schemes that only concepts name have a file each, with an own name', async () => {
    const [a, b] = ['http://a.example.org/v', 'http://b.example.org/v']
    const file = await write(
      'named.ttl',
      `${PREFIXES} :a a skos:Concept ; skos:inScheme <${a}> . :b a skos:Concept ; skos:inScheme <${a}>, <${b}> .`,
    )
    const files = [...(await split(file)).values()]
    expect(files.map(({ uri, file, concepts }) => [uri, basename(file), concepts])).toEqual([
      [a, 'v.nq', 2],
      [b, 'v-2.nq', 1],
    ])
    for (const { file, concepts } of files) expect(await prepared(file)).toMatchObject({ ids: ['v'], concepts })
  })

  test('notes in the graph of a subset stay in it', async () => {
    const file = await write(
      'notes.trig',
      `${PREFIXES} :A a skos:ConceptScheme . :B a skos:ConceptScheme . :a a skos:Concept ; skos:inScheme :A .
      :S skos:notation "subset_s" ; dct:isPartOf :A ; skos:member :a . GRAPH :S { :a skos:note "of the subset"@en }`,
    )
    const { quads } = (await split(file)).get('A')!
    expect(quads.find(({ object }) => object.value === 'of the subset')?.graph.value).toBe(`${V}S`)
  })

  test('no file is replaced, and none is written if one is there', async () => {
    const file = await write('two.ttl', `${PREFIXES} :A a skos:ConceptScheme . :B a skos:ConceptScheme .`)
    const output = path('output')
    await mkdir(output)
    await writeFile(join(output, 'b.nq'), 'mine')
    await expect(splitFile(file, output)).rejects.toThrow(new InputError('the file exists already.', 'b.nq'))
    expect(readdirSync(output)).toEqual(['b.nq'])
    expect(readFileSync(join(output, 'b.nq'), 'utf8')).toBe('mine')
  })

  test('vocab split names the files, and what reading has changed', async () => {
    const file = await write('words.ttl', `${PREFIXES} :A a skos:ConceptScheme ; skos:prefLabel "A"@EN .`)
    const output = path('words')
    const { stdout, stderr } = await runCommand(['split', file, '--output', output], { DATA_DIR: path('data') })
    expect(stderr).toBe('')
    expect(stdout).toContain(
      `wrote ${join(output, 'a.nq')}: 0 concepts of ${V}A\nchanged: 1 x language tag in lower case\n`,
    )
    const again = await runCommand(['split', file, '--output', output, '--json'], { DATA_DIR: path('data') })
    expect([again.code, again.stdout, again.stderr]).toEqual([1, '', 'error: a.nq: the file exists already.\n'])
  })

  test('a file without a scheme is refused, and so is a folder that is a file', async () => {
    const file = await write('none.ttl', `${PREFIXES} :a a skos:Concept .`)
    await expect(splitFile(file, path('none'))).rejects.toThrow(new InputError('the file has no concept scheme.', file))
    const two = await write('three.ttl', `${PREFIXES} :A a skos:ConceptScheme .`)
    await expect(splitFile(two, file)).rejects.toThrow(/^a\.nq: the file cannot be written: /)
  })

  const wild = ['skosmos-yso', 'skosmos-multiple-schemes', 'skosmos-test-concept-schemes', 'SESAR_materials_extension']
  ;(NO_DATA ? test.skip.each(wild) : test.each(wild))(`%s: nothing is lost${NO_DATA}`, async (name) => {
    const file = resolve(TEST_DATA, 'wild', `${name}.ttl`)
    const source = new Parser().parse(readFileSync(file, 'utf8'))
    const written = (quads: Quad[]) =>
      quads
        .filter(({ subject, object }) => subject.termType === 'NamedNode' && object.termType === 'NamedNode')
        .map(({ subject, predicate, object }) => `${subject.value} ${predicate.value} ${object.value}`)
    const files = [...(await split(file)).values()]
    expect(files.length).toBeGreaterThan(1)
    const statements = new Set(files.flatMap(({ quads }) => written(quads)))
    expect(written(source).filter((line) => !statements.has(line))).toEqual([])
  })
})
