import { existsSync } from 'node:fs'
import { join } from 'node:path'
import express, { type Router } from 'express'
import { SYSTEM_CLOCK } from '../../base/clock.ts'
import { lockOwnerOf } from '../../base/durable/file-lock.ts'
import type { ControlAddress } from '../../interface/http/control-endpoint.ts'
import { basicAuthorization } from '../../graph/sparql/http.ts'
import { Ledger, LEDGER_LOCK, type Entry } from './ledger.ts'

/** Mails that no SMTP server took in 5 days, for the operator. */
export interface SetAsideMails {
  list(): Promise<Entry[]>
  /** Puts mails back into the outbox, for another 5 days. @returns the known ids among these. */
  retry(ids: readonly string[]): Promise<string[]>
  /** Forgets mails. @returns the known ids among these. */
  remove(ids: readonly string[]): Promise<string[]>
}

const NO_MAILS: SetAsideMails = {
  list: () => Promise.resolve([]),
  retry: () => Promise.resolve([]),
  remove: () => Promise.resolve([]),
}

/**
 * The mails of a folder of ingests, from the process that has locked the folder, else from the folder itself. A folder
 * that is not there has none, and is not made.
 *
 * @throws LockedError, DamageError, DiskError; Error if the process does not answer.
 */
export async function openSetAside(directory: string): Promise<{ mails: SetAsideMails; close: () => Promise<void> }> {
  if (!existsSync(directory)) return { mails: NO_MAILS, close: () => Promise.resolve() }
  const owner = await lockOwnerOf<ControlAddress>(join(directory, LEDGER_LOCK))
  if (owner?.about) return { mails: remote(owner.about), close: () => Promise.resolve() }
  const ledger = await Ledger.open(directory, SYSTEM_CLOCK)
  return { mails: ledger.setAsideMails(), close: () => ledger.close() }
}

/** Serves the mails to the commands of the operator while the service runs. */
export function setAsideEndpoint(mails: SetAsideMails): Router {
  const router = express.Router()
  router.get('/', async (_request, response) => {
    response.json(await mails.list())
  })
  router.use(express.json({ limit: '16mb' }))
  router.post('/retry', async (request, response) => {
    response.json(await mails.retry(request.body as string[]))
  })
  router.post('/remove', async (request, response) => {
    response.json(await mails.remove(request.body as string[]))
  })
  return router
}

function remote({ url, ...login }: ControlAddress): SetAsideMails {
  const ask = async <T>(path: string, ids?: readonly string[]): Promise<T> => {
    const headers = { Authorization: basicAuthorization(login), 'Content-Type': 'application/json' }
    const response = await fetch(url + path, { headers, ...(ids ? { method: 'POST', body: JSON.stringify(ids) } : {}) })
    if (!response.ok) throw new Error(`the service that runs answered ${response.status}; its log may say why.`)
    return (await response.json()) as T
  }
  return {
    list: () => ask('/'),
    retry: (ids) => ask('/retry', ids),
    remove: (ids) => ask('/remove', ids),
  }
}
