/** Real vocabularies to test with. They are not part of the project: TEST_DATA_DIR names their folder. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { LONG } from './long.ts'

/** Their folder, whether it is there or not. */
export const TEST_DATA = resolve(process.env['TEST_DATA_DIR'] ?? resolve(import.meta.dirname, '../../shared/data'))

/** Why tests with them are skipped, for their names; empty if they are not. */
export const NO_DATA = existsSync(TEST_DATA) ? '' : ', skipped: there is no folder of vocabularies at TEST_DATA_DIR'

/** Files above this size only with TEST_LONG=1. */
const MAX_BYTES = LONG ? Infinity : 300_000

/**
 * The files of a folder of the test data, its own folders included; none if there are no data.
 *
 * @param wanted by their names; those in RDF, unless given.
 */
export function dataFiles(folder: string, wanted = /\.(ttl|nt|rdf)$/): string[] {
  if (NO_DATA) return []
  return readdirSync(resolve(TEST_DATA, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => wanted.test(file))
    .sort()
    .map((file) => resolve(TEST_DATA, folder, file))
    .filter((file) => statSync(file).size < MAX_BYTES)
}
