/** The tree page shows the concepts that no top concept reaches, as the search index has them. */
import { expect, test } from '@jest/globals'
import { loadVocabulary, normaliseStored } from '../../../src/writing/loading/load-vocabulary.ts'
import { BOOKKEEPING, SKOS } from '../../../src/base/namespaces.ts'
import { rdfOf } from '../../exported.ts'
import type { RunningApp } from '../../app.ts'
import { shareApp } from '../../run-over.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { expectPage, HTML, linksOf } from './html.ts'

const PREFIXES = `@prefix skos: <${SKOS}> . @prefix owl: <http://www.w3.org/2002/07/owl#> .`
const concept = (name: string, more: string) => `:${name} a skos:Concept ; skos:prefLabel "${name}"@en ${more} .\n`
const CUT = `${PREFIXES} @prefix : <http://example.org/cut/> .
: a skos:ConceptScheme ; skos:prefLabel "Cut off"@en .
${concept('Top', '; skos:notation "9" ; skos:exactMatch <http://example.org/w/1>, "text", [], "http://example.org/w/2"')}
${concept('Alpha', '; skos:broader :Beta ; skos:notation "2"')}
${concept('Beta', '; skos:broader :Alpha ; skos:notation "1"')}
${concept('Gamma', '; skos:broader :Beta')}
${concept('Delta', '; skos:broader :Gamma, :Delta')}
${concept('Both', '; skos:broader :Gamma, :Top')}
${concept('Old', '; owl:deprecated true')}`
const BELOW = 230
const MANY = `${PREFIXES} @prefix : <http://example.org/many/> .
: a skos:ConceptScheme ; skos:prefLabel "Many"@en .
:x a skos:Concept ; skos:narrower :y . :y a skos:Concept ; skos:narrower :x .
${Array.from({ length: BELOW }, (_, at) => concept(`n${1000 + at}`, '; skos:broader :x')).join('')}`

const { write } = temporaryFolder()

