import { availableParallelism } from 'node:os'
import { argv, env } from 'node:process'
import { joinRooms } from './.ci/rooms.mjs'

/** The test files of each part of `.ci/run`; `TEST_PART` names one. */
const PARTS = {
  quick: /(?<!\.(?:slow|long))\.test\.ts$/,
  slow: env.TEST_LONG === '1' ? /\.(?:slow|long)\.test\.ts$/ : /\.slow\.test\.ts$/,
}
const part = PARTS[env.TEST_PART]
// A file that the command line names runs, whatever its part; files that it names run as they are.
const named = argv.slice(2).filter((argument) => !argument.startsWith('-'))
const isJoined = part && named.every((argument) => argument.endsWith('.test.mjs'))
const wanted = part && !named.some((argument) => /\.test(?:\.ts)?$/.test(argument)) ? part : /\.test\.ts$/

export default {
  testEnvironment: 'node',
  ...(isJoined
    ? {
        roots: ['<rootDir>/test', joinRooms(env.TEST_PART, part, env.TEST_LAST_START)],
        testRegex: '\\.test\\.mjs$',
        // By default jest finds nothing below node_modules.
        testPathIgnorePatterns: [],
        haste: { retainAllFiles: true },
      }
    : { roots: ['<rootDir>/test'], testRegex: wanted.source }),
  globalSetup: '<rootDir>/test/setup.ts',
  globalTeardown: '<rootDir>/test/teardown.ts',
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  // Tests wait a third of their time, for processes and for clocks.
  maxWorkers: 2 * availableParallelism(),
  // Many times what the longest takes on a machine that does nothing else.
  testTimeout: 120_000,
  coverageProvider: 'v8',
  reporters: ['default', ...(env.REPORT_FILE ? ['<rootDir>/.ci/report.mjs'] : [])],
  transform: {
    '^.+\\.ts$': ['@swc/jest', swc({ syntax: 'typescript' })],
    '^.+\\.tsx$': ['@swc/jest', swc({ syntax: 'typescript', tsx: true })],
  },
}

function swc(parser) {
  return {
    jsc: { target: 'es2022', parser, transform: { react: { runtime: 'automatic', importSource: 'preact' } } },
    module: { type: 'es6' },
    sourceMaps: 'inline',
  }
}
