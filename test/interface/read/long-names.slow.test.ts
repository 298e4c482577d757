/** A label that is too long for a name is whole in the record of its resource alone. */
import { expect, test } from '@jest/globals'
import { DCT, SKOS } from '../../../src/base/namespaces.ts'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import type { RunningApp } from '../../app.ts'
import { shareApp } from '../../run-over.ts'
import { temporaryFolder } from '../../folder.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { canonical } from '../../writing/source/canonical.ts'

const V = 'http://example.org/long/'
const PUBLISHER = 'http://example.com/publisher'
/** Each letter takes two units of UTF-16. */
const LONG = '𝒜'.repeat(20_000)
const NAME = `${'𝒜'.repeat(999)}…`
const LONGEST = '𝒜'.repeat(1000)
const BELOW = 50

const TURTLE = `@prefix skos: <${SKOS}> . @prefix dct: <${DCT}> . @prefix : <${V}> .
  <${V}> a skos:ConceptScheme ; skos:notation "long" ; skos:prefLabel "${LONG}"@en ; skos:hasTopConcept :top ;
    dct:publisher <${PUBLISHER}> .
  <${PUBLISHER}> skos:prefLabel "${LONG}"@en .
  :top a skos:Concept ; skos:inScheme <${V}> ; skos:topConceptOf <${V}> ; skos:prefLabel "${LONG}"@en, "${LONGEST}"@de .
  ${Array.from({ length: BELOW }, (_, at) => `:${at} a skos:Concept ; skos:inScheme <${V}> ; skos:prefLabel "${at}"@en ; skos:broader :top .`).join('\n')}`

const { write } = temporaryFolder()

describeOver(EMBEDDED, 'a label that is too long for a name', (store) => {
  let app: RunningApp
  shareApp(store, async (shared) => {
    app = shared
    await loadVocabulary(app.client, [await write('long.ttl', TURTLE)])
  })

  test('is whole in its own record', async () => {
    const { body } = await app.ask('/data', { uri: `${V}top` })
    expect(body).toMatchObject([{ prefLabel: { en: LONG, de: LONGEST } }])
    expect((await app.ask('/voc', { uri: V })).body).toMatchObject([{ prefLabel: { en: LONG } }])
  })

  test('is shortened in other records, by characters', async () => {
    const name = { uri: `${V}top`, prefLabel: { en: NAME, de: LONGEST } }
    const [record] = (await app.ask('/data', { uri: `${V}0`, properties: '*,ancestors' })).body
    expect(record).toMatchObject({
      broader: [name],
      ancestors: [name],
      inScheme: [{ uri: V, prefLabel: { en: NAME } }],
    })
    expect((await app.ask('/ancestors', { uri: `${V}0`, properties: '' })).body).toMatchObject([
      { uri: `${V}top`, prefLabel: { en: LONG } },
    ])
  })

  test('does not multiply in a list', async () => {
    const { status, text } = await app.ask('/voc/long/concepts', { properties: '*', limit: '100' })
    expect(status).toBe(200)
    // The label itself has two units for each character.
    expect(text.length).toBeLessThan(LONG.length + BELOW * 5 * 2 * LONGEST.length)
  })

  test('is no statement when it is shortened', async () => {
    const { text } = await app.ask('/data', { uri: `${V}0`, format: 'ntriples' })
    expect(text).toContain(`<${SKOS}broader> <${V}top>`)
    expect(text).not.toContain('…')
    const whole = await app.ask('/data', { uri: `${V}top`, format: 'ntriples' })
    expect(whole.text).toContain(`<${V}top> <${SKOS}prefLabel> "${LONG}"@en`)
  })

  test.each(['ndjson', 'csv'])('stays when %s is downloaded and loaded again', async (format) => {
    const graph = async () => {
      const { text } = await app.ask('/voc/long/export', { format: 'ntriples' })
      return canonical(text.split('\n').filter(Boolean))
    }
    const before = await graph()
    const { text } = await app.ask('/voc/long/export', { format })
    expect(text).not.toContain('…')
    await loadVocabulary(app.client, [await write(`long.${format}`, text)], { scheme: V })
    app.state.changed()
    app.registry.invalidate()
    const labels = (lines: readonly string[]) => lines.filter((line) => line.includes('prefLabel'))
    expect(labels(await graph())).toEqual(labels(before))
  })
})
