/** Islands keep values in the browser, which may refuse them or have no room. */

type StorageName = 'localStorage' | 'sessionStorage'

/** Keeps a value; undefined removes it. Returns false if the browser does not do it. */
export function keep(storage: StorageName, key: string, value: unknown): boolean {
  try {
    if (value === undefined) window[storage].removeItem(key)
    else window[storage].setItem(key, JSON.stringify(value))
    return true
  } catch {
    return false
  }
}

/** The kept value; undefined if there is none. */
export function readStored<Value>(storage: StorageName, key: string): Value | undefined {
  try {
    return (JSON.parse(window[storage].getItem(key) ?? 'null') as Value | null) ?? undefined
  } catch {
    return undefined
  }
}
