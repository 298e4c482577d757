export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  globalSetup: '<rootDir>/test/setup.ts',
  globalTeardown: '<rootDir>/test/teardown.ts',
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  // More than one for each core would leave the stores and processes of the tests too little of them.
  maxWorkers: '100%',
  testSequencer: '<rootDir>/test/sequencer.mjs',
  testTimeout: 60_000,
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
