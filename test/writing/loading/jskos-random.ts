/** Makes records of JSKOS with all fields that the table has, and objects within objects. */
import { CONCEPT, CONCEPT_SCHEME, SKOS } from '../../../src/base/namespaces.ts'
import { fieldsOf, type Field, type FieldOwner } from '../../../src/graph/jskos/fields.ts'
import type { AnyRecord } from '../../../src/graph/jskos/record.ts'

/** Fields that follow from others, stand for members, or have rules of their own. */
const NOT_MADE = [
  'ancestors',
  'broader',
  'concepts',
  'depth',
  'descendants',
  'hasChildren',
  'inScheme',
  'levels',
  'memberChoice',
  'memberList',
  'memberOf',
  'memberRoles',
  'memberSet',
  'narrower',
  'order',
  'rank',
  'status',
  'topConceptOf',
  'topConcepts',
]
const TEXTS = ['Straße', 'a "quoted" text', 'back\\slash', '東京', 'two\nlines', '<b>', 'l’eau', '😀']
const LANGUAGES = ['de', 'en', 'und', 'zh-hans', 'de-ch-1996']
const DATES = ['2020-02-03', '2019', '2018-11', '2021-05-05T10:00:00.5+02:00', '-0044']
const MATCHES = ['exactMatch', 'closeMatch', 'broadMatch', 'narrowMatch', 'relatedMatch']

/**
 * A vocabulary and its concepts; the same for the same seed.
 *
 * @param depth how often objects are within objects.
 */
export function randomVocabulary(seed: number, depth: number): { scheme: AnyRecord; concepts: AnyRecord[] } {
  const { next, pick, flag } = randomness(seed)
  const uri = `http://example.org/random${seed}/`
  const members = Array.from({ length: 4 }, (_, at) => `${uri}${at}`)
  const named = (kind: string) => `http://example.org/${kind}/${seed}/${next()}`
  const text = () => `${pick(TEXTS)} ${next()}`
  /** Another one with each call, because equal objects of a set are one. */
  const extended = () => {
    const year = 1000 + next()
    return pick([`${year}/${year + 5}`, `${year}?`, `${year}/..`, `${year}-21`, `-${year}-05-22`, `${year}`])
  }
  const byLanguage = <Value>(value: () => Value) =>
    Object.fromEntries([pick(LANGUAGES), pick(LANGUAGES)].map((language) => [language, value()]))
  const twice = <Value>(make: () => Value) => [make(), make()]

  /** Only one in some fields; all of them would make objects without end. */
  const fields = (owner: FieldOwner, share: number, left: number, self?: string): AnyRecord =>
    Object.fromEntries(
      fieldsOf(owner)
        .filter(({ name }) => !NOT_MADE.includes(name) && flag(share))
        .map((field): [string, unknown] => [field.name, valueOf(field, left - 1, self)])
        .filter(([, value]) => value !== undefined),
    )
  const item = (left: number): AnyRecord => {
    const further = left > 0 ? fields('item', 0.1, left) : {}
    return pick([{ url: `https://example.org/${next()}` }, { ...further, uri: named('item') }, further, further])
  }
  const object = (owner: FieldOwner, left: number) => ({ ...fields(owner, left > 0 ? 0.3 : 0.1, left) })
  const valueOf = (field: Field, left: number, self?: string): unknown => {
    const { name, kind, holds, datatype } = field
    const isNested = ['items', 'item', 'object', 'objects', 'qualified'].includes(kind)
    if (isNested && left < 0) return undefined
    switch (kind) {
      case 'label':
        return byLanguage(text)
      case 'labels':
      case 'note':
        return byLanguage(() => twice(text))
      case 'strings':
        return twice(text)
      case 'languages':
        return ['de', 'zh-hans']
      case 'text':
        return name === 'namespace' ? uri : name === 'template' ? 'https://example.org/{notation}' : text()
      case 'date':
        return datatype === undefined ? extended() : pick(DATES)
      case 'dates':
        return ['1900', '19XX']
      case 'boolean':
        return flag(0.5)
      case 'number':
        return name === 'frequency' ? 0.25 : next()
      case 'json':
        return { type: 'Point', coordinates: [-49.5, 1e-7, next()] }
      case 'jsons':
        return name === 'media' ? [{ type: 'Manifest', items: [{ id: named('canvas') }, null] }] : [annotation()]
      case 'url':
        return `https://example.org/page?a=${next()}&b#c`
      case 'iri':
      case 'iriOrText':
        return `https://example.org/${next()}`
      case 'iris':
        return name === 'type' && self !== undefined ? undefined : twice(() => `https://example.org/${next()}`)
      case 'items':
        return filled(twice(() => item(left)))
      case 'item':
        return { ...fields('item', 0.1, left), uri: named('item') }
      case 'concepts':
        return [
          { uri: pick(members.filter((member) => member !== self)) },
          { uri: named('concept'), prefLabel: { de: text() } },
        ]
      case 'mappings':
        return [{ type: [`${SKOS}${pick(MATCHES)}`], from: side(self!), to: side(named('concept')) }]
      case 'object':
        return name === 'checksum' ? { algorithm: named('algorithm'), value: 'ab12' } : { street: text(), code: text() }
      case 'objects':
        return filled(twice(() => object(holds!, left)))
      case 'qualified':
        return { [named('property')]: twice(() => ({ ...object(holds!, left), ...statement(holds!, left) })) }
      default:
        return undefined
    }
  }
  const side = (concept: string) => ({ memberSet: [{ uri: concept }] })
  const annotation = () => ({
    '@context': 'http://www.w3.org/ns/anno.jsonld',
    id: named('annotation'),
    type: 'Annotation',
    target: named('target'),
    bodyValue: text(),
  })
  const statement = (owner: FieldOwner, left: number): AnyRecord => {
    if (owner === 'date') return { date: extended() }
    if (owner === 'literal')
      return { literal: pick([{ string: text() }, { string: text(), language: pick(LANGUAGES) }]) }
    return { resource: { ...(left > 0 ? fields('item', 0.1, left) : {}), uri: named('item') } }
  }

  const scheme = { ...fields('scheme', 0.5, depth, uri), uri, type: [CONCEPT_SCHEME], notation: [`random${seed}`] }
  const concepts = members.map((member, at) => ({
    ...fields('concept', 0.5, depth, member),
    ...(flag(0.7)
      ? { occurrences: [{ ...object('occurrence', depth), count: at, memberSet: [{ uri: members[0] }] }] }
      : {}),
    uri: member,
    type: [CONCEPT],
    inScheme: [{ uri }],
    broader: at === 0 ? [] : [{ uri: members[0] }],
  }))
  return { scheme, concepts }
}

/** Without objects that have no field; undefined if none is left. */
function filled(objects: readonly AnyRecord[]): AnyRecord[] | undefined {
  const left = objects.filter((object) => Object.keys(object).length > 0)
  return left.length > 0 ? left : undefined
}

/** Numbers that follow from a seed alone (a linear congruential generator). */
function randomness(seed: number) {
  let state = seed
  let count = 0
  const share = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  return {
    /** Another number with each call. */
    next: () => ++count,
    pick: <Value>(values: readonly Value[]) => values[Math.floor(share() * values.length)]!,
    /** True with a probability. */
    flag: (probability: number) => share() < probability,
  }
}
