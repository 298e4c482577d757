import { isUuid, itemUri, type Item } from './names.ts'

/** Compares by Unicode code points, as SPARQL does; the order of JavaScript differs beyond the basic plane. */
export function compareCodePoints(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x === y) continue
    // Surrogates are parts of code points above all others.
    const xSurrogate = x >= 0xd800 && x <= 0xdfff
    const ySurrogate = y >= 0xd800 && y <= 0xdfff
    if (xSurrogate !== ySurrogate) return xSurrogate ? 1 : -1
    return x - y
  }
  return a.length - b.length
}

/**
 * The order of the records of a vocabulary (docs/endpoints.md, "Order and pages"): by notations in code point order, by
 * notations whose digits count as numbers, or by labels.
 */
export type RecordOrder = 'code-point' | 'natural' | 'label'

/** The orders that an operator can choose. */
export const CHOSEN_ORDERS = ['natural', 'code-point'] as const satisfies readonly RecordOrder[]
export type ChosenOrder = (typeof CHOSEN_ORDERS)[number]

/** True for the name of an order. */
export function isRecordOrder(name: string): name is RecordOrder {
  return name === 'code-point' || name === 'natural' || name === 'label'
}

const WHOLE_NUMBER = /^(?:0|[1-9][0-9]*)$/

/** The order that a notation asks for. */
function orderFor(notation: string): RecordOrder {
  return WHOLE_NUMBER.test(notation) ? 'natural' : isUuid(notation) ? 'label' : 'code-point'
}

/**
 * The order that follows from the notations of concepts, one after the other.
 *
 * @param order that follows from those before; undefined: there were none.
 */
export function orderWith(order: RecordOrder | undefined, notation: string): RecordOrder | undefined {
  if (notation === '' || order === 'code-point') return order
  const next = orderFor(notation)
  return order === undefined || order === next ? next : 'code-point'
}

/**
 * A text whose code point order is the natural order of notations: runs of the digits 0 to 9 compare as numbers, all
 * else by code points; equal ones by code points as a whole. A number stands with the count of its digits before it,
 * which consists of digits, too, so that it compares with other characters as a digit does.
 */
function naturalKey(notation: string): string {
  const numbered = notation.replace(/[0-9]+/g, (digits) => {
    const number = digits.replace(/^0+/, '')
    return `${'9'.repeat(Math.floor(number.length / 9))}${number.length % 9}${number}`
  })
  return `${numbered}\u0001${notation}`
}

/** The sort key of a notation: the code point order of the keys is the order of the notations. */
export function notationKey(notation: string, order: RecordOrder): string {
  return order === 'natural' ? naturalKey(notation) : notation
}

/** The key that orders records: the place of the vocabulary, the key, then the URI. */
export interface SortKey {
  /** The place of the vocabulary in a list of vocabularies with different orders; absent: all are in one order. */
  place?: number | undefined
  /** The smallest `notationKey`, or a label; undefined: the record comes after those with a key. */
  key: string | undefined
  uri: string
}

/** The order of records (docs/endpoints.md, "Order and pages"). */
export function compareRecords(a: SortKey, b: SortKey): number {
  const places = (a.place ?? 0) - (b.place ?? 0)
  if (places !== 0) return places
  if (a.key !== undefined && b.key !== undefined) {
    return compareCodePoints(a.key, b.key) || compareCodePoints(a.uri, b.uri)
  }
  if (a.key !== b.key) return a.key === undefined ? 1 : -1
  return compareCodePoints(a.uri, b.uri)
}

/** The smallest of some texts in code point order; undefined for none. */
export function smallest(texts: readonly string[] = []): string | undefined {
  let first = texts[0]
  for (const text of texts) if (compareCodePoints(text, first!) < 0) first = text
  return first
}

/** The facts that decide the place of a record in a list. */
interface Sortable {
  uri: string
  /** The URIs of its vocabularies. */
  schemes: readonly string[]
  notations: readonly string[]
  /** Preferred labels by language tag. */
  labels: () => Readonly<Record<string, string>>
}

/** The order of a list over some vocabularies, each with an order of its own. */
export class ListOrder {
  /** By vocabulary; empty if all of them are in code point order. */
  readonly #orders: ReadonlyMap<string, { place: number | undefined; order: RecordOrder }>
  readonly #language: string
  /** True if the vocabularies have different orders, so that they come one after the other. */
  readonly #isMixed: boolean

  /**
   * @param vocabularies of the list, by their smallest ids.
   * @param language of the labels that order a vocabulary.
   */
  constructor(vocabularies: readonly { uri: string; order: RecordOrder }[], language: string) {
    const orders = new Set(vocabularies.map(({ order }) => order))
    const isUsual = [...orders].every((order) => order === 'code-point')
    this.#isMixed = orders.size > 1
    const all = isUsual ? [] : vocabularies
    this.#orders = new Map(all.map(({ uri, order }, at) => [uri, { order, place: this.#isMixed ? at : undefined }]))
    this.#language = language
  }

  /** True if all go by notation in code point order, as a store orders them. */
  get isByCodePoints(): boolean {
    return this.#orders.size === 0
  }

  /** True if no vocabulary goes by labels, so that the keys of records follow from their notations. */
  get isByNotations(): boolean {
    return [...this.#orders.values()].every(({ order }) => order !== 'label')
  }

  /** The URIs of vocabularies that come one after the other; undefined if they are in one order. */
  get vocabularies(): string[] | undefined {
    return this.#isMixed ? [...this.#orders.keys()] : undefined
  }

  /** The key of a record. A concept of several vocabularies stands with the first of them. */
  keyOf({ uri, schemes, notations, labels }: Sortable): SortKey {
    if (this.isByCodePoints) return { key: smallest(notations), uri }
    const [first] = schemes
      .flatMap((scheme) => this.#orders.get(scheme) ?? [])
      .sort((a, b) => (a.place ?? 0) - (b.place ?? 0))
    // A concept of no vocabulary of the list comes last.
    const { order = 'code-point', place } = first ?? { place: this.#isMixed ? this.#orders.size : undefined }
    if (order === 'label') return { place, key: sortLabel(labels(), this.#language), uri }
    return { place, key: smallest(notations.map((notation) => notationKey(notation, order))), uri }
  }
}

/** The order of lists whose vocabularies are all in code point order. */
export const BY_CODE_POINTS = new ListOrder([], '')

/** The label that orders a record: that in a language, else the first by its tag. */
export function sortLabel(labels: Readonly<Record<string, string>>, language: string): string | undefined {
  const tag = language in labels ? language : smallest(Object.keys(labels))
  return tag === undefined ? undefined : labels[tag]
}

/**
 * Items that a record names, in the order of its vocabularies.
 *
 * @param schemes the URIs of these vocabularies.
 */
export function itemsInOrder<Named extends Item>(
  items: Iterable<Named>,
  schemes: readonly string[],
  order: ListOrder,
): Named[] {
  const keyed = Array.from(items, (item) => {
    const { notation: notations = [], prefLabel: labels = {} } = item
    return { ...order.keyOf({ uri: itemUri(item), schemes, notations, labels: () => labels }), item }
  })
  return keyed.sort(compareRecords).map(({ item }) => item)
}
