/** The ledger of versions before the database: `journal.ndjson`, `answers/`, `undelivered.ndjson`, `lock`. */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DamageError } from '../durable/errors.ts'
import { parseJsonText, readTextFile } from '../durable/files.ts'
import { refuseOldLock } from '../durable/old-lock.ts'
import { isEmailAddress } from './accounts.ts'
import type { Entry } from './ledger.ts'

/** Ingests in the old form. */
export interface OldLedger {
  entries: Entry[]
  /** JSON by the id of the ingest. */
  answers: Map<string, string>
  undelivered: Entry[]
}

const JOURNAL = 'journal.ndjson'
const UNDELIVERED = 'undelivered.ndjson'
const ANSWERS = 'answers'
const LOCK = 'lock'

/**
 * Reads the ledger in the old form.
 *
 * @returns undefined if there is none.
 * @throws DamageError naming file and line; HeldError if a process of the old version uses it.
 */
export async function readOldLedger(directory: string): Promise<OldLedger | undefined> {
  const journal = await readTextFile(join(directory, JOURNAL))
  if (journal === undefined) return undefined
  await refuseOldLock(join(directory, LOCK))
  const entries = new Map<string, Entry>()
  for (const { value, place } of readLines(join(directory, JOURNAL), journal)) {
    const known = entries.get(value.id)
    // A line is an entry or a change of one; an entry that was forgotten may have left a change behind.
    if (known) Object.assign(known, value)
    else if (value.uris) entries.set(value.id, value as Entry)
    const entry = entries.get(value.id)
    if (entry && !isEntry(entry)) throw damage(join(directory, JOURNAL), place)
  }
  const undelivered: Entry[] = []
  const given = (await readTextFile(join(directory, UNDELIVERED))) ?? ''
  for (const { value, place } of readLines(join(directory, UNDELIVERED), given)) {
    if (!isEntry(value)) throw damage(join(directory, UNDELIVERED), place)
    undelivered.push(value)
  }
  const answers = new Map<string, string>()
  for (const name of await readdir(join(directory, ANSWERS)).catch(() => [])) {
    const id = /^(.+)\.json$/.exec(name)?.[1]
    const answer = id !== undefined && entries.has(id) ? await readTextFile(join(directory, ANSWERS, name)) : undefined
    // Without the answer, the service asks the store.
    if (answer !== undefined && Array.isArray(parseJsonText(answer))) answers.set(id!, answer)
  }
  return { entries: [...entries.values()], answers, undelivered }
}

/** Removes the converted files, the journal last, because the others depend on it. */
export async function forgetOldLedger(directory: string): Promise<void> {
  for (const name of [LOCK, ANSWERS, UNDELIVERED, `${JOURNAL}.new`, JOURNAL]) {
    await rm(join(directory, name), { recursive: true, force: true })
  }
}

type Line = Partial<Entry> & { id: string }

/** Ignores a last line without its end: a crash broke it off before anybody got an answer. */
function readLines(file: string, text: string): { value: Line; place: string }[] {
  const lines = text.split('\n')
  const torn = lines.pop()!
  if (torn !== '' && lines.length === 0) throw damage(file, 'line 1')
  return lines.map((line, at) => {
    const value = parseJsonText(line) as Line | null | undefined
    const place = `line ${at + 1}`
    if (typeof value?.id !== 'string') throw damage(file, place)
    return { value, place }
  })
}

function isEntry(value: Partial<Entry>): value is Entry {
  const { id, time, username, scheme, voc, uris, labels, key, fingerprint, state, recipients, firstAttempt } = value
  return (
    [id, time, username, scheme, voc].every(isText) &&
    [key, fingerprint, firstAttempt].every((text) => text === undefined || isText(text)) &&
    [uris, labels].every((list) => Array.isArray(list) && list.length === uris?.length && list.every(isText)) &&
    !Number.isNaN(Date.parse(time!)) &&
    ['claimed', 'stored', 'absent'].includes(state!) &&
    Array.isArray(recipients) &&
    recipients.every(isEmailAddress)
  )
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function damage(file: string, place: string): DamageError {
  return new DamageError(file, `${place}: expected an ingest as the version before wrote it`, {
    advice: 'Restore its folder from a backup; only to go on without what it remembers move the file away.',
  })
}
