import type { JskosRecord } from '../jskos/record.ts'
import { readIris } from '../http/parameters.ts'
import type { RecordList } from '../read/list.ts'
import { inOnePiece } from '../read/pieces.ts'
import type { ListRequest } from '../read/request.ts'
import type { MappingDependencies } from './endpoints.ts'
import { mappingsNamed } from './endpoints.ts'

/** Finds mappings by `uri` as well, if nothing else has the URI. */
export function withMappings<Dependencies extends MappingDependencies>(
  others: (dependencies: Dependencies, request: ListRequest) => Promise<RecordList>,
): (dependencies: Dependencies, request: ListRequest) => Promise<RecordList> {
  return async (dependencies, request) => {
    const found = await others(dependencies, request)
    const { parameters, page, signal } = request
    if (found.total > 0 || !parameters.has('uri')) return found
    const { registry, config } = dependencies
    const isLoaded = (await registry.concordances()).length > 0
    const uris = readIris(parameters, 'uri').filter((uri) => isLoaded || uri.startsWith(`${config.baseUrl}mappings/`))
    if (uris.length === 0) return found
    const records = await mappingsNamed(dependencies, uris, signal)
    // Like concepts and vocabularies, a mapping is a record with a URI and types.
    const shown = records.slice(page.offset, page.offset + page.limit) as unknown as JskosRecord[]
    return { total: records.length, records: inOnePiece(shown) }
  }
}
