/** deploy/monitoring: the rules and the dashboard use only figures and labels that /metrics has. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { ROOT, startService, type ServiceProcess } from '../process.ts'

const read = (name: string) => readFile(join(ROOT, 'deploy/monitoring', name), 'utf8')

interface Rule {
  alert: string
  expr: string
  annotations: { summary: string }
}
interface Panel {
  title: string
  datasource?: { uid: string }
  targets?: { expr: string; legendFormat: string }[]
}

const { groups } = parse(await read('alerts.yaml')) as { groups: { rules: Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)
const dashboard = JSON.parse(await read('dashboard.json')) as {
  panels: Panel[]
  templating: { list: { name: string; query: string | { query: string } }[] }
}
const targets = dashboard.panels.flatMap((panel) => (panel.targets ?? []).map((target) => ({ panel, ...target })))

/** Labels that Prometheus adds, and its own figure of each target. */
const OF_PROMETHEUS = { labels: ['instance', 'job'], figure: 'up' }
const WORDS = ['by', 'and', 'or', 'unless', 'on', 'ignoring', 'offset', 'bool']

/** The figures that an expression of PromQL names, and the labels that it selects or groups by. */
function namesIn(expr: string): { figures: string[]; labels: string[] } {
  const selected = [...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside]) =>
    [...inside!.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!),
  )
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, inside]) => inside!.split(/,\s*/))
  const rest = expr
    .replace(/\{[^}]*\}/g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\bby \([^)]*\)/g, '')
  const figures = [...rest.matchAll(/\b[a-z_][a-z_0-9]*\b(?!\s*\()/g)].map(([name]) => name)
  return { figures: figures.filter((name) => !WORDS.includes(name)), labels: [...selected, ...grouped] }
}

describe('deploy/monitoring', () => {
  let service: ServiceProcess
  /** The figures of /metrics, those of histograms with their endings. */
  let figures: Set<string>
  let labels: Set<string>

  beforeAll(async () => {
    service = await startService({ DEMO: 'true' })
    // What was not asked yet has no labels.
    await fetch(`${service.url}/voc`)
    await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'list_vocabularies', arguments: {} },
      }),
    })
    const text = await (await fetch(`${service.url}/metrics`)).text()
    figures = new Set(
      [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name, type]) =>
        type === 'histogram' ? ['bucket', 'count', 'sum'].map((ending) => `${name}_${ending}`) : [name!],
      ),
    )
    labels = new Set([...text.matchAll(/[{,](\w+)="/g)].map(([, label]) => label!))
  })
  afterAll(() => service?.stop())

  test('reads the names of an expression', () => {
    expect(namesIn('sum by (a, b) (rate(x_total{c="}"}[5m])) / y > 0.05 and time() - z{d=~"e"} > 1')).toEqual({
      figures: ['x_total', 'y', 'z'],
      labels: ['c', 'd', 'a', 'b'],
    })
  })

  const all = [
    ...rules.map(({ alert, expr }): [string, string] => [alert, expr]),
    ...targets.map(({ panel, expr }): [string, string] => [panel.title, expr]),
  ]
  test.each(all)('%s: has the figures and labels of %s', (_, expr) => {
    const names = namesIn(expr)
    expect(names.figures).not.toEqual([])
    const isThere = (name: string) => figures.has(name) || name === OF_PROMETHEUS.figure
    expect(names.figures.filter((name) => !isThere(name))).toEqual([])
    expect(names.labels.filter((name) => !labels.has(name) && !OF_PROMETHEUS.labels.includes(name))).toEqual([])
  })

  test('shows every figure that docs/operation.md explains', async () => {
    const [, section] = (await readFile(join(ROOT, 'docs/operation.md'), 'utf8')).split('## Figures for monitoring')
    const explained = [...section!.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell]) =>
      [...cell!.matchAll(/`([a-z_]+)/g)].map(([, name]) => name!),
    )
    expect(explained.length).toBeGreaterThan(15)
    const shown = new Set(targets.flatMap(({ expr }) => namesIn(expr).figures.map(withoutEnding)))
    expect(explained.filter((name) => !shown.has(withoutEnding(name)))).toEqual([])
  })

  test('names alerts once, and the variables of the dashboard are its own', async () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
    const names = dashboard.templating.list.map(({ name }) => name)
    const used = [...(await read('dashboard.json')).matchAll(/\$\{?([a-z]\w*)/g)].map(([, name]) => name!)
    expect(new Set(used)).toEqual(new Set(names))
    for (const { panel } of targets) expect(panel.datasource?.uid).toBe('${datasource}')
    const ids = dashboard.panels.map((panel) => (panel as unknown as { id: number }).id)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

const withoutEnding = (name: string) => name.replace(/_(?:bucket|count|sum)$/, '')
