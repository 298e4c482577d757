/** oxigraph in a WebAssembly memory of bounded size. Each thread has its own, and calls `startOxigraph` before anything else. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { initSync } from 'oxigraph/web.js'

const PAGE_BYTES = 65_536
/** The pages that 32 bits can address. */
const MOST_PAGES = 65_536
const MEMORY_SECTION = 5
/** The length of the part of oxigraph's memory section that declares one memory without a maximum. */
const HEADER_BYTES = 8

let memory: { readonly buffer: ArrayBuffer }

/**
 * Starts oxigraph. A call that needs more memory than `mostBytes` fails with a RuntimeError, which leaves oxigraph in an
 * unknown state.
 */
export function startOxigraph(mostBytes: number): void {
  const module = readFileSync(createRequire(import.meta.url).resolve('oxigraph/web_bg.wasm'))
  // The types of WebAssembly belong to browsers.
  memory = initSync({ module: withMaximum(module, mostBytes) }).memory
}

/** Size of the memory in bytes; it never shrinks. */
export function memoryBytes(): number {
  return memory.buffer.byteLength
}

/** Writes a maximum into the memory section of a module that has none (WebAssembly Core Specification, section 5.5.8). */
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
