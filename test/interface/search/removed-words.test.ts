import { expect, test } from '@jest/globals'
import { CONCEPT } from '../../../src/base/namespaces.ts'
import { additionOf } from '../../../src/graph/index/difference.ts'
import { IndexFile } from '../../../src/graph/index/index-file.ts'
import { IndexWriter } from '../../../src/interface/search/index-writer.ts'
import { CLASS_KIND, type Statement } from '../../../src/graph/index/statements.ts'
import { similarWords } from '../../../src/interface/search/similar-words.ts'
import { KIND } from '../../../src/graph/index/ids.ts'
import { sql } from '../../../src/graph/index/sql.ts'
import { temporaryFolder } from '../../folder.ts'

const { path } = temporaryFolder()
const STATE = { revision: '1', load: '1', places: 1 }
/** More than the table of words has of one. */
const LONG = `donaudampfschifffahrtsgesellschaft${'kapitän'.repeat(3)}`

function concept(uri: string, ...labels: string[]): Statement[] {
  return [[uri, CLASS_KIND, '', CONCEPT], ...labels.map((label): Statement => [uri, 1, 'de', label])]
}

test('words of a removed vocabulary leave the index, and come back with the next label that has them', async () => {
  const file = await IndexFile.open(path('index.sqlite'), 1 << 20)
  const command = new IndexWriter(file, 'de')
  // Another process, which remembers the words that it has written.
  const otherFile = await IndexFile.open(path('index.sqlite'), 1 << 20)
  const service = new IndexWriter(otherFile, 'de')
  const load = async (writer: IndexWriter, graph: string, ...labels: string[]) =>
    writer.commit((await writer.writeGraph(graph, [concept(`${graph}/1`, ...labels)]))!, STATE)
  const words = () => file.values<string>(sql`SELECT spelling FROM word ORDER BY spelling`, 'spelling')
  const similar = async (word: string) => (await similarWords(file, [word], { most: 1 })).map((match) => match.word)

  await load(service, 'urn:a', 'Zebra Größe', `Straße ${LONG}`, '京都 tram')
  await load(command, 'urn:b', 'Okapi Größe', `Strasse ${LONG}`, '京都')
  const all = await words()
  expect(all).toEqual(
    expect.arrayContaining(['zebra', 'größe', 'straße', 'strasse', LONG.slice(0, 40), 'tram', 'okapi']),
  )
  expect(await similar('zebro')).toEqual(['zebra'])

  await command.remove(['urn:a'])
  const left = await words()
  expect(all.filter((word) => !left.includes(word))).toEqual(['straße', 'tram', 'zebra'])
  expect(await similar('zebro')).toEqual([])

  await service.change('urn:b', additionOf(concept('urn:b/2', 'Zebra')))
  expect(await similar('zebro')).toEqual(['zebra'])
  await otherFile.close()
  await file.close()
})

test('a write that fails leaves nothing for the next write', async () => {
  const file = await IndexFile.open(path('failing.sqlite'), 1 << 20)
  const writer = new IndexWriter(file, 'de')
  await writer.commit((await writer.writeGraph('urn:a', [concept('urn:a/1', 'Zebra')]))!, STATE)
  await file.connection.exec('ALTER TABLE label RENAME TO elsewhere')
  await expect(writer.change('urn:a', additionOf(concept('urn:a/2', 'Okapi')))).rejects.toThrow('label')
  await file.connection.exec('ALTER TABLE elsewhere RENAME TO label')
  await writer.change('urn:a', additionOf(concept('urn:a/3', 'Okapi Tapir')))
  const labels = sql`SELECT c.uri || ' ' || l.text AS a FROM concept c JOIN label l ON l.id >> ${KIND} = c.id`
  expect(await file.values(labels, 'a')).toEqual(['urn:a/1 Zebra', 'urn:a/3 Okapi Tapir'])
  const words = await file.values(sql`SELECT spelling FROM word ORDER BY spelling`, 'spelling')
  expect(words).toEqual(['okapi', 'tapir', 'zebra'])
  await file.close()
})
