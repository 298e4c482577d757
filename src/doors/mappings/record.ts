import {
  identifiersOf,
  mappingId,
  statedMapping,
  statedMappingId,
  type MappedScheme,
  type Mapping,
} from '../../graph/jskos/mapping.ts'
import { compareCodePoints } from '../../graph/jskos/order.ts'
import { schemeNotations } from '../../graph/jskos/field-values.ts'
import type { FoundMapping } from '../../graph/index/mappings/mapping-reader.ts'
import { vocabulariesNamed, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'

/** The sources of records of mappings. */
interface MappingView {
  vocabularies: readonly Vocabulary[]
  baseUrl: string
  contextUrl: string
}

/** A mapping as the service answers it. */
export type MappingRecord = Mapping & { uri: string; type: string[] }

/**
 * The record of a mapping: what a vocabulary states, or the JSKOS text of a loaded one to the letter. Its URI is its
 * address at this service, because clients ask there for the mapping; another URI that it has is among the identifiers.
 */
export function mappingRecord(mappingRow: FoundMapping, view: MappingView): MappingRecord {
  const { uri, stated, type, graph, source, target, jskos, notations } = mappingRow
  if (jskos !== null) {
    const mapping = JSON.parse(jskos) as Mapping
    const other = mapping.uri === undefined ? [] : [mapping.uri]
    return addressed(mapping, mappingId(uri), type, view, other)
  }
  const mapping = statedMapping(uri, type, stated!)
  const [from, to] = [mapping.from.memberSet![0]!, mapping.to.memberSet![0]!]
  if (notations[0] !== null) from.notation = [notations[0]]
  if (notations[1] !== null) to.notation = [notations[1]]
  const schemes = {
    fromScheme: schemeOf(source, view.vocabularies),
    ...(target === '' ? {} : { toScheme: schemeOf(target, view.vocabularies) }),
  }
  return addressed({ ...mapping, ...schemes }, statedMappingId(graph, uri, type, stated!), type, view, [])
}

function addressed(
  mapping: Mapping,
  id: string,
  type: string,
  { baseUrl, contextUrl }: MappingView,
  uris: readonly string[],
): MappingRecord {
  const uri = `${baseUrl}mappings/${id}`
  const identifiers = [...uris, ...(mapping.identifier ?? [])].filter(
    (identifier) => identifier !== null && identifier !== uri,
  )
  // The package that makes these would replace the identifiers of the mapping itself.
  const kept = identifiers.filter((identifier) => !/^(urn:jskos:mapping|mapping):/.test(identifier!))
  const identifier = [...new Set([...kept, ...identifiersOf(mapping)] as string[])].sort(compareCodePoints)
  return { ...mapping, '@context': contextUrl, uri, identifier, type: mapping.type ?? [type] }
}

/** A vocabulary as mappings name it. */
export function schemeOf(uri: string, vocabularies: readonly Vocabulary[]): MappedScheme {
  const [vocabulary] = vocabulariesNamed(vocabularies, [uri])
  const notation = vocabulary ? schemeNotations(vocabulary.notations, vocabulary.ids) : []
  return notation.length > 0 ? { uri, notation } : { uri }
}
