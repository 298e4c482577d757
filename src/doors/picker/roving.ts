/** Moving through the items of a tree by keys (ARIA Authoring Practices Guide, "Tree View", Keyboard Interaction). */

/** Characters that follow each other sooner are the beginning of one name, in milliseconds. */
const TYPING_MS = 700

/** The characters that a reader types to find an item. */
export class TypeAhead {
  #typed = ''
  #typedAt = -Infinity

  /**
   * The next item whose name begins with what was typed; undefined if there is none. A single character moves on from
   * the current item.
   *
   * @param character just typed, at a time in milliseconds.
   * @param position of the current item.
   * @param namesOf the names of an item.
   */
  find<Item>(
    [character, time]: readonly [string, number],
    items: readonly Item[],
    position: number,
    namesOf: (item: Item) => readonly string[],
  ): Item | undefined {
    this.#typed = time - this.#typedAt < TYPING_MS ? this.#typed + character : character
    this.#typedAt = time
    const typed = this.#typed.toLocaleLowerCase()
    const from = [...this.#typed].length > 1 ? position : position + 1
    const begins = (name: string) => name.trim().toLocaleLowerCase().startsWith(typed)
    return [...items.slice(from), ...items.slice(0, from)].find((item) => namesOf(item).some(begins))
  }
}

/** The keys that move among the visible items. */
const MOVES: Readonly<Record<string, (position: number, end: number) => number>> = {
  ArrowDown: (position) => position + 1,
  ArrowUp: (position) => position - 1,
  Home: () => 0,
  End: (_, end) => end,
}

/**
 * The visible item that a key moves to; undefined at an end of the tree.
 *
 * @returns false if the key does not move.
 */
export function moveTo<Item>(key: string, items: readonly Item[], position: number): Item | undefined | false {
  const move = Object.hasOwn(MOVES, key) ? MOVES[key]! : undefined
  return move ? items[move(position, items.length - 1)] : false
}
