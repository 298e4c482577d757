import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { Parser, Store, type Term } from 'n3'
import { fromRoot } from '../../../src/base/root.ts'
import { checkFiles } from '../../../src/writing/checking/check-files.ts'
import { CONCEPT, CONCEPT_SCHEME, DCT, OWL, RDF, RDF_TYPE, SKOS } from '../../../src/base/namespaces.ts'

const CRAFTS = 'http://example.org/vocabulary/crafts/'
const MATERIALS = 'http://example.org/vocabulary/materials/'

const read = (file: string) => readFileSync(new URL(`../../../src/doors/demo/${file}`, import.meta.url), 'utf8')
/** The format makes the parser strict: no N3 extensions pass. */
const load = (file: string) => new Store(new Parser({ format: 'text/turtle' }).parse(read(file)))

const crafts = load('crafts.ttl')
const materials = load('materials.ttl')
const vocabularies = [
  { name: 'crafts', scheme: CRAFTS, store: crafts, size: { concepts: 137, tops: 8, levels: 5 } },
  { name: 'materials', scheme: MATERIALS, store: materials, size: { concepts: 33, tops: 4, levels: 3 } },
]
const subsets = [
  { file: 'subset-textile.ttl', uri: `${CRAFTS}subset/textile`, notation: 'subset_crafts-textile' },
  { file: 'subset-school.ttl', uri: `${CRAFTS}subset/school`, notation: 'subset_crafts-school' },
]

const values = (terms: Term[]) => terms.map((term) => term.value)
const objects = (store: Store, subject: string, predicate: string) =>
  values(store.getObjects(subject, predicate, null)).sort()
const concepts = (store: Store) => values(store.getSubjects(RDF_TYPE, CONCEPT, null))
const pairs = (store: Store, predicate: string) =>
  store.getQuads(null, predicate, null, null).map(({ subject, object }) => [subject.value, object.value] as const)
const inverted = (edges: (readonly [string, string])[]) => edges.map(([from, to]) => [to, from] as const)
const languages = (store: Store, subject: string, property: string) =>
  store.getObjects(subject, SKOS + property, null).map((term) => (term.termType === 'Literal' ? term.language : ''))

/** Everything reachable from a concept along one property, the concept itself only if a cycle leads back to it. */
function closure(store: Store, start: string, predicate: string): Set<string> {
  const reached = new Set<string>()
  const open = objects(store, start, predicate)
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(next)) continue
    reached.add(next)
    open.push(...objects(store, next, predicate))
  }
  return reached
}

/** Levels from the top concepts down to a concept, on the longest path. */
const depth = (store: Store, concept: string): number =>
  1 + Math.max(0, ...objects(store, concept, `${SKOS}broader`).map((broader) => depth(store, broader)))

