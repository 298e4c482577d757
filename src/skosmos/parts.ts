import type { ReadDependencies } from '../read/dependencies.ts'

/**
 * A part of answers that many requests need: the languages of a vocabulary, its classes. Read once for each state of the store.
 *
 * @param key of the part; another value for each that JSON tells apart.
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
 * @param read reads those with the keys at some places.
 */
export async function rememberedParts<Part>(
  { parts, state }: Pick<ReadDependencies, 'parts' | 'state'>,
  keys: readonly (readonly string[])[],
  read: (places: readonly number[]) => Promise<Part[]>,
): Promise<Part[]> {
  const names = keys.map((key) => JSON.stringify(key))
  const now = await state.now()
  const known = names.map((name) => parts.peek(name, now))
  const missing = [...known.keys()].filter((place) => known[place] === undefined)
  const found = missing.length > 0 ? await read(missing) : []
  const made = new Map(missing.map((place, at) => [place, found[at]!]))
  for (const [place, part] of made) parts.keep(names[place]!, JSON.stringify(part), now)
  return known.map((text, place) => (text === undefined ? made.get(place)! : (JSON.parse(text) as Part)))
}
