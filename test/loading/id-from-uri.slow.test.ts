/** Ids that come from the end of a URI, and those that the loader proposes instead (docs/interface.md, "Loading"). */
import { describe, expect, test } from '@jest/globals'
import { checkFiles } from '../../src/loading/check-files.ts'
import { prepareVocabulary } from '../../src/loading/prepare.ts'
import { SKOS } from '../../src/namespaces.ts'
import type { Vocabulary } from '../../src/vocabularies/vocabulary.ts'
import { runCommand } from '../command.ts'
import { temporaryFolder } from '../folder.ts'
import { testLong } from '../long.ts'
import { newDirectory } from '../process.ts'

const { write } = temporaryFolder()

function turtle(scheme: string, uri = 'http://example.org/742'): string {
  return `@prefix skos: <${SKOS}> . @prefix dct: <http://purl.org/dc/terms/> .
    <${uri}> a skos:ConceptScheme ; ${scheme} . <http://example.org/a> a skos:Concept ; skos:inScheme <${uri}> .`
}

async function found(text: string, ids?: string[], stored: Vocabulary[] = []) {
  const prepared = await prepareVocabulary([await write('v.ttl', text)], { ids }, stored)
  prepared.close()
  return prepared.idFromUri
}
const stored = (uri: string, ...ids: string[]): Vocabulary => ({
  uri,
  ids,
  notations: ids,
  identifiers: [],
  prefLabel: {},
  values: new Map(),
  partOf: [],
  isSubset: false,
  revision: undefined,
  notationTypes: [],
  hasResourceNotes: false,
  classes: [],
  lastLoad: {},
})

describe('an id from the end of the URI', () => {
  test.each([
    ['"Klassifikation der Berufe"@de', 'klassifikation-berufe'],
    ['"Öffentliche Straßen"@de', 'oeffentliche-strassen'],
    ['"Öljy ja vesi"@fi', 'oljy-ja-vesi'],
    ['"Sachen"@de, "Things"@en', 'sachen'],
    ['"Choses"@fr, "Things"@en-gb', 'things'],
    ['"Choses"@fr', 'choses'],
    ['"歴史"@ja, "Étoiles de mer"@fr', 'etoiles-de-mer'],
    ['"The Women’s Thesaurus (2nd edition)"@en', 'womens-thesaurus-2nd-edition'],
    ['"Sachsystematik der Nordrhein-Westfälischen Bibliographie"@de', 'sachsystematik-nordrhein'],
    [`"${'Donaudampfschifffahrtsgesellschaft'}"@de`, 'donaudampfschifffahrtsgesellsc'],
    // It would be the address of an endpoint.
    ['"Concepts"@en', 'concepts-2'],
  ])('has a proposal from the name %s: %s', async (names, proposed) => {
    expect(await found(turtle(`skos:prefLabel ${names}`))).toEqual({ id: '742', proposed })
  })

  test('has one from a title, and from the separate record', async () => {
    expect(await found(turtle('dct:title "Gewässer"@de'))).toEqual({ id: '742', proposed: 'gewaesser' })
    const record = await write('record.ttl', turtle('skos:prefLabel "Flüsse"@de'))
    const prepared = await prepareVocabulary([await write('v.ttl', turtle('dct:creator "A"'))], { record })
    prepared.close()
    expect(prepared.idFromUri).toEqual({ id: '742', proposed: 'fluesse' })
  })

  test.each(['skos:prefLabel "742"@de', 'skos:prefLabel "歴史"@ja', 'dct:creator "A"'])(
    'has none without another name: %s',
    async (scheme) => {
      const { id, proposed } = (await found(turtle(scheme)))!
      expect([id, proposed]).toEqual(['742', undefined])
    },
  )

  test('has one that no other vocabulary has', async () => {
    const others = [stored('http://example.org/x', 'sachen'), stored('http://example.org/y', 'sachen-2')]
    expect(await found(turtle('skos:prefLabel "Sachen"@de'), undefined, others)).toMatchObject({ proposed: 'sachen-3' })
  })

  test('is said of no chosen id: by the operator, by the source, or before', async () => {
    const scheme = 'skos:prefLabel "Sachen"@de'
    expect(await found(turtle(scheme), ['mine'])).toBeUndefined()
    expect(await found(turtle(`${scheme} ; skos:notation "SACH"`))).toBeUndefined()
    expect(await found(turtle(scheme), undefined, [stored('http://example.org/742', '742')])).toBeUndefined()
    // This notation is no id.
    expect(await found(turtle(`${scheme} ; skos:notation "S/1"`))).toEqual({ id: '742', proposed: 'sachen' })
  })

  test('is in the report of a check, unless there are several schemes', async () => {
    const one = turtle('skos:prefLabel "Sachen"@de')
    expect(await checkFiles([await write('one.ttl', one)])).toMatchObject({
      idFromUri: { id: '742', proposed: 'sachen' },
    })
    const two = `${one}\n<http://example.org/743> a skos:ConceptScheme .`
    expect((await checkFiles([await write('two.ttl', two)])).idFromUri).toBeUndefined()
  })

  test('that is taken, or that there is not, is an error with the proposal', async () => {
    const scheme = 'skos:prefLabel "Sachen"@de'
    const other = [stored('http://example.org/other', '742')]
    await expect(found(turtle(scheme), undefined, other)).rejects.toThrow(
      /is taken by .*; give another with --id sachen\.$/,
    )
    await expect(found(turtle(scheme, 'http://example.org/'))).rejects.toThrow(/; give one with --id sachen\.$/)
    await expect(found(turtle(scheme), ['742'], other)).rejects.toThrow(/; give another with --id\.$/)
  })
})

testLong('the commands show how to load with the proposed id, and it is the id then', async () => {
  const env = { DATA_DIR: await newDirectory() }
  const vocab = async (...words: string[]) => (await runCommand(words, env)).stdout
  const file = await write(`it's.ttl`, turtle('skos:prefLabel "Sachen"@de'))
  const word = `'${file.replace(`'`, `'\\''`)}'`
  const scheme = ['--scheme', 'http://example.org/742']
  const advice = (words: string) => `id: 742 is the end of the URI; for one from the name: load ${words} --id sachen\n`
  expect(await vocab('check', file)).toContain(advice(word))
  expect(await vocab('load', '--dry-run', file)).toContain(advice(word))
  expect(await vocab('load', file, '--all-schemes', '--dry-run')).toContain('; the name would give sachen\n')
  expect(await vocab('load', file, ...scheme)).toContain(advice(`${word} ${scheme.join(' ')}`))
  // It has its id now.
  expect(await vocab('load', file)).not.toContain('id: ')
  expect(JSON.parse(await vocab('check', file, '--json'))).toMatchObject({
    idFromUri: { id: '742', proposed: 'sachen' },
  })
  expect(await vocab('load', file, '--id', 'sachen')).toContain(' as sachen: ')
  expect(await vocab('list')).toMatch(/^sachen\thttp:\/\/example\.org\/742\t/)
})
