import { join } from 'node:path'
import { env } from 'node:process'
import config from '../jest.config.mjs'
import { joinRooms } from './rooms.mjs'

const lastStart = env.TEST_LAST_START ? Number(env.TEST_LAST_START) : undefined

/** The tests of `TEST_PART`, as `.ci/run` runs them: the files of a room are joined. */
export default {
  ...config,
  rootDir: join(import.meta.dirname, '..'),
  roots: ['<rootDir>/test', joinRooms(env.TEST_PART, new RegExp(config.testRegex), lastStart)],
  testRegex: '\\.test\\.mjs$',
  // By default jest finds nothing below node_modules.
  testPathIgnorePatterns: [],
  haste: { retainAllFiles: true },
}
