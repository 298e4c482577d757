/** Real vocabularies to test with. They are not part of the project: TEST_DATA_DIR names their folder. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { LONG } from './long.ts'

const directory = resolve(process.env['TEST_DATA_DIR'] ?? resolve(import.meta.dirname, '../../shared/data'))

export const TEST_DATA: { directory: string } & ({ available: true } | { available: false; reason: string }) =
  existsSync(directory)
    ? { directory, available: true }
    : { directory, available: false, reason: 'there is no folder of vocabularies at TEST_DATA_DIR' }

/** Files above this size only with TEST_LONG=1. */
const MAX_BYTES = LONG ? Infinity : 1_000_000

/**
 * The files of a folder of the test data, its own folders included.
 *
 * @param wanted by their names; those in RDF, unless given.
 */
export function dataFiles(folder: string, wanted = /\.(ttl|nt|rdf)$/): string[] {
  return readdirSync(resolve(TEST_DATA.directory, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => wanted.test(file))
    .sort()
    .map((file) => resolve(TEST_DATA.directory, folder, file))
    .filter((file) => statSync(file).size < MAX_BYTES)
}
