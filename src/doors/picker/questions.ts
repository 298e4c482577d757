import type { PickedConcept } from './types.d.ts'

/** The concepts that a picker offers. */
export interface Offer {
  /** The address of the service, with a slash at its end. */
  service: string
  /** Ids or URIs of vocabularies, separated by `|`; empty: all. */
  vocabulary: string
  /** The URI of the concept above all others; empty: none. */
  branch: string
  /** Preferred language tags, best first. */
  languages: readonly string[]
}

/** A concept of an answer. */
export interface OfferedConcept extends PickedConcept {
  altLabel?: Record<string, string[]>
  broader?: ({ uri: string; prefLabel?: Record<string, string>; notation?: string[] } | null)[]
  hasChildren?: boolean
}

/** Why there is no answer: no network, a service that does not answer, or a service that refuses the question. */
export type FailureReason = 'offline' | 'away' | 'refused'

/** There is no answer. */
class Failure extends Error {
  readonly reason: FailureReason

  constructor(reason: FailureReason) {
    super(reason)
    this.reason = reason
  }
}

/** The reason of an error of a question. */
export function reasonOf(error: unknown): FailureReason {
  return error instanceof Failure ? error.reason : 'refused'
}

/** A service that takes longer counts as silent. */
const DEADLINE_MS = 20_000
/** Concepts of a level at a time. */
export const LEVEL = 100

/** The concepts that match a text; `total` is the number of all. */
export function findSuggestions(
  offer: Offer,
  { text, limit }: { text: string; limit: string },
  signal: AbortSignal,
): Promise<PickerAnswer<OfferedConcept[]>> {
  const properties = 'prefLabel,altLabel,notation,broader,inScheme'
  const address = addressOf(offer, 'suggest', {
    search: text,
    limit,
    properties,
    format: 'jskos',
    ancestors: offer.branch,
  })
  return ask(address, signal)
}

/** A part of the concepts directly below one, or at the top. */
export function findLevel(
  offer: Offer,
  { parent = offer.branch, offset }: { parent: string | undefined; offset: number },
  signal: AbortSignal,
): Promise<PickerAnswer<OfferedConcept[]>> {
  const { vocabulary } = offer
  const isUri = vocabulary.includes(':')
  const path = parent ? 'narrower' : isUri ? 'voc/top' : `voc/${encodeURIComponent(vocabulary)}/top`
  const address = addressOf(parent ? offer : { ...offer, vocabulary: '' }, path, {
    uri: parent || (isUri ? vocabulary : ''),
    properties: 'prefLabel,notation,inScheme,hasChildren',
    limit: String(LEVEL),
    offset: String(offset),
  })
  return ask(address, signal)
}

/** The concepts with these URIs. */
export function findConcepts(
  offer: Offer,
  uris: readonly string[],
  signal: AbortSignal,
): Promise<PickerAnswer<PickedConcept[]>> {
  const uri = uris.join('|')
  return ask(
    addressOf({ ...offer, vocabulary: '' }, 'data', { uri, properties: 'prefLabel,notation,inScheme' }),
    signal,
  )
}

function addressOf(
  { service, vocabulary, languages }: Offer,
  path: string,
  parameters: Readonly<Record<string, string>>,
): URL {
  const address = new URL(path, service)
  for (const [name, value] of Object.entries({ voc: vocabulary, ...parameters, language: languages.join(',') })) {
    if (value) address.searchParams.set(name, value)
  }
  return address
}

interface PickerAnswer<Body> {
  body: Body
  /** The length of the whole list. */
  total: number
}

/** @throws Failure if there is no answer, or none of the wanted form. */
async function ask<Body>(address: URL, signal: AbortSignal): Promise<PickerAnswer<Body>> {
  const controller = new AbortController()
  const end = () => controller.abort()
  const timer = setTimeout(end, DEADLINE_MS)
  signal.addEventListener('abort', end)
  try {
    const answer = await fetch(address, {
      signal: controller.signal,
      headers: { accept: 'application/json' },
      credentials: 'omit',
    })
    if (!answer.ok) throw new Failure(answer.status < 500 && answer.status !== 429 ? 'refused' : 'away')
    const body = (await answer.json()) as Body
    if (!Array.isArray(body)) throw new Failure('refused')
    return { body, total: Number(answer.headers.get('x-total-count')) }
  } catch (error) {
    throw error instanceof Failure ? error : new Failure(navigator.onLine ? 'away' : 'offline')
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}
