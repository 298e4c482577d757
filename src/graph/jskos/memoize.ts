/**
 * Memoizes `make`: the same source always gives the same object. The records of an answer name the same resources, such
 * as their vocabulary, again and again.
 *
 * @param cache holds the results: a Map for as long as it exists itself, a WeakMap for as long as the source is in use.
 * @example
 * const linkTo = memoize(schemeLink, new WeakMap())
 */
export function memoize<Source, Result extends NonNullable<unknown>>(
  make: (source: Source) => Result,
  cache: {
    get(source: NoInfer<Source>): NoInfer<Result> | undefined
    set(source: NoInfer<Source>, result: NoInfer<Result>): unknown
  },
): (source: Source) => Result {
  return (source) => {
    let cached = cache.get(source)
    if (cached === undefined) cache.set(source, (cached = make(source)))
    return cached
  }
}
