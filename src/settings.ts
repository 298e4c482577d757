import { existsSync, readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import addressparser from 'nodemailer/lib/addressparser'
import { z } from 'zod'
import { isStrictLanguageTag } from './graph/sparql/grammar.ts'
import { wholeNumberIn } from './base/whole-number.ts'

/** A limit: `count` times in each window. */
export interface RateLimit {
  count: number
  window: 'minute' | 'hour' | 'day'
}

/** A link in the footer of every page. */
export interface SiteLink {
  readonly name: string
  readonly url: string
}

/** How documents show a setting. */
export interface SettingNote {
  /** The default, in Markdown. */
  default: string
  /** The meaning, in Markdown. */
  description: string
}

/**
 * A type of settings.
 *
 * @param parse gives undefined for a wrong value.
 * @param expected of a value, for the error.
 */
function typeOf<Value>(parse: (text: string) => Value | undefined, expected: string) {
  return z.string().transform((text, context): Value => {
    const value = parse(text)
    if (value !== undefined) return value
    context.addIssue({ code: 'custom', message: expected })
    return z.NEVER
  })
}

const text = z.string()
const flag = typeOf(readFlag, 'true or false')
const folder = typeOf(readFolder, 'a folder that can be read')

function wholeNumber(min: number, max: number) {
  const parse = (value: string) => {
    const number = wholeNumberIn(value)
    return number !== undefined && number >= min && number <= max ? number : undefined
  }
  return typeOf(parse, `a whole number from ${min} to ${max}`)
}

const WEB = ['http:', 'https:']

function url(protocols = WEB) {
  const parse = (value: string) => (isUrl(value, protocols) ? value : undefined)
  return typeOf(parse, `a URL (${protocols.join(' or ')}//...)`)
}

function choice<Choice extends string>(...choices: readonly Choice[]) {
  return typeOf((value) => choices.find((allowed) => allowed === value), `one of ${choices.join(', ')}`)
}

type SettingType<Value> = z.ZodType<Value, string>

/** A setting with a default, which is written as a value is. */
function withDefault<Value>(type: SettingType<Value>, fallback: string, description: string) {
  return type.prefault(fallback).meta({ default: `\`${fallback}\``, description } satisfies SettingNote)
}

/** A setting without a default value. @param absent says in Markdown what counts without it. */
function optional<Value>(type: SettingType<Value>, description: string, absent = 'unset') {
  return type.optional().meta({ default: absent, description } satisfies SettingNote)
}

const EXAMPLE_LINKS = 'Imprint=https://example.org/imprint|Privacy=https://example.org/privacy'
const STORE = 'unset: embedded store'

/**
 * THE table of the settings of the service, which are environment variables. The table in README.md follows from it;
 * a test compares them.
 */
// prettier-ignore
export const SETTINGS = z.object({
  HOST: withDefault(text, '127.0.0.1', 'the address of the service'),
  PORT: withDefault(wholeNumber(0, 65_535), '3000', 'the port of the service'),
  BASE_URL: optional(url(), 'the public address, used in every link', '`http://localhost:$PORT/`'),
  SPARQL_QUERY_URL: optional(url(), 'the query address of a SPARQL 1.1 store', STORE),
  SPARQL_UPDATE_URL: optional(url(), 'its address for updates', STORE),
  SPARQL_GRAPH_STORE_URL: optional(url(), 'its address for graphs (SPARQL 1.1 Graph Store HTTP Protocol)', STORE),
  SPARQL_PRIMARY_QUERY_URL: optional(url(), 'the store that shows writes at once, if `SPARQL_QUERY_URL` is a replica ([scaling](docs/scaling.md))', '`SPARQL_QUERY_URL`'),
  SPARQL_EXCLUSIVE: withDefault(flag, 'false', '`true` promises that only this service, its commands and its other instances write to the store; then `MAX_STALENESS_MS` limits nothing ([performance](docs/performance.md))'),
  REPLICA_WAIT_MS: withDefault(wholeNumber(0, 60_000), '2000', 'how long an ingest waits for the replica'),
  MAX_REPLICA_LAG_MS: withDefault(wholeNumber(0, 86_400_000), '60000', 'how far the replica may be behind before `/readyz` answers 503'),
  SPARQL_USER: optional(text, 'the user of the store, sent with updates, requests for graphs, and queries at an address beside theirs'),
  SPARQL_PASSWORD: optional(text, 'the password of this user'),
  SPARQL_PASSWORD_FILE: optional(typeOf(readPassword, 'a file with a password'), 'a file with the password, instead of `SPARQL_PASSWORD`'),
  SPARQL_PUBLIC_URL: optional(url(), 'the public address of that store, which pages name'),
  SPARQL_TIMEOUT_MS: withDefault(wholeNumber(1, 600_000), '10000', 'deadline of one store request, and of an answer until it begins'),
  STORE_MEMORY_MB: withDefault(wholeNumber(256, 16_384), '1024', 'the maximum memory of the embedded store in addition to its data, at least 256; the data take 3 times their size as N-Triples, and twice that once `/sparql` is used'),
  DATA_DIR: withDefault(text, './data', 'the embedded store, the search index, the accounts, the mail outbox, the history'),
  HISTORY: withDefault(choice('on', 'off'), 'on', 'records the changes of vocabularies; `off` switches it off'),
  DUMPS: withDefault(choice('on', 'off'), 'on', 'keeps whole vocabularies that were downloaded as files in `DATA_DIR/dumps`; `off` streams every download'),
  DUMPS_BYTES: withDefault(wholeNumber(0, 2 ** 50), '10000000000', 'disk for these files; those that were not used for the longest time go first'),
  MCP: withDefault(choice('on', 'off'), 'on', 'answers assistants at `/mcp` ([assistants](docs/assistants.md)); `off` switches it off'),
  MCP_INGEST: withDefault(choice('on', 'off'), 'off', '`on` lets assistants with an account propose concepts'),
  DEMO: optional(flag, 'loads missing demo vocabularies', '`true` with a new embedded store'),
  ACCOUNTS_FILE: optional(text, 'ingest accounts', '`$DATA_DIR/accounts.json`'),
  SMTP_URL: optional(typeOf(readMailServer, 'a URL with a host (smtp: or smtps://...)'), 'the mail server; without it mails stay in the outbox'),
  MAIL_FROM: optional(typeOf(readSender, 'one mail address, such as Vocabularies <vocabularies@example.org>'), 'the sender of mails'),
  INGEST_LIMITS: withDefault(typeOf(readLimits, 'limits such as 10/minute,100/hour,500/day, or none'), '10/minute,100/hour,500/day', 'per vocabulary and per client address; `none` switches off'),
  REDIS_URL: optional(url(['redis:', 'rediss:']), 'the Redis in which several instances count ingest limits together and share `Idempotency-Key`s', 'unset: each process counts by itself'),
  TRUST_PROXY: withDefault(typeOf(readTrustProxy, 'true, false, a number of proxies, or a list of addresses'), 'false', 'Express `trust proxy`'),
  MAX_LIMIT: withDefault(wholeNumber(1, 1_000_000), '10000', 'the maximum number of records in one answer'),
  DEFAULT_LANGUAGE: withDefault(typeOf(readTags, 'language tags such as de,en'), 'de,en', 'languages preferred after those of a request, best first'),
  MAX_STALENESS_MS: withDefault(wholeNumber(0, 86_400_000), '5000', 'maximum age of what the service remembers of the store, in case another program writes to the store directly; what takes long to read may be older'),
  CACHE_BYTES: withDefault(wholeNumber(0, 2 ** 34), '100663296', 'memory for answers that the service sends again while nothing has changed, and for concepts, of which it makes other answers; `0`: it remembers only ETags'),
  CACHE_CONTROL: withDefault(typeOf(readHeader, 'a header value such as "public, max-age=300"'), 'no-cache', '`Cache-Control` of answers to GET'),
  JSKOS_CONTEXT_URL: withDefault(url(), 'https://gbv.github.io/jskos/context.json', 'the JSKOS context that records name'),
  FORMAT_CONTEXT_URL: optional(url(), 'the context that format records name', 'below `BASE_URL`'),
  FORMAT_SCHEMA_URL: optional(url(), 'the schema that format records name', 'below `BASE_URL`'),
  SITE_NAME: withDefault(text, 'Vocabulary Service', 'the name on the pages'),
  SITE_LOGO: optional(typeOf(readLogo, 'an SVG or PNG file that can be read'), 'an SVG or PNG file beside the name'),
  SITE_COLOR: withDefault(typeOf(readColor, 'a colour such as #1f5673'), '#1f5673', 'the colour of links and buttons, which the service darkens or lightens until it is readable'),
  SITE_DIR: optional(folder, 'a folder with your own texts, stylesheet, icon and groups of vocabularies: [docs/operation.md](docs/operation.md#your-own-words)'),
  SITE_FEEDBACK: withDefault(choice('mail', 'form'), 'mail', '"Report a mistake" on concepts is a link to `SITE_CONTACT`; `form`: a form whose texts go to the mail address in `SITE_CONTACT`, by the outbox of ingest'),
  SITE_CONTACT: optional(typeOf(readContact, 'a mail address or a URL (https://...)'), 'a mail address or URL in the footer of the pages'),
  SITE_LINKS: optional(typeOf(readLinks, `links such as ${EXAMPLE_LINKS}`), 'links in the footer of the pages: `Imprint=https://...\\|Privacy=https://...`'),
  LOG_LEVEL: withDefault(choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), 'info', 'structured logs on stdout; never a token, never a mail body'),
})

