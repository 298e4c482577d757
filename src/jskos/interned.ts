/**
 * A function that makes one thing for each source: for the same source it always gives the same thing. Many records of an answer
 * name the same things, such as their vocabulary, so what is made of such a thing is made once and is one object in all records.
 *
 * @param made holds what was made: a Map as long as it exists itself, a WeakMap as long as somebody has the source.
 * @example
 * const linkTo = interned(schemeLink, new WeakMap())
 */
export function interned<Source, Made extends NonNullable<unknown>>(
  make: (source: Source) => Made,
  made: {
    get(source: NoInfer<Source>): NoInfer<Made> | undefined
    set(source: NoInfer<Source>, thing: NoInfer<Made>): unknown
  },
): (source: Source) => Made {
  return (source) => {
    let known = made.get(source)
    if (known === undefined) made.set(source, (known = make(source)))
    return known
  }
}
