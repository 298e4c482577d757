import { setMaxListeners } from 'node:events'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, gzipSync, type BrotliOptions, type ZlibOptions } from 'node:zlib'
import type { Request, RequestHandler, Response } from 'express'
import type { Config } from '../../config.ts'
import type { AnyRecord } from '../../graph/jskos/record.ts'
import { acceptedEncoding, linkHeader, type WebLink } from './headers.ts'
import { countForAnswer } from './observe.ts'
import { queryOf, type Page } from './parameters.ts'
import { MAX_KEPT_BYTES, type PendingAnswer, type RememberedAnswers } from './remembered-answers.ts'

/** A format of records, such as JSON or Turtle. */
export interface Representation {
  mediaType: string
  /** File extension for such an answer. */
  extension: string
  /** Values of the `format` parameter, the usual one first. */
  formats: readonly string[]
  /** Begins one answer. */
  open(): BodyWriter
  /** Makes the body from the texts, for a format that is not text. */
  convert?(texts: AsyncIterable<string>): AsyncIterable<Uint8Array>
}

/** Writes one answer; its body consists of the texts in the order of the calls. */
export interface BodyWriter {
  write(records: readonly AnyRecord[]): string
  end(): string
}

/** Media types that have a charset parameter; the others are always UTF-8. */
const WITH_CHARSET = ['application/json', 'text/turtle']

/** Records to write at a time: few, so that they do not hold up the event loop for long. */
const RECORDS_AT_A_TIME = 50

/**
 * The service compresses answers from the first number of bytes on, like the middleware. Up to the second number it
 * does so synchronously, in half a millisecond; larger ones go to another thread.
 */
const MIN_COMPRESSED = 1024
const MAX_COMPRESSED_AT_ONCE = 64 * 1024

/** The chunks of a body in order; if the body cannot be completed, it throws before the last chunk. */
export type BodyChunks = AsyncIterable<string | Uint8Array>

/** An answer that has begun. */
interface OpenAnswer extends PendingAnswer {
  request: Request
  response: Response
  /** Aborted if the client goes away, or if the deadline passes before the answer is sent. */
  signal: AbortSignal
  /** From now on the deadline does not count. */
  clearDeadline(): void
}

interface AnswerSending {
  answers: RememberedAnswers
  config: Pick<Config, 'sparqlTimeoutMs'>
}

/**
 * Begins an answer, before anything is read for it.
 *
 * @returns undefined if another request has made the same answer meanwhile, which was sent.
 * @throws ApiError if the store does not give its state.
 * @example
 * const answer = await beginAnswer(request, response, dependencies)
 * if (!answer) return
 * try {
 *   await sendList(answer, { ...(await readList(answer.signal)), page, representation, baseUrl })
 * } finally {
 *   answer.end()
 * }
 */
export async function beginAnswer(
  request: Request,
  response: Response,
  { answers, config }: AnswerSending,
): Promise<OpenAnswer | undefined> {
  const { signal, clear } = untilAnswered(response, config)
  const pending = await answers.begin(request, response, signal)
  return pending && { ...pending, request, response, signal, clearDeadline: clear }
}

/** An answer with a list of records. */
export interface ListAnswer {
  total: number
  records: AsyncIterable<AnyRecord[]>
  page: Page
  representation: Representation
  /** The public address of the service. */
  baseUrl: string
  /** File name for a download (RFC 6266). */
  fileName?: string | undefined
  /** The links of the record, if the list has only one. */
  linksOf?: ((record: AnyRecord) => WebLink[]) | undefined
}

/**
 * Sends a list of records with its true length (X-Total-Count) and links to other pages (RFC 8288); 304 if the client
 * has it already.
 *
 * The answer begins with the first records, so that an error before them gets its own status. A list in one piece goes
 * out whole. A long list is streamed, and breaks off if the rest of it fails.
 */
