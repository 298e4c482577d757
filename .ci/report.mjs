import { env } from 'node:process'
import { writeFileSync } from 'node:fs'
import { NOT_BEGUN } from './rooms.mjs'

/**
 * A reporter of jest that writes the states of all tests, file by file, to `REPORT_FILE`. The `--json` of jest writes
 * nothing at all if an error that a test has thrown refers to itself, as errors of HTTP clients do.
 */
export default class Report {
  onRunComplete(_contexts, { testResults }) {
    const files = testResults.map(({ testFilePath, failureMessage, testResults }) => ({
      name: testFilePath,
      failed: Boolean(failureMessage),
      statuses: testResults.map(({ status }) => status),
      notBegun: testResults.filter(({ title }) => title.endsWith(NOT_BEGUN)).map(({ title }) => title),
      failures: testResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
    }))
    writeFileSync(env['REPORT_FILE'], JSON.stringify(files))
  }
}
