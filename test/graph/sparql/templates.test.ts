import { describe, expect, test } from '@jest/globals'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { checkTemplates, loadTemplates, Template } from '../../../src/graph/sparql/templates.ts'
import { TEMPLATE_NAMES } from '../../../src/graph/sparql/template-names.ts'
import { iri, literal } from '../../../src/graph/sparql/terms.ts'
import { describeEveryTemplate } from './every-template.ts'

const templates = loadTemplates(resolve(import.meta.dirname, '../../../queries'))
/** A file that is not there and cannot be made. */
const NOTHING_CHECKED = join(tmpdir(), 'no-such-folder', 'checked-templates')

const QUERY = `PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
SELECT ?c WHERE {
  VALUES ?uri { <http://example.org/a> } #@ uri
  ?c skos:broader ?uri .
  #? voc
  FILTER EXISTS { ?c skos:inScheme ?voc FILTER(?voc IN (<http://example.org/v>)) } #@ voc
  #.
}
LIMIT 10
OFFSET 0
`

describe('Template', () => {
  test('fills slots, keeps or leaves out blocks, sets the page', () => {
    const template = new Template('t.rq', QUERY)
    expect(template.slots).toEqual(['uri', 'voc'])
    expect(template.blocks).toEqual(['voc'])
    const { name, text: bound } = template.bind({
      terms: { uri: [iri('urn:x:1'), iri('urn:x:2')] },
      limit: 5,
      offset: 3,
    })
    expect(name).toBe('t')
    expect(bound).toContain('VALUES ?uri { <urn:x:1> <urn:x:2> }')
    expect(bound).toContain('LIMIT 5\nOFFSET 3')
    expect(bound).not.toContain('inScheme')
    expect(
      template.bind({ terms: { uri: [iri('urn:x:1')], voc: [iri('urn:v:1'), iri('urn:v:2')] }, include: ['voc'] }).text,
    ).toContain('IN ( <urn:v:1>, <urn:v:2> )')
  })

  test('a value never reaches the place of another', () => {
    const template = new Template('t', QUERY.replace('<http://example.org/a>', '"a"'))
    const { text: bound } = template.bind({ terms: { uri: [literal('VALUES ?uri { } #@ voc')], voc: [] } })
    expect(bound).toContain('VALUES ?uri { "VALUES ?uri { } #@ voc" }')
  })

  test('refuses names that it does not have and slots without terms', () => {
    const template = new Template('t', QUERY)
    expect(() => template.bind({ terms: { uri: [], url: [] } })).toThrow('no "url" in it')
    expect(() => template.bind({ terms: {} })).toThrow('no terms for "uri"')
    expect(() => template.bind({ terms: { uri: [] }, include: ['top'] })).toThrow('no "top" in it')
  })

  test.each([
    ['SELECT ?c WHERE { ?c }', 'Parse error'],
    ['SELECT ?c WHERE {\n#? a\n}\n#.', '(without optional blocks)'],
    ['SELECT ?c WHERE { ?c ?p ?o }\n#? a', 'line 2: "#?" without "#."'],
    ['SELECT ?c WHERE { ?c ?p ?o }\n#.', 'line 2: "#." without "#?"'],
    ['SELECT ?c WHERE {\n  ?c ?p ?o #@ uri\n}', 'line 2: cannot read the mark'],
  ])('says what is wrong with %j', async (text, message) => {
    const check = async () => checkTemplates([new Template('bad.rq', text)], NOTHING_CHECKED)
    await expect(check).rejects.toThrow(message)
    await expect(check).rejects.toThrow('bad.rq')
  })

  test('are parsed again if one of them has changed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'templates-'))
    const checked = join(folder, 'checked')
    const [right, wrong] = [new Template('a.rq', QUERY), new Template('a.rq', 'SELECT ?c WHERE { ?c }')]
    try {
      await checkTemplates([right], checked)
      const digest = readFileSync(checked, 'utf8')
      await checkTemplates([right], checked)
      await expect(checkTemplates([right, wrong], checked)).rejects.toThrow('a.rq')
      await expect(checkTemplates([wrong], checked)).rejects.toThrow('a.rq')
      expect(readFileSync(checked, 'utf8')).toBe(digest)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('a folder with a broken file names it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'templates-'))
    writeFileSync(join(folder, 'broken.rq'), 'SELECT ?c WHERE {\n#? a\n}')
    try {
      expect(() => loadTemplates(folder)).toThrow('broken.rq')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('the templates of the project', () => {
  test('are those whose names compile', () => {
    expect([...TEMPLATE_NAMES].sort()).toEqual([...templates.keys()].sort())
  })

  test('are SPARQL', async () => {
    await checkTemplates(templates.values(), NOTHING_CHECKED)
  })

  test.each([...templates])('%s states its purpose', (_, template) => {
    expect(template.text).toMatch(/^#\+ summary: \S/)
  })

  // Each of these cost a factor of 6 to 1000 when it was measured (docs/decisions.md).
  test.each([...templates])('%s has none of the shapes that are slow', (_, template) => {
    const text = template.text.replace(/#.*$/gm, '')
    expect(text).not.toMatch(/\bFROM\b/i)
    expect(text).not.toMatch(/FILTER\s*\(\s*str\(\?\w+\)\s*=/i)
    // A type or a vocabulary before a property path.
    expect(text).not.toMatch(/(rdf:type|skos:inScheme)[^{}]*skos:(broader|narrower)[+*]/)
    expect(text).not.toMatch(/NOT EXISTS\s*\{[^}]*[+*]\s/)
  })
})

describeEveryTemplate(['embedded'])
