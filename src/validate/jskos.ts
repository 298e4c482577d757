import { setImmediate } from 'node:timers/promises'
import { validate } from 'jskos-validate'
import { readRecords } from '../files/json-records.ts'
import { readText } from '../files/text.ts'
import { Results, type RecordType, type TextFormat, type ValidationReport } from './report.ts'

/** The options of a check of JSKOS, named like the parameters of jskos-server. */
export interface JskosOptions {
  /** The kind of all records; undefined: the `type` of each record decides. */
  type?: RecordType | undefined
  /** True: allows fields that JSKOS does not have. */
  unknownFields?: boolean | undefined
  /** The vocabularies that concepts must belong to; undefined: if a concept names one among the records, that one. */
  knownSchemes?: readonly object[] | undefined
}

/**
 * Checks JSKOS records by the rules of jskos-validate. The text is one object, an array, or one object per line.
 *
 * @throws InputError with line and column if the text is not JSON.
 */
export async function validateJskos(
  file: string,
  format: TextFormat,
  { type, unknownFields = false, knownSchemes }: JskosOptions,
): Promise<ValidationReport> {
  const results = new Results()
  const options = { unknownFields, ...(knownSchemes ? { knownSchemes } : { rememberSchemes: [] }) }
  // Like jskos-server: given the vocabularies of concepts, records without a type count as concepts.
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
    // The validator throws on records that do not have the structure of JSKOS.
    return [{ message: 'the record does not have the structure of JSKOS', pointer: [] }]
  }
  return (check.errors ?? []).map((error) => {
    // For mappings the validator gives plain texts.
    if (typeof error === 'string') return { message: error, pointer: [] }
    // RFC 6901, section 4.
    const steps = (error.position?.jsonpointer ?? '').split('/').slice(1)
    return {
      message: error.message,
      pointer: steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')),
    }
  })
}
