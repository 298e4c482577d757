import type { ReadDependencies } from '../read/dependencies.ts'

/**
 * A fragment of JSON that many answers need, such as the languages or the classes of a vocabulary. It is read once for
 * each state of the store.
 *
 * @param key of the fragment; keys are compared as JSON.
 * @throws the errors of `read` and of the store.
 */
export async function cachedFragment<Fragment>(
  { dependencies }: { dependencies: Pick<ReadDependencies, 'parts' | 'state'> },
  key: readonly string[],
  read: () => Promise<Fragment>,
): Promise<Fragment> {
  const [fragment] = await cachedFragments(dependencies, [key], async () => [await read()])
  return fragment!
}

/**
 * Several fragments in the order of their keys.
 *
 * @param read reads the fragments whose keys have the given indexes.
 */
export async function cachedFragments<Fragment>(
  { parts: fragments, state }: Pick<ReadDependencies, 'parts' | 'state'>,
  keys: readonly (readonly string[])[],
  read: (indexes: readonly number[]) => Promise<Fragment[]>,
): Promise<Fragment[]> {
  const names = keys.map((key) => JSON.stringify(key))
  const now = await state.now()
  const cached = names.map((name) => fragments.peek(name, now))
  const missing = [...cached.keys()].filter((index) => cached[index] === undefined)
  const values = missing.length > 0 ? await read(missing) : []
  const missingFragments = new Map(missing.map((index, position) => [index, values[position]!]))
  for (const [index, fragment] of missingFragments) fragments.keep(names[index]!, JSON.stringify(fragment), now)
  return cached.map((text, index) =>
    text === undefined ? missingFragments.get(index)! : (JSON.parse(text) as Fragment),
  )
}
