import type { Page } from '../http/parameters.ts'
import { queryTemplate } from '../sparql/queries.ts'
import type { Bindings, BoundSelect } from '../sparql/templates.ts'
import { readConcepts, recordsOfConcepts } from './concepts.ts'
import type { ReadDependencies } from './dependencies.ts'
import { listOfOneState, ONE_REQUEST, type ConceptList, type RecordList } from './list.ts'
import { inOnePiece } from './pieces.ts'
import type { ListRequest } from './request.ts'
import type { TemplateSelection } from './selection.ts'

/** The concepts that a template finds, in the order of records. */
export class TemplateList implements ConceptList {
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

  /** The service remembers the number for a moment if it took long to find. */
  async count(): Promise<number> {
    const { client, counts } = this.#dependencies
    const { signal } = this.#request
    const query = queryTemplate('describe/count').bind({ subselect: { slot: 'c', select: this.#select() } })
    const find = async () => {
      const [row] = await client.select(query, { signal })
      return Number(row?.['count']?.value ?? 0)
    }
    return this.#selection.isLong ? counts.get(query.text, find, signal) : find()
  }

  async inOneRequest(): Promise<RecordList | undefined> {
    const { page, view } = this.#request
    if (page.limit > ONE_REQUEST) return this.#whole()
    const { isLong } = this.#selection
    // To describe ancestors, the store has to find the concepts a second time.
    if (isLong && view.properties.has('ancestors')) return undefined
    const counting = isLong ? this.count() : undefined
    // Awaited below, if at all.
    counting?.catch(() => undefined)
    const concepts = await this.#read(this.#select(orderedPage(page)))
    const total = endOf(page, concepts.length) ?? (await (counting ?? this.count()))
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

  /** First the URIs, then the records in pieces; the service fetches one piece while it writes another. */
  inPieces(): Promise<RecordList> {
    const { client } = this.#dependencies
    const { view, page, signal } = this.#request
    const { template, terms } = this.#selection
    const query = queryTemplate(template).bind({ terms, ...orderedPage(page) })
    return listOfOneState(client, signal, async () => {
      const uris = (await client.select(query, { signal })).flatMap(({ c }) => c?.value ?? [])
      const total = endOf(page, uris.length) ?? (await this.count())
      return { total, shown: uris.length, records: recordsOfConcepts(this.#dependencies, uris, view, signal) }
    })
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