export async function sendList(answer: OpenAnswer, list: ListAnswer): Promise<void> {
  const { response } = answer
  const { representation } = list
  const iterator = list.records[Symbol.asyncIterator]()
  const begun: AnyRecord[][] = []
  let next = await iterator.next()
  for (; !next.done && begun.length === 0; next = await iterator.next()) begun.push(next.value)
  answer.clearDeadline()

  if (list.fileName) response.attachment(list.fileName)
  response.setHeader('Content-Type', contentType(representation.mediaType))
  const [record] = list.total === 1 ? begun.flat() : []
  setPageHeaders(answer.request, response, list, list.baseUrl, record && list.linksOf?.(record))
  if (next.done) {
    const [records = []] = begun
    const lastModified = latestModified(records)
    if (lastModified) response.setHeader('Last-Modified', lastModified)
    await sendBody(answer, await joined(bodyOf(representation, [records])))
    return
  }
  begun.push(next.value)
  await stream(answer, iterator, bodyOf(representation, pieces(begun, iterator)))
}

function bodyOf(representation: Representation, records: Pieces): BodyChunks {
  const written = textsOfList(representation.open(), records)
  return representation.convert ? representation.convert(written) : written
}

async function joined(chunks: BodyChunks): Promise<Buffer> {
  let text = ''
  const bytes: Uint8Array[] = []
  for await (const part of chunks) {
    if (typeof part === 'string') text += part
    else bytes.push(part)
  }
  return text === '' ? Buffer.concat(bytes) : Buffer.from(text)
}

/** The records of a list in pieces. */
type Pieces = AsyncIterable<readonly AnyRecord[]> | Iterable<readonly AnyRecord[]>

/** The texts of a list. */
async function* textsOfList(writing: BodyWriter, records: Pieces): AsyncGenerator<string> {
  for await (const piece of records) {
    yield* slices(writing, piece)
    // Gives other requests a turn between making many records and writing them.
    if (piece.length > RECORDS_AT_A_TIME) await setImmediate()
  }
  yield writing.end()
}

/** The pieces of an answer: first the pieces that were already read, then the rest. */
async function* pieces<Piece>(begun: Piece[], rest: AsyncIterator<Piece>): AsyncGenerator<Piece> {
  yield* begun.splice(0)
  for (let next = await rest.next(); !next.done; next = await rest.next()) {
    yield next.value
    await setImmediate()
  }
}

/** Sends an answer as it is made. @param source what is read for its parts; nothing of it is left at the end. */
async function stream(answer: OpenAnswer, source: AsyncIterator<unknown>, chunks: BodyChunks): Promise<void> {
  const { request, response } = answer
  answer.setEtagOfStream()
  try {
    if (request.method === 'HEAD') response.end()
    // A response that is closed emits no `close` again, so a pipeline to it would never end.
    else if (!response.destroyed) {
      // Log, metrics, compression and the pipeline all listen to it; Node.js would take so many listeners for a leak.
      response.setMaxListeners(30)
      await pipeline(Readable.from(chunks, { objectMode: true, highWaterMark: 1 }), response)
    }
  } finally {
    await source.return?.()
  }
}

/** Answers with a document that stays the same as long as the service runs. */
export function sendFixed(mediaType: string, content: string): RequestHandler {
  const body = Buffer.from(content)
  return (_request, response) => void response.type(mediaType).send(body)
}

/** A document of any size. */
export interface FileAnswer {
  chunks: BodyChunks
  /** Name for the file (RFC 6266). */
  fileName: string
}

interface FileSending extends AnswerSending {
  mediaType: string
}

/**
 * Sends a document as a file to keep; 304 if the client has it already. A document of at most `MAX_KEPT_BYTES` is sent
 * as a whole, so that a failure anywhere in it gets its own status. A larger document is streamed, and breaks off if
 * the rest of it fails.
 *
 * @param read finds the document; the signal is that of `OpenAnswer`.
 */
