import Negotiator from 'negotiator'

/** A parameter of a media type other than its weight. A quoted value may have any characters. */
const MEDIA_TYPE_PARAMETER = /;\s*(?!q=)[^\s;,="]+\s*(?:=\s*(?:"(?:[^"\\]|\\.)*"|[^;,]*))?/gi

/**
 * The media type that an `Accept` prefers (RFC 9110, section 12.5.1); undefined if it accepts none. Parameters such as `charset`
 * and `profile` do not count: no two formats differ by them, and clients repeat those that answers have.
 *
 * @param types those that there are, the default first.
 */
export function acceptedMediaType(accept: string | undefined, types: readonly string[]): string | undefined {
  const plain = accept?.replace(MEDIA_TYPE_PARAMETER, '')
  return new Negotiator({ headers: { accept: plain } }).mediaType([...types])
}
