/** The dataset without threads: whatever happens to it, the files say the same. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from '@jest/globals'
import { Dataset, type GraphChange, newGraphFile } from '../../src/store/dataset.ts'
import { type GraphFile, type GraphName, writeFileDurably } from '../../src/store/files.ts'
import { type Change, type JournalPosition, journalFile } from '../../src/store/journal.ts'
import type { Manifest } from '../../src/store/manifest.ts'
import { supersededFiles } from '../../src/store/superseded.ts'
import { cleanUp, temporaryDirectory } from './start.ts'

afterEach(cleanUp)

const EMPTY: Manifest = { format: 1, sequence: 0, graphs: [], journals: [1] }
const MEMORY = { room: 1 << 28, data: undefined }
const GRAPHS: GraphName[] = ['urn:a', 'urn:b', 'urn:c', null]

const contentOf = ({ store }: Dataset) => store.dump({ format: 'nq' }).split('\n').sort().join('\n')

/** Random numbers that are the same in every run (a linear congruential generator). */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return Math.floor((state / 2 ** 32) * below)
  }
}

function graphFile(directory: string, graph: GraphName, triples: string): GraphFile {
  const file = newGraphFile('application/n-triples')
  return { graph, file, mediaType: 'application/n-triples', ...writeFileDurably(join(directory, file), [triples]) }
}

describe('a dataset', () => {
  test.each(Array.from({ length: 6 }, (_, seed) => [seed]))('is the same when it is read again: %i', async (seed) => {
    const directory = await temporaryDirectory()
    const random = randomNumbers(seed)
    const graph = () => GRAPHS[random(GRAPHS.length)]!
    const named = () => GRAPHS[random(3)]!
    const triples = (n: number) =>
      Array.from({ length: n }, () => `<urn:s${random(9)}> <urn:p${random(3)}> "${random(9)}" .\n`).join('')
    const put = (): GraphChange => ({ type: 'put', source: graphFile(directory, graph(), triples(random(6))) })
    const updates = [
      () => `INSERT DATA { GRAPH <${named()}> { ${triples(2)} } }`,
      () => `DELETE WHERE { GRAPH <${named()}> { <urn:s${random(9)}> ?p ?o } }`,
      () => `DELETE WHERE { GRAPH ?g { ?s <urn:p${random(3)}> ?o } }`,
      () => `INSERT { GRAPH <${named()}> { ?s ?p "copied" } } WHERE { GRAPH <${named()}> { ?s ?p ?o } }`,
      () => `COPY SILENT <${named()}> TO <${named()}>`,
      () => `INSERT DATA { ${triples(1)} }`,
      () => `CREATE SILENT GRAPH <${named()}>`,
      () => 'CLEAR NAMED',
      () => `INSERT { GRAPH <${named()}> { <urn:now> <urn:uuid> ?u } } WHERE { BIND(STRUUID() AS ?u) }`,
      () => `DELETE { GRAPH ?g { ?s ?p ?o } } WHERE { { SELECT * { GRAPH ?g { ?s ?p ?o } } LIMIT 2 } }`,
    ]

    writeFileSync(journalFile(directory, 1), '')
    let manifest = EMPTY
    const writer = new Dataset(directory, manifest, MEMORY)
    writer.becomeWriter(1, Infinity)
    const moments: { position: JournalPosition; content: string }[] = []
    for (let step = 0; step < 60; step++) {
      const changes: Change[] = []
      for (let together = random(3); together >= 0; together--) {
        const change: GraphChange | string = [
          put,
          put,
          (): GraphChange => ({ type: 'add', source: graphFile(directory, graph(), triples(2)) }),
          (): GraphChange => ({ type: 'delete', graph: graph() }),
          ...updates,
        ][random(4 + updates.length)]!()
        if (typeof change === 'string') changes.push(...writer.update(change))
        else {
          writer.changeGraph(change)
          changes.push(change)
        }
      }
      writer.append(changes, [step])
      moments.push({ position: writer.position, content: contentOf(writer) })
      if (step === 35) {
        // The files are written anew, and what was there before is forgotten.
        writeFileSync(journalFile(directory, 2), '')
        writer.switchJournal({ journal: 2, offset: 0 })
        manifest = { format: 1, sequence: writer.sequence, graphs: writer.writeOutGraphs(), journals: [2] }
        moments.length = 0
      }
    }

    const last = moments.at(-1)!
    const restarted = new Dataset(directory, manifest, MEMORY)
    expect(restarted.becomeWriter(2, writer.sequence - 1)).toEqual({ requests: [59], torn: 0 })
    expect(contentOf(restarted)).toBe(last.content)
    expect(restarted.position).toEqual(last.position)
    for (const { position, content } of moments) {
      const follower = new Dataset(directory, manifest, MEMORY, position)
      follower.catchUp(position)
      expect(contentOf(follower)).toBe(content)
      follower.catchUp(last.position)
      expect(contentOf(follower)).toBe(last.content)
    }
  })

  test('that made a change ahead of the journal does not make it again', async () => {
    const directory = await temporaryDirectory()
    writeFileSync(journalFile(directory, 1), '')
    const old = graphFile(directory, 'urn:a', '<urn:s> <urn:p> "old" .\n')
    const manifest: Manifest = { ...EMPTY, graphs: [old] }
    const writer = new Dataset(directory, manifest, MEMORY)
    writer.becomeWriter(1, Infinity)
    const change = { type: 'put' as const, source: graphFile(directory, 'urn:a', '<urn:s> <urn:p> "new" .\n') }
    const ahead = new Dataset(directory, manifest, MEMORY, writer.position, change.source)
    ahead.stage(change)
    expect(contentOf(ahead).trim()).toBe('<urn:s> <urn:p> "new" <urn:a> .')
    for (const changes of [writer.update('INSERT DATA { GRAPH <urn:b> { <urn:s> <urn:p> 1 } }'), [change]]) {
      if (changes[0] === change) writer.changeGraph(change)
      writer.append(changes, [])
    }
    writer.append(writer.update('INSERT DATA { GRAPH <urn:a> { <urn:s> <urn:p> "after" } }'), [])
    ahead.catchUp(writer.position)
    expect(contentOf(ahead)).toBe(contentOf(writer))
    expect(contentOf(ahead)).toContain('"after"')
  })
})

