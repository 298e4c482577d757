import { join, resolve } from 'node:path'
import type { z } from 'zod'
import { editDistance } from './base/edit-distance.ts'
import { SETTINGS, type RateLimit, type SiteLink } from './settings.ts'
import { isAbsoluteIri } from './graph/sparql/grammar.ts'

/** The configuration, of the settings in settings.ts. */
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
  /** Disk for whole vocabularies as files in DATA_DIR, in bytes; 0 keeps none. */
  readonly dumpBytes: number
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
  readonly links: readonly SiteLink[]
}

/** Exit code for a wrong configuration (sysexits.h, EX_CONFIG). */
export const EXIT_CONFIG = 78

/** A variable with a wrong value; the message names the variable and the expected value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

type Settings = z.infer<typeof SETTINGS>

/** The settings in an environment, where an empty variable counts as absent. @throws ConfigError for a wrong value. */
function readSettings(env: NodeJS.ProcessEnv): Settings {
  const names = Object.keys(SETTINGS.shape)
  const given = names.map((name) => [name, env[name]?.trim() || undefined] as const)
  // White space may be a part of a password.
  const values = { ...Object.fromEntries(given), SPARQL_PASSWORD: env['SPARQL_PASSWORD'] || undefined }
  const { data, error } = SETTINGS.safeParse(values)
  if (data) return data
  const [issue] = error.issues
  throw wrongSetting(env, String(issue!.path[0]), issue!.message)
}

/** The most letters by which a misspelt name differs from the one meant. */
const MOST_MISSPELT = 4

/**
 * Refuses names that no setting has. Variables of the process are left alone, so that settings can be added to those.
 *
 * @throws ConfigError naming the setting, and the most similar one that there is.
 */
export function refuseUnknownSettings(settings: Readonly<Record<string, string | undefined>>): void {
  const names = Object.keys(SETTINGS.shape)
  for (const [name, value] of Object.entries(settings)) {
    if (names.includes(name) || (value !== undefined && process.env[name] === value)) continue
    const similar = names
      .map((other) => ({ other, distance: editDistance(name.toUpperCase(), other, MOST_MISSPELT) ?? Infinity }))
      .reduce((best, candidate) => (candidate.distance < best.distance ? candidate : best))
    const advice = similar.distance === Infinity ? '' : `; there is ${similar.other}`
    throw new ConfigError(`${name}: expected the name of a setting${advice}`)
  }
}

function wrongSetting(env: NodeJS.ProcessEnv, name: string, expected: string): ConfigError {
  const value = env[name]?.trim()
  // A URL may contain a password.
  const got = value === undefined || value.includes('@') ? '' : `, got "${value}"`
  return new ConfigError(`${name}: expected ${expected}${got}`)
}

