import { validate } from 'jskos-validate'
import { isObject } from '../../base/json.ts'
import { conceptsOf, MAPPING_TYPES, type ConceptBundle, type Mapping } from '../../graph/jskos/mapping.ts'
import { isStrictIri } from '../../graph/sparql/grammar.ts'

/**
 * The mistakes of a mapping: the rules of jskos-validate, a concept on one side at least, and URIs that a store takes.
 *
 * @returns a message; undefined if nothing is wrong.
 */
export function mistakeIn(value: unknown): string | undefined {
  if (!isObject(value)) return 'expected a mapping, which is a JSON object'
  if (!isBundle(value['from']))
    return 'from: expected an object with memberSet, memberList, memberChoice or memberRoles'
  if (!isBundle(value['to'])) return 'to: expected an object with memberSet, memberList, memberChoice or memberRoles'
  const broken = brokenRule('mapping', value)
  if (broken !== undefined) return broken
  const mapping = value as unknown as Mapping
  const concepts = [...conceptsOf(mapping.from), ...conceptsOf(mapping.to)]
  if (concepts.length === 0) return 'from, to: expected at least one concept'
  const uris = [mapping.uri, mapping.fromScheme?.uri, mapping.toScheme?.uri, ...concepts.map(({ uri }) => uri)]
  const wrong = uris.find((uri) => uri !== undefined && !isStrictIri(uri))
  if (wrong !== undefined) return `expected an absolute URI, got ${JSON.stringify(wrong.slice(0, 200))}`
  const type = mapping.type?.[0]
  if (type !== undefined && !MAPPING_TYPES.includes(type)) {
    return `type: expected one of ${MAPPING_TYPES.join(', ')}`
  }
  return undefined
}

/** The mistake of a concordance; undefined if there is none. */
export function mistakeInConcordance(value: unknown): string | undefined {
  if (!isObject(value)) return 'expected a concordance, which is a JSON object'
  const broken = brokenRule('concordance', value)
  if (broken !== undefined) return broken
  const uri = value['uri']
  return typeof uri === 'string' && isStrictIri(uri) ? undefined : 'uri: expected an absolute URI'
}

function isBundle(value: unknown): value is ConceptBundle {
  if (!isObject(value)) return false
  const { memberSet, memberList, memberChoice, memberRoles = {} } = value
  const isList = (members: unknown) => members === undefined || Array.isArray(members)
  return (
    [memberSet, memberList, memberChoice].every(isList) &&
    isObject(memberRoles) &&
    Object.values(memberRoles).every(isList)
  )
}

/** The mistake by the rules of jskos-validate; undefined if there is none. */
function brokenRule(kind: 'mapping' | 'concordance', value: object): string | undefined {
  const isValid = validate[kind]!
  try {
    if (isValid(value, { unknownFields: true })) return undefined
  } catch {
    return `the record does not have the structure of a JSKOS ${kind}`
  }
  const errors = isValid.errors ?? []
  const depth = (validationError: (typeof errors)[number]) =>
    typeof validationError === 'string' ? 0 : (validationError.position?.jsonpointer ?? '').split('/').length
  // Of several errors about one value, the innermost is the cause.
  const error = [...errors].sort((a, b) => depth(b) - depth(a))[0]
  if (error === undefined) return `the record is no JSKOS ${kind}`
  if (typeof error === 'string') return error
  const path = (error.position?.jsonpointer ?? '').slice(1).replaceAll('/', '.')
  return path === '' ? error.message : `${path}: ${error.message}`
}
