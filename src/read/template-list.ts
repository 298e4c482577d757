import type { Page } from '../http/parameters.ts'
import { queryTemplate } from '../sparql/queries.ts'
import type { Bindings, BoundSelect } from '../sparql/templates.ts'
import { conceptsInOrder, readConcepts, recordsOfConcepts } from './concepts.ts'
import type { ReadDependencies } from './dependencies.ts'
import type { ListPage, ListQuestion } from './indexed-lists.ts'
import { listOfOneState, ONE_REQUEST, type RecordList } from './list.ts'
import { changed, inOnePiece } from './pieces.ts'
import type { ListRequest } from './request.ts'
import type { TemplateSelection } from './selection.ts'

/** URIs to get from the search index at a time. */
const BATCH = 5000

/** The concepts that a template finds, in the order of records; their URIs come from the search index if it has the same list. */
export class TemplateList {
  readonly #dependencies: ReadDependencies
  readonly #selection: TemplateSelection
  readonly #request: ListRequest

  constructor(dependencies: ReadDependencies, selection: TemplateSelection, request: ListRequest) {
    this.#dependencies = dependencies
    this.#selection = selection
    this.#request = request
  }

  /** True if it has no concepts, whatever the store has: a slot without terms selects nothing, for instance for an unknown vocabulary. */
  get isEmpty(): boolean {
    return Object.values(this.#selection.terms).some((terms) => terms?.length === 0)
  }

  /** Its length. The service remembers it for a moment if it took long to find. */
  async count(): Promise<number> {
    const listed = await this.#listed({ limit: 0, offset: 0 })
    return listed ? listed.total : this.#count()
  }

  async #count(): Promise<number> {
    const { client, counts } = this.#dependencies
    const { signal } = this.#request
    const query = queryTemplate('describe/count').bind({ subselect: { slot: 'c', select: this.#select() } })
    const find = async () => {
      const [row] = await client.select(query, { signal })
      return Number(row?.['count']?.value ?? 0)
    }
    return this.#selection.isLong ? counts.get(query.text, find, signal) : find()
  }

  /** The page, if one request to the store can give it. */
  async inOneRequest(): Promise<RecordList | undefined> {
    const { page, view } = this.#request
    const { offset, limit } = page
    const listed = await this.#listed({ offset, limit: Math.min(limit, ONE_REQUEST + 1) })
    if (listed && listed.uris.length > ONE_REQUEST) return undefined
    const described = listed && (await this.#describe(listed))
    if (described) return described
    if (limit > ONE_REQUEST) return this.#whole()
    const { isLong } = this.#selection
    // To describe ancestors, the store has to find the concepts a second time.
    if (isLong && view.properties.has('ancestors')) return undefined
    const counting = isLong ? this.#count() : undefined
    // Awaited below, if at all.
    counting?.catch(() => undefined)
    const concepts = await this.#read(this.#select(orderedPage(page)))
    const total = endOf(page, concepts.length) ?? (await (counting ?? this.#count()))
    return { total, records: inOnePiece(concepts.map(({ record }) => record)) }
  }

  /** The whole list, if it is short. The store need not put it in order; the service does so when it has the records. */
  async #whole(): Promise<RecordList | undefined> {
    const { counts, state } = this.#dependencies
    const { page, signal } = this.#request
    if (this.#selection.isLong || page.offset > 0) return undefined
    const select = this.#select({ include: ['page'], limit: ONE_REQUEST, offset: 0 })
    const before = await state.recent(signal)
    const isLong = counts.peek(select.text, before) !== undefined
    if (isLong) return undefined
    const concepts = await this.#read(select)
    const total = concepts.length
    if (total < ONE_REQUEST) return { total, records: inOnePiece(concepts.map(({ record }) => record)) }
    counts.keep(select.text, total, before)
    return undefined
  }

  /** The page in pieces: first the URIs, then the records; the service fetches one piece while it writes another. */
  inPieces(): Promise<RecordList> {
    const { client } = this.#dependencies
    const { view, page, signal } = this.#request
    const { template, terms } = this.#selection
    const query = queryTemplate(template).bind({ terms, ...orderedPage(page) })
    return listOfOneState(client, signal, async () => {
      const listed = await this.#inBatches()
      if (listed) return listed
      const uris = (await client.select(query, { signal })).flatMap(({ c }) => c?.value ?? [])
      const total = endOf(page, uris.length) ?? (await this.#count())
      return { total, shown: uris.length, records: recordsOfConcepts(this.#dependencies, uris, view, signal) }
    })
  }

  /** A page of the list from the search index; undefined if it does not have the list. */
  async #listed(page: ListQuestion['page'], isFresh = false): Promise<(ListPage & { nth: number }) | undefined> {
    const { lists, registry } = this.#dependencies
    const { signal } = this.#request
    const { indexed = [] } = this.#selection
    const present = isFresh && indexed.length > 0 ? await registry.fresh(signal) : undefined
    for (const [nth, { vocabulary, list }] of indexed.entries()) {
      const current = present ? present.find(({ uri }) => uri === vocabulary.uri) : vocabulary
      const listed = current && (await lists.page(current, { list, page }, signal))
      if (listed) return { ...listed, nth }
    }
    return undefined
  }

  /** The records of a page of the search index; undefined if the store does not have all of them. */
  async #describe({ nth, ...page }: ListPage & { nth: number }): Promise<RecordList | undefined> {
    const { view, signal } = this.#request
    const { total, uris } = page
    const concepts = await conceptsInOrder(this.#dependencies, uris, view, signal)
    const records = concepts.flatMap(({ isConcept, record }) => (isConcept ? record : []))
    if (records.length === uris.length) return { total, records: inOnePiece(records) }
    this.#dependencies.lists.doubt(this.#selection.indexed![nth]!.vocabulary, page)
    return undefined
  }

  /** The page by the search index, if it has the list as the store has it now. */
  async #inBatches(): Promise<(RecordList & { shown: number }) | undefined> {
    const { page, view, signal } = this.#request
    const end = page.offset + page.limit
    const batch = (offset: number) => this.#listed({ offset, limit: Math.min(BATCH, end - offset) }, true)
    const first = await batch(page.offset)
    if (!first) return undefined
    const { total } = first
    const shown = Math.max(0, Math.min(page.limit, total - page.offset))
    const dependencies = this.#dependencies
    const records = async function* () {
      let [listed, read]: [ListPage | undefined, number] = [first, 0]
      while (read < shown) {
        if (!listed || listed.uris.length === 0) throw changed()
        for await (const piece of recordsOfConcepts(dependencies, listed.uris, view, signal)) {
          read += piece.length
          yield piece
        }
        if (read < shown) listed = await batch(page.offset + read)
      }
    }
    return { total, shown, records: records() }
  }

  #select(part: Omit<Bindings, 'terms'> = {}): BoundSelect {
    const { template, terms } = this.#selection
    return queryTemplate(template).bindSubselect({ terms, ...part })
  }

  #read(select: BoundSelect) {
    const { view, signal } = this.#request
    return readConcepts(this.#dependencies, { select, isOne: this.#selection.isOne }, view, signal)
  }
}

const orderedPage = ({ limit, offset }: Page) => ({ include: ['order', 'page'], limit, offset })

/** The length of a list whose end a page shows; undefined if it does not. */
function endOf({ limit, offset }: Page, shown: number): number | undefined {
  return shown < limit && (shown > 0 || offset === 0) ? offset + shown : undefined
}
