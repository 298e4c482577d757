/** Separate records of vocabularies (`--record`) that are whole vocabularies. */
import { expect, test } from '@jest/globals'
import { BOOKKEEPING, CONCEPT, CONCEPT_SCHEME, DCT, SKOS } from '../../../src/base/namespaces.ts'
import { prepareVocabulary } from '../../../src/writing/loading/prepare.ts'
import { temporaryFolder } from '../../folder.ts'

const V = 'http://example.org/ships/'
const PREFIXES = `@prefix skos: <${SKOS}> . @prefix dct: <${DCT}> . @prefix : <${V}> .\n`
const TURTLE = `${PREFIXES}
: a skos:ConceptScheme ; skos:prefLabel "Ships"@en ; dct:subject :sea ; skos:hasTopConcept :brig , :galley .
:sea a skos:Concept ; skos:prefLabel "sea"@en .
:brig a skos:Concept ; skos:inScheme : ; skos:prefLabel "old brig"@en .
:galley a skos:Concept ; skos:inScheme : ; skos:note [ <http://www.w3.org/1999/02/22-rdf-syntax-ns#value> "rowed"@en ] .
:rowed a skos:Collection ; skos:inScheme : ; skos:prefLabel "rowed ships"@en ; skos:member :galley .
`
const JSKOS = JSON.stringify({
  uri: V,
  type: [CONCEPT_SCHEME],
  prefLabel: { en: 'Ships' },
  subject: [{ uri: `${V}sea`, type: [CONCEPT], prefLabel: { en: 'sea' } }],
  topConcepts: [
    { uri: `${V}brig`, prefLabel: { en: 'old brig' } },
    { uri: `${V}galley`, prefLabel: { en: 'galley' } },
  ],
  concepts: [{ uri: `${V}rowed`, prefLabel: { en: 'rowed ships' } }],
})

const { write } = temporaryFolder()

test.each([
  ['vocabulary.ttl', TURTLE],
  ['vocabulary.json', JSKOS],
])('%s gives its metadata, and no concepts', async (name, text) => {
  const concepts = await write('concepts.ttl', `${PREFIXES}:brig a skos:Concept ; skos:prefLabel "brig"@en .`)
  const prepared = await prepareVocabulary([concepts], { record: await write(name, text), ids: ['ships'] })
  const statements = prepared.normalised.graphs
    .read(0)
    .split('\n')
    .filter((line) => !line.includes(`> <${BOOKKEEPING}`))
  prepared.close()
  expect(prepared.normalised.concepts).toBe(1)
  const subjects = new Set(statements.filter(Boolean).map((line) => line.slice(0, line.indexOf(' '))))
  expect([...subjects].sort()).toEqual([`<${V}>`, `<${V}brig>`, `<${V}sea>`])
  const labels = statements.flatMap((line) => / <[^>]*prefLabel> (.*) \.$/.exec(line)?.[1] ?? [])
  expect(labels.sort()).toEqual(['"Ships"@en', '"brig"@en', '"sea"@en'])
  expect(statements.filter((line) => line.includes('hasTopConcept'))).toHaveLength(1)
})

test('a record of a concept alone is refused', async () => {
  const concepts = await write('schemes.ttl', `${PREFIXES}: a skos:ConceptScheme . :brig a skos:Concept .`)
  const record = await write('concept.ttl', `${PREFIXES}:sloop a skos:Concept ; skos:prefLabel "sloop"@en .`)
  await expect(prepareVocabulary([concepts], { record })).rejects.toThrow('the record describes no concept scheme.')
})