describe.each(vocabularies)('the demo vocabulary $name', ({ name, scheme, store, size }) => {
  const all = concepts(store)
  const conceptSet = new Set(all)

  test('has the size, the top concepts and the depth it is described with', () => {
    const levels = Math.max(...all.map((concept) => depth(store, concept)))
    expect({ concepts: all.length, tops: objects(store, scheme, `${SKOS}hasTopConcept`).length, levels }).toEqual(size)
  })

  test('describes its scheme', () => {
    expect(objects(store, scheme, RDF_TYPE)).toEqual([CONCEPT_SCHEME])
    expect(objects(store, scheme, `${SKOS}notation`)).toEqual([name])
    expect(objects(store, scheme, `${DCT}language`)).toEqual(['de', 'en'])
    for (const property of ['prefLabel', 'definition'])
      expect(languages(store, scheme, property).sort()).toEqual(['de', 'en'])
    for (const property of ['publisher', 'license', 'creator']) {
      const [agent] = objects(store, scheme, DCT + property)
      expect(languages(store, agent ?? '', 'prefLabel').sort()).toEqual(['de', 'en'])
    }
    const [license] = objects(store, scheme, `${DCT}license`)
    expect(objects(store, license ?? '', `${SKOS}notation`)).toEqual(['CC0'])
    for (const property of ['identifier', 'created', 'modified'])
      expect(objects(store, scheme, DCT + property)).toHaveLength(1)
  })

  test('says everything in both directions, and names the scheme on every concept', () => {
    for (const [property, other] of [
      ['broader', 'narrower'],
      ['topConceptOf', 'hasTopConcept'],
      ['related', 'related'],
    ] as const) {
      const forth = pairs(store, SKOS + property)
      expect(forth.length).toBeGreaterThan(0)
      expect(inverted(pairs(store, SKOS + other)).sort()).toEqual(forth.sort())
    }
    for (const concept of all) {
      expect(objects(store, concept, `${SKOS}inScheme`)).toEqual([scheme])
      const isTop = objects(store, concept, `${SKOS}broader`).length === 0
      expect(objects(store, concept, `${SKOS}topConceptOf`)).toEqual(isTop ? [scheme] : [])
    }
  })

  test('points to concepts that exist, below its own URI', () => {
    for (const concept of all) expect(concept).toMatch(new RegExp(`^${scheme}[a-z0-9-]+$`))
    for (const property of ['broader', 'narrower', 'related', 'member', 'hasTopConcept'])
      for (const [, target] of pairs(store, SKOS + property)) expect(conceptSet).toContain(target)
  })

  test('has one German and one English name for every concept, and no text in another language', () => {
    for (const concept of all) expect(languages(store, concept, 'prefLabel').sort()).toEqual(['de', 'en'])
    const texts = ['altLabel', 'hiddenLabel', 'definition', 'scopeNote', 'example', 'historyNote', 'note']
    for (const concept of all)
      for (const property of [...texts, 'editorialNote', 'changeNote'])
        for (const language of languages(store, concept, property)) expect(['de', 'en']).toContain(language)
    const defined = all.filter((concept) => languages(store, concept, 'definition').sort().join() === 'de,en')
    expect(defined.length).toBeGreaterThan(0.9 * all.length)
  })

  test('uses no label for two concepts, and none twice for one, within a language', () => {
    for (const language of ['de', 'en']) {
      const labels = all.flatMap((concept) =>
        ['prefLabel', 'altLabel', 'hiddenLabel'].flatMap((property) =>
          store
            .getObjects(concept, SKOS + property, null)
            .filter((term) => term.termType === 'Literal' && term.language === language)
            .map((term) => term.value.toLowerCase()),
        ),
      )
      expect(labels.length).toBeGreaterThan(all.length)
      expect(labels.filter((label, index) => labels.indexOf(label) !== index)).toEqual([])
    }
  })

  test('gives every concept a notation of its own that continues the one of a broader concept', () => {
    const notations = all.map((concept) => objects(store, concept, `${SKOS}notation`))
    expect(notations.every((list) => list.length === 1)).toBe(true)
    expect(new Set(notations.flat()).size).toBe(all.length)
    for (const concept of all) {
      const broader = objects(store, concept, `${SKOS}broader`)
      if (broader.length === 0) continue
      const [notation] = objects(store, concept, `${SKOS}notation`)
      const prefixes = broader.flatMap((concept) => objects(store, concept, `${SKOS}notation`))
      expect(prefixes.some((prefix) => notation?.replace(/\.?\d+$/, '') === prefix)).toBe(true)
    }
  })

  test('has no cycle, no shortcut beside a longer path, and nothing related that is also above', () => {
    for (const concept of all) {
      const above = closure(store, concept, `${SKOS}broader`)
      expect(above).not.toContain(concept)
      for (const related of objects(store, concept, `${SKOS}related`)) expect(above).not.toContain(related)
      const parents = objects(store, concept, `${SKOS}broader`)
      for (const parent of parents) {
        const siblings = parents.filter((uri) => uri !== parent)
        for (const other of siblings) expect(closure(store, other, `${SKOS}broader`)).not.toContain(parent)
      }
    }
  })

  test('dates every concept, created before modified', () => {
    for (const concept of all) {
      const [created] = objects(store, concept, `${DCT}created`)
      const [modified] = objects(store, concept, `${DCT}modified`)
      expect(created).toMatch(/^20\d\d-\d\d-\d\d$/)
      expect(modified).toMatch(/^20\d\d-\d\d-\d\d$/)
      expect(String(created) <= String(modified)).toBe(true)
    }
  })
})

test.each([...vocabularies.map(({ name }) => `${name}.ttl`)])('%s has nothing that the shapes find', async (name) => {
  expect(await checkFiles([fromRoot(`src/doors/demo/${name}`)])).toMatchObject({ findings: [] })
})

