import { availableParallelism } from 'node:os'
import { env } from 'node:process'
import { joinRooms } from './test/rooms.mjs'

export default {
  testEnvironment: 'node',
  ...files(),
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

/** The parts of `.ci/run`, whose files are joined. */
function files() {
  const { TEST_PART, TEST_LONG } = env
  if (!TEST_PART) return { roots: ['<rootDir>/test'], testMatch: ['**/*.test.ts'] }
  const isLong = (name) => name.endsWith('.long.test.ts')
  const isSlow = (name) => name.endsWith('.slow.test.ts') || (isLong(name) && TEST_LONG === '1')
  const parts = {
    quick: (name) => !isSlow(name) && !isLong(name),
    slow: isSlow,
    facade: (name, text) => !isLong(name) && text.includes('describeFacade('),
  }
  return {
    roots: ['<rootDir>/test', joinRooms(TEST_PART, parts[TEST_PART])],
    testMatch: ['**/*.test.mjs'],
    // By default jest finds nothing below node_modules.
    testPathIgnorePatterns: [],
    haste: { retainAllFiles: true },
  }
}
