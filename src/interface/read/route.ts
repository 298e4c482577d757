import type { Representation } from '../http/send.ts'
import type { TemplateName } from '../../graph/sparql/template-names.ts'
import type { ReadDependencies } from './dependencies.ts'
import type { RecordList } from './list.ts'
import type { COMMON_PARAMETERS, READ_PARAMETERS } from './parameters.ts'
import type { ListDefaults, ListRequest } from './request.ts'

/** Makes the list of records for a request. */
export type FindRecords<Dependencies extends ReadDependencies = ReadDependencies> = (
  dependencies: Dependencies,
  request: ListRequest,
) => Promise<RecordList>

/**
 * An endpoint that answers with records: of the concepts that a template selects, or from a function. The OpenAPI
 * document describes it from this line and, if it has a template, from the `#+` lines of that.
 */
export type Route<Dependencies extends ReadDependencies = ReadDependencies> = RouteLine & Records<Dependencies>

type Records<Dependencies extends ReadDependencies> =
  | {
      /** The template of `queries/` that selects the concepts. Parameters fill the slots with the same names. */
      template: TemplateName
      find?: undefined
      summary?: undefined
    }
  | {
      template?: undefined
      /** Makes the list of records. */
      find: FindRecords<Dependencies>
      /** The summary of the operation. */
      summary: string
    }

interface RouteLine extends ListDefaults {
  path: string
  /** The path in JSKOS API 2. */
  also?: string
  /** The name of its address in /status (JSKOS API). */
  statusName?: string | undefined
  /** Parameters besides the common ones. */
  parameters?: readonly (keyof typeof READ_PARAMETERS)[]
  /** Common parameters without effect here. */
  ignores?: readonly (keyof typeof COMMON_PARAMETERS)[]
  /** A format that only this endpoint has; it takes precedence over `Accept`. */
  representation?: (request: ListRequest) => Representation | undefined
  /** Advice for the client about cheaper requests, after the message that the store did not answer in time. */
  advice?: string
  /** True if POST with a form body works too, for long lists. */
  post?: true
  /** True if an unknown id in the path is an error. */
  notFound?: true
  /** True if a list of one describes the resource of its record: `Link` leads to its page and its URI. */
  describes?: true
  /** True if it forgives typing errors: the answer may be for other words, which a header names. */
  forgives?: true
  /** The name of the operation, if it does not follow from the path. */
  operationId?: string | undefined
  /** More about the operation. */
  description?: string
}
