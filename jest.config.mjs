import { availableParallelism } from 'node:os'
import { argv, env } from 'node:process'

/** The test files of each part of `.ci/run`; `TEST_PART` names one. */
const PARTS = {
  quick: /(?<!\.(?:slow|long))\.test\.ts$/,
  slow: env.TEST_LONG === '1' ? /\.(?:slow|long)\.test\.ts$/ : /\.slow\.test\.ts$/,
}
// A file that the command line names runs, whatever its part.
const namesFile = argv.some((argument) => /\.test(?:\.ts)?$/.test(argument))

export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testRegex: (namesFile ? undefined : PARTS[env.TEST_PART]?.source) ?? '\\.test\\.ts$',
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
