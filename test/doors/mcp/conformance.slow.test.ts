/**
 * The conformance package of the Model Context Protocol against the service. It is fetched when it is asked for
 * (docs/decisions.md). Its other scenarios call tools, resources and prompts that only a server made for them has.
 */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newDirectory, startService } from '../../process.ts'

const IS_WANTED = process.env['MCP_CONFORMANCE'] === '1'
const CONFORMANCE = '@modelcontextprotocol/conformance@0.2.0-alpha.12'
/** The package needs Node.js 22. */
const NODE = Number(process.versions.node.split('.', 1)[0]) < 22 ? ['--package=node@22'] : []

interface Check {
  id: string
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  errorMessage?: string
}

const describeWanted = IS_WANTED ? describe : describe.skip
describeWanted(`the conformance package of MCP${IS_WANTED ? '' : ' (MCP_CONFORMANCE=1)'}`, () => {
  let service: Awaited<ReturnType<typeof startService>>
  beforeAll(async () => {
    service = await startService({ DEMO: 'true' })
  })
  afterAll(() => service?.stop())

  async function checksOf(scenario: string): Promise<Check[]> {
    const folder = await newDirectory()
    const url = `${service.url.replace('127.0.0.1', 'localhost')}/mcp`
    const args = ['conformance', 'server', '--url', url, '--scenario', scenario, '--output-dir', folder]
    const packages = [...NODE, `--package=${CONFORMANCE}`]
    // Its exit code is 1 if a check fails. npm would refuse it for the version of Node.js that runs npm.
    const npx = ['--yes', '--engine-strict=false', ...packages, '--', ...args]
    const error = await promisify(execFile)('npx', npx, { cwd: folder }).catch((failure: unknown) => failure)
    const [result] = await readdir(folder)
    if (result === undefined) throw error
    return JSON.parse(await readFile(join(folder, result, 'checks.json'), 'utf8')) as Check[]
  }

  test.each([
    'server-initialize',
    'ping',
    'tools-list',
    'resources-list',
    'sep-2164-resource-not-found',
    'prompts-list',
    'dns-rebinding-protection',
    'caching',
    'http-header-validation',
    'input-required-result-unsupported-methods',
  ])(
    '%s',
    async (scenario) => {
      const checks = await checksOf(scenario)
      expect(checks.filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO')).toEqual([])
      expect(checks.some(({ status }) => status === 'SUCCESS')).toBe(true)
    },
    300_000,
  )

  test('server-stateless, without tools made for it and without subscriptions', async () => {
    const checks = await checksOf('server-stateless')
    const failed = checks.filter(({ status }) => status === 'FAILURE')
    const isTestable = ({ errorMessage = '' }: Check) => !errorMessage.startsWith('Not testable')
    expect(failed.filter(isTestable).map(({ id }) => id)).toEqual([
      'sep-2575-server-sends-subscription-ack',
      'sep-2575-server-tags-subscription-id',
    ])
    expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThan(20)
  }, 300_000)
})
