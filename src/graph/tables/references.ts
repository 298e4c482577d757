import { editDistance } from '../../base/edit-distance.ts'
import { comparisonKey } from './words.ts'

/** The concepts of a table by what other cells call them: notation, id or label. */
export class References {
  readonly #byName = new Map<string, string | Set<string>>()
  readonly #byKey = new Map<string, string | Set<string>>()

  /** Adds a name of a concept. */
  add(name: string, uri: string): void {
    add(this.#byName, name, uri)
    add(this.#byKey, comparisonKey(name), uri)
  }

  /**
   * The concepts with a name: several if they share it. Case and signs count only if they make a difference.
   */
  find(name: string): string[] {
    const uris = this.#byName.get(name) ?? this.#byKey.get(comparisonKey(name))
    return uris === undefined ? [] : typeof uris === 'string' ? [uris] : [...uris]
  }

  /** The name that resembles another the most; undefined if none does. */
  similar(name: string): string | undefined {
    const most = name.length < 4 ? 1 : name.length < 9 ? 2 : 3
    const wanted = name.toLowerCase()
    let best: string | undefined
    let least = most + 1
    for (const candidate of this.#byName.keys()) {
      if (Math.abs(candidate.length - name.length) >= least) continue
      const edits = editDistance(wanted, candidate.toLowerCase(), least - 1)
      if (edits !== undefined && edits < least) [best, least] = [candidate, edits]
    }
    return best
  }
}

/** The names in a text with commas or semicolons between them; within brackets these separate nothing. */
export function separated(text: string): string[] {
  const names: string[] = []
  let [begin, depth] = [0, 0]
  for (let at = 0; at <= text.length; at++) {
    if (text[at] === '(') depth++
    else if (text[at] === ')') depth = Math.max(0, depth - 1)
    else if (at < text.length && (depth > 0 || (text[at] !== ',' && text[at] !== ';'))) continue
    else {
      names.push(text.slice(begin, at).trim())
      begin = at + 1
    }
  }
  return names.filter((name) => name !== '')
}

function add(names: Map<string, string | Set<string>>, name: string, uri: string): void {
  const uris = names.get(name)
  if (uris === undefined) names.set(name, uri)
  else if (typeof uris !== 'string') uris.add(uri)
  else if (uris !== uri) names.set(name, new Set([uris, uri]))
}
