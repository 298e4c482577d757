import type { Config } from '../../config.ts'
import {
  readLanguages,
  readNamesOrIris,
  readPage,
  requestedProperties,
  type Page,
  type Parameters,
} from '../http/parameters.ts'
import { CLASS_DEFAULT, COLLECTION_DEFAULT, CONCEPT_DEFAULT, SCHEME_DEFAULT } from '../../graph/jskos/properties.ts'
import type { RecordOptions } from '../../graph/jskos/field-values.ts'
import type { Scope, VocabularyRegistry } from '../../graph/vocabularies/registry.ts'

/** The view of records that a request wants, and the vocabularies. */
export interface View extends RecordOptions {
  scope: Scope
}

/** A request for a list of records, from a client, a page, reconciliation, the history or an export. */
export interface ListRequest {
  parameters: Parameters
  /** `{vocid}` of the path. */
  vocid: string | undefined
  view: View
  page: Page
  /** MAX_LIMIT. */
  maxLimit: number
  /** Aborted when nobody waits for the answer. */
  signal: AbortSignal
}

/** The fields of records without `properties`. */
const DEFAULTS = {
  Concept: CONCEPT_DEFAULT,
  Vocabulary: SCHEME_DEFAULT,
  Collection: COLLECTION_DEFAULT,
  Class: CLASS_DEFAULT,
}

/** The parts of a request that depend on the endpoint. */
export interface ListDefaults {
  /** The kind of the records; concepts by default. */
  records?: keyof typeof DEFAULTS
  /** The number of records if the request gives no limit; MAX_LIMIT by default. */
  limit?: number
}

/**
 * Makes the request for a list from its parameters.
 *
 * @throws ApiError MalformedRequestError naming the wrong parameter; the errors of the store.
 * @example
 * const parameters = new Map([['uri', uri], ['properties', 'prefLabel']])
 * const request = await listRequest(dependencies, { parameters, signal })
 */
export async function listRequest(
  { config, registry }: { config: Config; registry: VocabularyRegistry },
  { parameters, vocid, signal }: Pick<ListRequest, 'parameters' | 'signal'> & { vocid?: string | undefined },
  { records = 'Concept', limit }: ListDefaults = {},
): Promise<ListRequest> {
  // A download has all records, because MAX_LIMIT only bounds answers for display.
  const maximum = parameters.has('download') ? Number.MAX_SAFE_INTEGER : config.maxLimit
  const page = readPage(parameters, maximum, limit === undefined ? maximum : Math.min(limit, maximum))
  const scope = await registry.scope(readNamesOrIris(parameters, 'voc'))
  return {
    parameters,
    vocid,
    page,
    maxLimit: config.maxLimit,
    signal,
    view: {
      properties: requestedProperties(parameters, DEFAULTS[records]),
      languages: readLanguages(parameters, 'languages'),
      preferred: [...new Set([...(readLanguages(parameters, 'language') ?? []), ...config.defaultLanguages])],
      scope,
      order: await registry.order(scope),
      vocabularies: await registry.list(),
      contextUrl: config.jskosContextUrl,
    },
  }
}

/** True if what a view shows of concepts is enough to put them in order. */
export function showsOrder({ order, properties }: Pick<View, 'order' | 'properties'>): boolean {
  return order.isByNotations || properties.has('prefLabel')
}
