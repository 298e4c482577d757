/**
 * Random requests made from the OpenAPI document by schemathesis: no answer may be a failure of the service, or
 * something else than the document says. FUZZ_EXAMPLES: requests for each operation, by default 20, and only with
 * TEST_LONG=1.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { openapiDocument } from '../../../src/doors/openapi/document.ts'
import { REPRESENTATIONS } from '../../../src/interface/representations/representations.ts'
import { newDirectory, startService, type ServiceProcess } from '../../process.ts'
import { findTool } from '../../tools.ts'
import { LONG } from '../../long.ts'
import { wholeDocument } from './whole.ts'

const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
]
const examples = process.env['FUZZ_EXAMPLES'] ?? '20'
const schemathesis = findTool('schemathesis')
const isWanted = LONG || process.env['FUZZ_EXAMPLES'] !== undefined
const skipped = isWanted ? schemathesis.skipped : ', skipped: only with TEST_LONG=1 or FUZZ_EXAMPLES'
const describeHere = skipped ? describe.skip : describe

type Document = ReturnType<typeof openapiDocument>

/**
 * The document with all that requests may ask for, and with examples of formats, which it only names in descriptions.
 */
function withFormats(served: Document): Document {
  const document = wholeDocument(served)
  for (const { name, schema } of Object.values(document.components.parameters)) {
    const isFormat = (name === 'format' || name === 'download') && !schema['enum']
    if (isFormat) schema['examples'] = REPRESENTATIONS.flatMap(({ formats }) => formats)
  }
  return document
}

describeHere(`the interface as it is described${skipped}`, () => {
  let service: ServiceProcess
  beforeAll(async () => {
    service = await startService({ INGEST_LIMITS: 'none', LOG_LEVEL: 'info' })
  })
  afterAll(() => service?.stop())

  test.each<[what: string, phases: string, change: (served: Document) => Document]>([
    ['the examples of the document', 'examples', (served) => wholeDocument(served)],
    [`${examples} random requests for each operation`, 'examples,fuzzing', withFormats],
  ])(
    '%s',
    async (_, phases, change) => {
      const folder = await newDirectory()
      const file = join(folder, 'openapi.json')
      const served = (await (await fetch(`${service.url}/openapi.json`)).json()) as Document
      await writeFile(file, JSON.stringify(change(served)))
      const words = ['run', file, '--url', service.url, '--checks', CHECKS.join(',')]
      const more = ['--max-examples', examples, '--phases', phases, '--continue-on-failure', '--no-color']
      const child = spawn(schemathesis.path!, [...words, ...more], { cwd: folder })
      let output = ''
      child.stdout.on('data', (text) => (output += String(text)))
      child.stderr.on('data', (text) => (output += String(text)))
      const [code] = (await once(child, 'close')) as [number]
      expect([code, code === 0 ? '' : output.slice(-5000)]).toEqual([0, ''])
      expect(output).toMatch(/Tested: \d+/)
    },
    60_000 + Number(examples) * 20_000,
  )
})
