import { setTimeout as sleep } from 'node:timers/promises'
import { Command, InvalidArgumentError } from 'commander'
import { readPassword } from '../../settings.ts'
import { InputError } from '../../base/files/input-error.ts'
import { SparqlClient } from '../../graph/sparql/client.ts'
import { replicate } from '../../writing/commands/replicate.ts'
import type { CliContext } from './context.ts'
import { lineOf } from './error-line.ts'

interface Options {
  query: string
  graphStore: string
  user?: string
  /** The content of the file. */
  passwordFile?: string
  every?: number
}

/** `vocab replicate`: copies the changes of the primary to another store. */
export function replicateCommand({ client, config, write, warn }: CliContext): Command {
  return new Command('replicate')
    .requiredOption('--query <url>', 'query URL of the replica', readUrl)
    .requiredOption('--graph-store <url>', 'Graph Store URL of the replica, for PUT and DELETE', readUrl)
    .option('--user <name>', 'user name at the replica, if it differs from that of the primary')
    .option('--password-file <file>', 'a file with the password at the replica', passwordIn)
    .option('--every <seconds>', 'repeat with this pause until the command is stopped', readSeconds)
    .action(async ({ query, graphStore, every, user, passwordFile }: Options) => {
      // The login of an embedded primary is for its own process alone.
      const login = { user: user ?? config.store?.user, password: passwordFile ?? config.store?.password }
      if ((login.user === undefined) !== (login.password === undefined)) {
        throw new InputError('expected --user and --password-file together.')
      }
      const primary = await client()
      const endpoint = { ...primary.endpoint, ...login, queryUrl: query, graphStoreUrl: graphStore }
      const replica = new SparqlClient({ endpoint, timeoutMs: config.sparqlTimeoutMs })
      const once = async () => {
        for await (const { graph, done } of replicate(primary, replica)) write(`${done} ${graph}\n`)
      }
      if (every === undefined) return once()
      const stop = new AbortController()
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort())
      while (!stop.signal.aborted) {
        // A store that is down may come back, so go on.
        await once().catch((error: unknown) => warn(lineOf(error)))
        await sleep(every * 1000, undefined, { signal: stop.signal }).catch(() => undefined)
      }
    })
}

function readUrl(text: string): string {
  if (!URL.canParse(text)) throw new InvalidArgumentError('Expected a URL.')
  return text
}

function passwordIn(file: string): string {
  const password = readPassword(file)
  if (password === undefined) throw new InvalidArgumentError('Expected a file with a password.')
  return password
}

function readSeconds(text: string): number {
  if (!(Number(text) > 0)) throw new InvalidArgumentError('Expected a number of seconds.')
  return Number(text)
}
