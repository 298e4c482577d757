import type { NodeProperties, ObjectTerm } from '../sparql/ntriples.ts'
import { copyOfText, isLatin1 } from '../unicode.ts'

/** The statements about one resource, as text. */
export interface PackedNode {
  /**
   * For each property a line with its number and the tags of its objects, and a line for each object. This has the characters of Latin-1
   * alone, because a text with a single other one takes two bytes for every character.
   */
  readonly latin: string
  /** Lines for those objects that have other characters. */
  readonly other: string
}

/** Ends a line. XML and Turtle cannot hold it. */
const END = '\0'
const NOT_IN_TAGS = /[\0 ]/
/** Begins the tag of an object that stands in `other`. */
const OTHER = '>'

/** Writes statements as texts, which take a tenth of the memory of maps of terms. */
export class Packing {
  readonly #properties: readonly string[]

  /** @param properties that are packed. Unpacking ends with the last that is wanted, so what is wanted most often comes first. */
  constructor(properties: Iterable<string>) {
    this.#properties = [...properties]
  }

  /** Undefined if these statements cannot be packed: they link to blank nodes, or have a character that ends lines. */
  pack(node: NodeProperties, wanted: ReadonlySet<string>): PackedNode | undefined {
    let [latin, other] = ['', '']
    for (const [number, property] of this.#properties.entries()) {
      const objects = wanted.has(property) ? node.get(property) : undefined
      if (!objects) continue
      let head = String(number)
      let lines = ''
      for (const term of objects) {
        const tag = tagOf(term)
        if (term.termType === 'BlankNode' || NOT_IN_TAGS.test(tag) || term.value.includes(END)) return undefined
        const isOther = !isLatin1(term.value)
        head += isOther ? ` ${OTHER}${tag}` : ` ${tag}`
        if (isOther) other += term.value + END
        else lines += term.value + END
      }
      latin += head + END + lines
    }
    return { latin: copyOfText(latin), other: copyOfText(other) }
  }

  /** @param wanted no other properties are unpacked. */
  unpack({ latin, other }: PackedNode, wanted: ReadonlySet<string>): NodeProperties {
    const node: NodeProperties = new Map()
    let [at, atOther] = [0, 0]
    while (at < latin.length && node.size < wanted.size) {
      let end = latin.indexOf(END, at)
      const [number, ...tags] = latin.slice(at, end).split(' ')
      at = end + 1
      const objects: ObjectTerm[] = []
      for (const tag of tags) {
        if (tag.startsWith(OTHER)) {
          end = other.indexOf(END, atOther)
          objects.push(termOf(tag.slice(1), other.slice(atOther, end)))
          atOther = end + 1
        } else {
          end = latin.indexOf(END, at)
          objects.push(termOf(tag, latin.slice(at, end)))
          at = end + 1
        }
      }
      const property = this.#properties[Number(number)]!
      if (wanted.has(property)) node.set(property, objects)
    }
    return node
  }
}

/** Tells the kind of a term, with its language or datatype. */
function tagOf({ termType, language, datatype }: ObjectTerm): string {
  if (termType === 'NamedNode') return '<'
  return datatype === '' ? language : `^${datatype}`
}

function termOf(tag: string, value: string): ObjectTerm {
  if (tag === '<') return { termType: 'NamedNode', value, language: '', datatype: '' }
  const datatype = tag.startsWith('^') ? tag.slice(1) : ''
  return { termType: 'Literal', value, language: datatype === '' ? tag : '', datatype }
}
