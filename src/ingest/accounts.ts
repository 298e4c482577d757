import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { readLimits, type RateLimit } from '../config.ts'
import { replaceFile } from '../durable/files.ts'
import { hold } from '../durable/hold.ts'

/** Who may ingest into one vocabulary (docs/interface.md, "Accounts and limits"). */
export interface Account {
  username: string
  /** SHA-256 of the token, in hexadecimal. */
  tokenHash: string
  /** URI of the one vocabulary. */
  voc: string
  /** Addresses of its editors; they are told about every ingest. */
  emails: string[]
  /** Instead of INGEST_LIMITS, in the same words; absent: the general limits. */
  limits?: string
  /** The day it was made, YYYY-MM-DD. */
  created: string
}

/** A file of accounts that cannot be used; the message names the file and what was expected. */
export class AccountsFileError extends Error {
  override readonly name = 'AccountsFileError'
}

/** A wish of the operator that cannot be granted; the message says why. */
export class AccountError extends Error {
  override readonly name = 'AccountError'
}

/**
 * A new token: 256 random bits. It is made by the service and never chosen by a person, so a plain SHA-256 of it cannot be
 * searched for, and a login costs next to nothing: a slow hash would only let strangers keep the processor busy.
 */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** What is kept of a token. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** Stands in where there is no account, so that an unknown username takes as long as a wrong token. */
const NOBODY = hashToken(newToken())

/** The accounts of a file, read again whenever the file has changed. */
export class Accounts {
  readonly #file: string
  #read: { stamp: string; byUsername: Map<string, Account> } | undefined

  constructor(file: string) {
    this.#file = file
  }

  /**
   * The account of a username if every one of the tokens is its own.
   *
   * @throws AccountsFileError where the file cannot be used.
   */
  async login(username: string, tokens: readonly string[]): Promise<Account | undefined> {
    const account = (await this.#current()).get(username)
    const expected = Buffer.from(account?.tokenHash ?? NOBODY, 'hex')
    let right = true
    for (const token of tokens) right = timingSafeEqual(Buffer.from(hashToken(token), 'hex'), expected) && right
    return account !== undefined && tokens.length > 0 && right ? account : undefined
  }

  /** @throws AccountsFileError where the file cannot be used. */
  async list(): Promise<Account[]> {
    return [...(await this.#current()).values()]
  }

  async #current(): Promise<Map<string, Account>> {
    const stamp = await fileStamp(this.#file)
    if (this.#read?.stamp !== stamp) {
      const accounts = stamp === 'none' ? [] : await readAccounts(this.#file)
      this.#read = { stamp, byUsername: new Map(accounts.map((account) => [account.username, account])) }
    }
    return this.#read.byUsername
  }
}

/** What changes when the file changes: a replaced file is another inode. */
async function fileStamp(file: string): Promise<string> {
  try {
    const { ino, size, mtimeNs } = await stat(file, { bigint: true })
    return `${ino} ${size} ${mtimeNs}`
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'none'
    throw new AccountsFileError(`${file}: cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** @throws AccountsFileError naming the file and, where one is wrong, the account. */
async function readAccounts(file: string): Promise<Account[]> {
  let content: unknown
  try {
    content = JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new AccountsFileError(`${file}: expected JSON as "vocab account add" writes it`)
  }
  const accounts = (content as { accounts?: unknown } | null)?.accounts
  if (!Array.isArray(accounts)) throw new AccountsFileError(`${file}: expected an object with an array "accounts"`)
  const seen = new Set<string>()
  for (const [at, account] of (accounts as Partial<Account>[]).entries()) {
    const wrong = wrongField(account)
    if (wrong) throw new AccountsFileError(`${file}: accounts.${at}.${wrong}`)
    if (seen.has(account.username!)) throw new AccountsFileError(`${file}: accounts.${at}.username: is there twice`)
    seen.add(account.username!)
  }
  return accounts as Account[]
}

function wrongField(account: Partial<Account> | null): string | undefined {
  if (typeof account?.username !== 'string') return 'username: expected a text'
  if (!/^[0-9a-f]{64}$/.test(account.tokenHash ?? '')) return 'tokenHash: expected a SHA-256 in hexadecimal'
  if (typeof account.voc !== 'string') return 'voc: expected the URI of a vocabulary'
  if (!Array.isArray(account.emails) || !account.emails.every(isEmailAddress)) return 'emails: expected addresses'
  if (account.limits !== undefined && accountLimits(account) === undefined) {
    return 'limits: expected limits such as 5/minute,100/day, or none'
  }
  return undefined
}

/** The limits of an account's own; undefined where it has none that can be read. */
export function accountLimits({ limits }: Pick<Account, 'limits'>): RateLimit[] | undefined {
  if (typeof limits !== 'string') return undefined
  try {
    return readLimits(limits, () => {
      throw new AccountError('')
    })
  } catch {
    return undefined
  }
}

const EMAIL = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/i

/** True for an address that can stand in a header by itself (RFC 5321, Dot-string and Domain): no lists, no names, no line breaks. */
export function isEmailAddress(text: unknown): text is string {
  return typeof text === 'string' && text.length <= 254 && EMAIL.test(text)
}

const PATIENCE_MS = 5000

/**
 * Changes the accounts of a file: read, changed and replaced as a whole, one change after the other.
 *
 * @param change gives the accounts as they are to be; it throws AccountError to leave everything as it is.
 * @throws AccountsFileError where the file cannot be used, HeldError where another command holds it for long.
 */
export async function changeAccounts<T>(file: string, change: (accounts: Account[]) => [Account[], T]): Promise<T> {
  const { release } = await hold(`${file}.held`, { patienceMs: PATIENCE_MS })
  try {
    const [accounts, result] = change(await readAccounts(file))
    await replaceFile(file, `${JSON.stringify({ accounts }, null, 2)}\n`)
    return result
  } finally {
    await release()
  }
}