/**
 * Reads the configuration from environment variables; an empty one counts as absent.
 *
 * @throws ConfigError naming the variable and the expected value.
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const settings = readSettings(env)
  const base = new URL(settings.BASE_URL ?? `http://localhost:${settings.PORT}/`)
  const baseUrl = base.href.replace(/\/*$/, '/')
  if (/[?#]/.test(baseUrl) || base.username + base.password !== '' || !isAbsoluteIri(baseUrl)) {
    const expected = 'a URL without a query, a fragment, a login and a "|", because every link begins with it'
    throw wrongSetting(env, 'BASE_URL', expected)
  }
  if (settings.SITE_FEEDBACK === 'form' && !settings.SITE_CONTACT?.startsWith('mailto:')) {
    throw wrongSetting(env, 'SITE_FEEDBACK', 'a mail address in SITE_CONTACT as well')
  }
  const dataDir = resolve(settings.DATA_DIR)
  return Object.freeze({
    host: settings.HOST,
    port: settings.PORT,
    baseUrl,
    store: storeOf(settings),
    sparqlPublicUrl: settings.SPARQL_PUBLIC_URL,
    sparqlTimeoutMs: settings.SPARQL_TIMEOUT_MS,
    replicaWaitMs: settings.REPLICA_WAIT_MS,
    maxReplicaLagMs: settings.MAX_REPLICA_LAG_MS,
    storeMemoryBytes: settings.STORE_MEMORY_MB * 2 ** 20,
    dataDir,
    history: settings.HISTORY === 'on',
    dumpBytes: settings.DUMPS === 'on' ? settings.DUMPS_BYTES : 0,
    mcp: settings.MCP === 'on',
    mcpIngest: settings.MCP_INGEST === 'on',
    demo: settings.DEMO,
    accountsFile: resolve(settings.ACCOUNTS_FILE ?? join(dataDir, 'accounts.json')),
    smtpUrl: settings.SMTP_URL,
    mailFrom: settings.MAIL_FROM,
    ingestLimits: settings.INGEST_LIMITS,
    redisUrl: settings.REDIS_URL,
    trustProxy: settings.TRUST_PROXY,
    maxLimit: settings.MAX_LIMIT,
    defaultLanguages: settings.DEFAULT_LANGUAGE,
    cacheControl: settings.CACHE_CONTROL,
    maxStalenessMs: settings.MAX_STALENESS_MS,
    cacheBytes: settings.CACHE_BYTES,
    jskosContextUrl: settings.JSKOS_CONTEXT_URL,
    formatContextUrl: settings.FORMAT_CONTEXT_URL ?? `${baseUrl}formats/context.json`,
    formatSchemaUrl: settings.FORMAT_SCHEMA_URL ?? `${baseUrl}formats/schema.json`,
    logLevel: settings.LOG_LEVEL,
    site: Object.freeze({
      name: settings.SITE_NAME,
      logo: settings.SITE_LOGO,
      contact: settings.SITE_CONTACT,
      color: settings.SITE_COLOR,
      dir: settings.SITE_DIR,
      feedback: settings.SITE_FEEDBACK,
      links: settings.SITE_LINKS ?? [],
    }),
  })
}

/** The SPARQL store of the settings; undefined: the embedded store. @throws ConfigError if settings are missing. */
function storeOf(settings: Settings): Config['store'] {
  const { SPARQL_QUERY_URL: queryUrl, SPARQL_UPDATE_URL: updateUrl, SPARQL_GRAPH_STORE_URL: graphStoreUrl } = settings
  const { SPARQL_PRIMARY_QUERY_URL: primaryQueryUrl, SPARQL_USER: user, SPARQL_EXCLUSIVE: isExclusive } = settings
  const password = settings.SPARQL_PASSWORD ?? settings.SPARQL_PASSWORD_FILE
  const urls = { SPARQL_QUERY_URL: queryUrl, SPARQL_UPDATE_URL: updateUrl, SPARQL_GRAPH_STORE_URL: graphStoreUrl }
  const missing = Object.entries(urls).filter(([, value]) => value === undefined)
  if (missing.length > 0 && missing.length < 3) {
    throw new ConfigError(`${missing[0]![0]}: expected a URL, because the other SPARQL_*_URL variables are set`)
  }
  if (primaryQueryUrl && !queryUrl) {
    throw new ConfigError('SPARQL_PRIMARY_QUERY_URL: expected the other SPARQL_*_URL variables as well')
  }
  if ((user === undefined) !== (password === undefined)) {
    throw new ConfigError(`${user ? 'SPARQL_PASSWORD' : 'SPARQL_USER'}: expected a value, because the other one is set`)
  }
  if (!queryUrl || !updateUrl || !graphStoreUrl) return undefined
  const endpoint = { queryUrl, primaryQueryUrl: primaryQueryUrl ?? queryUrl, updateUrl, graphStoreUrl }
  return Object.freeze({ ...endpoint, isExclusive, user, password })
}

/** The language of the labels that order a vocabulary whose notations mean nothing to people. */
export function sortLanguage({ defaultLanguages }: Pick<Config, 'defaultLanguages'>): string {
  return defaultLanguages[0] ?? 'und'
}
