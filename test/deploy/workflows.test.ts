/** .github/workflows: nothing runs there that somebody else can exchange, and nothing has more rights than it needs. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { ROOT } from '../process.ts'

interface Workflow {
  permissions: Record<string, string>
  jobs: Record<string, { steps: { uses?: string; run?: string; with?: Record<string, unknown> }[] }>
}

const FOLDER = join(ROOT, '.github/workflows')
const WORKFLOWS = readdirSync(FOLDER)

describe.each(WORKFLOWS)('%s', (name) => {
  const text = readFileSync(join(FOLDER, name), 'utf8')
  const { permissions, jobs } = parse(text) as Workflow
  const steps = Object.values(jobs).flatMap((job) => job.steps)

  test('names actions by the hash of their commit, with the version', () => {
    const actions = [...text.matchAll(/uses: (.*)$/gm)].map(([, action]) => action!)
    expect(actions.length).toBeGreaterThan(0)
    expect(actions.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([])
  })

  test('may only read by default, and leaves no login of git behind', () => {
    expect(permissions).toEqual({ contents: 'read' })
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))
    expect(checkouts.length).toBeGreaterThan(0)
    for (const step of checkouts) expect(step.with).toEqual({ 'persist-credentials': false })
  })
})

test('lint, build and tests are jobs of their own, and the last two run with each version of Node.js', () => {
  const { jobs } = parse(readFileSync(join(FOLDER, 'test.yml'), 'utf8')) as {
    jobs: Record<string, { steps: { run?: string }[]; strategy?: { matrix: { node: string[] } } }>
  }
  const commands = Object.entries(jobs).map(([name, { steps, strategy }]) => [
    name,
    strategy?.matrix.node,
    steps.flatMap(({ run }) => run ?? []),
  ])
  const versions = ['20.19', '22', '24']
  expect(commands).toEqual([
    ['lint', undefined, ['npm ci', 'npm run check']],
    ['build', versions, ['npm ci', 'node .ci/probe.mjs', 'npm pack']],
    ['test', versions, ['bash .ci/run']],
  ])
})
