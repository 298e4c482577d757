import { BOOKKEEPING } from '../../base/namespaces.ts'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import { normaliseText } from '../../base/unicode.ts'
import { expand, iriNamed } from './heading.ts'
import { MISTAKES } from './mistakes.ts'
import type { UriOrigin } from './sheet.ts'
import type { TableContext } from './table-context.ts'
import { uriOfVocExcel } from './voc-excel.ts'

/** The vocabulary of concepts without one in a check, which loads nothing. */
export const UNNAMED = `${BOOKKEEPING}unnamed/`

/** The URIs of concepts: from cells, or made from notations, ids and labels. */
export class ConceptUris {
  readonly #context: TableContext
  /** The text that made each URI, and its cell. */
  readonly #minted = new Map<string, { key: string; name: string; cell: string }>()

  constructor(context: TableContext) {
    this.#context = context
  }

  /** The URI in a cell of URIs; undefined if the cell has none. */
  given(text: string, cell: string): string | undefined {
    const iri = iriNamed(text, this.#context.prefixes)
    if (iri !== undefined) return iri
    if (/^[^\s<>"{}|^`\\]+$/.test(text) && !/^[a-z][a-z0-9+.-]*:/i.test(text)) return this.mint(text, 'its id', cell)
    const cleaned = this.#context.isVocExcel ? uriOfVocExcel(text) : undefined
    if (cleaned !== undefined && isAbsoluteIri(cleaned)) {
      this.#context.mistake('warning', cell, MISTAKES.cleanedUri(text, cleaned))
      return cleaned
    }
    // The explanation below the heading of a template.
    if (!(this.#context.isVocExcel && /\s/.test(text)))
      this.#context.mistake('violation', cell, MISTAKES.rowWithoutUri(text))
    return undefined
  }

  /** The URI that a text makes; undefined if another text has made it already. */
  mint(name: string, origin: UriOrigin, cell: string, isPath = false): string | undefined {
    const given = origin === 'its id' ? expand(name, this.#context.prefixes) : undefined
    if (given !== undefined) return given
    const namespace =
      this.#context.scheme === undefined
        ? UNNAMED
        : /[/#:=]$/.test(this.#context.scheme)
          ? this.#context.scheme
          : `${this.#context.scheme}/`
    const label = origin === 'its label' && !isPath ? name.replace(/@[a-z]{2,3}$/, '') : name
    const uri = namespace + (isPath ? label.split('/').map(encoded).join('/') : encoded(label))
    const key = `${origin} ${name}`
    const minted = this.#minted.get(uri)
    if (minted === undefined) {
      this.#minted.set(uri, { key, name, cell })
      this.#context.options.listener?.onMinted(origin)
    } else if (minted.key !== key) {
      this.#context.mistake('violation', cell, MISTAKES.sameUri(name, uri, minted))
      return undefined
    } else if (origin === 'its label' && this.#context.described.has(uri)) {
      this.#context.mistake('warning', cell, MISTAKES.sameLabel(name))
    }
    return uri
  }
}

/** A text as the end of an IRI: white space as a hyphen, signs percent-encoded, letters of all scripts as they are. */
function encoded(text: string): string {
  return normaliseText(text)
    .trim()
    .replace(/\s+/g, '-')
    .replace(/[^\p{L}\p{N}._~-]/gu, (sign) =>
      encodeURIComponent(/\p{Surrogate}/u.test(sign) ? '\ufffd' : sign).replace(
        /[!'()*]/g,
        (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
      ),
    )
    .replace(/^\.+$/, (dots) => dots.replaceAll('.', '%2E'))
}