describe('the demo vocabulary crafts', () => {
  const all = concepts(crafts)

  test('has polyhierarchy in 27 places', () => {
    const several = all.filter((concept) => objects(crafts, concept, `${SKOS}broader`).length > 1)
    expect(several).toHaveLength(27)
    expect(objects(crafts, `${CRAFTS}blaudruck`, `${SKOS}broader`)).toHaveLength(3)
  })

  test.each(['scopeNote', 'example', 'historyNote', 'editorialNote', 'changeNote', 'note', 'hiddenLabel', 'altLabel'])(
    'shows a %s in both languages somewhere',
    (property) => {
      expect(all.some((concept) => ['de', 'en'].every((l) => languages(crafts, concept, property).includes(l)))).toBe(
        true,
      )
    },
  )

  test.each(['exactMatch', 'closeMatch', 'broadMatch', 'narrowMatch', 'relatedMatch'])(
    'maps with %s to other vocabularies only',
    (property) => {
      const mapped = pairs(crafts, SKOS + property)
      expect(mapped.length).toBeGreaterThan(0)
      for (const [from, to] of mapped) {
        expect(all).toContain(from)
        if (to.startsWith(MATERIALS)) expect(concepts(materials)).toContain(to)
        else expect(to).toMatch(/^http:\/\/vocab\.getty\.edu\/aat\/300\d{6}$/)
      }
    },
  )

  test('maps to materials as materials maps back', () => {
    const toMaterials = pairs(crafts, `${SKOS}relatedMatch`).filter(([, to]) => to.startsWith(MATERIALS))
    expect(inverted(pairs(materials, `${SKOS}relatedMatch`)).sort()).toEqual(toMaterials.sort())
  })

  test('replaces its one deprecated concept by a concept in use', () => {
    const deprecated = pairs(crafts, `${OWL}deprecated`).map(([concept]) => concept)
    expect(deprecated).toEqual([`${CRAFTS}gobelin-weaving`])
    expect(objects(crafts, `${CRAFTS}gobelin-weaving`, `${DCT}isReplacedBy`)).toEqual([`${CRAFTS}tapestry-weaving`])
    expect(all).toContain(`${CRAFTS}tapestry-weaving`)
  })

  test('gives some concepts an identifier of their own', () => {
    const identifiers = all.flatMap((concept) => objects(crafts, concept, `${DCT}identifier`))
    expect(identifiers.length).toBeGreaterThanOrEqual(4)
    expect(new Set(identifiers).size).toBe(identifiers.length)
  })

  test('has a collection, and an ordered one whose list holds its members', () => {
    const [collection] = crafts.getSubjects(RDF_TYPE, `${SKOS}Collection`, null)
    const [ordered] = crafts.getSubjects(RDF_TYPE, `${SKOS}OrderedCollection`, null)
    expect(objects(crafts, collection?.value ?? '', `${SKOS}member`)).toHaveLength(10)
    const [list] = crafts.getObjects(ordered ?? '', `${SKOS}memberList`, null)
    const members = crafts.extractLists()[list?.value ?? '']?.map((term) => term.value)
    expect(members?.map((uri) => uri.slice(CRAFTS.length))).toEqual([
      'spinning',
      'dyeing-and-printing',
      'weaving',
      'tailoring',
    ])
    expect([...(members ?? [])].sort()).toEqual(objects(crafts, ordered?.value ?? '', `${SKOS}member`))
  })
})

describe.each(subsets)('the subset $notation', ({ file, uri, notation }) => {
  const store = load(file)
  const members = objects(store, uri, `${SKOS}member`)

  test('is a part of crafts, in both languages', () => {
    expect(objects(store, uri, RDF_TYPE)).toEqual([CONCEPT_SCHEME])
    expect(objects(store, uri, `${SKOS}notation`)).toEqual([notation])
    expect(objects(store, uri, `${DCT}isPartOf`)).toEqual([CRAFTS])
    for (const property of ['prefLabel', 'definition'])
      expect(languages(store, uri, property).sort()).toEqual(['de', 'en'])
  })

  test('has members of crafts only, and says things of members only', () => {
    expect(members.length).toBeGreaterThan(10)
    for (const member of members) expect(concepts(crafts)).toContain(member)
    const noted = values(store.getSubjects(`${SKOS}scopeNote`, null, null))
    expect(noted.length).toBeGreaterThanOrEqual(5)
    for (const subject of noted) {
      expect(members).toContain(subject)
      expect(languages(store, subject, 'scopeNote').sort()).toEqual(['de', 'en'])
    }
    expect(values(store.getSubjects(null, null, null)).sort()).toEqual([uri, ...noted].sort())
  })
})

test('the textile subset is the whole branch', () => {
  const textiles = `${CRAFTS}textiles`
  const branch = [textiles, ...closure(crafts, textiles, `${SKOS}narrower`)].sort()
  expect(objects(load('subset-textile.ttl'), `${CRAFTS}subset/textile`, `${SKOS}member`)).toEqual(branch)
})