export async function sendFile(
  request: Request,
  response: Response,
  { mediaType, ...sending }: FileSending,
  read: (signal: AbortSignal) => Promise<FileAnswer>,
): Promise<void> {
  const answer = await beginAnswer(request, response, sending)
  if (!answer) return
  try {
    const { chunks, fileName } = await read(answer.signal)
    const iterator = chunks[Symbol.asyncIterator]()
    const begun: Buffer[] = []
    let bytes = 0
    let next = await iterator.next()
    for (; !next.done && bytes <= MAX_KEPT_BYTES; next = await iterator.next()) {
      begun.push(Buffer.from(next.value))
      bytes += begun.at(-1)!.length
      // Parts that are there already would otherwise leave other requests no turn.
      await setImmediate()
    }
    answer.clearDeadline()

    response.attachment(fileName)
    response.setHeader('Content-Type', contentType(mediaType))
    if (next.done) {
      await sendBody(answer, Buffer.concat(begun))
      return
    }
    begun.push(Buffer.from(next.value))
    await stream(answer, iterator, pieces<string | Uint8Array>(begun, iterator))
  } finally {
    answer.end()
  }
}

/** The value of Content-Type for a media type. */
export function contentType(mediaType: string): string {
  return WITH_CHARSET.includes(mediaType) ? `${mediaType}; charset=utf-8` : mediaType
}

/** @param isKept false if the answer may change while the store stays as it is. */
async function sendBody(answer: OpenAnswer, body: Buffer, isKept = true): Promise<void> {
  const { request, response } = answer
  answer.setEtag(body)
  const encoded = await compressBody(request, response, body)
  if (isKept) answer.keep(encoded)
  // A 304 has no body, so it must not name an encoding.
  if (request.fresh) response.removeHeader('Content-Encoding')
  response.send(encoded)
}

/** A text that is not kept. */
type OtherText = { unfinished: string } | { changing: string }

/**
 * Sends one text as a whole, or a redirect to it; 304 if the client has it already. An unfinished text lacks figures
 * that take long to find; it is sent with `no-store`. A changing text has more than what the store says: it is made for
 * each request.
 *
 * @param make makes the text and sets its headers; the signal is that of `OpenAnswer`.
 */
export async function sendWhole(
  request: Request,
  response: Response,
  { answers, config }: AnswerSending,
  make: (signal: AbortSignal) => Promise<string | OtherText | { location: string; status?: 302 | 303 }>,
): Promise<void> {
  const answer = await beginAnswer(request, response, { answers, config })
  if (!answer) return
  try {
    const result = await make(answer.signal)
    answer.clearDeadline()
    if (typeof result === 'string') await sendBody(answer, Buffer.from(result))
    else if ('location' in result) response.redirect(result.status ?? 303, result.location)
    else if ('changing' in result) await sendBody(answer, Buffer.from(result.changing), false)
    else response.setHeader('Cache-Control', 'no-store').send(result.unfinished)
  } finally {
    answer.end()
  }
}

/** The encodings of the middleware and of this file. */
const ENCODINGS = ['gzip', 'br', 'deflate', 'identity']

/**
 * Compresses a body that can be kept, a small one synchronously as gzip: the middleware would compress it as a stream
 * in another thread and send several packets, which takes longer than framing a concept. The middleware compresses
 * larger bodies.
 */
async function compressBody(request: Request, response: Response, body: Buffer): Promise<Buffer> {
  if (body.length < MIN_COMPRESSED || body.length > MAX_KEPT_BYTES) return body
  const encoding = acceptedEncoding(request, ENCODINGS, ['gzip'])
  if (encoding !== 'gzip' && encoding !== 'br') return body
  response.setHeader('Content-Encoding', encoding)
  if (encoding === 'br') return brotliInThread(body, QUICK)
  return body.length > MAX_COMPRESSED_AT_ONCE ? gzipInThread(body, QUICK_GZIP) : gzipSync(body, QUICK_GZIP)
}

const gzipInThread = promisify<Buffer, ZlibOptions, Buffer>(gzip)
/** A level that takes half the time of the default; long lists become a tenth larger. */
export const QUICK_GZIP = { level: 3 } as const
const brotliInThread = promisify<Buffer, BrotliOptions, Buffer>(brotliCompress)
/** This quality is as quick as gzip and gives smaller bodies; the default takes a hundred times as long. */
const QUICK: BrotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

