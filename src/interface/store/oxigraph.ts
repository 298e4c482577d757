/**
 * oxigraph in a WebAssembly memory of bounded size. Each thread has its own, and calls `startOxigraph` before anything
 * else.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type InitOutput, initSync } from 'oxigraph/web.js'
import { isFatal } from './refusals.ts'

const PAGE_BYTES = 65_536
/** The pages that 32 bits can address. */
const MOST_PAGES = 65_536
const MEMORY_SECTION = 5
/** The length of the part of oxigraph's memory section that declares one memory without a maximum. */
const HEADER_BYTES = 8

const PIECE_BYTES = 16 << 20

let oxigraph: Pick<InitOutput, '__wbindgen_malloc' | '__wbindgen_free'> & { memory: { readonly buffer: ArrayBuffer } }
/** The addresses of the pieces of the reserve. They are never written to, so that they take no physical memory. */
const reserve: number[] = []
let mostPieces = 0

/**
 * Starts oxigraph. A call that needs more memory than `mostBytes` fails with a RuntimeError, which leaves oxigraph in
 * an unknown state.
 */
export function startOxigraph(mostBytes: number): void {
  const module = readFileSync(createRequire(import.meta.url).resolve('oxigraph/web_bg.wasm'))
  // The types of WebAssembly belong to browsers.
  oxigraph = initSync({ module: withMaximum(module, mostBytes) })
}

/** Size of the memory in bytes, without the reserve; it never shrinks. */
export function memoryBytes(): number {
  return oxigraph.memory.buffer.byteLength - reserveBytes()
}

/** Lets the memory grow so that this number of bytes is free. */
export function grow(bytes: number): void {
  free(allocate(bytes), bytes)
}

/** Size of the reserve in bytes. */
export function reserveBytes(): number {
  return reserve.length * PIECE_BYTES
}

/**
 * Sets memory aside for `withReserve`: nothing else, such as a query, can take it. Less if the system gives no more.
 */
export function setAside(bytes: number): void {
  mostPieces = Math.floor(bytes / PIECE_BYTES)
  try {
    while (reserve.length < mostPieces) reserve.push(allocate(PIECE_BYTES))
  } catch (error) {
    // An allocation alone that fails changes nothing.
    if (!isFatal(error)) throw error
  }
}

/** Runs a function that may take the memory set aside; what it leaves is set aside again. */
export function withReserve<T>(run: () => T): T {
  for (const address of reserve.splice(0)) free(address, PIECE_BYTES)
  try {
    const result = run()
    refillReserve()
    return result
  } catch (error) {
    if (!isFatal(error)) refillReserve()
    throw error
  }
}

/** Ends with the first piece that makes the memory grow, because further memory belongs to queries. */
function refillReserve(): void {
  const { byteLength } = oxigraph.memory.buffer
  while (reserve.length < mostPieces) {
    const address = allocate(PIECE_BYTES)
    if (oxigraph.memory.buffer.byteLength > byteLength) {
      free(address, PIECE_BYTES)
      return
    }
    reserve.push(address)
  }
}

function allocate(bytes: number): number {
  // Addresses beyond 2 GB come as negative numbers.
  return oxigraph.__wbindgen_malloc(bytes, 1) >>> 0
}

function free(address: number, bytes: number): void {
  oxigraph.__wbindgen_free(address, bytes, 1)
}

/**
 * Writes a maximum into the memory section of a module that has none (WebAssembly Core Specification, section 5.5.8).
 */
function withMaximum(module: Buffer, mostBytes: number): Buffer<ArrayBuffer> {
  for (let at = HEADER_BYTES; at < module.length;) {
    const [bytes, content] = readNumber(module, at + 1)
    const end = content + bytes
    if (module[at] === MEMORY_SECTION) {
      const [count, hasMaximum] = [module[content], module[content + 1]]
      const [least, rest] = readNumber(module, content + 2)
      if (count !== 1 || hasMaximum !== 0 || rest !== end)
        throw new Error('oxigraph declares its memory in another way')
      const pages = Math.min(Math.max(Math.floor(mostBytes / PAGE_BYTES), least), MOST_PAGES)
      const limits = [1, 1, ...module.subarray(content + 2, end), ...writeNumber(pages)]
      const section = Buffer.from([MEMORY_SECTION, ...writeNumber(limits.length), ...limits])
      return Buffer.concat([module.subarray(0, at), section, module.subarray(end)])
    }
    at = end
  }
  throw new Error('oxigraph has no memory of its own')
}

/** A number in LEB128 (section 5.2.2), and the offset after it. */
function readNumber(bytes: Uint8Array, at: number): [number, number] {
  let number = 0
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++]!
    number += (byte & 127) * 2 ** shift
    if (byte < 128) return [number, at]
  }
}

function writeNumber(number: number): number[] {
  return number < 128 ? [number] : [(number % 128) | 128, ...writeNumber(Math.floor(number / 128))]
}
