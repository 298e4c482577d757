import { readShape } from '../../graph/shapes/read.ts'

let names: Readonly<Record<string, string>> | undefined

/**
 * The usual name of a well-known licence (`shapes/license-names.json`); undefined for others.
 *
 * @param uri of the licence, or the address of its text or summary.
 * @example licenseName('https://creativecommons.org/licenses/by/4.0/deed.de') // 'CC BY 4.0'
 */
export function licenseName(uri: string): string | undefined {
  names ??= readShape<Record<string, string>>('license-names.json')
  const key = uri
    .toLowerCase()
    .replace(/^https?:\/\/(www\.)?/, '')
    .replace(/\/(deed(\.[a-z_-]+)?|legalcode(\.[a-z_-]+)?)?$/, '')
  return Object.hasOwn(names, key) ? names[key] : undefined
}
