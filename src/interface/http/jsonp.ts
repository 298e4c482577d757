import { MAXIMA } from './maxima.ts'
import { malformed } from './parameters.ts'

/** The functions that JSONP may call: names and places in objects, such as `search["crafts"].show`. */
const CALLBACK = /^[A-Za-z_$][\w$.]*(?:\[(?:"[\w$ -]*"|'[\w$ -]*'|\d+)\][\w$.]*)*$/

/**
 * A script that calls a function with a value (JSONP), for clients that use it instead of CORS.
 *
 * @param callback from the request.
 * @throws ApiError MalformedRequestError unless it is the name of a function.
 */
export function toScript(callback: string, value: object): string {
  if (callback.length > MAXIMA.callback.most || !CALLBACK.test(callback)) {
    throw malformed('callback: expected the name of a function')
  }
  // The characters that end a line in JavaScript, but not in JSON.
  const json = JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
  // The comment keeps the answer from beginning with text of the request.
  return `/**/ ${callback}(${json});`
}
