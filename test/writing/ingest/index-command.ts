/**
 * A command in a process of its own that works on the index of DATA_DIR. `hold` keeps the lock until the input ends; a
 * number writes a draft of so many concepts with four labels each. Prints a line when it has the index, and ends when
 * it is done.
 */
import { once } from 'node:events'
import { IndexFile, indexFileIn } from '../../../src/graph/index/index-file.ts'
import { IndexOfCommands } from '../../../src/interface/search/index-of-commands.ts'
import { RDF, SKOS } from '../../../src/base/namespaces.ts'

const [dataDir, work] = process.argv.slice(2) as [string, string]
const begin = () => process.stdout.write('begun\n')

function* vocabulary(concepts: number): Generator<Buffer> {
  for (let at = 0; at < concepts; at++) {
    const uri = `<http://example.org/many/${at}>`
    const labels = ['eins', 'zwei', 'drei'].map((name) => `${uri} <${SKOS}altLabel> "${name}${at} wort${at % 999}" .\n`)
    yield Buffer.from(
      `${uri} <${RDF}type> <${SKOS}Concept> .\n${uri} <${SKOS}prefLabel> "name${at}" .\n${labels.join('')}`,
    )
    if (at === concepts - 1) begin()
  }
}

if (work === 'hold') {
  const file = await IndexFile.open(indexFileIn(dataDir), 1 << 20)
  await file.transaction('BEGIN IMMEDIATE', async () => {
    begin()
    await once(process.stdin.resume(), 'end')
  })
  await file.close()
} else {
  const index = new IndexOfCommands(dataDir, (error) => {
    throw error
  })
  await index.write('http://example.org/many', vocabulary(Number(work)))
  await index.close()
}