describe('supersededFiles', () => {
  const source = (graph: GraphName, file: string): GraphFile => ({
    graph,
    file,
    mediaType: 'application/n-triples',
    bytes: 1,
    sha256: '',
  })
  const put = (graph: GraphName, file: string): Change => ({ type: 'put', source: source(graph, file) })
  const add = (graph: GraphName, file: string): Change => ({ type: 'add', source: source(graph, file) })
  const update = (text: string): Change => ({ type: 'update', update: text })
  const drop: Change = { type: 'delete', graph: 'urn:a' }
  test.each<[string, Change[], string[]]>([
    ['nothing without changes', [], []],
    ['what is replaced', [put('urn:a', '1')], ['a']],
    ['all but the last', [put('urn:a', '1'), put('urn:a', '2'), put('urn:b', '3')], ['1', 'a', 'b']],
    ['what is deleted', [put('urn:a', '1'), drop], ['1', 'a']],
    ['what is added before', [add('urn:a', '1'), put('urn:a', '2'), add('urn:a', '3')], ['1', 'a']],
    ['nothing that an update names', [update('DELETE WHERE { GRAPH <urn:a> { ?s ?p ?o } }'), put('urn:a', '1')], []],
    [
      'nothing before an update that may touch all',
      [put('urn:b', '1'), update('CLEAR NAMED'), put('urn:a', '2')],
      ['b'],
    ],
    ['what an update of another graph leaves alone', [update('CLEAR GRAPH <urn:b>'), put('urn:a', '1')], ['a']],
    ['no default graph before an update', [put(null, '1'), update('CLEAR GRAPH <urn:b>'), put(null, '2')], []],
    ['a default graph', [put(null, '1'), put(null, '2')], ['1']],
  ])('are %s', (_title, changes, expected) => {
    const sources = [source('urn:a', 'a'), source('urn:b', 'b')]
    expect([...supersededFiles(sources, changes)].sort()).toEqual(expected)
  })
})
