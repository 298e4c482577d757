import Negotiator from 'negotiator'

/** A parameter of a media type other than its weight. A quoted value may have any characters. */
const MEDIA_TYPE_PARAMETER = /;\s*(?!q=)[^\s;,="]+\s*(?:=\s*(?:"(?:[^"\\]|\\.)*"|[^;,]*))?/gi

/**
 * The media types that an `Accept` takes, in its order of preference (RFC 9110, section 12.5.1). Parameters such as
 * `charset` and `profile` do not count: no two formats differ by them, and clients repeat the parameters of earlier
 * answers.
 *
 * @param types the available media types, the default first.
 */
export function acceptedMediaTypes(accept: string | undefined, types: readonly string[]): string[] {
  const plain = accept?.replace(MEDIA_TYPE_PARAMETER, '')
  return new Negotiator({ headers: { accept: plain } }).mediaTypes([...types])
}

/** The best media type of `acceptedMediaTypes`; undefined if none fits. */
export function acceptedMediaType(accept: string | undefined, types: readonly string[]): string | undefined {
  return acceptedMediaTypes(accept, types)[0]
}

/** Chooses among encodings that the client likes equally; the published types of negotiator lack this option. */
export interface EncodingNegotiator<Encoding extends string> {
  encoding(available: readonly Encoding[], options: { preferred: readonly Encoding[] }): Encoding | undefined
}
