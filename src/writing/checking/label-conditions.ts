import { DCT, LABELS, SKOS, TEMPLATE_SCHEME } from '../../base/namespaces.ts'
import { copyOfText, shorten } from '../../base/unicode.ts'
import { languageTags, LONGEST_NAME } from '../../graph/jskos/languages.ts'
import { unescapeNTriples } from '../../graph/sparql/ntriples.ts'
import { isLanguageTag } from '../../graph/sparql/terms.ts'
import { languageOfLabel } from '../source/labels.ts'
import { namesFromTitles } from '../source/scheme.ts'
import { DERIVED, type Description, type SourceGraph } from '../source/source-graph.ts'
import { SharedTexts, type Conditions, type SchemesOfSource } from './conditions.ts'
import { MOST_FOCUS_NODES } from './finding.ts'
import type { Breach } from './rules.ts'

const LABEL_KINDS = new Map(
  LABELS.flatMap((name): [string, (typeof LABELS)[number]][] => [
    [SKOS + name, name],
    [DERIVED + SKOS + name, name],
  ]),
)

const LANGUAGE = `${DCT}language`

/** A quick test before the next two expressions: most texts have nothing that these could find. */
const UNUSUAL = /^\s|[\s,;]$|\s\s|\p{Cc}/u
const WRONG_SPACE = /^\s|\s$|\s\s|\p{Cc}/u
const COMMA_AT_END = /[,;]\s*$/
const LOWER_CASE = /\p{Ll}/u
/** A word that is too long for an abbreviation, or several words with a long one among them. */
const WORDS_IN_CAPITALS = /\p{Lu}{10}|\p{Lu}{5}\P{L}+\p{Lu}{3}|\p{Lu}{3}\P{L}+\p{Lu}{5}/u

/** The concepts whose prefLabels are in the same languages. */
interface OfLanguages {
  languages: ReadonlySet<string>
  count: number
  /** The first of them. */
  nodes: number[]
}

/**
 * Checks names: those of vocabularies, prefLabels that concepts of a vocabulary share, how labels are written, and
 * their languages (docs/checks.md). Deprecated concepts may share their name with their successor, and may lack one.
 */
export class LabelConditions implements Conditions {
  readonly #source: SourceGraph
  readonly #prefLabels = new SharedTexts()
  readonly #withSpace = new Set<number>()
  readonly #withComma = new Set<number>()
  readonly #tooLong = new Set<number>()
  readonly #inCapitals = new Set<number>()
  readonly #isLanguage = new Map<string, boolean>()
  readonly #withUnknownLanguage = new Set<number>()
  readonly #byLanguages = new Map<string, OfLanguages>()

  constructor(source: SourceGraph) {
    this.#source = source
  }

  add({ node, statements }: Description): void {
    const isInUse = this.#source.isConcept(node) && !this.#source.isDeprecated(node)
    const languages: string[] = []
    for (const { predicate, object } of statements) {
      if (object.charCodeAt(0) !== QUOTE) continue
      const end = object.lastIndexOf('"') + 1
      if (predicate === LANGUAGE) {
        const stated = unescapeNTriples(object.slice(1, end - 1))
        // Records leave out a text that is no tag.
        if (stated !== '') this.#checkLanguage(node, languageTags([stated])[0] ?? stated)
      }
      if (object.charCodeAt(end) !== AT) continue
      const tag = object.slice(end + 1)
      const isKnown = this.#checkLanguage(node, tag)
      const kind = LABEL_KINDS.get(predicate)
      if (kind === undefined) continue
      const written = object.slice(1, end - 1)
      const text = written.includes('\\') ? unescapeNTriples(written) : written
      if (shorten(text, LONGEST_NAME) !== text) this.#tooLong.add(node)
      if (UNUSUAL.test(text)) {
        if (WRONG_SPACE.test(text)) this.#withSpace.add(node)
        if (COMMA_AT_END.test(text)) this.#withComma.add(node)
      }
      if (kind !== 'prefLabel' || !isInUse) continue
      if (!LOWER_CASE.test(text) && WORDS_IN_CAPITALS.test(text)) this.#inCapitals.add(node)
      this.#prefLabels.add(object, node)
      if (isKnown && tag !== 'und' && !languages.includes(tag)) languages.push(tag)
    }
    if (languages.length > 0) this.#addLanguages(node, languages)
  }

