import { readConcepts } from './concepts.ts'
import type { ReadDependencies } from './dependencies.ts'
import { nothing, type RecordList } from './list.ts'
import { inOnePiece } from './pieces.ts'
import type { ListRequest } from './request.ts'
import type { Selection, UriSelection } from './selection.ts'
import { TemplateList } from './template-list.ts'

/**
 * The requested page of the selected concepts, as records. There is one plan for all lists: without records only their number is
 * read; a page that one request to the store can give takes one request; any other is read in pieces.
 */
export async function pageOfConcepts(
  dependencies: ReadDependencies,
  selection: Selection,
  request: ListRequest,
): Promise<RecordList> {
  if ('uris' in selection) return pageOfUris(dependencies, selection, request)
  const list = new TemplateList(dependencies, selection, request)
  if (list.isEmpty) return nothing()
  if (request.page.limit === 0) return { total: await list.count(), records: inOnePiece([]) }
  return (await list.inOneRequest()) ?? list.inPieces()
}

/** Nothing needs to select the concepts first. */
async function pageOfUris(
  dependencies: ReadDependencies,
  { uris, ofAnyClass = false }: UriSelection,
  { view, signal, page }: ListRequest,
): Promise<RecordList> {
  const found = await readConcepts(dependencies, { uris }, view, signal)
  const concepts = ofAnyClass ? found : found.filter(({ isConcept }) => isConcept)
  const shown = concepts.slice(page.offset, page.offset + page.limit)
  return { total: concepts.length, records: inOnePiece(shown.map(({ record }) => record)) }
}
