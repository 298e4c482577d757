import type { JskosRecord } from '../../graph/jskos/record.ts'
import { readIris } from '../../interface/http/parameters.ts'
import type { RecordList } from '../../interface/read/list.ts'
import type { ListRequest } from '../../interface/read/request.ts'
import { concordancesNamed } from './concordance-answers.ts'
import { mappingsNamed, type MappingDependencies } from './find-mappings.ts'

/** Finds mappings and concordances by `uri` as well; they come after everything else. */
export function withMappings<Dependencies extends MappingDependencies>(
  findRecords: (dependencies: Dependencies, request: ListRequest) => Promise<RecordList>,
): (dependencies: Dependencies, request: ListRequest) => Promise<RecordList> {
  return async (dependencies, request) => {
    const list = await findRecords(dependencies, request)
    const { parameters, page, signal } = request
    if (!parameters.has('uri')) return list
    const { registry, config } = dependencies
    const given = readIris(parameters, 'uri')
    if (list.total >= given.length) return list
    const isLoaded = (await registry.concordances()).length > 0
    const uris = given.filter((uri) => isLoaded || uri.startsWith(`${config.baseUrl}mappings/`))
    if (uris.length === 0) return list
    const [mappings, concordances] = await Promise.all([
      mappingsNamed(dependencies, uris, signal),
      isLoaded ? concordancesNamed(dependencies, uris, signal) : [],
    ])
    // Like concepts and vocabularies, they are records with a URI and types.
    const more = [...mappings, ...concordances] as unknown as JskosRecord[]
    if (more.length === 0) return list
    const { total } = list
    const shown = more.slice(Math.max(0, page.offset - total), Math.max(0, page.offset + page.limit - total))
    return { ...list, total: total + more.length, records: followedBy(list.records, shown) }
  }
}

async function* followedBy(records: AsyncIterable<JskosRecord[]>, shown: JskosRecord[]): AsyncGenerator<JskosRecord[]> {
  yield* records
  if (shown.length > 0) yield shown
}
