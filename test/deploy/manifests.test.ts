/** Checks the files in `deploy/` for Kubernetes and systemd with their own tools and against the service. */
import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { parse, parseAllDocuments } from 'yaml'
import { EXIT_CONFIG, readConfig } from '../../src/config.ts'
import { readImage } from '../docker/compose.ts'
import { temporaryFolder } from '../folder.ts'
import { ROOT } from '../process.ts'
import { findTool } from '../tools.ts'

const MANIFESTS = join(ROOT, 'deploy/kubernetes/vocabulary-service.yaml')
const UNIT = join(ROOT, 'deploy/systemd/vocabulary-service.service')
const folder = temporaryFolder()

interface Manifest {
  kind: string
  data?: Record<string, string>
  spec: any
}

/** The variables of the table in README.md. */
async function knownVariables(): Promise<Set<string>> {
  const rows = (await readFile(join(ROOT, 'README.md'), 'utf8')).match(/^\| `[A-Z].*$/gm) ?? []
  return new Set(rows.flatMap((row) => [...row.split(' | ')[0]!.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name!)))
}

describe('deploy/kubernetes', () => {
  const validator = findTool('kubernetes-validate')
  const checked = validator.path ? test : test.skip
  checked(`is valid by the schemas of Kubernetes${validator.skipped}`, () => {
    const { stdout, stderr, status } = spawnSync(validator.path!, ['--strict', MANIFESTS], { encoding: 'utf8' })
    expect([status, stdout + stderr]).toEqual([0, expect.not.stringMatching(/ERROR|WARN/)])
  })

  let manifests: Record<string, Manifest>
  let pod: any
  beforeAll(async () => {
    const documents = parseAllDocuments(await readFile(MANIFESTS, 'utf8')).map((one) => one.toJS() as Manifest)
    manifests = Object.fromEntries(documents.map((one) => [one.kind, one]))
    pod = manifests['StatefulSet']!.spec.template.spec
  })

  test('uses the paths, the port and the user of the service', async () => {
    const image = await readImage('Dockerfile')
    const [container] = pod.containers
    expect(container.ports).toEqual([{ name: 'http', containerPort: Number(image.env['PORT']) }])
    expect([container.livenessProbe.httpGet, container.readinessProbe.httpGet]).toEqual([
      { path: '/healthz', port: 'http' },
      { path: '/readyz', port: 'http' },
    ])
    expect(`${pod.securityContext.runAsUser}:${pod.securityContext.runAsGroup}`).toBe(image.user)
    const mounts = container.volumeMounts.map(({ name, mountPath }: any) => [name, mountPath])
    expect(mounts).toContainEqual(['data', image.env['DATA_DIR']])
    const volumes = [
      ...pod.volumes,
      ...manifests['StatefulSet']!.spec.volumeClaimTemplates.map((one: any) => one.metadata),
    ]
    expect(volumes.map(({ name }: any) => name).sort()).toEqual(mounts.map(([name]: string[]) => name).sort())
    for (const kind of ['Service', 'PodDisruptionBudget']) {
      const { selector } = manifests[kind]!.spec
      expect(selector.matchLabels ?? selector).toEqual(manifests['StatefulSet']!.spec.template.metadata.labels)
    }
  })

  test('has settings that the service accepts', async () => {
    const settings = manifests['ConfigMap']!.data!
    const known = await knownVariables()
    for (const name of Object.keys(settings)) expect(known).toContain(name)
    const file = await folder.write('password', 'secret')
    expect(settings['SPARQL_PASSWORD_FILE']).toBe('/store/password')
    expect(() => readConfig({ ...settings, SPARQL_PASSWORD_FILE: file })).not.toThrow()
  })

  test('names the version of the service', async () => {
    const { version } = parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string }
    expect(pod.containers[0].image).toBe(`vocabulary-service/service:${version}`)
  })
})

describe('deploy/systemd', () => {
  const analyze = findTool('systemd-analyze')
  const run = (...words: string[]) => spawnSync(analyze.path!, words, { encoding: 'utf8' })
  // The version of Debian 12; earlier ones cannot check a file without a running systemd.
  const version = analyze.path ? Number(/\d+/.exec(run('--version').stdout)?.[0]) : 0
  const checked = version >= 252 ? test : test.skip
  const reason = version >= 252 ? '' : ', skipped: there is no systemd-analyze from 252 on'
  let unit: string
  beforeAll(async () => {
    unit = await readFile(UNIT, 'utf8')
  })

  checked(`has nothing that systemd-analyze finds wrong, and may do little${reason}`, async () => {
    // systemd-analyze wants the program to exist and the documentation to be installed.
    const here = unit.replace('/usr/bin/node', process.execPath).replace('/opt/vocabulary-service\n', `${ROOT}\n`)
    const path = folder.path('vocabulary-service.service')
    await writeFile(path, here.replace(/^Documentation=.*\n/m, ''))
    const { stderr, status } = run('verify', '--recursive-errors=no', path)
    expect([status, stderr.split('\n').filter((line) => line.includes('vocabulary-service'))]).toEqual([0, []])
    // From 0 (the unit may do nothing) to 100.
    const exposure = run('security', '--offline=true', '--threshold=15', '--no-pager', path)
    expect([exposure.status, exposure.stdout]).toEqual([0, expect.stringContaining('Overall exposure level')])
  })

  test('starts the built service with valid settings', async () => {
    const { scripts } = parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
    expect(scripts['build']).toBeDefined()
    expect(unit).toMatch(/^ExecStart=\/usr\/bin\/node --enable-source-maps dist\/main\.js$/m)
    expect(unit).toContain(`\nRestartPreventExitStatus=${EXIT_CONFIG}\n`)
    const known = new Set([...(await knownVariables()), 'NODE_ENV', 'TMPDIR'])
    const settings = [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)]
    expect(settings.length).toBeGreaterThan(0)
    for (const [, name] of settings) expect(known).toContain(name)
    const [, directory] = /^StateDirectory=(.*)$/m.exec(unit)!
    expect(unit).toContain(`\nEnvironment=DATA_DIR=/var/lib/${directory}\n`)
  })
})
