/** True for an object of JSON: neither an array nor null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value of a JSON text; undefined if it is not JSON. */
export function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** An object without its undefined members, as its JSON has it. */
export function withoutUndefined<Value extends object>(value: {
  [Member in keyof Value]: Value[Member] | undefined
}): Value {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Value
}

/** A list, or undefined instead of an empty one, which JSON then leaves out. */
export function unlessEmpty<List extends readonly unknown[]>(list: List): List | undefined {
  return list.length > 0 ? list : undefined
}
