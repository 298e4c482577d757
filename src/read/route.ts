import type { ReadDependencies } from './describe.ts'
import type { COMMON_PARAMETERS } from './parameters.ts'
import type { ReadEndpoint } from './read.ts'

/** An endpoint that answers with records. The OpenAPI document describes it from this line and the `#+` lines of its template. */
export interface Route<Dependencies extends ReadDependencies = ReadDependencies> extends ReadEndpoint<Dependencies> {
  path: string
  /** The path in JSKOS API 2. */
  also?: string
  /** The name of its address in /status (JSKOS API). */
  statusName?: string | undefined
  /** True if POST with a form body works too, for long lists. */
  post?: true
  /** True if an unknown id in the path is an error. */
  notFound?: true
  /** True if it forgives typing errors: the answer may be for other words, which a header names. */
  forgives?: true
  /** Common parameters without effect here. */
  ignores?: readonly (keyof typeof COMMON_PARAMETERS)[]
  /** Name and summary of the operation, if they do not follow from the path and the template. */
  operationId?: string | undefined
  summary?: string
}
