import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isIP } from 'node:net'
import addressparser from 'nodemailer/lib/addressparser'
import { isAbsoluteIri, isStrictLanguageTag } from './sparql/grammar.ts'

/** A limit: `count` times in each window. */
export interface RateLimit {
  count: number
  window: 'minute' | 'hour' | 'day'
}

/** The settings; README.md has the table of variables and defaults. */
export interface Config {
  readonly host: string
  readonly port: number
  /** Public address of the service, ending in `/`. */
  readonly baseUrl: string
  /** A SPARQL 1.1 store; undefined: the embedded store. */
  readonly store:
    | {
        readonly queryUrl: string
        /** The store that shows writes at once: `queryUrl`, unless that is a replica. */
        readonly primaryQueryUrl: string
        readonly updateUrl: string
        readonly graphStoreUrl: string
        /** The operator promises that only this service, its commands and its instances write to the store. */
        readonly isExclusive: boolean
        readonly user: string | undefined
        readonly password: string | undefined
      }
    | undefined
  /** The public address of the SPARQL store, for a link. */
  readonly sparqlPublicUrl: string | undefined
  readonly sparqlTimeoutMs: number
  /** How long an ingest waits for the replica, in milliseconds. */
  readonly replicaWaitMs: number
  /** How far the replica may be behind before /readyz answers 503, in milliseconds. */
  readonly maxReplicaLagMs: number
  /** The memory of the embedded store in addition to its data, in bytes. */
  readonly storeMemoryBytes: number
  readonly dataDir: string
  /** True: records the changes of vocabularies in DATA_DIR. */
  readonly history: boolean
  /** True if assistants can use the service at /mcp. */
  readonly mcp: boolean
  /** True if they may propose concepts there, with an account. */
  readonly mcpIngest: boolean
  /** Load the demo vocabulary; undefined: into a new embedded store only. */
  readonly demo: boolean | undefined
  readonly accountsFile: string
  readonly smtpUrl: string | undefined
  readonly mailFrom: string | undefined
  /** Empty: no limits. */
  readonly ingestLimits: readonly RateLimit[]
  /** The Redis in which several instances count together; undefined: each instance counts by itself. */
  readonly redisUrl: string | undefined
  /** Express `trust proxy`. */
  readonly trustProxy: boolean | number | string
  readonly maxLimit: number
  /** The preferred languages after those of the request, best first, in lower case. */
  readonly defaultLanguages: readonly string[]
  /** Cache-Control of every answer to a GET that caches may store. */
  readonly cacheControl: string
  /** How long the service may overlook changes by other programs, in milliseconds. */
  readonly maxStalenessMs: number
  /** Memory for answers and concepts, in bytes; 0 remembers ETags and names of things that many records name. */
  readonly cacheBytes: number
  readonly jskosContextUrl: string
  readonly formatContextUrl: string
  readonly formatSchemaUrl: string
  readonly logLevel: string
  readonly site: Site
}

/** The operator's settings for the pages. */
export interface Site {
  readonly name: string
  /** An SVG or PNG file. */
  readonly logo: string | undefined
  /** A URL, or a mail address as `mailto:`. */
  readonly contact: string | undefined
  /** `#rrggbb` */
  readonly color: string
  /** A folder with texts, a stylesheet, an icon and groups of vocabularies. */
  readonly dir: string | undefined
  /** How readers report mistakes: by mail to `contact`, or by a form that mails to it. */
  readonly feedback: 'mail' | 'form'
  /** Links in the footer of every page: imprint, privacy, accessibility. */
  readonly links: readonly { readonly name: string; readonly url: string }[]
}

/** Exit code for a wrong configuration (sysexits.h, EX_CONFIG). */
export const EXIT_CONFIG = 78