function readFlag(value: string): boolean | undefined {
  if (/^(true|1|yes)$/i.test(value)) return true
  return /^(false|0|no)$/i.test(value) ? false : undefined
}

function readHeader(value: string): string | undefined {
  return /^[\x20-\x7e]+$/.test(value) ? value : undefined
}

function readTags(value: string): readonly string[] | undefined {
  const tags = value.split(',').map((tag) => tag.trim().toLowerCase())
  return tags.every(isStrictLanguageTag) ? Object.freeze([...new Set(tags)]) : undefined
}

/**
 * Reads limits in the form of INGEST_LIMITS and `vocab account add --limits`: `10/minute,100/hour`, or `none`;
 * undefined for any other value.
 */
export function readLimits(value: string): RateLimit[] | undefined {
  if (value.trim() === 'none') return []
  const matches = value.split(',').map((part) => /^\s*([1-9]\d{0,8})\s*\/\s*(minute|hour|day)\s*$/.exec(part))
  if (!matches.every((match) => match !== null)) return undefined
  return matches.map(([, count, window]) => ({ count: Number(count), window: window as RateLimit['window'] }))
}

function readTrustProxy(value: string): boolean | number | string | undefined {
  if (value === 'false') return false
  if (value === 'true') return true
  if (/^\d{1,3}$/.test(value)) return Number(value)
  const names = ['loopback', 'linklocal', 'uniquelocal']
  const addresses = value.split(',').map((part) => part.trim())
  const legal = addresses.every((address) => names.includes(address) || isNetwork(address))
  return legal ? value : undefined
}

