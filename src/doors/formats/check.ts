import { Ajv, type DefinedError, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { Violation } from '../../base/errors.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { SCHEMA_OPTIONS, toViolations } from '../../graph/shapes/violations.ts'
import { formatIri, type FormatRecord } from './record.ts'
import { formatSchema, type FormatConstants } from './shapes.ts'

/** A violation in one of several records. */
interface FormatViolation extends Violation {
  /** Number of the record among all, from 1. */
  record: number
  /** Its id, if it has one. */
  id: string | undefined
}

/** Gives the violations of values that are to become records, in their order; none if all are records. */
type FormatCheck = (values: readonly unknown[]) => FormatViolation[]

/**
 * Compiles the check of records before they are stored: shapes/format.schema.json, different ids, and only values that
 * a store can hold and JSON can write exactly.
 *
 * @param constants the values of `@context` and `$schema`, if a record has them.
 */
export function compileCheck(constants: FormatConstants): FormatCheck {
  const ajv = new Ajv(SCHEMA_OPTIONS)
  addFormats.default(ajv, ['uri'])
  const isRecord = ajv.compile(formatSchema(constants))
  return (values) => checkAll(values, isRecord)
}

function checkAll(values: readonly unknown[], isRecord: ValidateFunction): FormatViolation[] {
  const ids = new Set<string>()
  return values.flatMap((value, index) => {
    const violations = isRecord(value) ? [] : toViolations(precise(isRecord.errors as DefinedError[]))
    const candidate: unknown = typeof value === 'object' && value !== null ? (value as { id?: unknown }).id : undefined
    const id = typeof candidate === 'string' ? candidate : undefined
    if (violations.length === 0) violations.push(...checkStorable(value as Partial<FormatRecord>))
    if (id !== undefined && ids.has(id)) {
      violations.push({ path: 'id', message: 'expected an id of its own; an earlier record has the same' })
    }
    if (id !== undefined) ids.add(id)
    return violations.map((violation) => ({ record: index + 1, id, ...violation }))
  })
}

/** Keeps of alternatives (`anyOf`) what helps: the innermost wrong place, else the alternatives as a whole. */
function precise(errors: readonly DefinedError[]): DefinedError[] {
  const rest = errors.filter(({ schemaPath }) => !/\/anyOf\/\d+\/type$/.test(schemaPath))
  return rest.filter(
    ({ keyword, instancePath }) =>
      keyword !== 'anyOf' || !rest.some((other) => other.instancePath.startsWith(`${instancePath}/`)),
  )
}

function checkStorable(record: Partial<FormatRecord>): Violation[] {
  const { id, description, ...rest } = record
  const violations = Object.entries(rest).flatMap(([name, value]) => checkValue(name, value))
  if (id === undefined) violations.unshift({ path: 'id', message: 'required: expected a string' })
  else violations.unshift(...checkId(id))
  if (!canBeWritten(description)) violations.push({ path: 'description', message: 'expected fewer levels' })
  return violations
}

function checkId(id: string): Violation[] {
  if (id === '') return [{ path: 'id', message: 'expected a string that is not empty' }]
  const violations = checkValue('id', id)
  if (violations.length === 0 && !isAbsoluteIri(formatIri(id))) {
    violations.push({ path: 'id', message: 'expected a shorter string' })
  }
  return violations
}

function checkValue(path: string, value: unknown): Violation[] {
  if (typeof value === 'string' && (value.includes('\u0000') || /\p{Cs}/u.test(value))) {
    return [{ path, message: 'expected text without null characters and without halves of surrogate pairs' }]
  }
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    const most = Number.MAX_SAFE_INTEGER
    return [{ path, message: `expected an integer from -${most} to ${most}, which JSON can write exactly` }]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => checkValue(`${path}.${name}`, member))
}

/** JSON that is nested too deeply can be read, but not written. */
function canBeWritten(value: unknown): boolean {
  try {
    JSON.stringify(value)
    return true
  } catch {
    return false
  }
}
