import { RdfXmlParser } from 'rdfxml-streaming-parser'
import { charactersNotInXml } from '../http/xml.ts'
import { MOST_LEVELS, TOO_DEEP } from './levels.ts'

/** The most characters that entities may put into a text, all together. */
const MOST_EXPANDED = 2 ** 20
/** Beyond that, entities may put in so many times the characters read: names of namespaces, which every element of a file may use. */
const MOST_TIMES = 10

/** The used part of the XML parser within the RDF parser. */
interface XmlParser {
  ENTITIES: Record<string, string>
  /** The characters read. */
  readonly position: number
  close(): void
}

/**
 * A parser of RDF/XML with limits for what a short text can ask for. It emits an error if elements are nested too deeply, and if
 * entities expand to more than 2^20 characters and to more than ten times the text.
 */
export class BoundedRdfXmlParser extends RdfXmlParser {
  #expanded = 0
  #levels = 0
  #entitiesWithin = 0

  /** Ends the text. Only the XML parser detects open elements, and the RDF parser does not tell it that the text has ended. */
  close(): void {
    this.#xml.close()
  }

  get #xml(): XmlParser {
    return (this as unknown as { saxParser: XmlParser }).saxParser
  }

  /**
   * Takes the entities of a document type, and counts from then on what each use of them puts in. In their values references to
   * characters count at once, and those to entities at each use (XML 1.0, section 4.4.5).
   */
  protected override onDoctype(doctype: string): void {
    super.onDoctype(doctype)
    const entities = this.#xml.ENTITIES
    for (const [name, written] of Object.entries(entities)) {
      const value = this.#withReferences(written, (reference) => reference)
      Object.defineProperty(entities, name, { configurable: true, enumerable: true, get: () => this.#expand(value) })
    }
  }

  protected override onTag(tag: Parameters<RdfXmlParser['onTag']>[0]): void {
    if (++this.#levels > MOST_LEVELS) throw this.newParseError(TOO_DEEP)
    super.onTag(tag)
  }

  protected override onCloseTag(): void {
    this.#levels--
    super.onCloseTag()
  }

  #expand(value: string): string {
    this.#expanded += value.length
    if (this.#expanded > MOST_EXPANDED && this.#expanded > MOST_TIMES * this.#xml.position) {
      throw this.newParseError('entities expand to more than 1 MB; write the text itself.')
    }
    // An entity may name itself.
    if (++this.#entitiesWithin > MOST_LEVELS) throw this.newParseError(TOO_DEEP)
    const text = this.#withReferences(value, (reference, name) => this.#xml.ENTITIES[name] ?? reference)
    this.#entitiesWithin--
    return text
  }

  #withReferences(value: string, entity: (reference: string, name: string) => string): string {
    return value.replace(/&(?:#(\d+)|#x([\da-f]+)|([^#&;\s][^&;\s]*));/gi, (reference, decimal, hexadecimal, name) => {
      if (name !== undefined) return entity(reference, name as string)
      const code = decimal === undefined ? Number.parseInt(hexadecimal as string, 16) : Number(decimal)
      const character = code > 0x10ffff ? '\0' : String.fromCodePoint(code)
      if (charactersNotInXml(character) > 0) throw this.newParseError(`${reference} is no character of XML.`)
      return character
    })
  }
}
