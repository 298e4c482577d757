/** A made vocabulary that uses all that the Dutch profile of SKOS names (NL-SBB): nothing in it is a mistake. */
import { resolve } from 'node:path'
import { readFile } from 'node:fs/promises'
import { expect, test } from '@jest/globals'
import { prepareVocabulary } from '../../../src/writing/loading/prepare.ts'
import { temporaryFolder } from '../../folder.ts'

const FILE = resolve(import.meta.dirname, 'nl-sbb.ttl')
const { write } = temporaryFolder()

async function load(file: string) {
  const prepared = await prepareVocabulary([file])
  const text = prepared.normalised.graphs.read(0)
  prepared.close()
  return { warnings: prepared.warnings.map(({ rule }) => rule), text, concepts: prepared.normalised.concepts }
}

test('a vocabulary of NL-SBB loads without a warning, with its name and its hierarchy', async () => {
  const { warnings, text, concepts } = await load(FILE)
  expect({ warnings, concepts }).toEqual({ warnings: [], concepts: 6 })
  expect(text).toContain('molens> <http://www.w3.org/2004/02/skos/core#prefLabel> "Begrippenkader molens"@nl')
  expect(text).toContain(
    'wiek> <http://www.w3.org/2004/02/skos/core#broader> <http://voorbeeld.example.org/id/begrip/molen>',
  )
})

test('so does one of its first version, which names schemes, collections and sources by rdfs:label', async () => {
  const first = (await readFile(FILE, 'utf8'))
    .replaceAll('dct:title', 'rdfs:label')
    .replaceAll(/(a skos:Collection ;\s+)skos:prefLabel/g, '$1rdfs:label')
  const { warnings, text } = await load(await write('first.ttl', first))
  expect(warnings).toEqual([])
  expect(text).toContain('molens> <http://www.w3.org/2004/02/skos/core#prefLabel> "Begrippenkader molens"@nl')
})

test('mistakes are still found', async () => {
  const wrong = (await readFile(FILE, 'utf8')).replace('skos:prefLabel "wiek"@nl ;', 'skos:prefLabel "molen"@nl ;')
  expect((await load(await write('wrong.ttl', wrong))).warnings).toEqual(['same-prefLabel'])
})
