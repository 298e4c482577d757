import type { IncomingMessage, ServerResponse } from 'node:http'

/** The service, with its store open. */
export interface VocabularyService {
  /** For an Express application: `outer.use('/vocabularies', service.app)`. */
  app: (request: IncomingMessage, response: ServerResponse) => void
  /** Closes its files and its store. Stop listening first. */
  close: () => Promise<void>
}

/**
 * Opens the store and makes the application over it.
 *
 * @param settings by default the environment variables of the process, to which `{ ...process.env, ... }` adds.
 *   BASE_URL is the public address of the place where it is mounted.
 * @throws Error with a line for the operator if a setting is wrong, or if there is none with its name.
 */
export function createService(settings?: Readonly<Settings>): Promise<VocabularyService>

/** The settings of the service, named as its environment variables. */
export interface Settings {
  /** The address that the service listens on. Default: `127.0.0.1`. */
  HOST?: string | undefined
  /** The port that it listens on. Default: `3000`. */
  PORT?: string | undefined
  /** The public address, with which all links begin. Default: `http://localhost:$PORT/`. */
  BASE_URL?: string | undefined
  /** The address for queries of a SPARQL 1.1 store. Default: unset: embedded store. */
  SPARQL_QUERY_URL?: string | undefined
  /** The address for updates of this store. Default: unset: embedded store. */
  SPARQL_UPDATE_URL?: string | undefined
  /** The address for graphs of this store (SPARQL 1.1 Graph Store HTTP Protocol). Default: unset: embedded store. */
  SPARQL_GRAPH_STORE_URL?: string | undefined
  /**
   * The address for queries of the primary store, if `SPARQL_QUERY_URL` is a replica (scaling). Default:
   * `SPARQL_QUERY_URL`.
   */
  SPARQL_PRIMARY_QUERY_URL?: string | undefined
  /**
   * `true` promises that only this service, its commands and its other instances write to the store; then nothing
   * expires by `MAX_STALENESS_MS` (performance). Default: `false`.
   */
  SPARQL_EXCLUSIVE?: string | undefined
  /** How long an ingest waits until the replica has its concepts. Default: `2000`. */
  REPLICA_WAIT_MS?: string | undefined
  /** The delay of the replica from which `/readyz` answers 503. Default: `60000`. */
  MAX_REPLICA_LAG_MS?: string | undefined
  /** The user of the store, sent with updates and requests for graphs only. Default: unset. */
  SPARQL_USER?: string | undefined
  /** The password of this user. Default: unset. */
  SPARQL_PASSWORD?: string | undefined
  /** A file with the password, instead of `SPARQL_PASSWORD`. Default: unset. */
  SPARQL_PASSWORD_FILE?: string | undefined
  /** The public SPARQL address of the store, shown on the pages. Default: unset. */
  SPARQL_PUBLIC_URL?: string | undefined
  /** The deadline of a request to the store, and of an answer until its first byte. Default: `10000`. */
  SPARQL_TIMEOUT_MS?: string | undefined
  /**
   * The memory that the embedded store may use besides its data, at least 256; the data take 3 times their size as
   * N-Triples, and 6 times once `/sparql` is used. Default: `1024`.
   */
  STORE_MEMORY_MB?: string | undefined
  /**
   * The folder of the embedded store, the search index, the accounts, the outbox of mails, and the history.
   * Default: `./data`.
   */
  DATA_DIR?: string | undefined
  /** `on` records the changes of vocabularies. Default: `on`. */
  HISTORY?: 'on' | 'off' | undefined
  /**
   * `on` keeps downloads of whole vocabularies as files in `DATA_DIR/dumps`; `off` streams every download.
   * Default: `on`.
   */
  DUMPS?: 'on' | 'off' | undefined
  /** The disk space for these files; the least recently used ones are removed first. Default: `10000000000`. */
  DUMPS_BYTES?: string | undefined
  /** `on` answers assistants at `/mcp` (assistants). Default: `on`. */
  MCP?: 'on' | 'off' | undefined
  /** `on` lets assistants with an account propose concepts. Default: `off`. */
  MCP_INGEST?: 'on' | 'off' | undefined
  /** `true` loads the demo vocabularies that are missing. Default: `true` with a new embedded store. */
  DEMO?: string | undefined
  /** The file of the accounts for ingest. Default: `$DATA_DIR/accounts.json`. */
  ACCOUNTS_FILE?: string | undefined
  /** The mail server; without one, mails stay in the outbox. Default: unset. */
  SMTP_URL?: string | undefined
  /** The sender of mails. Default: unset. */
  MAIL_FROM?: string | undefined
  /**
   * The limits of ingest, for each vocabulary and for each client address; `none` for no limits. Default:
   * `10/minute,100/hour,500/day`.
   */
  INGEST_LIMITS?: string | undefined
  /**
   * The Redis with which several instances share ingest limits and `Idempotency-Key`s. Default: unset: each
   * instance counts alone.
   */
  REDIS_URL?: string | undefined
  /** Which proxies may set the address of the client: the setting `trust proxy` of Express. Default: `false`. */
  TRUST_PROXY?: string | undefined
  /** The maximum number of records in one answer. Default: `10000`. */
  MAX_LIMIT?: string | undefined
  /** The preferred languages, best first, after the languages of the request. Default: `de,en`. */
  DEFAULT_LANGUAGE?: string | undefined
  /**
   * The maximum age of cached results, in case another program writes to the store directly; results of slow
   * queries may be older. Default: `5000`.
   */
  MAX_STALENESS_MS?: string | undefined
  /** The memory for cached answers and cached concepts, half for each; `0` caches ETags only. Default: `100663296`. */
  CACHE_BYTES?: string | undefined
  /** The header `Cache-Control` of answers to GET. Default: `no-cache`. */
  CACHE_CONTROL?: string | undefined
  /**
   * The JSON-LD context that JSKOS records name in `@context`. Default:
   * `https://gbv.github.io/jskos/context.json`.
   */
  JSKOS_CONTEXT_URL?: string | undefined
  /** The JSON-LD context that format records name. Default: below `BASE_URL`. */
  FORMAT_CONTEXT_URL?: string | undefined
  /** The JSON Schema that format records name. Default: below `BASE_URL`. */
  FORMAT_SCHEMA_URL?: string | undefined
  /** The name on the pages. Default: `Vocabulary Service`. */
  SITE_NAME?: string | undefined
  /** An SVG or PNG file, shown beside the name. Default: unset. */
  SITE_LOGO?: string | undefined
  /** The colour of links and buttons; the service darkens or lightens it until it is readable. Default: `#1f5673`. */
  SITE_COLOR?: string | undefined
  /** A folder with your own texts, styles and icon. Default: unset. */
  SITE_DIR?: string | undefined
  /**
   * What "Report a mistake" opens: `mail` a link to `SITE_CONTACT`, `form` a form that sends a mail to the address
   * in `SITE_CONTACT`. Default: `mail`.
   */
  SITE_FEEDBACK?: 'mail' | 'form' | undefined
  /** A mail address or URL in the footer of the pages. Default: unset. */
  SITE_CONTACT?: string | undefined
  /** Links in the footer of the pages: `Imprint=https://...|Privacy=https://...`. Default: unset. */
  SITE_LINKS?: string | undefined
  /**
   * The level of the log, which is JSON on standard output and never contains a token or the text of a mail.
   * Default: `info`.
   */
  LOG_LEVEL?: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' | undefined
}
