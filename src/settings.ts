import { existsSync, readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import addressparser from 'nodemailer/lib/addressparser'
import { z } from 'zod'
import { isStrictLanguageTag } from './graph/sparql/grammar.ts'
import { wholeNumberIn } from './base/unicode.ts'

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
function settingType<Value>(parse: (text: string) => Value | undefined, expected: string) {
  return z.string().transform((text, context): Value => {
    const value = parse(text)
    if (value !== undefined) return value
    context.addIssue({ code: 'custom', message: expected })
    return z.NEVER
  })
}

const text = z.string()
const flag = settingType(readFlag, 'true or false')
const folder = settingType(readFolder, 'a folder that can be read')

function wholeNumber(min: number, max: number) {
  const parse = (value: string) => {
    const number = wholeNumberIn(value)
    return number !== undefined && number >= min && number <= max ? number : undefined
  }
  return settingType(parse, `a whole number from ${min} to ${max}`)
}

const WEB = ['http:', 'https:']

function url(protocols = WEB) {
  const parse = (value: string) => (isUrl(value, protocols) ? value : undefined)
  return settingType(parse, `a URL (${protocols.join(' or ')}//...)`)
}

function choiceOf<Choice extends string>(...choices: readonly Choice[]) {
  return settingType((value) => choices.find((allowed) => allowed === value), `one of ${choices.join(', ')}`)
}

type SettingType<Value> = z.ZodType<Value, string>

/** A setting with a default, which is written as a value is. */
function withDefault<Value>(type: SettingType<Value>, fallback: string, description: string) {
  return type.prefault(fallback).meta({ default: `\`${fallback}\``, description } satisfies SettingNote)
}

/** A setting without a default value. @param absent what applies without it, in Markdown. */
function optional<Value>(type: SettingType<Value>, description: string, absent = 'unset') {
  return type.optional().meta({ default: absent, description } satisfies SettingNote)
}

const EXAMPLE_LINKS = 'Imprint=https://example.org/imprint|Privacy=https://example.org/privacy'
const STORE = 'unset: embedded store'

/**
 * THE table of the settings of the service, which are environment variables. docs/settings.md shows it;
 * a test compares the two.
 */
// oxfmt-ignore
export const SETTINGS = z.object({
  HOST: withDefault(text, '127.0.0.1', 'the address that the service listens on'),
  PORT: withDefault(wholeNumber(0, 65_535), '3000', 'the port that it listens on'),
  BASE_URL: optional(url(), 'the public address, with which all links begin', '`http://localhost:$PORT/`'),
  SPARQL_QUERY_URL: optional(url(), 'the address for queries of a SPARQL 1.1 store', STORE),
  SPARQL_UPDATE_URL: optional(url(), 'the address for updates of this store', STORE),
  SPARQL_GRAPH_STORE_URL: optional(url(), 'the address for graphs of this store (SPARQL 1.1 Graph Store HTTP Protocol)', STORE),
  SPARQL_PRIMARY_QUERY_URL: optional(url(), 'the address for queries of the primary store, if `SPARQL_QUERY_URL` is a replica ([scaling](scaling.md))', '`SPARQL_QUERY_URL`'),
  SPARQL_EXCLUSIVE: withDefault(flag, 'false', '`true` promises that only this service, its commands and its other instances write to the store; then nothing expires by `MAX_STALENESS_MS` ([performance](performance.md#what-the-service-remembers))'),
  REPLICA_WAIT_MS: withDefault(wholeNumber(0, 60_000), '2000', 'how long an ingest waits until the replica has its concepts'),
  MAX_REPLICA_LAG_MS: withDefault(wholeNumber(0, 86_400_000), '60000', 'the delay of the replica from which `/readyz` answers 503'),
  SPARQL_USER: optional(text, 'the user of the store, sent with updates and requests for graphs only'),
  SPARQL_PASSWORD: optional(text, 'the password of this user'),
  SPARQL_PASSWORD_FILE: optional(settingType(readPassword, 'a file with a password'), 'a file with the password, instead of `SPARQL_PASSWORD`'),
  SPARQL_PUBLIC_URL: optional(url(), 'the public SPARQL address of the store, shown on the pages'),
  SPARQL_TIMEOUT_MS: withDefault(wholeNumber(1, 600_000), '10000', 'the deadline of a request to the store, and of an answer until its first byte'),
  STORE_MEMORY_MB: withDefault(wholeNumber(256, 16_384), '1024', 'the memory that the embedded store may use besides its data, at least 256; the data take 3 times their size as N-Triples, and 6 times once `/sparql` is used'),
  DATA_DIR: withDefault(text, './data', 'the folder of the embedded store, the search index, the accounts, the outbox of mails, and the history'),
  HISTORY: withDefault(choiceOf('on', 'off'), 'on', '`on` records the changes of vocabularies'),
  DUMPS: withDefault(choiceOf('on', 'off'), 'on', '`on` keeps downloads of whole vocabularies as files in `DATA_DIR/dumps`; `off` streams every download'),
  DUMPS_BYTES: withDefault(wholeNumber(0, 2 ** 50), '10000000000', 'the disk space for these files; the least recently used ones are removed first'),
  MCP: withDefault(choiceOf('on', 'off'), 'on', '`on` answers assistants at `/mcp` ([assistants](assistants.md))'),
  MCP_INGEST: withDefault(choiceOf('on', 'off'), 'off', '`on` lets assistants with an account propose concepts'),
  DEMO: optional(flag, '`true` loads the demo vocabularies that are missing', '`true` with a new embedded store'),
  ACCOUNTS_FILE: optional(text, 'the file of the accounts for ingest', '`$DATA_DIR/accounts.json`'),
  SMTP_URL: optional(settingType(readMailServer, 'a URL with a host (smtp: or smtps://...)'), 'the mail server; without one, mails stay in the outbox'),
  MAIL_FROM: optional(settingType(readSender, 'one mail address, such as Vocabularies <vocabularies@example.org>'), 'the sender of mails'),
  INGEST_LIMITS: withDefault(settingType(readLimits, 'limits such as 10/minute,100/hour,500/day, or none'), '10/minute,100/hour,500/day', 'the limits of ingest, for each vocabulary and for each client address; `none` for no limits'),
  REDIS_URL: optional(url(['redis:', 'rediss:']), 'the Redis with which several instances share ingest limits and `Idempotency-Key`s', 'unset: each instance counts alone'),
  TRUST_PROXY: withDefault(settingType(readTrustProxy, 'true, false, a number of proxies, or a list of addresses'), 'false', 'which proxies may set the address of the client: the setting `trust proxy` of Express'),
  MAX_LIMIT: withDefault(wholeNumber(1, 1_000_000), '10000', 'the maximum number of records in one answer'),
  DEFAULT_LANGUAGE: withDefault(settingType(readTags, 'language tags such as de,en'), 'de,en', 'the preferred languages, best first, after the languages of the request'),
  MAX_STALENESS_MS: withDefault(wholeNumber(0, 86_400_000), '5000', 'the maximum age of cached results, in case another program writes to the store directly; results of slow queries may be older'),
  CACHE_BYTES: withDefault(wholeNumber(0, 2 ** 34), '100663296', 'the memory for cached answers and cached concepts, half for each; `0` caches ETags only'),
  CACHE_CONTROL: withDefault(settingType(readHeader, 'a header value such as "public, max-age=300"'), 'no-cache', 'the header `Cache-Control` of answers to GET'),
  JSKOS_CONTEXT_URL: withDefault(url(), 'https://gbv.github.io/jskos/context.json', 'the JSON-LD context that JSKOS records name in `@context`'),
  FORMAT_CONTEXT_URL: optional(url(), 'the JSON-LD context that format records name', 'below `BASE_URL`'),
  FORMAT_SCHEMA_URL: optional(url(), 'the JSON Schema that format records name', 'below `BASE_URL`'),
  SITE_NAME: withDefault(text, 'Vocabulary Service', 'the name on the pages'),
  SITE_LOGO: optional(settingType(readLogo, 'an SVG or PNG file that can be read'), 'an SVG or PNG file, shown beside the name'),
  SITE_COLOR: withDefault(settingType(readColor, 'a colour such as #1f5673'), '#1f5673', 'the colour of links and buttons; the service darkens or lightens it until it is readable'),
  SITE_DIR: optional(folder, 'a folder with your own [texts, styles and icon](operation.md#your-own-texts-styles-and-icon)'),
  SITE_FEEDBACK: withDefault(choiceOf('mail', 'form'), 'mail', 'what "Report a mistake" opens: `mail` a link to `SITE_CONTACT`, `form` a form that sends a mail to the address in `SITE_CONTACT`'),
  SITE_CONTACT: optional(settingType(readContact, 'a mail address or a URL (https://...)'), 'a mail address or URL in the footer of the pages'),
  SITE_LINKS: optional(settingType(readLinks, `links such as ${EXAMPLE_LINKS}`), 'links in the footer of the pages: `Imprint=https://...\\|Privacy=https://...`'),
  LOG_LEVEL: withDefault(choiceOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), 'info', 'the level of the log, which is JSON on standard output and never contains a token or the text of a mail'),
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
