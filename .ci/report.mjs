import { env } from 'node:process'
import { writeFileSync } from 'node:fs'

/**
 * A reporter of jest that writes the states of all tests, file by file, to `REPORT_FILE`. The `--json` of jest writes
 * nothing at all if an error that a test has thrown refers to itself, as errors of HTTP clients do.
 */
export default class Report {
  #wanted

  constructor({ testNamePattern }) {
    this.#wanted = new RegExp(testNamePattern ?? '', 'i')
  }

  onRunComplete(_contexts, { testResults }) {
    const files = testResults.map(({ testFilePath, failureMessage, testResults }) => ({
      name: testFilePath,
      failed: Boolean(failureMessage),
      // A test that this run was not asked for does not count as skipped.
      statuses: testResults.filter(({ fullName }) => this.#wanted.test(fullName)).map(({ status }) => status),
    }))
    writeFileSync(env['REPORT_FILE'], JSON.stringify(files))
  }
}
