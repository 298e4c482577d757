import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import express, { type Express } from 'express'
import { holderOf } from '../durable/hold.ts'
import { SYSTEM_CLOCK } from '../clock.ts'
import { Ledger, LEDGER_HELD, type Entry } from './ledger.ts'

/** Mails that no SMTP server took in 5 days, for the operator. */
export interface SetAsideMails {
  list(): Promise<Entry[]>
  /** Puts mails back into the outbox, for another 5 days. @returns the known ids among these. */
  retry(ids: readonly string[]): Promise<string[]>
  /** Forgets mails. @returns the known ids among these. */
  remove(ids: readonly string[]): Promise<string[]>
}

/** The address at which processes that may read the folder can ask a running service for the mails. */
interface Address {
  url: string
  token: string
}

/**
 * The mails of a folder of ingests, from the process that holds the folder, else from the folder itself.
 *
 * @throws HeldError, DamageError, DiskError; Error if the process does not answer.
 */
export async function openSetAside(directory: string): Promise<{ mails: SetAsideMails; close: () => Promise<void> }> {
  const holder = await holderOf<Address>(join(directory, LEDGER_HELD))
  if (holder?.about) return { mails: remote(holder.about), close: () => Promise.resolve() }
  const ledger = await Ledger.open(directory, SYSTEM_CLOCK)
  return { mails: ledger.setAsideMails(), close: () => ledger.close() }
}

/** Answers the commands of the operator on the loopback interface while the service runs. */
export class SetAsideListener {
  readonly about: Address
  readonly #server: Server
  #mails: SetAsideMails | undefined

  private constructor(server: Server, about: Address) {
    this.#server = server
    this.about = about
  }

  static async listen(): Promise<SetAsideListener> {
    const token = randomBytes(24).toString('base64url')
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const listener = new SetAsideListener(server, { url, token })
    server.on('request', listener.#app())
    return listener
  }

  /** Begins to answer. */
  serve(mails: SetAsideMails): void {
    this.#mails = mails
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  #app(): Express {
    const expected = Buffer.from(`Bearer ${this.about.token}`)
    const app = express().disable('x-powered-by').disable('etag')
    app.use((request, response, next) => {
      const given = Buffer.from(request.get('Authorization') ?? '')
      if (given.length === expected.length && timingSafeEqual(given, expected) && this.#mails) next()
      else response.status(403).end()
    })
    app.get('/', async (_request, response) => {
      response.json(await this.#mails!.list())
    })
    app.use(express.json({ limit: '16mb' }))
    app.post('/retry', async (request, response) => {
      response.json(await this.#mails!.retry(request.body as string[]))
    })
    app.post('/remove', async (request, response) => {
      response.json(await this.#mails!.remove(request.body as string[]))
    })
    return app
  }
}

function remote({ url, token }: Address): SetAsideMails {
  const ask = async <T>(path: string, ids?: readonly string[]): Promise<T> => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
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
