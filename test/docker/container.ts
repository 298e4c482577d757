/**
 * A container without an engine: the files that a Dockerfile copies, in a directory of their own; the command, the
 * environment and the user that docker-compose.yml and the Dockerfile say; all paths and ports moved.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, chown, cp, mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from '../process.ts'
import type { ComposeService, Image } from './compose.ts'

const HEALTHY_WITHIN_MS = 60_000

/** True if processes can be started as another user. */
export const CAN_CHANGE_USER = process.getuid?.() === 0

/** A new folder for containers, readable for their users, unlike the folders of other tests. */
export async function newContainerFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vocabulary-service-docker-'))
  await chmod(folder, 0o755)
  return folder
}

interface ContainerOptions {
  image: Image
  service: ComposeService
  /** A directory that stands for the root of the file system. */
  root: string
  /** The folders of volumes by name; they outlive the container. */
  volumes: string
  /** Replacements for paths, hosts and ports of the image, from the longest to the shortest. */
  replacements: [string, string][]
  /** Variables that an image gets from what it is made from. */
  env?: Record<string, string>
}

export class Container {
  #options: ContainerOptions
  #child: ChildProcess | undefined
  output = ''

  constructor(options: ContainerOptions) {
    this.#options = options
  }

  /** Copies the files as the Dockerfile does. Only volumes and tmpfs can be written. */
  async build(jar?: string): Promise<void> {
    const { image, root, service } = this.#options
    const at = (path: string) => join(root, resolve(image.workdir, path))
    // Nobody can write there, so containers of one image share it.
    const isThere = existsSync(root)
    for (const { stage, sources, destination } of isThere ? [] : image.copies) {
      for (const source of sources) {
        const isFolder = destination.endsWith('/')
        const target = isFolder ? join(at(destination), basename(source)) : at(destination)
        await mkdir(dirname(target), { recursive: true })
        if (stage !== undefined && basename(source) === 'node_modules') await copyProductionPackages(target)
        else if (stage !== undefined && basename(source) === '.fuseki') await cp(jar!, join(target, basename(jar!)))
        else await cp(join(ROOT, stage === undefined ? source : basename(source)), target, { recursive: true })
      }
    }
    for (const path of service.tmpfs ?? []) await this.#writable(join(root, path))
    for (const volume of service.volumes ?? []) {
      const { host, path } = this.#volume(volume)
      await this.#writable(host, image.modes[path])
    }
    if (!CAN_CHANGE_USER && !isThere) execFileSync('chmod', ['-R', 'a-w', at('.')])
  }

  /** Gives it other settings for the next start. */
  change(service: ComposeService): void {
    this.#options = { ...this.#options, service }
  }

  start(): void {
    const { service, image } = this.#options
    this.#child = this.#spawn(service.command?.map((word) => this.#move(word)) ?? image.command)
    this.#child.stdin!.end()
    this.#child.stdout!.on('data', (text) => (this.output += String(text)))
    this.#child.stderr!.on('data', (text) => (this.output += String(text)))
  }

  /** True if its process is there, healthy or not. */
  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** The exit code of the health check, of docker-compose.yml or else of the image. */
  async check(): Promise<number | null> {
    const { service, image } = this.#options
    if (service.healthcheck?.disable) return 0
    const [kind, ...command] = service.healthcheck?.test ?? ['CMD', ...image.healthcheck]
    if (kind !== 'CMD') throw new Error(`healthcheck: expected CMD, got ${kind}`)
    return this.exec(command)
  }

  /** Runs another command in the container. */
  async exec(command: string[]): Promise<number | null> {
    const child = this.#spawn(command)
    child.stdin!.end()
    child.stdout!.on('data', (text) => (this.output += String(text)))
    child.stderr!.on('data', (text) => (this.output += String(text)))
    const [code] = (await once(child, 'close')) as [number | null]
    return code
  }

  /**
   * Runs a command that names paths of the image.
   *
   * @param input goes to its standard input.
   * @returns its standard output.
   * @throws Error with its standard error if it fails.
   */
  async run(command: string[], input: Buffer, env: Record<string, string> = {}): Promise<Buffer> {
    const child = this.#spawn(
      command.map((word) => this.#move(word)),
      env,
    )
    child.stdin!.end(input)
    const [stdout, stderr, [code]] = await Promise.all([
      buffer(child.stdout!),
      text(child.stderr!),
      once(child, 'close') as Promise<[number | null]>,
    ])
    if (code !== 0) throw new Error(`${command.join(' ')}: ${code}: ${stderr}`)
    return stdout
  }

  async untilHealthy(): Promise<void> {
    const deadline = Date.now() + HEALTHY_WITHIN_MS
    while ((await this.check()) !== 0) {
      const ended = this.#child!.exitCode !== null
      if (ended || Date.now() > deadline) throw new Error(`not healthy: ${this.output.slice(-2000)}`)
      // Each check is a process, which takes time from what is starting.
      await sleep(500)
    }
  }

  /** SIGTERM, as an engine does. The exit code, or the signal that ended the process. */
  async stop(): Promise<number | string | null> {
    const child = this.#child
    if (!child) return null
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    return child.exitCode ?? child.signalCode
  }

  #spawn(command: string[], more: Record<string, string> = {}): ChildProcess {
    const { image, service, root, env } = this.#options
    const variables = { PATH: process.env['PATH']!, ...env, ...image.env, ...service.environment, ...more }
    const moved = Object.entries(variables).map(([name, value]) => [name, name === 'PATH' ? value : this.#move(value)])
    // As in the compose file: no capabilities, no new privileges.
    const [uid, gid] = image.user.split(':')
    const user = [
      'setpriv',
      `--reuid=${uid}`,
      `--regid=${gid}`,
      '--clear-groups',
      '--no-new-privs',
      '--bounding-set=-all',
    ]
    const [program, ...words] = [...(CAN_CHANGE_USER ? user : []), ...command]
    return spawn(program!, words, {
      cwd: join(root, image.workdir),
      env: Object.fromEntries(moved) as Record<string, string>,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
  }

  #volume(volume: string): { host: string; path: string } {
    const [name, path] = volume.split(':')
    return { host: join(this.#options.volumes, name!), path: path! }
  }

  #move(text: string): string {
    const volumes = (this.#options.service.volumes ?? []).map((volume) => this.#volume(volume))
    const paths = volumes.map(({ host, path }): [string, string] => [path, host])
    for (const [from, to] of [...paths, ...this.#options.replacements]) {
      if (!from.startsWith('/') || `${text}/`.startsWith(`${from}/`)) text = text.replaceAll(from, to)
    }
    return text
  }

  async #writable(path: string, mode = 0o700): Promise<void> {
    const [uid, gid] = this.#options.image.user.split(':').map(Number)
    if (existsSync(path)) return
    await mkdir(path, { recursive: true })
    await chmod(path, mode)
    if (CAN_CHANGE_USER) await chown(path, uid!, gid!)
  }
}

/** A copy of the packages that `npm ci --omit=dev` installs. */
async function copyProductionPackages(target: string): Promise<void> {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>
  }
  const names = Object.keys(packages)
    .filter((path) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && !packages[path]!.dev)
    .filter((path) => existsSync(join(ROOT, path)))
  for (const name of names) {
    const folder = join(target, name.slice('node_modules/'.length))
    await mkdir(dirname(folder), { recursive: true })
    execFileSync('cp', ['-RL', join(ROOT, name), folder])
  }
}
