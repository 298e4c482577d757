import { RdfXmlParser } from 'rdfxml-streaming-parser'
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

  /** Ends the text. Only the XML parser detects open elements, and the RDF parser does not tell it that the text has ended. */
  close(): void {
    this.#xml.close()
  }

  get #xml(): XmlParser {
    return (this as unknown as { saxParser: XmlParser }).saxParser
  }

  /** Takes the entities of a document type, and counts from then on what each use of them puts in. */
  protected override onDoctype(doctype: string): void {
    super.onDoctype(doctype)
    const entities = this.#xml.ENTITIES
    for (const [name, value] of Object.entries(entities)) {
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
    return value
  }
}
