import { Agent, request } from 'undici'

/** The used parts of a response, with the names of fetch. */
export interface StoreResponse {
  ok: boolean
  status: number
  /** The value of a header field, by its name in lower case. */
  header(name: string): string | undefined
  body: AsyncIterable<Uint8Array>
  text(): Promise<string>
  /** Call this if the body is not read. */
  cancel(): Promise<void>
}

export interface StoreRequest {
  method: string
  headers: Record<string, string>
  body?: string | null
  signal: AbortSignal
}

/** Keeps connections open. Callers set their own timeouts. */
const CONNECTIONS = new Agent({ headersTimeout: 0, bodyTimeout: 0 })

/**
 * Sends a request to a store. fetch would take three times as long, a third of the service's time for one concept.
 *
 * @throws Error if the store cannot be reached, and from the body if it is cut off; the reason of an aborted signal.
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
