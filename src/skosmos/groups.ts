import { compareCodePoints, smallestNotation } from '../jskos/order.ts'
import type { Link } from '../jskos/names.ts'
import { COLLECTIONS, ISOTHES, RDF_TYPE, SKOS, THESAURUS_ARRAY } from '../namespaces.ts'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import type { Solution } from '../sparql/client.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { iri } from '../sparql/terms.ts'
import { contexts } from './contexts.ts'
import { labelIn, labelOrOther } from './labels.ts'
import { inOrder, shortType } from './search.ts'
import { ask, graphOf, notFound, type SchemeRequest, type VocabularyRequest } from './request.ts'

/** The statements of the store about a member of a collection. */
interface DescribedMember {
  uri: string
  types: string[]
  /** By language tag, `und` without one. */
  labels: Record<string, string>
  /** The smallest one. */
  notation?: string
  hasMembers: boolean
  /** It is a group above other groups (ISO 25964). */
  isSuper: boolean
}

/** The resources in rows of a resource, a property and a value. */
function describe(rows: readonly Solution[], variable: string): DescribedMember[] {
  const described = new Map<string, DescribedMember>()
  for (const { [variable]: term, p, o } of rows) {
    if (term?.type !== 'uri') continue
    const uri = term.value
    let resource = described.get(uri)
    if (!resource) described.set(uri, (resource = { uri, types: [], labels: {}, hasMembers: false, isSuper: false }))
    const value = o?.value ?? ''
    const tag = o?.['xml:lang']?.toLowerCase() || 'und'
    switch (p?.value) {
      case RDF_TYPE:
        resource.types.push(value)
        break
      case `${SKOS}prefLabel`:
        resource.labels[tag] = value
        break
      case `${SKOS}notation`:
        resource.notation = smallestNotation([value, resource.notation ?? value])!
        break
      case `${SKOS}member`:
        resource.hasMembers = true
        break
      case `${ISOTHES}superGroup`:
        resource.isSuper = true
        break
    }
  }
  return [...described.values()]
}

const lower = (label: string | null | undefined) => label?.toLowerCase() ?? ''
const notationOf = ({ notation }: DescribedMember) => (notation === undefined ? {} : { notation })

/** The classes of groups; an array divides the narrower concepts of a concept and is no group. */
const GROUPS = COLLECTIONS.filter((collectionClass) => collectionClass !== THESAURUS_ARRAY).join('|')

/** The groups of the vocabulary as records, and their number. */
function groupRecords(request: VocabularyRequest, parameters: Readonly<Record<string, string>>) {
  return ask(request, '/voc/:vocid/groups', { type: GROUPS, ...parameters }, request.id)
}

/** `groups`: the collections with a name in the language, in the order of their names. */
export async function groups(request: VocabularyRequest) {
  const { language, dependencies } = request
  const limit = String(dependencies.config.maxLimit)
  const { records } = await groupRecords(request, { properties: '+memberOf', limit })
  const childGroups = new Map<string, string[]>()
  for (const { uri, memberOf } of records) {
    for (const parent of memberOf as readonly Link[]) {
      childGroups.set(parent.uri, [...(childGroups.get(parent.uri) ?? []), uri])
    }
  }
  const named = records.flatMap(({ uri, prefLabel: labels, notation = [], memberSet = [], memberList = [] }) => {
    const prefLabel = labelIn(labels, language)
    if (prefLabel === undefined) return []
    const hasMembers = memberSet.length + memberList.length > 0
    const children = childGroups.get(uri)?.sort(compareCodePoints)
    return {
      uri,
      prefLabel,
      ...(children ? { childGroups: children } : {}),
      hasMembers,
      ...(notation[0] === undefined ? {} : { notation: notation[0] }),
    }
  })
  named.sort((a, b) => compareCodePoints(lower(a.prefLabel), lower(b.prefLabel)) || compareCodePoints(a.uri, b.uri))
  return { '@context': contexts.groups(language), uri: '', groups: named }
}

/** True if the vocabulary has a collection with this URI. */
async function isGroup(request: VocabularyRequest, uri: string): Promise<boolean> {
  const { records } = await ask(request, '/data', { uri, voc: request.vocabulary.uri })
  return records.some(({ type }) => COLLECTIONS.some((collectionClass) => type.includes(collectionClass)))
}

/** `groupMembers`: the members of a collection, in the order of their names. */
export async function groupMembers(request: SchemeRequest) {
  const { dependencies, parameters, vocabulary, language, signal } = request
  const uri = parameters.get('uri') ?? ''
  const unknown = notFound(`Could not find group <${uri}>`)
  if (!isAbsoluteIri(uri)) throw unknown
  const query = queryTemplate('skosmos/members').bind({
    terms: {
      graph: [iri(await graphOf(request))],
      group: [iri(uri)],
      subset: vocabulary.isSubset ? [iri(vocabulary.uri)] : undefined,
    },
  })
  const rows = await dependencies.client.select(query, { signal })
  const members = describe(rows, 'member').map((member) => ({
    ...member,
    prefLabel: labelOrOther(member.labels, request, false),
  }))
  if (members.length === 0 && !(await isGroup(request, uri))) throw unknown
  members.sort((a, b) => compareCodePoints(lower(a.prefLabel), lower(b.prefLabel)) || compareCodePoints(a.uri, b.uri))
  return {
    '@context': contexts.groupMembers(language),
    uri,
    members: members.map((member) => ({
      uri: member.uri,
      isSuper: member.isSuper,
      hasMembers: member.hasMembers,
      type: inOrder(member.types).map(shortType),
      ...(member.prefLabel === null ? {} : { prefLabel: member.prefLabel }),
      ...notationOf(member),
    })),
  }
}
