import { createHash } from 'node:crypto'
import type { SharedData } from '../http/redis.ts'
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
    claim: async (username, key, facts) => {
      const digest = createHash('sha256')
        .update(JSON.stringify([username, key]))
        .digest('hex')
      const earlier = await setOnce(`vocabulary-service:idempotency:${digest}`, JSON.stringify(facts), KEY_LIFE_MS)
      return earlier === undefined ? undefined : (JSON.parse(earlier) as IngestFacts)
    },
  }
}
