import { compareCodePoints } from '../../graph/jskos/order.ts'
import { isLink, type Link } from '../../graph/jskos/names.ts'
import { isCollection, membersInOrder } from '../../graph/jskos/record.ts'
import { COLLECTIONS, THESAURUS_ARRAY } from '../../base/namespaces.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { recordsByUri } from '../../interface/read/data.ts'
import { askEndpoint } from '../../routes.ts'
import { contexts } from './contexts.ts'
import { labelIn, labelOrOther } from './labels.ts'
import { skosFirst, shortType } from './namespaces.ts'
import { notFoundError, type SkosmosRequest, type VocabularyRequest } from './request.ts'
import { addToList } from '../../base/groups.ts'

const lower = (label: string | null | undefined) => label?.toLowerCase() ?? ''

/** The classes of groups; an array divides the narrower concepts of a concept and is no group. */
const GROUPS = COLLECTIONS.filter((collectionClass) => collectionClass !== THESAURUS_ARRAY).join('|')

/** `groups`: the collections with a name in the language, in the order of their names. */
export async function groups(request: VocabularyRequest) {
  const { id, language, dependencies } = request
  const limit = String(dependencies.config.maxLimit)
  const asked = { type: GROUPS, properties: '+memberOf', limit }
  const { records } = await askEndpoint({ ...request, vocid: id }, '/voc/:vocid/groups', asked)
  const childGroups = new Map<string, string[]>()
  for (const { uri, memberOf } of records) {
    for (const parent of memberOf as readonly Link[]) {
      addToList(childGroups, parent.uri, uri)
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
      childGroups: children,
      hasMembers,
      notation: notation[0],
    }
  })
  named.sort((a, b) => compareCodePoints(lower(a.prefLabel), lower(b.prefLabel)) || compareCodePoints(a.uri, b.uri))
  return { '@context': contexts.groups(language), uri: '', groups: named }
}

/**
 * The members of a collection as its record names them; undefined if it is no collection.
 *
 * @param voc the URI of the vocabulary or subset that must have the collection, and of a subset its members;
 *   undefined: any.
 * @throws the errors of the store.
 */
export async function membersOf(request: SkosmosRequest, uri: string, voc?: string): Promise<Link[] | undefined> {
  const { records } = await askEndpoint(request, '/data', { uri, voc, properties: 'memberSet,memberList' })
  const group = records.find((record) => record.uri === uri && isCollection(record))
  return group && membersInOrder(group).filter(isLink)
}

/** `groupMembers`: the members of a collection, in the order of their names. */
export async function groupMembers(request: VocabularyRequest) {
  const { parameters, vocabulary, language } = request
  const uri = parameters.get('uri') ?? ''
  const members = isAbsoluteIri(uri) ? await membersOf(request, uri, vocabulary.uri) : undefined
  if (!members) throw notFoundError(`Could not find group <${uri}>`)
  const fields = 'prefLabel,notation,deprecated,memberSet,memberList'
  const records = await recordsByUri(
    request,
    members.map((member) => member.uri),
    { properties: fields },
  )
  const named = [...records.values()].flatMap((record) => {
    if (record.deprecated) return []
    const below = membersInOrder(record)
    return {
      uri: record.uri,
      isSuper: below.some(isCollection),
      hasMembers: below.length > 0,
      type: skosFirst(record.type).map(shortType),
      prefLabel: labelOrOther(record.prefLabel, request, false) ?? undefined,
      notation: record.notation?.[0],
    }
  })
  named.sort((a, b) => compareCodePoints(lower(a.prefLabel), lower(b.prefLabel)) || compareCodePoints(a.uri, b.uri))
  return { '@context': contexts.groupMembers(language), uri, members: named }
}