  breaches(vocabularies: SchemesOfSource): Breach[] {
    const unknown = [...this.#isLanguage].flatMap(([tag, isKnown]) => (isKnown ? [] : [tag]))
    const { nameless, placeholders } = this.#vocabularies(vocabularies)
    return [
      { rule: 'scheme-name', nodes: nameless },
      { rule: 'placeholder', nodes: placeholders },
      { rule: 'same-prefLabel', nodes: this.#prefLabels.sharers(this.#source, vocabularies) },
      { rule: 'label-space', nodes: this.#withSpace },
      { rule: 'label-comma', nodes: this.#withComma },
      { rule: 'label-long', nodes: this.#tooLong },
      { rule: 'label-capitals', nodes: this.#inCapitals },
      { rule: 'unknown-language', nodes: this.#withUnknownLanguage, names: unknown },
      this.#missingLanguages(),
    ]
  }

  /** True if a tag stands for a language. */
  #checkLanguage(node: number, tag: string): boolean {
    let isKnown = this.#isLanguage.get(tag)
    if (isKnown === undefined) {
      isKnown = isLanguage(tag)
      this.#isLanguage.set(copyOfText(tag), isKnown)
    }
    if (!isKnown) this.#withUnknownLanguage.add(node)
    return isKnown
  }

  #addLanguages(node: number, languages: string[]): void {
    const key = languages.length === 1 ? languages[0]! : languages.sort().join(' ')
    let same = this.#byLanguages.get(key)
    if (same === undefined) {
      const copied = copyOfText(key)
      this.#byLanguages.set(copied, (same = { languages: new Set(copied.split(' ')), count: 0, nodes: [] }))
    }
    same.count++
    if (same.nodes.length < MOST_FOCUS_NODES) same.nodes.push(node)
  }

  /** The vocabularies without a name, and those with the URI of the template. */
  #vocabularies({ described }: SchemesOfSource): { nameless: number[]; placeholders: number[] } {
    const nameless = new Set(described)
    for (const { node, statements } of this.#source.describeAll(described)) {
      const isNamed = statements.some(({ predicate, object }) => {
        return LABEL_KINDS.get(predicate) === 'prefLabel' && languageOfLabel(object) !== undefined
      })
      if (isNamed || namesFromTitles(statements).length > 0) nameless.delete(node)
    }
    const placeholders = described.filter((node) => this.#source.iri(node) === TEMPLATE_SCHEME)
    return { nameless: [...nameless], placeholders }
  }

  #missingLanguages(): Breach {
    const all = [...this.#byLanguages.values()]
    const used = new Set(all.flatMap(({ languages }) => [...languages]))
    const missing = [...used].map((language): [language: string, count: number] => {
      const lacking = all.filter(({ languages }) => !languages.has(language))
      return [language, lacking.reduce((sum, { count }) => sum + count, 0)]
    })
    const names = missing
      .filter(([, count]) => count > 0)
      .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
      .map(([language, count]) => `${language} (${count})`)
    const incomplete = all.filter(({ languages }) => languages.size < used.size)
    return {
      rule: 'missing-language',
      nodes: incomplete.flatMap(({ nodes }) => nodes),
      count: incomplete.reduce((sum, { count }) => sum + count, 0),
      names,
    }
  }
}

const [QUOTE, AT] = [0x22, 0x40]

/** Codes of ISO 639-2, as library catalogues write them, for languages that have a code of two letters. */
const OF_CATALOGUES = new Set(
  (
    'ara bul ces chi cze dan deu dut ell eng est fin fra fre ger gre heb hrv hun ice isl ita jpn kor lav lit ' +
    'nld nor per fas pol por ron rum rus slk slo slv spa sqi alb srp swe tur ukr zho'
  ).split(' '),
)

const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

/**
 * True for a well-formed tag whose language is registered, as far as Unicode's data tell: of languages with three
 * letters they lack most. The registry (RFC 5646, section 3.1) has no subtag with more letters, and none with three for
 * a language that has one with two.
 *
 * @param tag in lower case.
 */
export function isLanguage(tag: string): boolean {
  if (!isLanguageTag(tag)) return false
  const [primary] = tag.split('-', 1) as [string]
  if (primary.length === 1) return true
  if (primary.length === 2) return names.of(primary) !== undefined
  return primary.length === 3 && !OF_CATALOGUES.has(primary)
}
