import { createHash } from 'node:crypto'
import type { SharedData } from '../../interface/http/redis.ts'
import { KEY_LIFE_MS, type IngestFacts } from './ledger.ts'

/** The Idempotency-Keys of all instances. */
export interface SharedKeys {
  /**
   * Records the facts of an ingest for the life of its key, unless another instance has done so.
   *
   * @returns the facts of the other instance.
   * @throws Error if the Redis cannot be reached.
   */
  claim(username: string, key: string, facts: IngestFacts): Promise<IngestFacts | undefined>
}

/** Keeps Idempotency-Keys in a Redis, which never sees a username or a key. */
export function sharedKeys({ setOnce }: Pick<SharedData, 'setOnce'>): SharedKeys {
  return {
    claim: async (username, idempotencyKey, { username: _username, key: _key, ...facts }) => {
      const digest = createHash('sha256')
        .update(JSON.stringify([username, idempotencyKey]))
        .digest('hex')
      const earlier = await setOnce(`vocabulary-service:idempotency:${digest}`, JSON.stringify(facts), KEY_LIFE_MS)
      if (earlier === undefined) return undefined
      return { ...(JSON.parse(earlier) as typeof facts), username, key: idempotencyKey }
    },
  }
}
