import { setImmediate } from 'node:timers/promises'
import { validate } from 'jskos-validate'
import { readRecords } from '../../base/files/json-records.ts'
import { readText } from '../../base/files/text.ts'
import { MAXIMA } from '../../interface/http/maxima.ts'
import { pointerSteps } from '../../graph/shapes/violations.ts'
import type { MessageLanguage } from '../../base/message-languages.ts'
import { inGerman } from './german-messages.ts'
import { compareOwnPatterns, withLinearPatterns, type UncheckedPattern } from './patterns.ts'
import { shorten } from '../../base/unicode.ts'
import { Results, type RecordType, type TextFormat, type ValidationReport } from './report.ts'

/** The options of a check of JSKOS, named like the parameters of jskos-server. */
export interface JskosOptions {
  /** The kind of all records; undefined: the `type` of each record decides. */
  type?: RecordType | undefined
  /** True: allows fields that JSKOS does not have. */
  unknownFields?: boolean | undefined
  /** The vocabularies that concepts must belong to; undefined: if a concept names one among the records, that one. */
  knownSchemes?: readonly object[] | undefined
  /** The language of messages. */
  language?: MessageLanguage | undefined
}

/**
 * Checks JSKOS records by the rules of jskos-validate. The text is one object, an array, or one object per line.
 *
 * @throws InputError with line and column if the text is not JSON.
 */
export async function validateJskos(
  file: string,
  format: TextFormat,
  { type, unknownFields = false, knownSchemes, language = 'en' }: JskosOptions,
): Promise<ValidationReport> {
  const results = new Results()
  // The vocabularies of the service belong to its operator, who may use every regular expression.
  const linearSchemes = knownSchemes?.map((scheme) => withLinearPatterns(scheme, ({ pattern }) => pattern))
  // Like jskos-server: given the vocabularies of concepts, records without a type count as concepts.
  const check = new RecordCheck(type ?? (linearSchemes ? 'concept' : undefined), {
    unknownFields,
    knownSchemes: linearSchemes,
  })
  let recordIndex = 0
  for await (const { value, line } of readRecords(readText(file), file)) {
    const record = value as { uri?: unknown }
    const { mistakes, unchecked } = check.of(record)
    const place = (pointer: readonly string[]) => ({
      ...(typeof record.uri === 'string' ? { uri: record.uri.slice(0, 500) } : {}),
      path: [recordIndex, ...pointer].join('.'),
      line,
    })
    for (const { message, pointer } of mistakes) {
      const inWords = language === 'de' ? inGerman(message) : message
      results.add({ severity: 'violation', message: inWords, ...place(pointer) })
    }
    for (const { pattern, pointer } of unchecked) {
      results.add({
        severity: 'warning',
        message: UNCHECKED[language](shorten(pattern, 200)),
        ...place(pointer),
      })
    }
    if (++recordIndex % 100 === 0) await setImmediate()
  }
  return results.report(format, recordIndex)
}

const MOST_PATTERN = MAXIMA.pattern.most
const UNCHECKED: Readonly<Record<MessageLanguage, (pattern: string) => string>> = {
  en: (pattern) =>
    `nothing is compared with ${pattern}: it is no regular expression, has more than ${MOST_PATTERN} characters, or looks ahead, behind or back`,
  de: (pattern) =>
    `nichts wird mit ${pattern} verglichen: es ist kein regulärer Ausdruck, hat mehr als ${MOST_PATTERN} Zeichen oder blickt voraus oder zurück`,
}

interface RecordMistake {
  message: string
  pointer: string[]
}

/** Checks records one after the other, and compares concepts with the vocabularies before them. */
class RecordCheck {
  readonly #check: (typeof validate)[string]
  readonly #options: NonNullable<Parameters<typeof validate>[1]>
  readonly #remembered: object[] = []

  /** @param type undefined: the `type` of each record decides. */
  constructor(
    type: RecordType | undefined,
    options: { unknownFields: boolean; knownSchemes: readonly object[] | undefined },
  ) {
    this.#check = type === undefined ? validate : validate[type]!
    const { unknownFields, knownSchemes } = options
    this.#options = { unknownFields, ...(knownSchemes ? { knownSchemes } : { rememberSchemes: this.#remembered }) }
  }

  of(record: object): { mistakes: RecordMistake[]; unchecked: UncheckedPattern[] } {
    const { concept, mistakes: unlike, unchecked } = compareOwnPatterns(record)
    const mistakes = this.#mistakes(concept)
    if (!mistakes) {
      // The validator throws on records that do not have the structure of JSKOS.
      return { mistakes: [{ message: 'the record does not have the structure of JSKOS', pointer: [] }], unchecked: [] }
    }
    const concepts = validate['concept']!
    const isConcept = this.#check === concepts || this.#check.errors === concepts.errors
    // With known vocabularies the patterns of a concept's own `inScheme` do not count.
    if (isConcept && !this.#options.knownSchemes) return { mistakes: [...mistakes, ...unlike], unchecked }
    const conceptIndex = this.#remembered.lastIndexOf(concept)
    if (conceptIndex < 0) return { mistakes, unchecked: [] }
    const ofScheme: UncheckedPattern[] = []
    this.#remembered[conceptIndex] = withLinearPatterns(record, (unknown) => void ofScheme.push(unknown))
    return { mistakes, unchecked: ofScheme }
  }

  /** Undefined if the validator cannot check the record. */
  #mistakes(record: object): RecordMistake[] | undefined {
    try {
      if (this.#check(record, this.#options)) return []
    } catch {
      return undefined
    }
    return (this.#check.errors ?? []).map((error) => {
      // For mappings the validator gives plain texts.
      if (typeof error === 'string') return { message: error, pointer: [] }
      return { message: error.message, pointer: pointerSteps(error.position?.jsonpointer ?? '') }
    })
  }
}
