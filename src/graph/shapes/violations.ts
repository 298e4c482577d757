import type { DefinedError } from 'ajv'
import type { Violation } from '../../base/errors.ts'

/**
 * Options of ajv for the schemas of `shapes/`. A test checks that they are JSON Schemas; doing so at every start would
 * take longer than compiling them.
 */
export const SCHEMA_OPTIONS = {
  allErrors: true,
  verbose: true,
  ownProperties: true,
  strict: true,
  validateSchema: false,
} as const

/**
 * The errors of a validation by ajv as violations with dotted paths. The `description` of a schema states what it
 * expects; compile the validator with `SCHEMA_OPTIONS`.
 *
 * @param prefix path of the value that was validated (`0.data.3`); empty for the whole body.
 */
export function toViolations(errors: readonly DefinedError[] | null | undefined, prefix = ''): Violation[] {
  const violations = (errors ?? [])
    .filter(({ keyword }) => keyword !== 'propertyNames')
    .map((error) => violation(error, prefix))
  const seen = new Set<string>()
  return violations.filter(({ path, message }) => {
    const key = `${path}\n${message}`
    return !seen.has(key) && seen.add(key)
  })
}

function violation(error: DefinedError, prefix: string): Violation {
  const segments = pointerSteps(error.instancePath)
  const schema = error.parentSchema as { description?: string; properties?: Record<string, { description?: string }> }
  const at = (...more: string[]) => [...(prefix === '' ? [] : [prefix]), ...segments, ...more].join('.')
  if (error.keyword === 'required') {
    const { missingProperty } = error.params
    const expected = schema.properties?.[missingProperty]?.description
    return { path: at(missingProperty), message: expected ? `required: expected ${expected}` : 'required' }
  }
  if (error.keyword === 'additionalProperties') {
    const allowed = Object.keys(schema.properties ?? {}).join(', ')
    return { path: at(error.params.additionalProperty), message: `no such field: expected one of ${allowed}` }
  }
  const name = (error as { propertyName?: string }).propertyName
  const message = schema.description ? `expected ${schema.description}` : (error.message ?? 'not allowed')
  return { path: name === undefined ? at() : at(name), message }
}

/** The steps of a JSON Pointer (RFC 6901, section 4). */
export function pointerSteps(pointer: string): string[] {
  const steps = pointer.split('/').slice(1)
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}
