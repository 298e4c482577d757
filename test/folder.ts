import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll } from '@jest/globals'
import { newDirectory } from './process.ts'

interface Folder {
  /** The path of a file with this name. */
  path: (name: string) => string
  /** Writes a file; gives its path. */
  write: (name: string, content: string | Buffer) => Promise<string>
}

/** A folder for the files of the tests that stand beside the call; removed after the last of them. */
export function temporaryFolder(): Folder {
  let folder: string
  beforeAll(async () => {
    folder = await newDirectory()
  })
  afterAll(() => rm(folder, { recursive: true }))
  const path = (name: string) => join(folder, name)
  return {
    path,
    write: async (name, content) => {
      await writeFile(path(name), content)
      return path(name)
    },
  }
}
