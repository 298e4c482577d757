import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { ConfigError } from '../../config.ts'
import { readLimits, type RateLimit } from '../../settings.ts'
import { replaceFile } from '../../base/durable/files.ts'
import { lockFile } from '../../base/durable/file-lock.ts'
import { codeOf } from '../../base/thrown.ts'

/** The roles of accounts: an editor may also decide about proposals (docs/ingest.md, "Proposals"). */
export const ROLES = ['editor', 'proposer'] as const
export type Role = (typeof ROLES)[number]

/** True for the name of a role. */
export function isRole(text: unknown): text is Role {
  return ROLES.some((role) => role === text)
}

/** An account, which may ingest into one vocabulary (docs/ingest.md, "Accounts and limits"). */
export interface Account {
  username: string
  /** SHA-256 of the token, in hexadecimal. */
  tokenHash: string
  /** URI of the one vocabulary. */
  voc: string
  /** Addresses of its editors, who get a mail about every ingest. */
  emails: string[]
  /** Absent in files of earlier versions: proposer. */
  role?: Role
  /** The address of the person who has the account, who gets a mail about each decision. */
  replyTo?: string
  /** Replaces INGEST_LIMITS, in the same syntax; absent: the general limits. */
  limits?: string
  /** The day of its creation, YYYY-MM-DD. */
  created: string
}

/** The operator asked for an impossible change; the message gives the reason. */
export class AccountError extends Error {
  override readonly name = 'AccountError'
}

/**
 * A new token: 256 random bits. Because no person chooses it, nobody can guess the text of a plain SHA-256. A slow hash
 * would only let strangers keep the processor busy.
 */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** The hash of a token; the service keeps nothing else of it. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** Stands in for unknown usernames, so that they take as long as a wrong token. */
const NOBODY = hashToken(newToken())

/** The accounts of a file, read again whenever the file has changed. */
export class Accounts {
  readonly #file: string
  readonly #onWarning: (message: string) => void
  #read: { stamp: string; byUsername: Map<string, Account> } | undefined

  /**
   * @param onWarning called with the file name, once for each state of the file, if others than its owner may write it.
   */
  constructor(file: string, onWarning: (message: string) => void = () => undefined) {
    this.#file = file
    this.#onWarning = onWarning
  }

  /**
   * The account of a username, if all tokens are those of the account.
   *
   * @throws ConfigError if the file is unusable.
   */
  async login(username: string, tokens: readonly string[]): Promise<Account | undefined> {
    const account = (await this.#current()).get(username)
    const expected = Buffer.from(account?.tokenHash ?? NOBODY, 'hex')
    let right = true
    for (const token of tokens) right = timingSafeEqual(Buffer.from(hashToken(token), 'hex'), expected) && right
    return account !== undefined && tokens.length > 0 && right ? account : undefined
  }

  /** @throws ConfigError if the file is unusable. */
  async list(): Promise<Account[]> {
    return [...(await this.#current()).values()]
  }

  async #current(): Promise<Map<string, Account>> {
    const { stamp, isOpen } = await fileState(this.#file)
    if (this.#read?.stamp !== stamp) {
      const accounts = stamp === 'none' ? [] : await readAccounts(this.#file)
      if (isOpen) this.#onWarning(`${this.#file} can be written by others: chmod go-w`)
      this.#read = { stamp, byUsername: new Map(accounts.map((account) => [account.username, account])) }
    }
    return this.#read.byUsername
  }
}

/**
 * A text that changes with the file, also if another file takes its place (by its inode).
 * `isOpen` is true if users other than its owner may write the file.
 */
async function fileState(file: string): Promise<{ stamp: string; isOpen: boolean }> {
  try {
    const { ino, size, mtimeNs, mode } = await stat(file, { bigint: true })
    return { stamp: `${ino} ${size} ${mtimeNs} ${mode}`, isOpen: (mode & 0o022n) !== 0n }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { stamp: 'none', isOpen: false }
    throw unusable(file, `cannot be read (${codeOf(error)})`)
  }
}

/** @throws ConfigError naming the file and the wrong account. */
async function readAccounts(file: string): Promise<Account[]> {
  let content: unknown
  try {
    content = JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw unusable(file, 'expected JSON as "vocab account add" writes it')
  }
  const accounts = (content as { accounts?: unknown } | null)?.accounts
  if (!Array.isArray(accounts)) throw unusable(file, 'expected an object with an array "accounts"')
  const seen = new Set<string>()
  for (const [at, account] of (accounts as Partial<Account>[]).entries()) {
    const wrong = wrongField(account)
    if (wrong) throw unusable(file, `accounts.${at}.${wrong}`)
    if (seen.has(account.username!)) throw unusable(file, `accounts.${at}.username: is there twice`)
    seen.add(account.username!)
  }
  return accounts as Account[]
}

function unusable(file: string, reason: string): ConfigError {
  return new ConfigError(`ACCOUNTS_FILE: ${file}: ${reason}`)
}

function wrongField(account: Partial<Account> | null): string | undefined {
  if (typeof account?.username !== 'string') return 'username: expected a text'
  if (!/^[0-9a-f]{64}$/.test(account.tokenHash ?? '')) return 'tokenHash: expected a SHA-256 in hexadecimal'
  if (typeof account.voc !== 'string') return 'voc: expected the URI of a vocabulary'
  if (!Array.isArray(account.emails) || !account.emails.every(isEmailAddress)) return 'emails: expected addresses'
  if (account.role !== undefined && !isRole(account.role)) return `role: expected ${ROLES.join(' or ')}`
  if (account.replyTo !== undefined && !isEmailAddress(account.replyTo)) return 'replyTo: expected an address'
  if (account.limits !== undefined && accountLimits(account) === undefined) {
    return 'limits: expected limits such as 5/minute,100/day, or none'
  }
  return undefined
}

/** The role of an account, which files of earlier versions do not have. */
export function roleOf({ role = 'proposer' }: Pick<Account, 'role'>): Role {
  return role
}

/** The limits of an account itself; undefined if it has none, or unreadable ones. */
export function accountLimits({ limits }: Pick<Account, 'limits'>): RateLimit[] | undefined {
  return typeof limits === 'string' ? readLimits(limits) : undefined
}

const EMAIL = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*$/i

/**
 * True for a plain address that is safe in a header (RFC 5321, Dot-string and Domain): no lists, names or line breaks.
 */
export function isEmailAddress(text: unknown): text is string {
  return typeof text === 'string' && text.length <= 254 && EMAIL.test(text)
}

const PATIENCE_MS = 5000

/**
 * Changes the accounts of a file. Each change reads and replaces the file as a whole, one after the other.
 *
 * @param change returns the new accounts, or throws AccountError to change nothing.
 * @throws ConfigError if the file is unusable, LockedError if another command keeps it locked too long.
 */
export async function changeAccounts<T>(file: string, change: (accounts: Account[]) => [Account[], T]): Promise<T> {
  const { release } = await lockFile(`${file}.held`, { patienceMs: PATIENCE_MS })
  try {
    const [accounts, result] = change(await readAccounts(file))
    await replaceFile(file, `${JSON.stringify({ accounts }, null, 2)}\n`)
    return result
  } finally {
    await release()
  }
}
