/** What a graph says beyond the fields of records, and the names of mapped concepts, on pages. */
import { expect, test } from '@jest/globals'
import { loadMappings } from '../../../src/doors/mappings/load.ts'
import { SKOS } from '../../../src/base/namespaces.ts'
import type { RunningApp } from '../../app.ts'
import { shareApp } from '../../run-over.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { expectPage, HTML } from './html.ts'

const H = 'http://example.org/h/'
const MANY = 5000
const TURTLE = `@prefix skos: <${SKOS}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
  @prefix xkos: <http://rdf-vocabulary.ddialliance.org/xkos#> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
  @prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix schema: <http://schema.org/> . @prefix dct: <http://purl.org/dc/terms/> .
  @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix own: <urn:x-vocabulary-service:> . @prefix : <${H}> .
  <${H}> a skos:ConceptScheme ; skos:prefLabel "Hostile"@en ; dct:title "Hostile"@en ; skos:notation "hostile" ;
    own:revision "1" ; schema:maintainer :agent .
  :agent foaf:name "The keeper <script>alert(1)</script>" .
  :own rdfs:label "An own <b>property</b>"@en , "Eigene <b>Eigenschaft</b>"@de .
  <http://example.org/place> rdfs:label "The place"@en .
  :a a skos:Concept ; skos:inScheme <${H}> ; skos:prefLabel "A"@en ; skos:hiddenLabel "Hidden"@de ; own:position 1 ;
    :own "text"@en , "<script>alert(2)</script>"@fr ; foaf:focus <http://example.org/place> ;
    :evil <javascript:alert(3)> , "javascript:alert(4)"^^xsd:anyURI ; :size "5"^^:unit ;
    <${H}x%22onclick=alert(5)> "x\\" onmouseover=\\"alert(6)" ;
    schema:geo [ schema:latitude 52.5 ; schema:address [ schema:name "deep" ] ] ; schema:about :b ; rdfs:seeAlso <https://example.org/see> ;
    skos:exactMatch <http://www.wikidata.org/entity/Q1> , <https://elsewhere.example/1> , <${H}gone> , <http://example.org/place> .
  :b a skos:Concept ; skos:inScheme <${H}> ; skos:prefLabel "B"@en ; :many ${Array.from({ length: MANY }, (_, at) => `"value ${at}"`).join(' , ')} .
  :c a skos:Concept ; skos:inScheme <${H}> ; skos:prefLabel "C"@en .
  :d a skos:Concept ; skos:inScheme <${H}> ; skos:prefLabel "D"@en ; skos:scopeNote :note1 , :note2 ;
    skos:definition [ rdfs:comment "A definition in a comment"@en ] ; dct:description :note3 .
  :note1 :nodeLiteral "For people who work with D"@en . :note2 rdf:value "Plain scope"@en . :note3 :nodeLiteral "What D does"@en .
  :e a skos:Concept ; skos:inScheme <${H}> ; skos:prefLabel "E"@en ; xkos:inclusionNote "all"@en ; xkos:coreContentNote "most"@en ;
    xkos:additionalContentNote "more"@en ; xkos:exclusionNote "none"@en .
  :set a skos:Collection ; skos:inScheme <${H}> ; skos:prefLabel "Set"@en ; skos:member :a ; schema:keywords "grouped"@en .`