/** A variable with a wrong value; the message names the variable and the expected value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

const INGEST_LIMITS: readonly RateLimit[] = [
  { count: 10, window: 'minute' },
  { count: 100, window: 'hour' },
  { count: 500, window: 'day' },
]
const DEFAULT_LANGUAGES = ['de', 'en']
const EXAMPLE_LINKS = 'Imprint=https://example.org/imprint|Privacy=https://example.org/privacy'
const WEB = ['http:', 'https:']
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/**
 * Reads the configuration from environment variables; an empty one counts as absent.
 *
 * @throws ConfigError naming the variable and the expected value.
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const text = (name: string): string | undefined => env[name]?.trim() || undefined
  const wrong = (name: string, expected: string): never => {
    // A URL may contain a password.
    const got = text(name)?.includes('@') ? '' : `, got "${text(name)}"`
    throw new ConfigError(`${name}: expected ${expected}${got}`)
  }
  /** The value of a variable; undefined if it is absent. @param parse gives undefined for a wrong value. */
  const parsed = <Value>(name: string, parse: (text: string) => Value | undefined, expected: string) => {
    const value = text(name)
    return value === undefined ? undefined : (parse(value) ?? wrong(name, expected))
  }
  const wholeNumber = (name: string, fallback: number, min: number, max: number): number => {
    const parse = (value: string) => {
      const number = /^\d{1,12}$/.test(value) ? Number(value) : NaN
      return number >= min && number <= max ? number : undefined
    }
    return parsed(name, parse, `a whole number from ${min} to ${max}`) ?? fallback
  }
  const url = (name: string, protocols = WEB) =>
    parsed(name, (value) => (isUrl(value, protocols) ? value : undefined), `a URL (${protocols.join(' or ')}//...)`)
  const choice = <T extends string>(name: string, choices: readonly T[], fallback: T): T =>
    parsed(name, (value) => choices.find((choice) => choice === value), `one of ${choices.join(', ')}`) ?? fallback

  const port = wholeNumber('PORT', 3000, 0, 65535)
  const base = new URL(url('BASE_URL') ?? `http://localhost:${port}/`)
  const baseUrl = base.href.replace(/\/*$/, '/')
  if (/[?#]/.test(baseUrl) || base.username + base.password !== '' || !isAbsoluteIri(baseUrl)) {
    wrong('BASE_URL', 'a URL without a query, a fragment, a login and a "|", because every link begins with it')
  }
  const dataDir = resolve(text('DATA_DIR') ?? './data')

  const queryUrl = url('SPARQL_QUERY_URL')
  const updateUrl = url('SPARQL_UPDATE_URL')
  const graphStoreUrl = url('SPARQL_GRAPH_STORE_URL')
  const given = { SPARQL_QUERY_URL: queryUrl, SPARQL_UPDATE_URL: updateUrl, SPARQL_GRAPH_STORE_URL: graphStoreUrl }
  const missing = Object.entries(given).filter(([, value]) => value === undefined)
  if (missing.length > 0 && missing.length < 3) {
    throw new ConfigError(`${missing[0]![0]}: expected a URL, because the other SPARQL_*_URL variables are set`)
  }
  const primaryQueryUrl = url('SPARQL_PRIMARY_QUERY_URL')
  if (primaryQueryUrl && !queryUrl) {
    throw new ConfigError('SPARQL_PRIMARY_QUERY_URL: expected the other SPARQL_*_URL variables as well')
  }
  const isExclusive = parsed('SPARQL_EXCLUSIVE', readFlag, 'true or false') ?? false
  const user = text('SPARQL_USER')
  const passwordFile = text('SPARQL_PASSWORD_FILE')
  const readFile = () =>
    passwordFile && (readPassword(passwordFile) ?? wrong('SPARQL_PASSWORD_FILE', 'a file with a password'))
  const password = env['SPARQL_PASSWORD'] || readFile()
  if ((user === undefined) !== (password === undefined)) {
    throw new ConfigError(`${user ? 'SPARQL_PASSWORD' : 'SPARQL_USER'}: expected a value, because the other one is set`)
  }

  const contact = parsed('SITE_CONTACT', readContact, 'a mail address or a URL (https://...)')
  const feedback = choice('SITE_FEEDBACK', ['mail', 'form'], 'mail')
  if (feedback === 'form' && !contact?.startsWith('mailto:')) {
    wrong('SITE_FEEDBACK', 'a mail address in SITE_CONTACT as well')
  }

  const smtpUrl = url('SMTP_URL', ['smtp:', 'smtps:'])
  if (smtpUrl && new URL(smtpUrl).hostname === '') wrong('SMTP_URL', 'a URL with a host')

  return Object.freeze({
    host: text('HOST') ?? '127.0.0.1',
    port,
    baseUrl,
    store:
      queryUrl && updateUrl && graphStoreUrl
        ? Object.freeze({
            queryUrl,
            primaryQueryUrl: primaryQueryUrl ?? queryUrl,
            updateUrl,
            graphStoreUrl,
            isExclusive,
            user,
            password,
          })
        : undefined,
    sparqlPublicUrl: url('SPARQL_PUBLIC_URL'),
    sparqlTimeoutMs: wholeNumber('SPARQL_TIMEOUT_MS', 10_000, 1, 600_000),
    replicaWaitMs: wholeNumber('REPLICA_WAIT_MS', 2000, 0, 60_000),
    maxReplicaLagMs: wholeNumber('MAX_REPLICA_LAG_MS', 60_000, 0, 86_400_000),
    storeMemoryBytes: wholeNumber('STORE_MEMORY_MB', 1024, 256, 16_384) * 2 ** 20,
    dataDir,
    history: choice('HISTORY', ['on', 'off'], 'on') === 'on',
    mcp: choice('MCP', ['on', 'off'], 'on') === 'on',
    mcpIngest: choice('MCP_INGEST', ['on', 'off'], 'off') === 'on',
    demo: parsed('DEMO', readFlag, 'true or false'),
    accountsFile: resolve(text('ACCOUNTS_FILE') ?? join(dataDir, 'accounts.json')),
    smtpUrl,
    mailFrom: parsed('MAIL_FROM', readSender, 'one mail address, such as Vocabularies <vocabularies@example.org>'),
    ingestLimits:
      parsed('INGEST_LIMITS', readLimits, 'limits such as 10/minute,100/hour,500/day, or none') ?? INGEST_LIMITS,
    redisUrl: url('REDIS_URL', ['redis:', 'rediss:']),
    trustProxy:
      parsed('TRUST_PROXY', readTrustProxy, 'true, false, a number of proxies, or a list of addresses') ?? false,
    maxLimit: wholeNumber('MAX_LIMIT', 10_000, 1, 1_000_000),
    defaultLanguages: parsed('DEFAULT_LANGUAGE', readTags, 'language tags such as de,en') ?? DEFAULT_LANGUAGES,
    cacheControl: parsed('CACHE_CONTROL', readHeader, 'a header value such as "public, max-age=300"') ?? 'no-cache',
    maxStalenessMs: wholeNumber('MAX_STALENESS_MS', 5000, 0, 86_400_000),
    cacheBytes: wholeNumber('CACHE_BYTES', 96 << 20, 0, 2 ** 34),
    jskosContextUrl: url('JSKOS_CONTEXT_URL') ?? 'https://gbv.github.io/jskos/context.json',
    formatContextUrl: url('FORMAT_CONTEXT_URL') ?? `${baseUrl}formats/context.json`,
    formatSchemaUrl: url('FORMAT_SCHEMA_URL') ?? `${baseUrl}formats/schema.json`,
    logLevel: choice('LOG_LEVEL', LOG_LEVELS, 'info'),
    site: Object.freeze({
      name: text('SITE_NAME') ?? 'Vocabulary Service',
      logo: parsed('SITE_LOGO', readLogo, 'an SVG or PNG file that can be read'),
      contact,
      color: parsed('SITE_COLOR', readColor, 'a colour such as #1f5673') ?? '#1f5673',
      dir: parsed('SITE_DIR', readFolder, 'a folder that can be read'),
      feedback,
      links: parsed('SITE_LINKS', readLinks, `links such as ${EXAMPLE_LINKS}`) ?? [],
    }),
  })
}

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
 * Reads limits in the form of INGEST_LIMITS and `vocab account add --limits`: `10/minute,100/hour`, or `none`; undefined for any
 * other value.
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
  const isOne = addresses.length === 1 && addresses.every((entry) => /^[^\s@]+@[^\s@]+$/.test(entry.address ?? ''))
  return isOne ? value : undefined
}

function readColor(value: string): string | undefined {
  return /^#[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : undefined
}

function readLinks(value: string): Site['links'] | undefined {
  const links = value.split('|').map((part) => {
    const at = part.indexOf('=')
    return { name: part.slice(0, Math.max(0, at)).trim(), url: part.slice(at + 1).trim() }
  })
  return links.every(({ name, url }) => name !== '' && isUrl(url)) ? links : undefined
}

/** Without `//`, the parser of URLs guesses the host or gives none. */
function isUrl(value: string, protocols = WEB): boolean {
  return URL.canParse(value) && protocols.some((protocol) => value.toLowerCase().startsWith(`${protocol}//`))
}
