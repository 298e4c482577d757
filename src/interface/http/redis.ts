import type { ClientRateLimitInfo, Options, Store } from 'express-rate-limit'
import type { Logger } from 'pino'
import { type Clock, until } from '../../base/clock.ts'
import { ConfigError } from '../../config.ts'
import { MemoryCounters, type CounterStore } from './rate-limits.ts'

/** The data that several instances of the service share in a Redis. */
export interface SharedData {
  counters: CounterStore
  /**
   * Sets a key for some milliseconds, unless it has a value.
   *
   * @returns the value that the key has already; undefined if it was set now.
   * @throws Error if the Redis cannot be reached, or neither sets the key nor has a value for it.
   */
  setOnce(key: string, value: string, lifeMs: number): Promise<string | undefined>
  close(): void
}

const CONNECT_MS = 5000
const MAX_RECONNECT_MS = 5000
/** How errors about a missing or wrong login begin. */
const REFUSED = /^(WRONGPASS|NOAUTH|NOPERM)/
/** A request waits this long for the answer to one command. */
const COMMAND_MS = 500
/** How often to set a key that turns out to have no value. */
const MOST_TRIES = 3
/** After a failed command, this instance counts by itself for this long before it asks again. */
const REST_MS = 5000

/**
 * Connects to a Redis. If it becomes unreachable later, or does not answer in time, every instance counts by itself
 * meanwhile, and requests with an Idempotency-Key have to wait.
 *
 * @param url `redis://` or `rediss://`, with `user:password@` for a login.
 * @throws ConfigError if Redis does not answer, or if it refuses the login; the message does not show the password.
 */
export async function connectRedis(
  url: string,
  log: Pick<Logger, 'info' | 'error'>,
  clock: Clock,
): Promise<SharedData> {
  // Loaded only if needed.
  const [{ createClient }, { RedisStore }] = await Promise.all([import('redis'), import('rate-limit-redis')])
  const health = new Health(log)
  const client = createClient({
    url,
    // Commands fail at once instead of waiting for a connection.
    disableOfflineQueue: true,
    socket: {
      connectTimeout: CONNECT_MS,
      reconnectStrategy: (retries) => Math.min(100 * 2 ** retries, MAX_RECONNECT_MS),
    },
  })
  let connected = false
  let isRefused = false
  client.on('error', (error: Error) => {
    if (connected) health.failed(error)
    else isRefused = REFUSED.test(error.message)
  })
  const patience = setTimeout(() => client.destroy(), CONNECT_MS)
  try {
    await client.connect()
  } catch (cause) {
    const { host } = new URL(url)
    const reason = isRefused ? `the Redis at ${host} refuses the login` : `nobody answers at ${host}`
    throw new ConfigError(`REDIS_URL: ${reason}`, { cause })
  } finally {
    clearTimeout(patience)
  }
  connected = true
  const redisStore = (prefix: string): Store =>
    new RedisStore({ prefix, sendCommand: (...words: string[]) => inTime(client.sendCommand(words)) })
  const setOnce: SharedData['setOnce'] = async (key, value, lifeMs) => {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const isNew = await inTime(client.set(key, value, { condition: 'NX', expiration: { type: 'PX', value: lifeMs } }))
      if (isNew !== null) return undefined
      const earlier = await inTime(client.get(key))
      if (earlier !== null) return earlier
      // The key has just expired, so it can be set after all.
    }
    throw new Error('the Redis neither sets a key nor has a value for it')
  }
  return {
    counters: (prefix) => new FallbackStore(() => redisStore(prefix), new MemoryCounters(clock), health),
    setOnce,
    close: () => client.destroy(),
  }
}

/** A Redis may accept a command and never answer it. */
function inTime<T>(reply: Promise<T>): Promise<T> {
  return until(COMMAND_MS, reply, () => new Error(`no answer within ${COMMAND_MS} ms`))
}

/** Tracks whether the Redis answers, and logs each change once. */
class Health {
  readonly #log: Pick<Logger, 'info' | 'error'>
  #failedAt: number | undefined

  constructor(log: Pick<Logger, 'info' | 'error'>) {
    this.#log = log
  }

  get isResting(): boolean {
    return this.#failedAt !== undefined && performance.now() - this.#failedAt < REST_MS
  }

  failed(err: unknown): void {
    if (this.#failedAt === undefined) {
      this.#log.error({ err }, 'the Redis that counts ingests cannot be reached: this instance counts by itself')
    }
    this.#failedAt = performance.now()
  }

  answered(): void {
    if (this.#failedAt !== undefined) this.#log.info('the Redis that counts ingests answers again')
    this.#failedAt = undefined
  }
}

/** Counts in a shared store while it works, else in memory. */
class FallbackStore implements Store {
  readonly #connect: () => Store
  readonly #memory: MemoryCounters
  readonly #health: Health
  #options: Options | undefined
  /** Replaced after an error, because a store that failed at its start never recovers. */
  #shared: Promise<Store> | undefined

  constructor(connect: () => Store, memory: MemoryCounters, health: Health) {
    this.#connect = connect
    this.#memory = memory
    this.#health = health
  }

  init(options: Options): void {
    this.#options = options
    this.#memory.init(options)
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

  async #try<T>(ask: (store: Store) => Promise<T> | T): Promise<T> {
    if (this.#health.isResting) return ask(this.#memory)
    try {
      this.#shared ??= this.#begin()
      const answer = await ask(await this.#shared)
      this.#health.answered()
      return answer
    } catch (error) {
      this.#shared = undefined
      this.#health.failed(error)
      return ask(this.#memory)
    }
  }

  async #begin(): Promise<Store> {
    const store = this.#connect()
    await store.init!(this.#options!)
    return store
  }
}
