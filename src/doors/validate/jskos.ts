import { setImmediate } from 'node:timers/promises'
import { validate } from 'jskos-validate'
import { readRecords } from '../../base/files/json-records.ts'
import { readText } from '../../base/files/text.ts'
import { MAXIMA } from '../../interface/http/maxima.ts'
import { pointerSteps } from '../../graph/shapes/violations.ts'
import type { MessageLanguage } from '../../base/message-languages.ts'
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

/**
 * German for the messages about JSKOS from jskos-validate, from its engine (ajv) and from this service. `$1` and `$2`
 * stand for the values in a message.
 */
const GERMAN: readonly (readonly [message: RegExp, german: string])[] = [
  [/^missing field '(.*)'$/s, 'das Feld „$1“ fehlt'],
  [/^disallowed field '(.*)'$/s, 'das Feld „$1“ ist hier nicht erlaubt'],
  [/^expected value '(.*)'$/s, 'erwartet wird der Wert „$1“'],
  [/^expected value of type (.*)$/s, 'erwartet wird ein Wert vom Typ $1'],
  [/^value must have format (.*)$/s, 'der Wert muss das Format $1 haben'],
  [/^value must match pattern '(.*)'$/s, 'der Wert muss zu dem Muster „$1“ passen'],
  [/^violation of schema rule '(.*)'$/s, 'Verstoß gegen die Regel „$1“ des Schemas'],
  [/^must NOT have (?:additional|unevaluated) properties$/, 'weitere Felder sind hier nicht erlaubt'],
  [/^must NOT have unevaluated items$/, 'weitere Werte sind hier nicht erlaubt'],
  [/^must NOT have duplicate items \(items ## (\d+) and (\d+) are identical\)$/, 'die Werte $1 und $2 sind gleich'],
  [
    /^must NOT have fewer than (\d+) (?:items|characters|properties)$/,
    'erwartet werden mindestens $1 Einträge oder Zeichen',
  ],
  [
    /^must NOT have more than (\d+) (?:items|characters|properties)$/,
    'erlaubt sind höchstens $1 Einträge oder Zeichen',
  ],
  [/^must contain at least (\d+) valid item\(s\)$/, 'erwartet werden mindestens $1 gültige Einträge'],
  [/^must be equal to one of the allowed values$/, 'der Wert ist keiner der erlaubten'],
  [/^must be (>=|<=|>|<) (\S+)$/, 'der Wert muss $1 $2 sein'],
  [/^must match "(\w+)" schema$/, 'der Wert erfüllt die Bedingung „$1“ des Schemas nicht'],
  [/^(?:must NOT be valid|boolean schema is false)$/, 'der Wert ist hier nicht erlaubt'],
  [/^property name must be valid$/, 'der Name eines Feldes ist hier nicht erlaubt'],
  [/^concept must have inScheme$/, 'ein Begriff braucht inScheme'],
  [/^concept must be inScheme a known vocabulary$/, 'inScheme nennt kein Vokabular dieses Dienstes'],
  [/^concept URI (.*) does not match namespace (.*)$/s, 'die URI $1 des Begriffs beginnt nicht mit dem Namensraum $2'],
  [/^concept URI (.*) does not match (.*)$/s, 'die URI $1 des Begriffs passt nicht zu $2'],
  [/^concept notation (.*) does not match (.*)$/s, 'die Notation $1 des Begriffs passt nicht zu $2'],
  [
    /^First type of a mapping must be SKOS mapping property, got: (.*)$/s,
    'der erste Typ eines Mappings muss eine Mapping-Eigenschaft von SKOS sein statt $1',
  ],
  [/^Found additional SKOS mapping property: (.*)$/s, 'eine weitere Mapping-Eigenschaft von SKOS: $1'],
  [
    /^mapping type must be a SKOS mapping property$/,
    'der Typ eines Mappings muss eine Mapping-Eigenschaft von SKOS sein',
  ],
  [/^missing object type URI (.*)$/s, 'die URI der Art fehlt: $1'],
  [/^\w+ type must be "(.*)", got (.*)$/s, 'der erste Typ muss „$1“ sein statt $2'],
  [/^the record does not have the structure of JSKOS$/, 'der Datensatz ist nicht wie JSKOS aufgebaut'],
]

/** A message about JSKOS in German; one without a German form follows a German sentence. */
function inGerman(message: string): string {
  const entry = GERMAN.find(([form]) => form.test(message))
  return entry ? message.replace(...entry) : `der Wert ist kein richtiges JSKOS (${message})`
}
