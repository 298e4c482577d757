import { MAPPINGS_GRAPH } from '../../base/namespaces.ts'
import type { MappedScheme } from '../../graph/jskos/mapping.ts'
import type { Concordance } from '../../graph/vocabularies/vocabulary.ts'

/** A concordance (JSKOS 0.7, "Concordances"), and the URI of its graph. */
export interface ConcordanceRecord {
  graph: string
  record: {
    uri: string
    notation?: string[]
    identifier?: string[]
    fromScheme?: MappedScheme
    toScheme?: MappedScheme
    creator?: unknown[]
    [field: string]: unknown
  }
}

/** The concordances among the graphs of loaded mappings. */
export function concordanceRecords(graphs: readonly Concordance[]): ConcordanceRecord[] {
  return graphs.flatMap(({ uri, jskos }) => {
    if (uri === MAPPINGS_GRAPH) return []
    return [{ graph: uri, record: { ...(JSON.parse(jskos) as object), uri } }]
  })
}

/** The id of a concordance in the path of its address: its first notation, else its URI. */
export function concordanceId({ record }: ConcordanceRecord): string {
  return record.notation?.[0] ?? record.uri
}

/** The concordance with a URI, an identifier or a notation. */
export function findConcordance(all: readonly ConcordanceRecord[], name: string): ConcordanceRecord | undefined {
  return (
    all.find(({ record }) => record.uri === name) ??
    all.find(({ record }) => record.identifier?.includes(name)) ??
    all.find(({ record }) => record.notation?.includes(name))
  )
}
