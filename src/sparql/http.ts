import { Agent, request } from 'undici'

/** What is read of a response; the names are those of fetch. */
export interface StoreResponse {
  ok: boolean
  status: number
  /** The value of a header field, by its name in lower case. */
  header(name: string): string | undefined
  body: AsyncIterable<Uint8Array>
  text(): Promise<string>
  /** To be called where the body is not read. */
  cancel(): Promise<void>
}

export interface StoreRequest {
  method: string
  headers: Record<string, string>
  body?: string | null
  signal: AbortSignal
}

/** Keeps connections open. How long a request may take is known to who sends it. */
const CONNECTIONS = new Agent({ headersTimeout: 0, bodyTimeout: 0 })

/**
 * Sends a request to a store. fetch would do the same in three times the time, which is a third of what the service takes
 * for one concept.
 *
 * @throws Error where the store cannot be reached, and from the body where that is cut off; the reason of an aborted signal.
 */
export async function send(
  url: string | URL,
  { body: content = null, ...options }: StoreRequest,
): Promise<StoreResponse> {
  const { statusCode, headers, body } = await request(url, {
    ...options,
    body: content,
    dispatcher: CONNECTIONS,
  })
  return {
    ok: statusCode >= 200 && statusCode < 300,
    status: statusCode,
    header: (name) => headers[name]?.toString(),
    body,
    text: () => body.text(),
    cancel: () => body.dump(),
  }
}