test.each(['crafts.ttl', 'materials.ttl', ...subsets.map(({ file }) => file)])(
  '%s is in NFC, with lower-case language tags and a licence on top',
  (file) => {
    const text = read(file)
    expect(text).toBe(text.normalize('NFC'))
    const tags = [...text.matchAll(/"@([A-Za-z-]+)/g)].map(([, tag]) => tag)
    expect(new Set(tags)).toEqual(new Set(['de', 'en']))
    expect(text.split('\n').slice(0, 3).join()).toContain('CC0 1.0')
  },
)

test('no blank node outside the one list', () => {
  const blank = (store: Store) => store.getSubjects(null, null, null).filter((term) => term.termType === 'BlankNode')
  expect(blank(materials)).toEqual([])
  expect(blank(crafts)).toHaveLength(crafts.getQuads(null, `${RDF}first`, null, null).length)
})

describe('the demo records of formats', () => {
  type Value = string | number | string[] | Record<string, string> | Record<string, string>[]
  const records = read('formats.ndjson')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, Value>)
  const ids = records.map((record) => record.id as string)
  const links = ['application', 'topConceptOf', 'broader', 'for', 'model', 'base', 'profiles', 'subsetof', 'element']
  const texts = ['title', 'short', 'paradigm', 'inspiredby', 'language', 'mimetype', 'publisher']
  const iris = ['type', 'homepage', 'license']
  const numbers = ['codec_code', 'registry']
  const mixed = ['id', 'description', 'kb_id', 'alias', 'schemas', 'created', 'modified', 'creator', 'contributor']
  const properties = [...links, ...texts, ...iris, ...numbers, ...mixed]

  test('have ids of their own, a title and a description in both languages', () => {
    expect(records).toHaveLength(28)
    expect(new Set(ids).size).toBe(ids.length)
    for (const record of records) {
      expect(record.id).toMatch(/^[a-z0-9-]+(\/[a-z0-9-]+)*$/)
      expect(record.title).toEqual(expect.any(String))
      expect(Object.keys(record.description ?? {})).toEqual(['en', 'de'])
    }
    expect(ids.some((id) => id.includes('/'))).toBe(true)
  })

  test('use every property of the table somewhere, and no other', () => {
    const used = new Set(records.flatMap((record) => Object.keys(record)))
    expect([...used].sort()).toEqual(properties.sort())
  })

  test('link to records that exist, and never to themselves', () => {
    for (const record of records) {
      const targets = links.flatMap((link) => (record[link] ?? []) as string | string[])
      const schemas = (record.schemas ?? []) as Record<string, string>[]
      for (const target of [...targets, ...schemas.map((schema) => schema.type)]) {
        expect(ids).toContain(target)
        expect(target).not.toBe(record.id)
      }
      for (const schema of schemas) {
        expect(['url', 'type', 'doi', 'version']).toEqual(expect.arrayContaining(Object.keys(schema)))
        expect(schema.url).toMatch(/^https?:/)
      }
    }
  })

  test('have values of the types the table gives', () => {
    for (const record of records) {
      for (const property of texts) expect(['undefined', 'string']).toContain(typeof record[property])
      for (const property of ['broader', 'profiles', 'subsetof', 'element'])
        expect(['undefined', 'string']).toContain(typeof record[property])
      for (const property of iris) if (property in record) expect(record[property]).toMatch(/^https?:\/\/\S+$/)
      for (const property of numbers) if (property in record) expect(Number.isInteger(record[property])).toBe(true)
      for (const property of ['created', 'modified'])
        if (property in record) expect(`${record[property] as string | number}`).toMatch(/^\d{4}(-\d\d(-\d\d)?)?$/)
    }
    const both = (property: string, test: (value: Value) => boolean) => {
      const values = records.flatMap((record) => (record[property] === undefined ? [] : [test(record[property])]))
      expect(new Set(values)).toEqual(new Set([true, false]))
    }
    for (const property of ['modified', 'created']) both(property, Number.isInteger)
    for (const property of ['kb_id', 'application', 'for', 'model', 'base', 'creator']) both(property, Array.isArray)
  })
})

test('the figures and the addresses in the README of the demo are right', () => {
  const text = read('README.md')
  for (const { store, size } of vocabularies) {
    expect(text).toContain(`${size.concepts} concepts`)
    expect(concepts(store)).toHaveLength(size.concepts)
  }
  for (const [uri] of text.matchAll(/http:\/\/example\.org\/vocabulary\/[a-z/-]+/g))
    expect(concepts(crafts)).toContain(uri)
  for (const [uri] of text.matchAll(/http:\/\/vocab\.getty\.edu\/[a-z0-9/]+/g))
    expect(pairs(crafts, `${SKOS}exactMatch`).map(([, to]) => to)).toContain(uri)
})
