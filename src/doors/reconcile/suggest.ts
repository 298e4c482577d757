import { nameOf } from '../../graph/jskos/names.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import type { ListRequest, View } from '../../interface/read/request.ts'
import { askEndpoint, type RouteDependencies, type RoutePath } from '../../routes.ts'
import { labelMatcher } from '../../interface/search/matching.ts'
import { readSearchText } from '../../interface/search/words.ts'
import { PROPERTIES, type Property } from './properties.ts'
import { CONCEPT } from '../../base/namespaces.ts'

/** The typed text, and the wanted part of the list. */
export interface TypedPrefix {
  prefix: string
  /** How many entries to skip. */
  cursor: number
  limit: number
}

/** Concepts (0.2, section 6.2), in the same order as in /search. */
export async function suggestEntities(
  dependencies: RouteDependencies,
  request: ListRequest,
  { prefix, cursor, limit }: TypedPrefix,
): Promise<object> {
  if (readSearchText(prefix) === undefined) return { result: [] }
  const parameters = { search: prefix, limit: String(limit), offset: String(cursor), properties: ENTITY_FIELDS }
  const records = await ask(dependencies, request, '/search', parameters)
  const result = records.map((record) => {
    const { type, ...entity } = toEntity(request.view, record)
    return { ...entity, notable: type }
  })
  return { result }
}

/** Properties: conditions of queries, or columns of tables. */
export function suggestProperties({ prefix, cursor, limit }: TypedPrefix): object {
  const result = PROPERTIES.filter(({ id, name }) => hasWord([id, name], prefix)).map(shown)
  return { result: result.slice(cursor, cursor + limit) }
}

/** The classes of the concepts. */
export async function suggestTypes(
  dependencies: RouteDependencies,
  request: ListRequest,
  { prefix, cursor, limit }: TypedPrefix,
): Promise<object> {
  const records = await ask(dependencies, request, '/types', {})
  const result = records.map((record) => {
    const { uri: id, prefLabel = {} } = record
    const hasLabel = Object.keys(prefLabel).length > 0
    return { id, name: hasLabel ? nameOf(record, request.view.preferred) : typeName(id) }
  })
  const matching = result.filter(({ id, name }) => hasWord([name, typeName(id), id], prefix))
  return { result: matching.slice(cursor, cursor + limit) }
}

/** Columns for a table (0.2, section 7.3); columns of texts also for each language of the vocabularies. */
export async function proposeProperties(
  dependencies: RouteDependencies,
  request: ListRequest,
  type: string | undefined,
  limit: number | undefined,
): Promise<object> {
  const schemes = await ask(dependencies, request, '/voc', { properties: 'languages' })
  const languages = [...new Set(schemes.flatMap(({ languages }) => languages ?? []))].sort()
  const columns = PROPERTIES.filter(({ field }) => field !== undefined)
  const inLanguages = columns.flatMap((property) =>
    property.isByLanguage && languages.length > 1
      ? languages.map((tag) => ({ ...shown(property), id: `${property.id}@${tag}`, name: `${property.name} (${tag})` }))
      : [],
  )
  const properties = [...columns.map(shown), ...inLanguages].slice(0, limit)
  return { properties, ...(type === undefined ? {} : { type }), ...(limit === undefined ? {} : { limit }) }
}

const shown = ({ id, name, description }: Property) => ({ id, name, description })

/** True if one of the texts begins with the prefix, or has words that begin with its words. */
function hasWord(texts: readonly string[], prefix: string): boolean {
  const searched = readSearchText(prefix)
  if (!searched) return true
  const match = labelMatcher(searched)
  return texts.some((text) => match(text) !== undefined)
}

/** The records of an endpoint of the interface, for the vocabularies and the languages of a request. */
async function ask(
  dependencies: RouteDependencies,
  { parameters, signal }: ListRequest,
  path: RoutePath,
  more: Readonly<Record<string, string>>,
): Promise<JskosRecord[]> {
  const given = { voc: parameters.get('voc'), language: parameters.get('language'), ...more }
  const { records } = await askEndpoint({ dependencies, signal }, path, given)
  return records
}

/** A concept as clients of reconciliation see it. */
interface Entity {
  id: string
  name: string
  /** Notation and path from the top; at the address for all vocabularies also the name of its vocabulary. */
  description: string
  type: { id: string; name: string }[]
}

/** The fields that an entity needs. */
export const ENTITY_FIELDS = 'prefLabel,notation,inScheme,ancestors'

/** A record with `ENTITY_FIELDS` as an entity of the Reconciliation Service API. */
export function toEntity({ scope, preferred }: View, record: JskosRecord): Entity {
  const { ancestors = [], inScheme = [], notation } = record
  const path = ancestors.map((above) => nameOf(above, preferred))
  const vocabulary = inScheme.map((scheme) => nameOf(scheme, preferred))[0]
  const fragments = [notation?.join(', '), path.reverse().join(' › '), scope.all ? vocabulary : undefined]
  return {
    id: record.uri,
    name: nameOf(record, preferred),
    description: fragments.filter(Boolean).join(' · '),
    type: record.type.map((id) => ({ id, name: typeName(id) })),
  }
}

/** The name of a class, taken from its URI. */
function typeName(uri: string): string {
  return uri === CONCEPT ? 'Concept' : nameOf({ uri }, [])
}
