import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { ByRevision, type ByRevisionOptions, type VocabularyRevision } from '../../src/memory/by-revision.ts'

const vocabulary = (uri: string, revision?: string) => ({ uri, revision })

/** A reader that goes on only when it is told to, and the names of what it began to read. */
function slowly(
  options: Partial<
    Pick<ByRevisionOptions<string, VocabularyRevision>, 'maxAgeMs' | 'restAfterChange' | 'atOnce' | 'keyOf'>
  > = {},
) {
  const begun: string[] = []
  let tellPresent: (present: readonly VocabularyRevision[]) => void
  const goOn: ((failed?: Error) => void)[] = []
  const values = new ByRevision<string>({
    maxAgeMs: Infinity,
    ...options,
    registry: { onRead: (listener) => void (tellPresent = listener) },
    read: async ({ uri, revision }) => {
      begun.push(`${uri}${revision ?? ''}`)
      await new Promise<void>((resolve, reject) => goOn.push((failed) => (failed ? reject(failed) : resolve())))
      return `${uri}${revision ?? ''}`
    },
  })
  return {
    begun,
    values,
    of: (one: VocabularyRevision) => values.of(one),
    /** The registry has read which vocabularies are there. */
    tellPresent: (present: readonly VocabularyRevision[]) => tellPresent(present),
    end: async (failed?: Error) => {
      while (goOn.length === 0) await sleep(1)
      goOn.shift()!(failed)
      await sleep(1)
    },
  }
}

test('is read once for all who ask, one vocabulary after the other', async () => {
  const { begun, values, of, end } = slowly()
  const [a, b] = [vocabulary('a', '1'), vocabulary('b', '1')]
  expect(values.present(a)).toBeUndefined()
  const asked = Promise.all([of(a), of(b), of(a)])
  await sleep(1)
  expect(begun).toEqual(['a1'])
  await end()
  await end()
  expect(await asked).toEqual(['a1', 'b1', 'a1'])
  expect([values.present(a), values.present(b), await of(b)]).toEqual(['a1', 'b1', 'b1'])
  expect(begun).toEqual(['a1', 'b1'])
  expect([...values.values()].map(([uri]) => uri)).toEqual(['a', 'b'])
})

test('the values of removed vocabularies are forgotten', async () => {
  const { begun, values, of, end, tellPresent } = slowly({ keyOf: ({ uri }) => `key of ${uri}` })
  const [a, b] = [vocabulary('a', '1'), vocabulary('b', '1')]
  const asked = Promise.all([of(a), of(b)])
  await end()
  await end()
  await asked
  tellPresent([b])
  expect([...values.values()]).toEqual([['key of b', 'b1']])
  // A vocabulary that comes back is read again, also with its old revision.
  expect(values.present(a)).toBeUndefined()
  await end()
  expect([values.present(a), begun]).toEqual(['a1', ['a1', 'b1', 'a1']])
})

test('what is removed during its reading is not kept, and nobody waits for ever', async () => {
  const { values, of, end, tellPresent } = slowly()
  const asked = of(vocabulary('a', '1'))
  await sleep(1)
  tellPresent([])
  await end()
  expect(await asked).toBeUndefined()
  expect([...values.values()]).toEqual([])
})

test('several are read at once if the owner allows it', async () => {
  const { begun, of, end } = slowly({ atOnce: 2 })
  const asked = Promise.all([of(vocabulary('a')), of(vocabulary('b')), of(vocabulary('c'))])
  await sleep(1)
  expect(begun).toEqual(['a', 'b'])
  for (let at = 0; at < 3; at++) await end()
  expect(await asked).toEqual(['a', 'b', 'c'])
})

test('those who wait for an older revision get the newer one, also if the older was never begun', async () => {
  const { begun, of, end } = slowly()
  const older = of(vocabulary('a', '1'))
  await sleep(1)
  const asked = Promise.all([older, of(vocabulary('b', '1')), of(vocabulary('b', '2'))])
  const newer = of(vocabulary('a', '2'))
  for (let at = 0; at < 3; at++) await end()
  expect(await asked).toEqual(['a2', 'b2', 'b2'])
  expect(await newer).toBe('a2')
  expect(begun).toEqual(['a1', 'b2', 'a2'])
})

test('a reading that fails is begun again', async () => {
  const { begun, values, of, end } = slowly()
  const one = vocabulary('a', '1')
  const failed = of(one)
  const failure = expect(failed).rejects.toThrow('no store')
  await end(new Error('no store'))
  await failure
  expect(values.present(one)).toBeUndefined()
  await end()
  expect(values.present(one)).toBe('a1')
  expect(begun).toEqual(['a1', 'a1'])
})

test('the old value serves while it is read again, unless there is no revision', async () => {
  const { begun, values, of, end } = slowly({ maxAgeMs: 0 })
  for (const one of [vocabulary('a', '1'), vocabulary('b')]) {
    const asked = of(one)
    await end()
    await asked
  }
  // It rests many times as long as it was read.
  while (begun.length < 3) {
    expect(values.present(vocabulary('a', '1'))).toBe('a1')
    await sleep(10)
  }
  expect(await of(vocabulary('a', '1'))).toBe('a1')
  await end()
  while (values.present(vocabulary('b')) !== undefined) await sleep(10)
  const waiting = of(vocabulary('b'))
  await end()
  expect(await waiting).toBe('b')
  expect(begun).toEqual(['a1', 'b', 'a1', 'b'])
})

test('the old value goes on serving if reading it again fails', async () => {
  const { begun, values, of, end } = slowly({ maxAgeMs: 0 })
  const one = vocabulary('a', '1')
  const asked = of(one)
  await end()
  await asked
  while (begun.length < 2) {
    expect(values.present(one)).toBe('a1')
    await sleep(10)
  }
  await end(new Error('no store'))
  expect([values.present(one), await of(one)]).toEqual(['a1', 'a1'])
  await end()
  expect(begun).toEqual(['a1', 'a1', 'a1'])
})

test('changes that follow each other begin no reading soon, unless somebody waits', async () => {
  const { begun, values, of, end } = slowly({ restAfterChange: 1000 })
  const asked = of(vocabulary('a', '1'))
  await sleep(5)
  await end()
  await asked
  expect(values.present(vocabulary('a', '2'))).toBeUndefined()
  expect(begun).toEqual(['a1'])
  const waiting = of(vocabulary('a', '3'))
  await end()
  expect(await waiting).toBe('a3')
  expect(begun).toEqual(['a1', 'a3'])
})