describeOver(EMBEDDED, 'Concepts without a place in the hierarchy', (store) => {
  let app: RunningApp
  shareApp(store, async (shared) => {
    app = shared
    await loadVocabulary(app.client, [await write('cut.ttl', CUT)])
    await loadVocabulary(app.client, [await write('many.ttl', MANY)])
    app.state.changed()
    await app.index.caughtUp()
  })

  const page = async (path: string) => {
    const answer = await app.get(path, HTML)
    await expectPage(answer)
    return answer
  }
  /** The items of the lists of a page, before the section and in it: the labels, with those below an opened concept. */
  const lists = async (path: string) => {
    const { text } = await page(path)
    const [tree, section = ''] = text.split('<section id="unreached">')
    const names = (html: string) => {
      const list = /<ul class="tree">.*<\/ul>/s.exec(html)?.[0] ?? ''
      return [...list.matchAll(/concept\?uri=[^"]*"[^>]*>(.*?)<\/a>/gs)].map(([, name]) =>
        name!
          .replace(/<[^>]*>/g, ' ')
          .trim()
          .replace(/\s+/g, ' '),
      )
    }
    return { text, tree: names(tree!), section: names(section) }
  }

  test('each is shown once, in the order of records, beside the tree', async () => {
    const { text, tree, section } = await lists('/voc/cut/tree?lang=en')
    expect(tree).toEqual(['9 Top'])
    expect(section).toEqual(['1 Beta', '2 Alpha', 'Delta', 'Gamma'])
    expect(text).toContain('Without a place in the hierarchy <span class="count">4</span>')
    const german = (await page('/voc/cut/tree?lang=de')).text
    expect(german).toContain('Ohne Platz in der Hierarchie <span class="count">4</span>')
    expect(german).toContain('Kein oberster Begriff führt zu diesen Begriffen')
  })

  test('a vocabulary of them alone is not empty', async () => {
    const { text, tree } = await lists('/voc/many/tree?lang=en')
    expect(tree).toEqual([])
    expect(text).not.toContain('This vocabulary has no concepts yet')
  })

  test('a requested one is opened in its place, and the top concepts stay as they are', async () => {
    const { text, tree, section } = await lists('/voc/cut/tree?uri=http://example.org/cut/Beta&lang=en')
    expect(tree).toEqual(['9 Top'])
    expect(section).toEqual(['1 Beta', '2 Alpha', 'Gamma', '2 Alpha', 'Delta', 'Gamma'])
    expect(text.match(/id="here"/g)).toHaveLength(1)
    const reached = await lists('/voc/cut/tree?uri=http://example.org/cut/Both&lang=en')
    expect(reached.tree).toEqual(['9 Top', 'Both'])
    expect(reached.section).toEqual(['1 Beta', '2 Alpha', 'Delta', 'Gamma'])
  })

  test.each(['uri', 'at'])('one that is not in the vocabulary, by %s: 404', async (parameter) => {
    await expectPage(await app.get(`/voc/cut/tree?${parameter}=http://example.org/none&lang=en`, HTML), 404)
  })

  test('many come in pages, and a requested one on its page', async () => {
    const first = await lists('/voc/many/tree?lang=en')
    expect(first.section).toHaveLength(100)
    expect(first.text).toContain(`1 to 100 of ${BELOW + 2}`)
    const last = await lists('/voc/many/tree?unreached=200&lang=en')
    expect(last.section).toHaveLength(BELOW + 2 - 200)
    const next = linksOf(await page('/voc/many/tree?lang=en'), `${app.url}/voc/many/tree`).find((link) =>
      link.includes('unreached=100'),
    )!
    const second = await lists(next.slice(app.url.length))
    expect(new Set([...first.section, ...second.section, ...last.section]).size).toBe(BELOW + 2)
    const here = await lists('/voc/many/tree?uri=http://example.org/many/n1150&lang=en')
    expect([here.section.length, here.section.includes('n1150')]).toEqual([100, true])
    expect((await lists('/voc/many/tree?unreached=9999')).section).toEqual([])
    expect((await app.get('/voc/many/tree?unreached=x', HTML)).status).toBe(400)
  })

  test('those below a requested one come in pages as well', async () => {
    // The last page of the list has it.
    const length = BELOW + 2 - 200
    const below = async (offset: number) =>
      (await lists(`/voc/many/tree?uri=http://example.org/many/x&offset=${offset}&lang=en`)).section.length - length
    expect([await below(0), await below(200)]).toEqual([100, BELOW + 1 - 200])
  })

  test('they stay with normalising, and are gone when the source is repaired', async () => {
    const section = async () => {
      app.state.changed()
      await app.index.caughtUp()
      return (await lists('/voc/cut/tree?lang=en')).section
    }
    const before = await section()
    expect(before).toEqual(['1 Beta', '2 Alpha', 'Delta', 'Gamma'])
    await normaliseStored(app.client, 'cut')
    expect(await section()).toEqual(before)
    let exported = ''
    for await (const chunk of rdfOf(app.client, 'http://example.org/cut/', 'ntriples')) exported += chunk
    expect(exported).not.toContain(BOOKKEEPING)
    expect(exported).toContain('<http://example.org/cut/Gamma>')
    // Repaired and loaded again.
    await loadVocabulary(app.client, [
      await write(
        'exported.nt',
        exported.replace(/^.*Alpha> \S*broader>.*\n/m, '').replace(/^.*Beta> \S*narrower> \S*Alpha>.*\n/m, ''),
      ),
    ])
    expect(await section()).toEqual([])
    expect((await lists('/voc/cut/tree?lang=en')).tree).toEqual(['2 Alpha', '9 Top'])
  })

  test('the figures of a vocabulary count a match if it is a link', async () => {
    const { text } = await page('/voc/cut?lang=en')
    expect(text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')).toMatch(/Links to other vocabularies The same as 1 /)
  })
})
