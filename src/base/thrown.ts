/**
 * Anything can be thrown, so TypeScript knows nothing of it. These functions read what Node.js and libraries throw; an
 * error of another context of V8 is no `instanceof Error`.
 */

/** The message of an error; any other value as text. */
export function messageOf(thrown: unknown): string {
  return String(partOf(thrown, 'message') ?? thrown)
}

/** The code of an error of Node.js or of a library, such as `ENOENT`; undefined if there is none. */
export function codeOf(thrown: unknown): string | undefined {
  const code = partOf(thrown, 'code')
  return typeof code === 'string' ? code : undefined
}

/**
 * True if the operating system refused a call, for example because the disk is full (Node.js, "Class: SystemError").
 */
export function isSystemError(thrown: unknown): boolean {
  return partOf(thrown, 'syscall') !== undefined
}

function partOf(thrown: unknown, name: string): unknown {
  return typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, name) : undefined
}
