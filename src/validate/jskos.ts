import { setImmediate } from 'node:timers/promises'
import { validate } from 'jskos-validate'
import { readRecords } from '../files/json-records.ts'
import { readText } from '../files/text.ts'
import { Results, type RecordType, type TextFormat, type ValidationReport } from './report.ts'

/** How JSKOS is checked: the parameters of jskos-server. */
export interface JskosOptions {
  /** The kind of all records; undefined: each says it by its own `type`. */
  type?: RecordType | undefined
  /** True: fields that JSKOS does not have are no mistake. */
  unknownFields?: boolean | undefined
  /** The vocabularies that concepts have to be in. Undefined: those among the records count, if a concept is in one. */
  knownSchemes?: readonly object[] | undefined
}

/**
 * Checks JSKOS records, an object, an array of them, or one a line, by the rules of jskos-validate.
 *
 * @throws InputError with line and column if the text is no JSON.
 */
export async function validateJskos(
  file: string,
  format: TextFormat,
  { type, unknownFields = false, knownSchemes }: JskosOptions,
): Promise<ValidationReport> {
  const results = new Results()
  const options = { unknownFields, ...(knownSchemes ? { knownSchemes } : { rememberSchemes: [] }) }
  // jskos-server takes records without a type for concepts if it knows what vocabularies they have to be in.
  const kind = type ?? (knownSchemes ? 'concept' : undefined)
  let at = 0
  for await (const { value, line } of readRecords(readText(file), file)) {
    const record = value as { uri?: unknown }
    for (const { message, pointer } of mistakes(record, kind, options)) {
      results.add({
        severity: 'violation',
        message,
        ...(typeof record.uri === 'string' ? { uri: record.uri.slice(0, 500) } : {}),
        path: [at, ...pointer].join('.'),
        line,
      })
    }
    if (++at % 100 === 0) await setImmediate()
  }
  return results.report(format, at)
}

interface Mistake {
  message: string
  pointer: string[]
}

function mistakes(record: object, type: RecordType | undefined, options: object): Mistake[] {
  const check = type === undefined ? validate : validate[type]!
  try {
    if (check(record, options)) return []
  } catch {
    // It looks into records that have not the structure of JSKOS.
    return [{ message: 'the record has not the structure of JSKOS', pointer: [] }]
  }
  return (check.errors ?? []).map((error) => {
    // About mappings it has plain texts.
    if (typeof error === 'string') return { message: error, pointer: [] }
    // RFC 6901, section 4.
    const steps = (error.position?.jsonpointer ?? '').split('/').slice(1)
    return {
      message: error.message,
      pointer: steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')),
    }
  })
}
