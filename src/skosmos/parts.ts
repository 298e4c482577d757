import type { ReadDependencies } from '../read/dependencies.ts'

/**
 * A part of answers that many requests need: the languages of a vocabulary, its classes. It is read once for each state
 * of the store.
 *
 * @param key of the part; keys are compared as JSON.
 * @throws the errors of `read` and of the store.
 */
export async function rememberedPart<Part>(
  { dependencies }: { dependencies: Pick<ReadDependencies, 'parts' | 'state'> },
  key: readonly string[],
  read: () => Promise<Part>,
): Promise<Part> {
  const [part] = await rememberedParts(dependencies, [key], async () => [await read()])
  return part!
}

/**
 * Several parts in the order of their keys.
 *
 * @param read reads the parts whose keys have the given indexes.
 */
export async function rememberedParts<Part>(
  { parts, state }: Pick<ReadDependencies, 'parts' | 'state'>,
  keys: readonly (readonly string[])[],
  read: (indexes: readonly number[]) => Promise<Part[]>,
): Promise<Part[]> {
  const names = keys.map((key) => JSON.stringify(key))
  const now = await state.now()
  const remembered = names.map((name) => parts.peek(name, now))
  const missing = [...remembered.keys()].filter((index) => remembered[index] === undefined)
  const values = missing.length > 0 ? await read(missing) : []
  const missingParts = new Map(missing.map((index, position) => [index, values[position]!]))
  for (const [index, part] of missingParts) parts.keep(names[index]!, JSON.stringify(part), now)
  return remembered.map((text, index) => (text === undefined ? missingParts.get(index)! : (JSON.parse(text) as Part)))
}
