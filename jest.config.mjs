import { availableParallelism } from 'node:os'
import { env } from 'node:process'

export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  // TEST_SLOW: `none` leaves the slow files out, `only` runs nothing else.
  testMatch: [env.TEST_SLOW === 'only' ? '**/*.slow.test.ts' : '**/*.test.ts'],
  testPathIgnorePatterns: env.TEST_SLOW === 'none' ? ['\\.slow\\.test\\.ts$'] : [],
  globalSetup: '<rootDir>/test/setup.ts',
  globalTeardown: '<rootDir>/test/teardown.ts',
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  // Tests wait a third of their time, for processes and for clocks.
  maxWorkers: Math.ceil(1.5 * availableParallelism()),
  resolver: '<rootDir>/test/packages.mjs',
  testSequencer: '<rootDir>/test/sequencer.mjs',
  // Many times what the longest takes on a machine that does nothing else.
  testTimeout: 120_000,
  reporters: ['default', ...(env.REPORT_FILE ? ['<rootDir>/.ci/report.mjs'] : [])],
  transform: {
    '^.+\\.ts$': ['<rootDir>/test/transform.mjs', swc({ syntax: 'typescript' })],
    '^.+\\.tsx$': ['<rootDir>/test/transform.mjs', swc({ syntax: 'typescript', tsx: true })],
  },
}

function swc(parser) {
  return {
    jsc: { target: 'es2022', parser, transform: { react: { runtime: 'automatic', importSource: 'preact' } } },
    module: { type: 'es6' },
    sourceMaps: 'inline',
  }
}
