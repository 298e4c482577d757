/** Compares what records of JSKOS say. */
import type { AnyRecord } from '../../../src/graph/jskos/record.ts'

/**
 * The paths of what a value lacks of another. Objects may have more, such as the names of what they link to, and lists
 * of texts, such as the ids and the class of a vocabulary; sets of objects have as many members, in any order.
 */
export function lost(expected: unknown, actual: unknown, path = ''): string[] {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return [path]
    if (typeof expected[0] === 'object' && actual.length !== expected.length) return [path]
    const isList = path.endsWith('.memberList')
    return expected.flatMap((member, at) => {
      const same = (other: unknown) => lost(member, other).length === 0
      return (isList ? same(actual[at]) : actual.some(same)) ? [] : `${path}[${at}]`
    })
  }
  if (typeof expected !== 'object' || expected === null) return expected === actual ? [] : [path]
  const { ...members } = (actual ?? {}) as AnyRecord
  return Object.entries(expected).flatMap(([name, member]) => lost(member, members[name], `${path}.${name}`))
}

/**
 * The statements of a record, without its own URI as an identifier, the signs of closed worlds (JSKOS 0.7), the fields
 * of its program, and an altLabel that equals the prefLabel, which loading drops and reports.
 */
export function stated(value: unknown, uri?: unknown): unknown {
  if (Array.isArray(value))
    return value.filter((member) => member !== null && member !== uri).map((member) => stated(member))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(
    ([name, member]) => member !== null && !/^(-|@context|_.*|[A-Z0-9]+)$/.test(name),
  )
  const { uri: recordUri, prefLabel } = value as AnyRecord
  const labels = (prefLabel ?? {}) as Record<string, unknown>
  return Object.fromEntries(
    members.map(([name, member]) => {
      if (name !== 'altLabel') return [name, stated(member, recordUri)]
      const altLabels = Object.entries(member as Record<string, unknown[]>)
        .map(([language, texts]) => [language, texts.filter((text) => text !== labels[language])] as const)
        .filter(([, texts]) => texts.length > 0)
      return [name, Object.fromEntries(altLabels)]
    }),
  )
}
