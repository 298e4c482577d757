import type { IncomingMessage } from 'node:http'
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

/** The published types of negotiator lack the option. */
interface EncodingNegotiator {
  encoding(available: readonly string[], options: { preferred: readonly string[] }): string | undefined
}

/**
 * The encoding of an answer (RFC 9110, section 12.5.3); undefined if the client accepts no available encoding.
 *
 * @param preferred the encodings to choose first if the client likes several equally.
 */
export function acceptedEncoding<Encoding extends string>(
  { headers }: Pick<IncomingMessage, 'headers'>,
  available: readonly Encoding[],
  preferred: readonly Encoding[],
): Encoding | undefined {
  const negotiator = new Negotiator({ headers }) as EncodingNegotiator
  return negotiator.encoding(available, { preferred }) as Encoding | undefined
}
