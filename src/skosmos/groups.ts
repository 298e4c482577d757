import { compareCodePoints } from '../jskos/order.ts'
import { RDF_TYPE, RDFS, SKOS } from '../namespaces.ts'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { iri } from '../sparql/terms.ts'
import { contexts, ISOTHES } from './contexts.ts'
import { labelIn, labelOrOther } from './labels.ts'
import { notFound, type SchemeRequest, type VocabularyRequest } from './request.ts'

/** What the store says about a collection or a member of one. */
interface Described {
  uri: string
  types: string[]
  /** By language tag, `und` without one. */
  labels: Record<string, string>
  notation?: string
  /** Collections in it. */
  children: string[]
  hasMembers: boolean
  /** It is a group above other groups (ISO 25964). */
  isSuper: boolean
}

type Rows = readonly Readonly<Record<string, { type: string; value: string; 'xml:lang'?: string } | undefined>>[]

/** The things in rows of a thing, a property and a value. */
function describe(rows: Rows, variable: string): Described[] {
  const all = new Map<string, Described>()
  for (const { [variable]: thing, p, o } of rows) {
    if (thing?.type !== 'uri') continue
    const uri = thing.value
    let known = all.get(uri)
    if (!known) all.set(uri, (known = { uri, types: [], labels: {}, children: [], hasMembers: false, isSuper: false }))
    const value = o?.value ?? ''
    const tag = o?.['xml:lang']?.toLowerCase() || 'und'
    switch (p?.value) {
      case RDF_TYPE:
        known.types.push(value)
        break
      case `${SKOS}prefLabel`:
        known.labels[tag] = value
        break
      case `${RDFS}label`:
        known.labels[tag] ??= value
        break
      case `${SKOS}notation`:
        known.notation ??= value
        break
      case `${SKOS}member`:
        if (o?.type === 'uri') known.children.push(value)
        else known.hasMembers = true
        break
      case `${ISOTHES}superGroup`:
        known.isSuper = true
        break
      default:
        known.hasMembers = value === 'true'
    }
  }
  return [...all.values()]
}

const lower = (label: string | null | undefined) => label?.toLowerCase() ?? ''
const notationOf = ({ notation }: Described) => (notation === undefined ? {} : { notation })

/** The collections of the vocabulary. */
export async function collections({ dependencies, vocabulary, signal }: VocabularyRequest): Promise<Described[]> {
  const query = queryTemplate('skosmos/groups').bind({ terms: { graph: [iri(vocabulary.uri)] } })
  return describe(await dependencies.client.select(query, { signal }), 'group')
}

/** `groups`: the collections with a name in the language, in the order of their names. */
export async function groups(asked: VocabularyRequest) {
  const { language } = asked
  const found = (await collections(asked)).flatMap((group) => {
    const prefLabel = labelIn(group.labels, language)
    return prefLabel === undefined ? [] : { ...group, prefLabel }
  })
  found.sort((a, b) => compareCodePoints(lower(a.prefLabel), lower(b.prefLabel)) || compareCodePoints(a.uri, b.uri))
  return {
    '@context': contexts.groups(language),
    uri: '',
    groups: found.map((group) => ({
      uri: group.uri,
      prefLabel: group.prefLabel,
      ...(group.children.length > 0 ? { childGroups: group.children.sort(compareCodePoints) } : {}),
      hasMembers: group.hasMembers,
      ...notationOf(group),
    })),
  }
}

/** `groupMembers`: the members of a collection, in the order of their names. */
export async function groupMembers(asked: SchemeRequest) {
  const { dependencies, parameters, vocabulary, language, signal } = asked
  const uri = parameters.get('uri') ?? ''
  const unknown = notFound(`Could not find group <${uri}>`)
  if (!isAbsoluteIri(uri)) throw unknown
  const query = queryTemplate('skosmos/members').bind({ terms: { graph: [iri(vocabulary.uri)], group: [iri(uri)] } })
  const rows = await dependencies.client.select(query, { signal })
  const members = describe(rows, 'member').map((one) => ({ ...one, prefLabel: labelOrOther(one.labels, asked, false) }))
  if (members.length === 0) throw unknown
  members.sort((a, b) => compareCodePoints(lower(a.prefLabel), lower(b.prefLabel)) || compareCodePoints(a.uri, b.uri))
  return {
    '@context': contexts.groupMembers(language),
    uri,
    members: members.map((member) => ({
      uri: member.uri,
      isSuper: member.isSuper,
      hasMembers: member.hasMembers,
      type: member.types.map((type) => (type.startsWith(SKOS) ? `skos:${type.slice(SKOS.length)}` : type)),
      ...(member.prefLabel === null ? {} : { prefLabel: member.prefLabel }),
      ...notationOf(member),
    })),
  }
}
