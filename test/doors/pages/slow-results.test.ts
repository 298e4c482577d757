/** Slow results about vocabularies, each for one revision. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { Statistics } from '../../../src/doors/pages/statistics.ts'
import type { SearchIndex } from '../../../src/interface/search/search-index.ts'
import type { VocabularyRegistry } from '../../../src/graph/vocabularies/registry.ts'
import type { Vocabulary } from '../../../src/graph/vocabularies/vocabulary.ts'

const vocabulary = (uri: string, revision?: string) => ({ uri, revision }) as Vocabulary

/** Results that are found only when the test lets them, and the names of those that were begun. */
function slowly(maxAgeMs = Infinity) {
  const begun: string[] = []
  const goOn: ((failure?: Error) => void)[] = []
  let present: Parameters<VocabularyRegistry['onRead']>[0]
  const statistics = new Statistics({
    registry: { onRead: (listener) => void (present = listener) },
    state: { maxAgeMs },
    // `remember` does not ask it.
    index: {} as SearchIndex,
  })
  return {
    begun,
    ask: (of: Vocabulary) =>
      statistics.remember('name', of, async () => {
        const name = `${of.uri}${of.revision ?? ''}`
        begun.push(name)
        await new Promise<void>((resolve, reject) => goOn.push((failure) => (failure ? reject(failure) : resolve())))
        return `${name} found`
      }),
    /** The registry has read which vocabularies are there. */
    show: (vocabularies: readonly Vocabulary[]) => present(vocabularies, []),
    end: async (failure?: Error) => {
      while (goOn.length === 0) await sleep(1)
      goOn.shift()!(failure)
      await sleep(1)
    },
  }
}

test('are found once for everyone who asks', async () => {
  const { begun, ask, end } = slowly()
  const asked = Promise.all(['a', 'b', 'a'].map((uri) => ask(vocabulary(uri, '1'))))
  await end()
  await end()
  expect(await asked).toEqual(['a1 found', 'b1 found', 'a1 found'])
  expect(await ask(vocabulary('b', '1'))).toBe('b1 found')
  expect(begun).toEqual(['a1', 'b1'])
})

test('of removed vocabularies are forgotten', async () => {
  const { begun, ask, end, show } = slowly()
  const asked = Promise.all([ask(vocabulary('a', '1')), ask(vocabulary('b', '1'))])
  await end()
  await end()
  await asked
  show([vocabulary('b', '1')])
  expect(await ask(vocabulary('b', '1'))).toBe('b1 found')
  const again = ask(vocabulary('a', '1'))
  await end()
  expect(await again).toBe('a1 found')
  expect(begun).toEqual(['a1', 'b1', 'a1'])
})

test('readers who wait for an older revision get the newer one', async () => {
  const { begun, ask, end } = slowly()
  const older = ask(vocabulary('a', '1'))
  await sleep(1)
  const newer = ask(vocabulary('a', '2'))
  await end()
  await end()
  expect(await Promise.all([older, newer])).toEqual(['a2 found', 'a2 found'])
  expect(begun).toEqual(['a1', 'a2'])
})

test('are found again after a failure', async () => {
  const { begun, ask, end } = slowly()
  const failed = ask(vocabulary('a', '1'))
  await end(new Error('no store'))
  expect(await failed).toBeUndefined()
  const again = ask(vocabulary('a', '1'))
  await end()
  expect(await again).toBe('a1 found')
  expect(begun).toEqual(['a1', 'a1'])
})

test('that are old serve while they are found again, also if that fails', async () => {
  const { begun, ask, end } = slowly(0)
  const first = ask(vocabulary('a', '1'))
  await end()
  await first
  // They rest many times as long as finding took.
  while (begun.length < 2) {
    expect(await ask(vocabulary('a', '1'))).toBe('a1 found')
    await sleep(10)
  }
  expect(await ask(vocabulary('a', '1'))).toBe('a1 found')
  await end(new Error('no store'))
  expect(await ask(vocabulary('a', '1'))).toBe('a1 found')
  await end()
})

test('that are old do not serve without a revision', async () => {
  const { begun, ask, end } = slowly(0)
  const first = ask(vocabulary('a'))
  await end()
  await first
  let asked = ask(vocabulary('a'))
  while (begun.length < 2) {
    await sleep(10)
    asked = ask(vocabulary('a'))
  }
  expect(await Promise.race([asked, sleep(20).then(() => 'waiting')])).toBe('waiting')
  await end()
  expect(await asked).toBe('a found')
})
