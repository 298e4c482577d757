import { join } from 'node:path'
import type { Config } from '../../config.ts'
import type { FolderStore } from '../../data-folder.ts'
import { lockFile } from '../../base/durable/file-lock.ts'
import { InputError } from '../../base/files/input-error.ts'
import { LEDGER_LOCK } from '../ingest/ledger.ts'
import type { SparqlClient } from '../../graph/sparql/client.ts'
import { missingLoads, namedStore, recordStore, testNamedStore } from '../../store-of-folder.ts'

interface ChangeOptions {
  /** Accepts a store that lacks vocabularies of the folder. */
  isForced?: boolean
}

/**
 * Moves the data folder from its present store to the store of the settings. The new store has to have the last load of
 * each vocabulary that the folder knows; otherwise the history would note that everything else was deleted.
 *
 * @param client the store of the settings.
 * @returns the store.
 * @throws InputError if the store lacks something; LockedError if the service runs; ConfigError if the store does not
 *   do what the service needs; ApiError if it fails.
 */
export async function changeStore(
  client: SparqlClient,
  config: Config,
  { isForced = false }: ChangeOptions,
): Promise<FolderStore> {
  const { dataDir } = config
  const lock = await lockFile(join(dataDir, 'ingest', LEDGER_LOCK))
  try {
    if (config.store) await testNamedStore(client)
    const [missing] = isForced ? [] : ((await missingLoads(client, dataDir)) ?? [])
    if (missing !== undefined) {
      throw new InputError(
        `the store lacks <${missing}> as it was loaded last; "vocab replicate" copies it, and --force changes the store all the same.`,
      )
    }
    await recordStore(config, true)
    return namedStore(config)
  } finally {
    await lock.release()
  }
}