/** True for an address, also with the length of a prefix. */
function isNetwork(text: string): boolean {
  const [, address = '', prefix = '1'] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const most = { 4: 32, 6: 128 }[isIP(address)] ?? 0
  return Number(prefix) >= 1 && Number(prefix) <= most
}

/** The password in a file, without white space around it; undefined if the file is empty or cannot be read. */
export function readPassword(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}

function readLogo(file: string): string | undefined {
  return /\.(svg|png)$/i.test(file) && existsSync(file) && statSync(file).isFile() ? resolve(file) : undefined
}

function readFolder(folder: string): string | undefined {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? resolve(folder) : undefined
}

function readContact(value: string): string | undefined {
  if (isUrl(value) || /^mailto:[^\s@]+@[^\s@]+$/.test(value)) return value
  return /^[^\s@:/]+@[^\s@/]+$/.test(value) ? `mailto:${value}` : undefined
}

/** One mail address, with or without a name. */
function readSender(value: string): string | undefined {
  const addresses = addressparser(value)
  const isAddress = addresses.length === 1 && addresses.every((entry) => /^[^\s@]+@[^\s@]+$/.test(entry.address ?? ''))
  return isAddress ? value : undefined
}

function readColor(value: string): string | undefined {
  return /^#[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : undefined
}

function readLinks(value: string): readonly SiteLink[] | undefined {
  const links = value.split('|').map((part) => {
    const at = part.indexOf('=')
    return { name: part.slice(0, Math.max(0, at)).trim(), url: part.slice(at + 1).trim() }
  })
  return links.every(({ name, url }) => name !== '' && isUrl(url)) ? links : undefined
}

function readMailServer(value: string): string | undefined {
  return isUrl(value, ['smtp:', 'smtps:']) && new URL(value).hostname !== '' ? value : undefined
}

/** Without `//`, the parser of URLs guesses the host or gives none. */
function isUrl(value: string, protocols = WEB): boolean {
  return URL.canParse(value) && protocols.some((protocol) => value.toLowerCase().startsWith(`${protocol}//`))
}
