import { MemoryStore, type ClientRateLimitInfo, type Options, type Store } from 'express-rate-limit'
import type { Logger } from 'pino'
import { ConfigError } from '../config.ts'
import type { CounterStore } from './limits.ts'

/** Counters in a Redis, so that several instances of the service keep one count. */
export interface SharedCounters {
  store: CounterStore
  close(): void
}

const CONNECT_MS = 5000
const MAX_RECONNECT_MS = 5000

/**
 * Connects to a Redis. If it becomes unreachable later, every instance counts by itself meanwhile.
 *
 * @param url `redis://` or `rediss://`, with `user:password@` for a login.
 * @throws ConfigError if nobody answers; the message does not show the password.
 */
export async function connectCounters(url: string, log: Pick<Logger, 'error'>): Promise<SharedCounters> {
  // Loaded only if needed.
  const [{ createClient }, { RedisStore }] = await Promise.all([import('redis'), import('rate-limit-redis')])
  let connected = false
  const client = createClient({
    url,
    // Without a connection a command fails at once instead of waiting.
    disableOfflineQueue: true,
    socket: {
      connectTimeout: CONNECT_MS,
      reconnectStrategy: (retries) => Math.min(100 * 2 ** retries, MAX_RECONNECT_MS),
    },
  })
  client.on('error', (err: Error) => {
    if (connected) log.error({ err }, 'the Redis that counts ingests cannot be reached: this instance counts by itself')
  })
  const patience = setTimeout(() => client.destroy(), CONNECT_MS)
  try {
    await client.connect()
  } catch (cause) {
    throw new ConfigError(`REDIS_URL: nobody answers at ${new URL(url).host}`, { cause })
  } finally {
    clearTimeout(patience)
  }
  connected = true
  const redisStore = (prefix: string): Store =>
    new RedisStore({ prefix, sendCommand: (...words: string[]) => client.sendCommand(words) })
  return { store: (prefix) => new FallbackStore(() => redisStore(prefix)), close: () => client.destroy() }
}

/** Counts in a shared store while it works, else in memory. */
class FallbackStore implements Store {
  readonly #connect: () => Store
  readonly #memory = new MemoryStore()
  #options: Options | undefined
  /** Replaced after an error, because a store that failed at its start never recovers. */
  #shared: Promise<Store> | undefined

  constructor(connect: () => Store) {
    this.#connect = connect
  }

  init(options: Options): void {
    this.#options = options
    this.#memory.init(options)
  }

  get(key: string): Promise<ClientRateLimitInfo | undefined> {
    return this.#try((store) => store.get!(key))
  }

  increment(key: string): Promise<ClientRateLimitInfo> {
    return this.#try((store) => store.increment(key))
  }

  decrement(key: string): Promise<void> {
    return this.#try((store) => store.decrement(key))
  }

  resetKey(key: string): Promise<void> {
    return this.#try((store) => store.resetKey(key))
  }

  shutdown(): void {
    this.#memory.shutdown()
  }

  async #try<T>(ask: (store: Store) => Promise<T> | T): Promise<T> {
    try {
      this.#shared ??= this.#begin()
      return await ask(await this.#shared)
    } catch {
      this.#shared = undefined
      return ask(this.#memory)
    }
  }

  async #begin(): Promise<Store> {
    const store = this.#connect()
    await store.init!(this.#options!)
    return store
  }
}
