/** A real Redis for tests. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { freePort, newDirectory } from './process.ts'

/** The reason why there is no Redis; undefined if there is one. */
export function redisMissing(): string | undefined {
  return spawnSync('redis-server', ['--version']).status === 0 ? undefined : 'redis-server is not installed'
}

export interface Redis {
  url: string
  /** Starts it again on the same port after stop(). */
  start(): Promise<void>
  stop(): Promise<void>
  /** Lets it accept commands without an answer, until it goes on. */
  pause(): void
  goOn(): void
  remove(): Promise<void>
}

/** An empty Redis on a free port of the loopback interface. */
export async function startRedis(): Promise<Redis> {
  const port = await freePort()
  const directory = await newDirectory()
  let child: ChildProcess | undefined
  const redis: Redis = {
    url: `redis://127.0.0.1:${port}`,
    start: async () => {
      child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', directory])
      for await (const chunk of child.stdout!) if (String(chunk).includes('Ready to accept connections')) break
    },
    stop: async () => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
    pause: () => void child?.kill('SIGSTOP'),
    goOn: () => void child?.kill('SIGCONT'),
    remove: async () => {
      await redis.stop()
      await rm(directory, { recursive: true })
    },
  }
  await redis.start()
  return redis
}