async function* slices(writing: BodyWriter, records: readonly AnyRecord[]): AsyncGenerator<string> {
  for (let start = 0; start < records.length; start += RECORDS_AT_A_TIME) {
    if (start > 0) await setImmediate()
    yield writing.write(records.slice(start, start + RECORDS_AT_A_TIME))
  }
}

/**
 * A signal that aborts when the client goes away, and at the deadline unless `clear` was called. Many requests to the
 * store, each within its own deadline, could otherwise add up to an answer that the client has given up on.
 */
export function untilAnswered(
  response: Response,
  { sparqlTimeoutMs }: Pick<Config, 'sparqlTimeoutMs'>,
): { signal: AbortSignal; clear: () => void } {
  const controller = new AbortController()
  // An answer sends many requests at once. Each of them removes its listeners when it is complete.
  setMaxListeners(0, controller.signal)
  const deadline = setTimeout(() => controller.abort(), sparqlTimeoutMs)
  const clear = () => clearTimeout(deadline)
  response.on('close', () => {
    clear()
    // A complete answer leaves nothing to abort.
    if (!response.writableFinished) controller.abort()
  })
  countForAnswer(response, controller.signal)
  return { signal: controller.signal, clear }
}

/** The last change of any record (RFC 9110, section 8.8.2); undefined if one of them has no date. */
function latestModified(records: readonly AnyRecord[]): string | undefined {
  const times = records.map(({ modified }) =>
    typeof modified === 'string' && /^\d{4}-\d\d-\d\d$/.test(modified) ? Date.parse(modified) : NaN,
  )
  const latest = times.reduce((a, b) => Math.max(a, b), -Infinity)
  return latest > -Infinity && latest <= Date.now() ? new Date(latest).toUTCString() : undefined
}

/**
 * Sets the headers with the total length of a list and the links to other pages.
 *
 * @param more further links.
 */
export function setPageHeaders(
  request: Request,
  response: Response,
  answer: Pick<ListAnswer, 'total' | 'page'>,
  baseUrl: string,
  more: readonly WebLink[] = [],
): void {
  response.setHeader('X-Total-Count', String(answer.total))
  const addresses = [...pageAddresses(request, answer, baseUrl)]
  const link = linkHeader([...addresses.map(([relation, href]) => ({ relation, href })), ...more])
  if (link !== undefined) response.setHeader('Link', link)
}

/**
 * The addresses of pages of a list by relation: the first, the last, and the previous and next ones if they exist. They
 * begin with the public address, whatever host the request names, and have the parameters of its form, too.
 */
export function pageAddresses(
  request: Pick<Request, 'target' | 'method' | 'body'>,
  { total, page }: Pick<ListAnswer, 'total' | 'page'>,
  baseUrl: string,
): Map<string, string> {
  const { limit, offset, limited } = page
  const [path] = request.target.split('?', 1)
  const base = new URL(`.${path}`, baseUrl)
  const pairs = queryOf(request)
    .split('&')
    .filter((pair) => pair !== '' && !/^(limit|offset|count)(=|$)/.test(pair))
  // A list that fits on one page by default needs no other address.
  const isWhole = !limited && total <= limit
  const address = (toOffset: number) => {
    const url = new URL(base)
    const query = [...pairs, ...(isWhole && toOffset === 0 ? [] : [`limit=${limit}`, `offset=${toOffset}`])].join('&')
    // Clients may send these unencoded; a URI must not have them (RFC 3986, section 3.4), and `URL` leaves them.
    url.search = query.replace(/[[\]\\^`{|}]/g, (sign) => encodeURIComponent(sign))
    return url.href
  }
  const last = total === 0 || limit === 0 ? 0 : Math.floor((total - 1) / limit) * limit
  const addresses = new Map([
    ['first', address(0)],
    ['last', address(last)],
  ])
  if (limit > 0 && offset > 0) addresses.set('prev', address(Math.max(0, Math.min(offset - limit, last))))
  if (limit > 0 && offset + limit < total) addresses.set('next', address(offset + limit))
  return addresses
}
