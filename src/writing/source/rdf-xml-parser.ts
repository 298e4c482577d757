import { RdfXmlParser } from 'rdfxml-streaming-parser'
import { charactersNotInXml } from '../../interface/http/xml.ts'
import { compareCodePoints } from '../../graph/jskos/order.ts'
import { factory, MOST_LEVELS, TOO_DEEP } from './terms.ts'

/** Maximum number of characters that all entities together may add to a text. */
const MOST_EXPANDED = 2 ** 20
/**
 * Beyond that, entities may add up to this multiple of the characters read: every element of a file may use them in the
 * names of its namespaces.
 */
const MOST_TIMES = 10

/** The used part of the XML parser within the RDF parser. */
interface XmlParser {
  ENTITIES: Record<string, string>
  /** The characters read. */
  readonly position: number
  on(event: 'comment', handler: (text: string) => void): void
  on(event: 'processinginstruction', handler: (instruction: { target: string; body: string }) => void): void
  close(): void
}

/** An element as the XML parser reads it. */
interface Tag {
  name: string
  prefix: string
  local: string
  uri: string
  attributes: Record<string, Attribute>
}

interface Attribute {
  prefix: string
  local: string
  uri: string
  value: string
}

/** The used part of what the RDF parser keeps for an open element. */
interface Element {
  baseIRI: string
  /** The property of a property element. */
  predicate?: unknown
  /** Of an element whose children are property elements 1, else 0. */
  childrenParseType?: number
  text?: string
  /** The pieces of an XML literal; all elements within it share them. */
  childrenStringTags?: string[]
  childrenStringEmitClosingTag?: string
  /** Of an element within an XML literal, the namespaces that the literal declares there, by prefix. */
  declared?: ReadonlyMap<string, string>
}

/** The state of the RDF parser among property elements. */
const PROPERTIES = 1
const XML = 'http://www.w3.org/XML/1998/namespace'

/**
 * A parser of RDF/XML with limits for what a short text can ask for. It emits an error if elements are nested too
 * deeply, and if entities expand to more than 2^20 characters and to more than ten times the text.
 *
 * It mends what rdfxml-streaming-parser 3.3 does differently from RDF 1.1 XML Syntax; a test shows for each of these
 * faults that the parser still has it.
 */
export class StatementParser extends RdfXmlParser {
  #expanded = 0
  #levels = 0
  #entitiesWithin = 0

  /** @param base the base of relative IRIs. */
  constructor(base: string) {
    // `SourceGraph` leaves out what is no IRI, whatever the format.
    super({ baseIRI: base, trackPosition: true, dataFactory: factory, validateUri: false })
    const write = (text: string) => this.#open?.childrenStringTags?.push(text)
    this.#xml.on('comment', (text) => write(`<!--${text}-->`))
    this.#xml.on('processinginstruction', ({ target, body }) => write(`<?${target}${body && ` ${body}`}?>`))
  }

  /**
   * Ends the text. Only the XML parser detects open elements, and the RDF parser does not tell it that the text has
   * ended.
   */
  close(): void {
    this.#xml.close()
  }

  get #xml(): XmlParser {
    return (this as unknown as { saxParser: XmlParser }).saxParser
  }

  /** The innermost open element. */
  get #open(): Element | undefined {
    return (this as unknown as { activeTagStack: Element[] }).activeTagStack.at(-1)
  }

  /**
   * Takes the entities of a document type, and counts from then on what each use of them puts in. In their values
   * references to characters count at once, and those to entities at each use (XML 1.0, section 4.4.5).
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
    const parent = this.#open
    if (parent?.childrenStringTags) {
      this.#writeTag(tag, parent)
      return
    }
    const read = withXmlFirst(tag)
    const base = Object.values(read.attributes).find(({ uri, local }) => uri === XML && local === 'base')
    if (parent?.childrenParseType !== PROPERTIES || base === undefined) super.onTag(read as never)
    else {
      // The RDF parser takes the base of a property element from the element around it.
      const { baseIRI } = parent
      parent.baseIRI = this.valueToUri(base.value, parent as never).value
      super.onTag(read as never)
      parent.baseIRI = baseIRI
    }
  }

  /** Adds to the text of an element: comments, CDATA sections and processing instructions divide it. */
  protected override onText(text: string): void {
    const open = this.#open
    if (open?.childrenStringTags) open.childrenStringTags.push(escapeContent(text))
    else if (open?.predicate) open.text = (open.text ?? '') + text
  }

  protected override onCloseTag(): void {
    this.#levels--
    super.onCloseTag()
  }

  /** Writes the start of an element within an XML literal, as Exclusive XML Canonicalization 1.0 has it (section 3). */
  #writeTag(tag: Tag, parent: Element): void {
    const attributes = Object.values(tag.attributes).filter(
      ({ prefix, local }) => prefix !== 'xmlns' && (prefix || local !== 'xmlns'),
    )
    const declared = new Map(parent.declared)
    const used = new Map(
      [tag, ...attributes.filter(({ prefix }) => prefix !== '')].map(({ prefix, uri }) => [prefix, uri]),
    )
    const added = [...used].filter(([prefix, uri]) => prefix !== 'xml' && (declared.get(prefix) ?? '') !== uri)
    for (const [prefix, uri] of added) declared.set(prefix, uri)
    const written = [
      ...added
        .sort(([a], [b]) => compareCodePoints(a, b))
        .map(([prefix, uri]) => [prefix ? `xmlns:${prefix}` : 'xmlns', uri]),
      ...attributes
        .sort((a, b) => compareCodePoints(a.uri, b.uri) || compareCodePoints(a.local, b.local))
        .map(({ prefix, local, value }) => [prefix ? `${prefix}:${local}` : local, value]),
    ].map(([name, value]) => ` ${name}="${escapeAttribute(value!)}"`)
    const pieces = parent.childrenStringTags!
    pieces.push(`<${tag.name}${written.join('')}>`)
    const element = { childrenStringTags: pieces, childrenStringEmitClosingTag: `</${tag.name}>`, declared }
    ;(this as unknown as { activeTagStack: unknown[] }).activeTagStack.push(element)
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

/** A tag with its attributes of XML first: the RDF parser gives attributes before `xml:lang` no language. */
function withXmlFirst(tag: Tag): Tag {
  const attributes = Object.entries(tag.attributes)
  const isOfXml = ([, { uri }]: [string, Attribute]) => uri === XML
  if (!attributes.some(isOfXml)) return tag
  const ofRdf = attributes.filter((attribute) => !isOfXml(attribute))
  return { ...tag, attributes: Object.fromEntries([...attributes.filter(isOfXml), ...ofRdf]) }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
}

/** A text in an XML literal (Canonical XML 1.0, section 2.3). */
function escapeContent(text: string): string {
  return text.replace(/[&<>\r]/g, (character) => ESCAPES[character]!)
}

/** The value of an attribute in an XML literal (Canonical XML 1.0, section 2.3). */
function escapeAttribute(value: string): string {
  return value.replace(/[&<"\t\n\r]/g, (character) => ESCAPES[character]!)
}
