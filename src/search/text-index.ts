import type { Config } from '../config.ts'
import { queryTemplate } from '../sparql/queries.ts'
import type { TemplateName } from '../sparql/template-names.ts'
import type { SparqlClient } from '../sparql/client.ts'

/** Finds out whether the store has a text index for `text:query` (Apache Jena; TEXT_INDEX). */
export class TextIndex {
  readonly #client: SparqlClient
  #known: boolean | undefined

  constructor(client: SparqlClient, setting: Config['textIndex']) {
    this.#client = client
    this.#known = setting === 'auto' ? undefined : setting === 'jena-text'
  }

  /**
   * Asks the store once, and again if the store was empty or down.
   *
   * @throws ApiError if the store fails.
   */
  async isThere(signal?: AbortSignal): Promise<boolean> {
    if (this.#known !== undefined) return this.#known
    if (await this.#ask('search/index', signal)) this.#known = true
    else if (await this.#ask('search/has-labels', signal)) this.#known = false
    return this.#known ?? false
  }

  #ask(name: TemplateName, signal: AbortSignal | undefined): Promise<boolean> {
    return this.#client.ask(queryTemplate(name).bind(), { signal })
  }
}