describeOver(EMBEDDED, 'Pages show', (store) => {
  const { write } = temporaryFolder()
  let app: RunningApp
  shareApp(store, async (shared) => {
    app = shared
    await app.put(H, TURTLE)
    const mapping = {
      type: [`${SKOS}closeMatch`],
      from: { memberSet: [{ uri: `${H}a` }] },
      to: { memberSet: [{ uri: 'http://loaded.example/9', prefLabel: { en: 'Loaded <i>name</i>', de: 'Name' } }] },
      toScheme: { uri: 'http://loaded.example/', prefLabel: { en: 'Loaded vocabulary' } },
    }
    await loadMappings(app.client, [await write('mappings.ndjson', JSON.stringify(mapping))], undefined)
    app.state.changed()
    await app.index.refresh([H])
    await app.index.caughtUp()
  })
  const page = async (path: string, lang = 'en') => {
    const answer = await app.get(`${path}${path.includes('?') ? '&' : '?'}lang=${lang}`, HTML)
    await expectPage(answer)
    return answer.text
  }
  const statements = (text: string) => /<dl class="statements">.*?<\/dl>/s.exec(text)?.[0] ?? ''

  test('statements of any vocabulary with the names that the data or the vocabulary gives', async () => {
    const text = statements(await page(`/concept?uri=${H}a`))
    expect(text).toContain(`<dt title="${H}own"><bdi lang="en">An own &lt;b>property&lt;/b></bdi></dt>`)
    expect(text).toContain('<dt title="foaf:focus"><bdi lang="en">Stands for</bdi></dt>')
    expect(text).toMatch(/href="http:\/\/example.org\/place"[^>]*><bdi lang="en">The place/)
    expect(text).toMatch(/title="skos:hiddenLabel".*?<bdi lang="de">Hidden/)
    expect(text).toMatch(
      /title="schema:about".*?href="[^"]*concept\?uri=http:\/\/example.org\/h\/b[^"]*">\s*<bdi lang="en">B/,
    )
    expect(text).toMatch(/title="schema:geo".*?title="schema:latitude".*?52\.5/)
    expect(text).toContain(`<abbr class="tag" title="${H}unit">unit</abbr>`)
    expect(text).toContain('href="https://example.org/see"')
    // The rest of the page has these.
    expect(text).not.toMatch(/prefLabel|exactMatch|inScheme|x-vocabulary-service/)
    const german = statements(await page(`/concept?uri=${H}a`, 'de'))
    expect(german).toContain('Eigene &lt;b>Eigenschaft&lt;/b>')
    expect(german).toContain('Steht für')
    expect(statements(await page('/voc/hostile'))).toMatch(/title="schema:maintainer".*The keeper &lt;script>/)
    expect(await page('/voc/hostile')).not.toContain('dct:title')
    expect(statements(await page(`/concept?uri=${H}set`))).toContain('grouped')
  })

  test('nothing of them becomes script', async () => {
    const text = await page(`/concept?uri=${H}a`)
    expect(text).not.toMatch(/<script>|href="javascript|<b>|<i>/)
    expect(text).toContain('&lt;script>alert(2)')
    // As text it is there.
    expect(statements(text).match(/javascript:alert/g)).toHaveLength(2)
  })

  test('some of very many values, and where the others are', async () => {
    const text = await page(`/concept?uri=${H}b`)
    expect(statements(text).match(/value \d+/g)).toHaveLength(20)
    expect(statements(text)).toMatch(/<a href="[^"]*format=turtle">and 4,980 more/)
    expect(text.length).toBeLessThan(20_000)
  })

  test('each kind of content of a classification under a heading of its own', async () => {
    const text = statements(await page(`/concept?uri=${H}e`))
    const headings = Array.from(text.matchAll(/<dt[^>]*>(.*?)<\/dt>/gs), ([, heading]) =>
      heading!.replace(/<[^>]*>/g, ''),
    )
    expect(headings).toEqual(['Also includes', 'Excludes', 'Includes', 'Mainly includes'])
  })

  test('no list of them if there are none', async () => {
    expect(await page(`/concept?uri=${H}c`)).not.toContain('More statements')
  })

  test('notes and descriptions that are resources, unless the record has their text', async () => {
    const text = await page(`/concept?uri=${H}d`)
    const more = statements(text)
    for (const note of ['For people who work with D', 'What D does', 'A definition in a comment'])
      expect(more).toContain(note)
    expect(more).toMatch(/title="skos:scopeNote".*?href="http:\/\/example.org\/h\/note1"/)
    expect(more).not.toMatch(/note2|Plain scope/)
    expect(text).toContain('Plain scope')
  })

  test('names of mapped concepts that are elsewhere, and of their vocabularies', async () => {
    const text = await page(`/concept?uri=${H}a`)
    const mappings = /<dl class="mappings">.*?<\/dl>/s.exec(text)![0]
    expect(mappings).toMatch(/wikidata.org\/entity\/Q1<\/bdi><\/a> · <span class="quiet"><bdi lang>Wikidata/)
    expect(mappings).toMatch(/href="http:\/\/loaded.example\/9"[^>]*>\s*<bdi lang="en">Loaded &lt;i>name/)
    expect(mappings).toContain('Loaded vocabulary')
    expect(mappings).toMatch(/href="http:\/\/example.org\/place"[^>]*>\s*<bdi lang="en">The place/)
    expect(mappings).toMatch(/https:\/\/elsewhere.example\/1<\/bdi><\/a><\/li>/)
  })
})
