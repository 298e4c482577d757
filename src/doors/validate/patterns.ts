import { RE2JS } from 're2js'
import { MAXIMA } from '../../interface/http/maxima.ts'
import { isObject } from '../../base/json.ts'

/**
 * A regular expression that takes time in proportion to the text, whatever the expression is: that of a submitted
 * vocabulary can keep the engine of JavaScript busy for ever.
 */
class LinearPattern {
  readonly #pattern: string
  readonly #engine: RE2JS

  private constructor(pattern: string, engine: RE2JS) {
    this.#pattern = pattern
    this.#engine = engine
  }

  /** @returns undefined for what the engine does not know, such as references to groups, and for what is too long. */
  static of(pattern: string): LinearPattern | undefined {
    if (pattern.length > MAXIMA.pattern.most) return undefined
    try {
      return new LinearPattern(pattern, RE2JS.compile(RE2JS.translateRegExp(pattern)))
    } catch {
      return undefined
    }
  }

  /** True if the text has a part that matches. */
  test(text: string): boolean {
    return this.#engine.matcher(text).find()
  }

  /** `String.prototype.match` calls this (ECMAScript, section 22.1.3.13); jskos-validate compares with it. */
  [Symbol.match](text: string): [string] | null {
    return this.test(text) ? [text] : null
  }

  toString(): string {
    return this.#pattern
  }
}

/** The patterns of a vocabulary, and what of a concept must match them. */
const PATTERNS = ['uriPattern', 'notationPattern'] as const
type PatternName = (typeof PATTERNS)[number]

/** A pattern that is not compared with anything. */
export interface UncheckedPattern {
  /** The steps to the pattern in the record. */
  pointer: string[]
  pattern: string
}

/**
 * A vocabulary as jskos-validate gets it, with patterns that take linear time.
 *
 * @param onUnknown what a pattern becomes that cannot be one.
 */
export function withLinearPatterns(
  scheme: object,
  onUnknown: (unknown: UncheckedPattern) => string | undefined,
): object {
  const copy: Record<string, unknown> = { ...scheme }
  for (const name of PATTERNS) {
    const pattern = copy[name]
    if (typeof pattern === 'string') copy[name] = LinearPattern.of(pattern) ?? onUnknown({ pointer: [name], pattern })
  }
  return copy
}

/** A concept that names patterns of its vocabularies. */
interface ConceptPatterns {
  /** The concept without them: jskos-validate checks everything else. */
  concept: object
  /** The patterns that the concept does not match. */
  mistakes: { message: string; pointer: string[] }[]
  unchecked: UncheckedPattern[]
}

/**
 * Compares a concept with the patterns in its own `inScheme`, which take precedence over the patterns of the
 * vocabulary.
 */
export function compareOwnPatterns(record: object): ConceptPatterns {
  const { inScheme, uri, notation } = record as { inScheme?: unknown; uri?: unknown; notation?: unknown }
  const compared: ConceptPatterns = { concept: record, mistakes: [], unchecked: [] }
  if (!Array.isArray(inScheme)) return compared
  const first: unknown = Array.isArray(notation) ? notation[0] : undefined
  const texts = { uriPattern: uri, notationPattern: first } satisfies Record<PatternName, unknown>
  const schemes = inScheme.map((scheme: unknown, index) => {
    if (!isObject(scheme)) return scheme
    const copy = { ...scheme }
    for (const name of PATTERNS) {
      const pattern = scheme[name]
      // Only the type of anything else counts; a list would become a pattern.
      if (Array.isArray(pattern)) copy[name] = []
      if (typeof pattern !== 'string' || pattern === '') continue
      copy[name] = ''
      const text = texts[name]
      const linear = LinearPattern.of(pattern)
      if (!linear) compared.unchecked.push({ pointer: ['inScheme', String(index), name], pattern })
      else if (typeof text === 'string' && !linear.test(text)) {
        const [subject, pointer] = name === 'uriPattern' ? ['URI', ['uri']] : ['notation', ['notation', '0']]
        compared.mistakes.push({ message: `concept ${subject} ${text} does not match ${pattern}`, pointer })
      }
    }
    return copy
  })
  return { ...compared, concept: { ...record, inScheme: schemes } }
}
