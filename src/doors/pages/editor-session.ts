import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Request } from 'express'
import type { Config } from '../../config.ts'
import { decoded } from '../../graph/jskos/names.ts'
import type { Account } from '../../writing/ingest/accounts.ts'
import type { Editing } from '../../writing/ingest/editing.ts'

/** The login of an editor on the pages of one vocabulary. */
export interface EditorSession {
  account: Account
  /** Only forms that this service has made for this session have it. */
  formToken: string
}

const COOKIE = 'vocabulary-editor'
const LIFE_S = 8 * 3600

/**
 * The value of `Set-Cookie` that begins a session (RFC 6265). The cookie has the username, the end of the session and a
 * code of both under the hash of the token, so that it is valid for all instances, and ends with the account and with
 * its token. Nothing is kept for it.
 */
export function beginSession(config: Config, request: Request, account: Account, now = Date.now()): string {
  const facts = `${encodeURIComponent(account.username)}.${Math.floor(now / 1000) + LIFE_S}`
  return cookie(config, request, `${facts}.${sessionCode(account, 'session', facts)}`, LIFE_S)
}

/** The value of `Set-Cookie` that ends a session. */
export function endSession(config: Config, request: Request): string {
  return cookie(config, request, '', 0)
}

/**
 * The session of a request, if its account is an editor of the vocabulary.
 *
 * @param voc URI of the vocabulary.
 * @throws ApiError ServiceUnavailableError if accounts cannot be read.
 */
export async function readSession(
  editing: Editing,
  cookies: string | undefined,
  voc: string,
  now = Date.now(),
): Promise<EditorSession | undefined> {
  const [, value = ''] = new RegExp(`(?:^|; *)${COOKIE}=([^;]*)`).exec(cookies ?? '') ?? []
  const [, facts, username, end, code] = /^((.+)\.(\d{1,12}))\.([\w-]{43})$/.exec(value) ?? []
  if (facts === undefined || Number(end) * 1000 <= now) return undefined
  const account = await editing.find(decoded(username!), voc)
  if (!account || !isSame(code!, sessionCode(account, 'session', facts))) return undefined
  return { account, formToken: sessionCode(account, 'form', facts) }
}

/** True if a form has the token of a session. */
export function isFormOf({ formToken }: EditorSession, given: string | null): boolean {
  return isSame(given ?? '', formToken)
}

function cookie({ baseUrl }: Config, request: Request, value: string, seconds: number): string {
  const { protocol, pathname } = new URL(baseUrl)
  const isSecure = protocol === 'https:' || request.secure
  return `${COOKIE}=${value}; Max-Age=${seconds}; Path=${pathname}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
}

function sessionCode({ tokenHash }: Account, purpose: string, facts: string): string {
  return createHmac('sha256', Buffer.from(tokenHash, 'hex')).update(`${purpose} ${facts}`).digest('base64url')
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
