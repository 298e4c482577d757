import { describe, expect, test } from '@jest/globals'
import type { Quad } from '@rdfjs/types'
import jsonld from 'jsonld'
import { parseFile } from '../../../src/writing/source/parse.ts'
import { temporaryFolder } from '../../folder.ts'

const { write } = temporaryFolder()

const V = 'http://example.org/'
const CONTEXT = {
  '@version': 1.1,
  '@vocab': V,
  id: '@id',
  kind: '@type',
  nodes: '@graph',
  texts: { '@container': '@language' },
  indexed: { '@container': '@index' },
  byName: { '@container': '@id' },
  byType: { '@container': '@type' },
  graphs: { '@container': ['@graph', '@index'] },
  list: { '@container': '@list' },
  set: { '@container': '@set' },
  link: { '@type': '@id' },
  json: { '@type': '@json' },
  by: { '@id': 'byNotation', '@container': '@index', '@index': 'notation' },
}

/** The statements of a document, with the graph if they are in one. */
async function read(document: unknown): Promise<string[]> {
  const lines: string[] = []
  const term = ({ termType, value }: Quad['object']) =>
    termType === 'BlankNode' ? '_:' : value.replace(/^.*#/, '').replace(V, '')
  const text = typeof document === 'string' ? document : JSON.stringify(document)
  for await (const batch of parseFile(await write('read.jsonld', text))) {
    for (const { subject, predicate, object, graph } of batch) {
      const where = graph.termType === 'DefaultGraph' ? '' : ` in ${term(graph)}`
      lines.push(`${term(subject)} ${term(predicate)} ${term(object)}${where}`)
    }
  }
  return lines
}

const EMPTY: [members: object, states?: string[]][] = [
  [{ texts: {} }],
  [{ texts: null }],
  [{ texts: [] }],
  [{ texts: { en: null } }],
  [{ texts: { en: [] } }],
  [{ texts: { en: [null] } }],
  [{ texts: { '@none': null, en: ['x', null] } }, ['a texts x']],
  [{ indexed: {} }],
  [{ indexed: { x: null, y: [] } }],
  [{ byName: {} }],
  [{ byName: { [`${V}b`]: null } }],
  [{ byName: { [`${V}b`]: {} } }, ['a byName b']],
  [{ byType: {} }],
  [{ byType: { T: [] } }],
  [{ graphs: {} }],
  [{ graphs: { x: null } }],
  [{ list: null }],
  [{ list: [] }, ['a list nil']],
  [{ list: [null] }, ['a list nil']],
  [{ set: [] }],
  [{ set: [null] }],
  [{ link: null }],
  [{ link: [] }],
  [{ p: { '@value': null } }],
  [{ p: { '@list': [] } }, ['a p nil']],
  [{ p: { '@list': null } }],
  [{ p: { '@set': null } }],
  [{ p: { '@set': [] } }],
  [{ p: { '@id': null } }],
  [{ p: { id: null } }],
  [{ p: [null, { '@list': null }, 'x'] }, ['a p x']],
  [{ '@graph': [] }],
  [{ '@graph': null }],
  [{ nodes: null }],
  [{ kind: null }],
  [{ '@type': [] }],
  [{ '@type': null }],
  [{ '@included': [] }],
  [{ '@included': null }],
  [{ '@nest': null }],
  [{ '@index': null }],
  [{ '@reverse': {} }],
  [{ '@reverse': null }],
  [{ json: { '@type': null, kind: null } }, ['a json {"@type":null,"kind":null}']],
]

describe('empty containers state nothing', () => {
  test.each(EMPTY)('%j', async (members, states = []) => {
    const node = { '@id': `${V}a`, ...members, q: 'beside' }
    const expected = [...states, 'a q beside'].sort()
    // As an object of its own, as a node among others, and within one.
    expect((await read({ '@context': CONTEXT, ...node })).sort()).toEqual(expected)
    expect((await read({ '@context': CONTEXT, '@graph': [null, node, {}, []] })).sort()).toEqual(expected)
    const within = await read([{ '@context': CONTEXT, '@id': `${V}o`, r: node }])
    expect(within.sort()).toEqual([...expected, 'o r a'].sort())
  })

  test.each(['[]', '{}', 'null', '{"@context": {}}', '{"@graph": []}', '{"@graph": [[], {}, null]}'])(
    'the document %s',
    async (text) => {
      expect(await read(text)).toEqual([])
    },
  )

  // If this fails, jsonld is right, and `withoutNulls` need not look for lists, sets and names.
  test('jsonld takes a null list or set for a node', async () => {
    for (const value of [{ '@list': null }, { '@set': null }]) {
      expect(await jsonld.expand({ [`${V}p`]: value })).toEqual([{ [`${V}p`]: [{}] }])
    }
  })
})

test('the values of an index with a property have the property', async () => {
  const document = { '@context': CONTEXT, '@id': `${V}a`, by: { N1: { p: 'x' }, N2: [{ '@id': `${V}b` }] } }
  expect((await read(document)).sort()).toEqual([
    '_: notation N1',
    '_: p x',
    'a byNotation _:',
    'a byNotation b',
    'b notation N2',
  ])
})

describe('the nodes of a document are read some at a time', () => {
  const nodes = Array.from({ length: 1000 }, (_, at) => ({
    id: `${V}n${at}`,
    next: { id: '_:same' },
    p: [`"]}${at}`, '{'],
  }))
  const expected = nodes.flatMap(({ p: [text] }, at) => [`n${at} next _:`, `n${at} p ${text}`, `n${at} p {`])

  test.each([
    ['the context before them', { '@context': CONTEXT, '@graph': nodes }],
    ['the context after them', { '@graph': nodes, '@context': CONTEXT }],
    ['another name of @graph', { '@context': [{}, CONTEXT], nodes }],
    ['an array', nodes.map((node) => ({ '@context': CONTEXT, ...node }))],
    ['other members that state nothing', { title: null, '@graph': nodes, '@context': CONTEXT }],
  ])('%s', async (_, document) => {
    expect((await read(document)).sort()).toEqual([...expected].sort())
    expect((await read(JSON.stringify(document, null, 2))).sort()).toEqual([...expected].sort())
  })

  test('blank nodes of all of them are the same', async () => {
    const same = new Set<string>()
    for await (const batch of parseFile(
      await write('same.jsonld', JSON.stringify({ '@context': CONTEXT, '@graph': nodes })),
    )) {
      for (const { object } of batch) if (object.termType === 'BlankNode') same.add(object.value)
    }
    expect(same.size).toBe(1)
  })

  test('in the graph that the object around them names', async () => {
    const inGraph = expected.map((line) => `${line} in g`)
    const document = { '@graph': nodes, '@context': CONTEXT, '@id': `${V}g`, p: 'x' }
    expect((await read(document)).sort()).toEqual([...inGraph, 'g p x'].sort())
  })
})
