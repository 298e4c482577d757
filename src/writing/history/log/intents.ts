import { column } from '../../../base/durable/sqlite.ts'
import type { LogFile } from './file.ts'

/** Concepts that an ingest is about to write, or has written. */
export interface Intent {
  id: string
  graph: string
  time: string
  account: string
  uris: string[]
}

const INTENT = {
  id: column.text('id'),
  graph: column.text('graph'),
  time: column.text('time'),
  account: column.text('account'),
  uris: column.text('uris'),
}

/** The ingests whose fate is open. Recording their end removes them. */
export class Intents {
  readonly #file: LogFile

  constructor(file: LogFile) {
    this.#file = file
  }

  /** Records on disk the concepts that ingests are about to write. */
  async add(intents: readonly Intent[]): Promise<void> {
    await this.#file.write(async ({ run }) => {
      for (const { id, graph, time, account, uris } of intents) {
        await run('INSERT INTO intent VALUES (?, ?, ?, ?, ?)', id, graph, time, account, JSON.stringify(uris))
      }
    })
  }

  /** The oldest first. */
  async list(): Promise<Intent[]> {
    const rows = await this.#file.select(INTENT, 'FROM intent ORDER BY time, id')
    return rows.map((row) => ({ ...row, uris: JSON.parse(row.uris) as string[] }))
  }
}
