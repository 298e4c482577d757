/** A real nginx with deploy/nginx/vocabulary-service.conf, except for ports and paths. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, newDirectory, ROOT } from '../process.ts'

const CONFIGURATION = join(ROOT, 'deploy/nginx/vocabulary-service.conf')
const READY_WITHIN_MS = 30_000

/** The reason why there is no nginx; undefined if there is one. */
export function nginxMissing(): string | undefined {
  return spawnSync('nginx', ['-v'], { env: NGINX_PATHS }).status === 0 ? undefined : 'nginx is not installed'
}

/** The environment of nginx: Debian installs it in a folder that only root has in its path. */
export const NGINX_PATHS = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` }

export interface Nginx {
  url: string
  /** The processes that answer. */
  workers(): Promise<number[]>
  stop(): Promise<void>
}

interface NginxOptions {
  /** The addresses of the instances, in the order of the configuration. */
  instances: readonly [string, string]
  /** The path of BASE_URL, without a slash at the end; goes in as the comment in the configuration says. */
  prefix?: string
  /** True: X-Forwarded-For names the client, as behind another proxy, so that one address can act as many clients. */
  clientsAreForwarded?: boolean
}

/**
 * Starts nginx on a free port of the loopback interface.
 *
 * @throws Error with the message of nginx if it does not start.
 */
export async function startNginx({ instances, prefix, clientsAreForwarded }: NginxOptions): Promise<Nginx> {
  const directory = await newDirectory()
  const port = await freePort()
  const moves: [string, string][] = [
    ['listen 80;', `listen 127.0.0.1:${port};`],
    ['instance-1:3000', new URL(instances[0]).host],
    ['instance-2:3000', new URL(instances[1]).host],
    ['/var/cache/vocabulary-service', `${directory}/cache`],
  ]
  let text = await readFile(CONFIGURATION, 'utf8')
  if (prefix !== undefined) {
    const line = / get what is below it: (.*;)$/m.exec(text)![1]!.replaceAll('/vocabularies', prefix)
    moves.push(['default $request_uri;', line])
  }
  for (const [from, to] of moves) {
    if (!text.includes(from)) throw new Error(`${CONFIGURATION}: expected ${from}`)
    text = text.replaceAll(from, () => to)
  }
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const main = [
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    `pid ${directory}/nginx.pid;`,
    'worker_processes 1;',
    'events {}',
    `http { access_log off;${clientsAreForwarded ? ' set_real_ip_from 127.0.0.1; real_ip_header X-Forwarded-For;' : ''}${temporary.map((name) => ` ${name}_temp_path ${directory}/${name};`).join('')} include ${directory}/service.conf; }`,
  ]
  await writeFile(join(directory, 'service.conf'), text)
  await writeFile(join(directory, 'nginx.conf'), main.join('\n'))

  const words = ['-p', directory, '-c', join(directory, 'nginx.conf'), '-e', 'stderr', '-g', 'daemon off;']
  const child = spawn('nginx', words, { env: NGINX_PATHS, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk) => (said += String(chunk)))
  const url = `http://127.0.0.1:${port}`
  const deadline = Date.now() + READY_WITHIN_MS
  while (!(await fetch(`${url}/metrics`).catch(() => undefined))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`nginx does not start: ${said}`)
    await sleep(20)
  }
  return {
    url,
    workers: async () => {
      const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
      return children.trim().split(' ').map(Number)
    },
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM')
        await once(child, 'exit')
      }
      await rm(directory, { recursive: true, force: true })
    },
  }
}
