import type { Literal } from '@rdfjs/types'
import { InputError } from '../../base/files/input-error.ts'
import { DEPRECATED, LABELS, NOTATION, SKOS, STRING, XSD } from '../../base/namespaces.ts'
import { isStrictLanguageTag } from '../../graph/sparql/grammar.ts'
import { writeLiteral, writeString } from '../../graph/sparql/statements.ts'
import type { UriOrigin } from '../../graph/tables/sheet.ts'
import { normaliseText } from '../../base/unicode.ts'
import { addToSet } from '../../base/groups.ts'

/** The changes to single terms, in the words of the report. */
export type TermChange =
  | 'untagged text marked und'
  | 'language tag in lower case'
  | 'ill-formed language tag cut'
  | 'text in NFC'
  | 'empty label dropped'
  | 'number as notation made text'
  | 'owl:deprecated made a boolean'
  | 'dot segments removed from an IRI'
  | 'statement with a wrong IRI left out'
  | 'qualified statement without its value left out'
  | 'concept of another vocabulary that is only mapped to left out'
  | `URI of a concept made from ${UriOrigin}`
  | `JSKOS field ${string} dropped`

const NOTES = ['note', 'scopeNote', 'definition', 'example', 'historyNote', 'editorialNote', 'changeNote']

const LABEL_IRIS = new Set(LABELS.map((name) => SKOS + name))
const TEXT_IRIS = new Set([...LABEL_IRIS, ...NOTES.map((name) => SKOS + name)])

/** True for the lexical forms of true (XML Schema Part 2, section 3.3.2), also in capitals, as Python writes them. */
export function meansTrue(text: string): boolean {
  return ['true', '1'].includes(text.trim().toLowerCase())
}
const WRITTEN_TRUE = writeLiteral('true', { datatype: `${XSD}boolean` })
const CANONICAL_INTEGER = /^(0|-?[1-9]\d{0,15})$/
const HAS_UPPER_CASE = /[A-Z]/
const BLANK_TEXT = /^\s*$/
// oxlint-disable-next-line no-control-regex
const ASCII = /^[\u0000-\u007f]*$/

/** Writes the literals of files in one form (docs/loading.md, "Loading"). */
export class Literals {
  readonly #count: (change: TermChange) => void
  readonly #withoutDotSegments: (iri: string) => string
  /** Ill-formed language tags, with the resources that have them. */
  readonly illFormedTags = new Map<string, Set<number>>()
  /** Well-formed language tags by those of the files. */
  readonly #tags = new Map<string, string>()

  /**
   * @param count receives each change.
   * @param withoutDotSegments gives the form of an IRI in the graph.
   */
  constructor(count: (change: TermChange) => void, withoutDotSegments: (iri: string) => string) {
    this.#count = count
    this.#withoutDotSegments = withoutDotSegments
  }

  /** A literal in N-Triples, normalised; undefined if it is dropped. */
  write(node: number, predicate: string, literal: Literal): string | undefined {
    if ((literal as { direction?: string }).direction) {
      throw new InputError('text with a base direction (RDF 1.2) is not supported.')
    }
    const isText = TEXT_IRIS.has(predicate)
    const { language } = literal
    const isPlain = !language && literal.datatype.value === STRING
    if (predicate === NOTATION && isRewrittenByStores(literal)) {
      this.#count('number as notation made text')
      return writeString(literal.value)
    }
    if (predicate === DEPRECATED && meansTrue(literal.value)) {
      if (writeLiteral(literal.value, { language, datatype: literal.datatype.value }) !== WRITTEN_TRUE) {
        this.#count('owl:deprecated made a boolean')
      }
      return WRITTEN_TRUE
    }
    if (!language && !(isText && isPlain)) {
      return writeLiteral(literal.value, { datatype: this.#withoutDotSegments(literal.datatype.value) })
    }
    if (LABEL_IRIS.has(predicate) && BLANK_TEXT.test(literal.value)) {
      this.#count('empty label dropped')
      return undefined
    }
    let tag = language
    if (isPlain) {
      tag = 'und'
      this.#count('untagged text marked und')
    } else {
      if (HAS_UPPER_CASE.test(tag)) {
        tag = tag.toLowerCase()
        this.#count('language tag in lower case')
      }
      tag = this.#wellFormed(tag, node)
    }
    let text = literal.value
    if (predicate !== NOTATION && !ASCII.test(text)) {
      text = normaliseText(text)
      if (text !== literal.value) this.#count('text in NFC')
    }
    return writeLiteral(text, { language: tag })
  }

  /**
   * A language tag without the subtags that make it ill-formed (RFC 5646, section 2.1), which stores refuse; `und` if
   * nothing remains.
   */
  #wellFormed(tag: string, node: number): string {
    let wellFormed = this.#tags.get(tag)
    if (wellFormed === undefined) {
      wellFormed = tag
      while (wellFormed !== '' && !isStrictLanguageTag(wellFormed))
        wellFormed = wellFormed.slice(0, Math.max(0, wellFormed.lastIndexOf('-')))
      this.#tags.set(tag, (wellFormed ||= 'und'))
    }
    if (wellFormed !== tag) {
      this.#count('ill-formed language tag cut')
      addToSet(this.illFormedTags, tag, node)
    }
    return wellFormed
  }
}

/** True for numbers and dates that stores rewrite: they keep only the value, so that 1.50 comes back as 1.5. */
function isRewrittenByStores({ language, datatype, value }: Literal): boolean {
  if (language || !datatype.value.startsWith(XSD) || datatype.value === STRING) return false
  return !(datatype.value === `${XSD}integer` && CANONICAL_INTEGER.test(value))
}
