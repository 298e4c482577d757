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
  /** The address of the service. Default: `127.0.0.1`. */
  HOST?: string | undefined
  /** The port of the service. Default: `3000`. */
  PORT?: string | undefined
  /** The public address, used in every link. Default: `http://localhost:$PORT/`. */
  BASE_URL?: string | undefined
  /** The query address of a SPARQL 1.1 store. Default: unset: embedded store. */
  SPARQL_QUERY_URL?: string | undefined
  /** Its address for updates. Default: unset: embedded store. */
  SPARQL_UPDATE_URL?: string | undefined
  /** Its address for graphs (SPARQL 1.1 Graph Store HTTP Protocol). Default: unset: embedded store. */
  SPARQL_GRAPH_STORE_URL?: string | undefined
  /**
   * The store that shows writes at once, if `SPARQL_QUERY_URL` is a replica (scaling). Default:
   * `SPARQL_QUERY_URL`.
   */
  SPARQL_PRIMARY_QUERY_URL?: string | undefined
  /**
   * `true` promises that only this service, its commands and its other instances write to the store; then
   * `MAX_STALENESS_MS` limits nothing (performance). Default: `false`.
   */
  SPARQL_EXCLUSIVE?: string | undefined
  /** How long an ingest waits for the replica. Default: `2000`. */
  REPLICA_WAIT_MS?: string | undefined
  /** How far the replica may be behind before `/readyz` answers 503. Default: `60000`. */
  MAX_REPLICA_LAG_MS?: string | undefined
  /**
   * The user of the store, sent with updates, requests for graphs, and queries at an address beside theirs.
   * Default: unset.
   */
  SPARQL_USER?: string | undefined
  /** The password of this user. Default: unset. */
  SPARQL_PASSWORD?: string | undefined
  /** A file with the password, instead of `SPARQL_PASSWORD`. Default: unset. */
  SPARQL_PASSWORD_FILE?: string | undefined
  /** The public address of that store, which pages name. Default: unset. */
  SPARQL_PUBLIC_URL?: string | undefined
  /** Deadline of one store request, and of an answer until it begins. Default: `10000`. */
  SPARQL_TIMEOUT_MS?: string | undefined
  /**
   * The maximum memory of the embedded store in addition to its data, at least 256; the data take 3 times their
   * size as N-Triples, and twice that once `/sparql` is used. Default: `1024`.
   */
  STORE_MEMORY_MB?: string | undefined
  /** The embedded store, the search index, the accounts, the mail outbox, the history. Default: `./data`. */
  DATA_DIR?: string | undefined
  /** Records the changes of vocabularies; `off` switches it off. Default: `on`. */
  HISTORY?: 'on' | 'off' | undefined
  /**
   * Keeps whole vocabularies that were downloaded as files in `DATA_DIR/dumps`; `off` streams every download.
   * Default: `on`.
   */
  DUMPS?: 'on' | 'off' | undefined
  /** Disk for these files; those that were not used for the longest time go first. Default: `10000000000`. */
  DUMPS_BYTES?: string | undefined
  /** Answers assistants at `/mcp` (assistants); `off` switches it off. Default: `on`. */
  MCP?: 'on' | 'off' | undefined
  /** `on` lets assistants with an account propose concepts. Default: `off`. */
  MCP_INGEST?: 'on' | 'off' | undefined
  /** Loads missing demo vocabularies. Default: `true` with a new embedded store. */
  DEMO?: string | undefined
  /** Ingest accounts. Default: `$DATA_DIR/accounts.json`. */
  ACCOUNTS_FILE?: string | undefined
  /** The mail server; without it mails stay in the outbox. Default: unset. */
  SMTP_URL?: string | undefined
  /** The sender of mails. Default: unset. */
  MAIL_FROM?: string | undefined
  /** Per vocabulary and per client address; `none` switches off. Default: `10/minute,100/hour,500/day`. */
  INGEST_LIMITS?: string | undefined
  /**
   * The Redis in which several instances count ingest limits together and share `Idempotency-Key`s. Default:
   * unset: each process counts by itself.
   */
  REDIS_URL?: string | undefined
  /** Express `trust proxy`. Default: `false`. */
  TRUST_PROXY?: string | undefined
  /** The maximum number of records in one answer. Default: `10000`. */
  MAX_LIMIT?: string | undefined
  /** Languages preferred after those of a request, best first. Default: `de,en`. */
  DEFAULT_LANGUAGE?: string | undefined
  /**
   * Maximum age of what the service remembers of the store, in case another program writes to the store directly;
   * what takes long to read may be older. Default: `5000`.
   */
  MAX_STALENESS_MS?: string | undefined
  /**
   * Memory for answers that the service sends again while nothing has changed, and for concepts, of which it makes
   * other answers; `0`: it remembers only ETags. Default: `100663296`.
   */
  CACHE_BYTES?: string | undefined
  /** `Cache-Control` of answers to GET. Default: `no-cache`. */
  CACHE_CONTROL?: string | undefined
  /** The JSKOS context that records name. Default: `https://gbv.github.io/jskos/context.json`. */
  JSKOS_CONTEXT_URL?: string | undefined
  /** The context that format records name. Default: below `BASE_URL`. */
  FORMAT_CONTEXT_URL?: string | undefined
  /** The schema that format records name. Default: below `BASE_URL`. */
  FORMAT_SCHEMA_URL?: string | undefined
  /** The name on the pages. Default: `Vocabulary Service`. */
  SITE_NAME?: string | undefined
  /** An SVG or PNG file beside the name. Default: unset. */
  SITE_LOGO?: string | undefined
  /**
   * The colour of links and buttons, which the service darkens or lightens until it is readable. Default:
   * `#1f5673`.
   */
  SITE_COLOR?: string | undefined
  /** A folder with your own texts, stylesheet, icon and groups of vocabularies: docs/operation.md. Default: unset. */
  SITE_DIR?: string | undefined
  /**
   * "Report a mistake" on concepts is a link to `SITE_CONTACT`; `form`: a form whose texts go to the mail address
   * in `SITE_CONTACT`, by the outbox of ingest. Default: `mail`.
   */
  SITE_FEEDBACK?: 'mail' | 'form' | undefined
  /** A mail address or URL in the footer of the pages. Default: unset. */
  SITE_CONTACT?: string | undefined
  /** Links in the footer of the pages: `Imprint=https://...|Privacy=https://...`. Default: unset. */
  SITE_LINKS?: string | undefined
  /** Structured logs on stdout; never a token, never a mail body. Default: `info`. */
  LOG_LEVEL?: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' | undefined
}
