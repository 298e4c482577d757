/** A prepared vocabulary keeps nothing but its graph in memory. */
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, jest, test } from '@jest/globals'
import { SKOS } from '../../../src/base/namespaces.ts'
import { prepareVocabulary } from '../../../src/writing/loading/prepare.ts'
import { SourceGraph } from '../../../src/writing/source/source-graph.ts'
import { temporaryFolder } from '../../folder.ts'

const { write } = temporaryFolder()
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

test('the tables of the source are free as soon as a vocabulary is prepared', async () => {
  const file = await write('piers.ttl', `<http://example.org/piers/> a <${SKOS}ConceptScheme> .`)
  const spy = jest.spyOn(SourceGraph.prototype, 'close')
  const prepared = await prepareVocabulary([file])
  const sources = spy.mock.contexts.map((source) => new WeakRef(source as SourceGraph))
  spy.mockRestore()
  await setImmediate()
  collectGarbage()
  expect(sources.map((source) => source.deref())).toEqual([undefined])
  prepared.close()
})
