/** Checks the files in `deploy/` for Kubernetes and systemd with their own tools and against the service. */
import { spawnSync } from 'node:child_process'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { parse, parseAllDocuments } from 'yaml'
import { EXIT_CONFIG, readConfig } from '../../src/config.ts'
import { VARIABLES } from '../configuration.ts'
import { readImage } from '../docker/compose.ts'
import { temporaryFolder } from '../folder.ts'
import { ROOT } from '../process.ts'
import { findTool } from '../tools.ts'
import { NGINX_PATHS, nginxMissing } from './nginx.ts'

const KUBERNETES = join(ROOT, 'deploy/kubernetes')
const MANIFESTS = ['vocabulary-service.yaml', 'ingress.yaml'].map((name) => join(KUBERNETES, name))
const UNIT = join(ROOT, 'deploy/systemd/vocabulary-service.service')
const VOCAB = join(ROOT, 'deploy/systemd/vocab')
const folder = temporaryFolder()

interface Manifest {
  kind: string
  metadata: { name: string }
  data?: Record<string, string>
  spec: any
}

describe('deploy/kubernetes', () => {
  const validator = findTool('kubernetes-validate')
  const checked = validator.path ? test : test.skip
  checked(`is valid by the schemas of Kubernetes${validator.skipped}`, () => {
    const { stdout, stderr, status } = spawnSync(validator.path!, ['--strict', ...MANIFESTS], { encoding: 'utf8' })
    expect([status, stdout + stderr]).toEqual([0, expect.not.stringMatching(/ERROR|WARN/)])
  })

  let manifests: Manifest[]
  let pod: any
  let nginx: any
  const find = (kind: string, name = 'vocabulary-service') =>
    manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name)!
  beforeAll(async () => {
    const texts = await Promise.all(MANIFESTS.map((file) => readFile(file, 'utf8')))
    manifests = texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Manifest))
    pod = find('StatefulSet').spec.template.spec
    nginx = find('Deployment', 'vocabulary-service-nginx').spec.template.spec
  })
  const mountsOf = (of: any): [string, string][] =>
    of.containers[0].volumeMounts.map(({ name, mountPath }: any) => [name, mountPath])

  test('uses the paths, the port and the user of the service', async () => {
    const image = await readImage('Dockerfile')
    const [container] = pod.containers
    expect(container.ports).toEqual([{ name: 'http', containerPort: Number(image.env['PORT']) }])
    expect([container.livenessProbe.httpGet, container.readinessProbe.httpGet]).toEqual([
      { path: '/healthz', port: 'http' },
      { path: '/readyz', port: 'http' },
    ])
    expect(`${pod.securityContext.runAsUser}:${pod.securityContext.runAsGroup}`).toBe(image.user)
    const mounts = mountsOf(pod)
    expect(mounts).toContainEqual(['data', image.env['DATA_DIR']])
    const volumes = [
      ...pod.volumes,
      ...find('StatefulSet').spec.volumeClaimTemplates.map((claim: any) => claim.metadata),
    ]
    expect(volumes.map(({ name }: any) => name).sort()).toEqual(mounts.map(([name]) => name).sort())
    for (const kind of ['Service', 'PodDisruptionBudget']) {
      const { selector } = find(kind).spec
      expect(selector.matchLabels ?? selector).toEqual(find('StatefulSet').spec.template.metadata.labels)
    }
  })

  test('has the names of the instances that nginx uses, each for one pod, the history for the first', async () => {
    const configuration = await readFile(join(ROOT, 'deploy/nginx/vocabulary-service.conf'), 'utf8')
    const upstream = (name: string) =>
      [
        ...new RegExp(`^upstream ${name} \\{(.*?)^\\}`, 'ms')
          .exec(configuration)![1]!
          .matchAll(/^ *server (\S+?)[ ;]/gm),
      ].map(([, server]) => server!)
    const podOf = (server: string) => {
      const [name, port] = server.split(':')
      const { selector, ports } = find('Service', name).spec
      expect(ports).toEqual([{ name: 'http', port: Number(port), targetPort: 'http' }])
      return selector['statefulset.kubernetes.io/pod-name'] as string
    }
    const { replicas } = find('StatefulSet').spec
    const pods = Array.from({ length: replicas }, (_, at) => `vocabulary-service-${at}`)
    expect(upstream('instances').map(podOf)).toEqual(pods)
    expect(upstream('history').map(podOf)).toEqual([pods[0]])
    // The place where the comment tells operators to load.
    expect(await readFile(MANIFESTS[0]!, 'utf8')).toContain(
      `kubectl exec -i ${pods[0]} -- node dist/cli/main.js load - `,
    )
  })

  test('runs nginx as its image does, behind an Ingress for the host of BASE_URL', async () => {
    const image = await readImage('deploy/nginx/Dockerfile')
    const [container] = nginx.containers
    expect(container.ports).toEqual([{ name: 'http', containerPort: 80 }])
    expect(`${nginx.securityContext.runAsUser}:${nginx.securityContext.runAsGroup}`).toBe(image.user)
    const mounts = mountsOf(nginx)
    expect(mounts).toContainEqual(['cache', image.volumes[0]])
    expect(nginx.volumes.map(({ name }: any) => name).sort()).toEqual(mounts.map(([name]) => name).sort())
    const { labels } = find('Deployment', 'vocabulary-service-nginx').spec.template.metadata
    for (const kind of ['Service', 'PodDisruptionBudget']) {
      const { selector } = find(kind, 'vocabulary-service-nginx').spec
      expect(selector.matchLabels ?? selector).toEqual(labels)
    }
    const { tls, rules } = find('Ingress').spec
    const host = new URL(find('ConfigMap').data!['BASE_URL']!).host
    expect([tls[0].hosts, rules.map((rule: any) => rule.host)]).toEqual([[host], [host]])
    const [{ path, backend }] = rules[0].http.paths
    expect([path, backend.service]).toEqual(['/', { name: 'vocabulary-service-nginx', port: { name: 'http' } }])
  })

  const missing = nginxMissing()
  const withNginx = missing ? test.skip : test
  withNginx(`mounts a configuration that nginx accepts${missing ? `, skipped: ${missing}` : ''}`, async () => {
    const [, mountPath] = mountsOf(nginx).find(([name]) => name === 'real-ip')!
    const main = await readFile(join(ROOT, 'deploy/nginx/nginx.conf'), 'utf8')
    expect(main).toContain(`include ${dirname(mountPath)}/*.conf;`)
    const service = await readFile(join(ROOT, 'deploy/nginx/vocabulary-service.conf'), 'utf8')
    const cache = service.replaceAll('/var/cache/vocabulary-service', folder.path('cache'))
    // There are no such names here.
    await folder.write('service.conf', cache.replaceAll(/instance-\d:3000/g, '127.0.0.1:3000'))
    await folder.write('real-ip.conf', find('ConfigMap', 'vocabulary-service-nginx').data![basename(mountPath)]!)
    const moved = main
      .replace(dirname(mountPath), dirname(folder.path('')))
      .replaceAll('/tmp/', folder.path(''))
      .replace('/dev/stdout', folder.path('log'))
      .replace(/^daemon off;$/m, '')
    const { status, stderr } = spawnSync(
      'nginx',
      ['-t', '-c', await folder.write('nginx.main', moved), '-e', 'stderr'],
      {
        encoding: 'utf8',
        env: NGINX_PATHS,
      },
    )
    expect([status, stderr]).toEqual([0, expect.stringContaining('test is successful')])
  })

  test('has settings that the service accepts', async () => {
    const settings = find('ConfigMap').data!
    for (const name of Object.keys(settings)) expect(VARIABLES).toContain(name)
    const file = await folder.write('password', 'secret')
    expect(settings['SPARQL_PASSWORD_FILE']).toBe('/store/password')
    expect(() => readConfig({ ...settings, SPARQL_PASSWORD_FILE: file })).not.toThrow()
  })

  test('names the version of the service in both images', async () => {
    const { version } = parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string }
    expect(pod.containers[0].image).toBe(`vocabulary-service/service:${version}`)
    expect(nginx.containers[0].image).toBe(`vocabulary-service/nginx:${version}`)
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
    expect(unit).toMatch(/^ExecStart=\/usr\/bin\/node --enable-source-maps --max-semi-space-size=32 dist\/main\.js$/m)
    expect(unit).toContain(`\nRestartPreventExitStatus=${EXIT_CONFIG}\n`)
    const names = new Set([...VARIABLES, 'NODE_ENV', 'TMPDIR', 'MALLOC_ARENA_MAX'])
    const settings = [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)]
    expect(settings.length).toBeGreaterThan(0)
    for (const [, name] of settings) expect(names).toContain(name)
    const [, directory] = /^StateDirectory=(.*)$/m.exec(unit)!
    expect(unit).toContain(`\nEnvironment=DATA_DIR=/var/lib/${directory}\n`)
  })

  test('gives commands the user, the folder and the settings of the unit', async () => {
    // There is no running systemd here, so this shows the words that systemd-run gets.
    await folder.write('systemd-run', `#!/bin/sh\nprintf '%s\\0' "$@"\n`)
    await chmod(folder.path('systemd-run'), 0o755)
    const options = { encoding: 'utf8', env: { PATH: `${dirname(folder.path('x'))}:/usr/bin:/bin` } } as const
    const { status, stdout } = spawnSync(VOCAB, ['load', '-', '--record', 'two words.ttl'], options)
    const words = stdout.split('\0').slice(0, -1)
    const valueOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)![1]!
    // Commands end before the service's room for new objects would matter.
    const program = valueOf('ExecStart').split(' ').slice(0, 2)
    expect([status, words]).toEqual([
      0,
      [
        ...['--quiet', '--pipe', '--wait', '--collect', '--service-type=exec'],
        `--uid=${valueOf('User')}`,
        `--working-directory=${valueOf('WorkingDirectory')}`,
        ...[...unit.matchAll(/^Environment=(.*)$/gm)].map(([, setting]) => `--setenv=${setting}`),
        `--property=EnvironmentFile=${valueOf('EnvironmentFile')}`,
        `--property=UMask=${valueOf('UMask')}`,
        ...[...program, 'dist/cli/main.js', 'load', '-', '--record', 'two words.ttl'],
      ],
    ])
  })
})
