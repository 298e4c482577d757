/** Over vocabularies of one name with concepts of one name: no two rows look the same. */
import { expect, test } from '@jest/globals'
import type { RunningApp } from '../../app.ts'
import { shareApp } from '../../run-over.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const VOCABULARIES = Array.from({ length: 12 }, (_, at) => `http://example.org/alike/${at}/`)
const NARROWER = ['a', 'b', 'c', 'd', 'e', 'f']
const UUID = '0b8f3d1e-7c55-4a0a-9d3c-2f1f0a5f6c1'

/** Concepts called "Qualle": with the same and other broader ones, a UUID, a notation, and with nothing else. */
function turtle(scheme: string, at: number): string {
  const concept = (name: string, rest: string) =>
    `<${scheme}${name}> a skos:Concept ; skos:inScheme <${scheme}> ; ${rest} .`
  const qualle = 'skos:prefLabel "Qualle"@de'
  return `@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
    <${scheme}> a skos:ConceptScheme ; skos:notation "alike${at}" ; skos:prefLabel "Meer"@de ; <http://purl.org/dc/terms/language> "de" .
    ${concept('sea', 'skos:prefLabel "Meerestier"@de')} ${concept('lake', 'skos:prefLabel "Seetier"@de')}
    ${concept('a', `${qualle} ; skos:altLabel "Quappe"@de ; skos:broader <${scheme}sea>`)}
    ${concept('b', `${qualle} ; skos:altLabel "Quappe"@de ; skos:broader <${scheme}sea>`)}
    ${concept('c', `${qualle} ; skos:broader <${scheme}lake>`)}
    ${concept('d', `${qualle} ; skos:notation "${UUID}${at % 10}"`)}
    ${concept('e', `${qualle} ; skos:notation "Q1"`)} ${concept('f', qualle)}`
}

describeOver(EMBEDDED, 'concepts that look the same', (store) => {
  let app: RunningApp

  shareApp(store, async (shared) => {
    app = shared
    for (const [at, uri] of VOCABULARIES.entries()) await app.put(uri, turtle(uri, at))
  })

  test('have different suggestions', async () => {
    for (const search of ['qualle', 'quappe']) {
      const { body } = await app.ask('/suggest', { search, limit: '500', language: 'de' })
      const rows = body[1].map((label: string, at: number) => `${label} | ${body[2][at]}`)
      expect(rows).toHaveLength(VOCABULARIES.length * (search === 'qualle' ? NARROWER.length : 2))
      expect(new Set(rows).size).toBe(rows.length)
    }
  })

  test('have different rows from A to Z, and by notation', async () => {
    for (const [at, uri] of VOCABULARIES.slice(0, 3).entries()) {
      for (const query of ['letter=Q', 'by=notation']) {
        const answer = await app.get(`/voc/alike${at}/index?lang=de&${query}`, { headers: { accept: 'text/html' } })
        const [list = ''] = /<ul[^>]*class="concepts"[^>]*>.*?<\/ul>/s.exec(answer.text) ?? []
        const rows = list.split('</li>').map((row) =>
          row
            .replace(/<[^>]*>/g, ' ')
            .replace(/\s+/g, ' ')
            .trim(),
        )
        expect(rows.slice(0, -1)).toHaveLength(8)
        expect(new Set(rows).size).toBe(rows.length)
        const texts = rows.join('\n')
        expect(texts).toContain(`Qualle Meerestier, ${uri}a`)
        expect(texts).toMatch(/^Qualle Seetier$/m)
        expect(texts).toMatch(query === 'letter=Q' ? /^Qualle Q1$/m : /^Q1 Qualle$/m)
        expect(texts).toContain(`Qualle ${UUID}${at}`)
        expect(texts).toMatch(/^Qualle$/m)
        if (query === 'letter=Q') expect(texts).toContain(`Quappe → Qualle Meerestier, ${uri}b`)
      }
    }
  })
})
