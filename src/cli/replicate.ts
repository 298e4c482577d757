import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command, InvalidArgumentError } from 'commander'
import { SparqlClient } from '../sparql/client.ts'
import { replicate } from '../vocabularies/replicate.ts'
import type { CliContext } from './context.ts'
import { lineOf } from './program.ts'

interface Options {
  query: string
  graphStore: string
  user?: string
  /** Its content. */
  passwordFile?: string
  every?: number
}

/** `vocab replicate`: copies what has changed at the primary to another store. */
export function replicateCommand({ client, config, write, warn }: CliContext): Command {
  return new Command('replicate')
    .description('copy vocabularies that have changed to a replica, and remove those that are gone')
    .requiredOption('--query <url>', 'where the replica answers queries', readUrl)
    .requiredOption('--graph-store <url>', 'where its graphs are written, by PUT and DELETE', readUrl)
    .option('--user <name>', 'the login of the replica, if it is another than that of the primary')
    .option('--password-file <file>', 'a file with its password', readPassword)
    .option('--every <seconds>', 'go on until the command is stopped, with this pause between two looks', readSeconds)
    .action(async ({ query, graphStore, every, user, passwordFile }: Options) => {
      const primary = await client()
      const endpoint = {
        ...primary.endpoint,
        queryUrl: query,
        graphStoreUrl: graphStore,
        ...(user === undefined ? {} : { user }),
        ...(passwordFile === undefined ? {} : { password: passwordFile }),
      }
      const replica = new SparqlClient({ endpoint, timeoutMs: config.sparqlTimeoutMs })
      const once = async () => {
        for await (const { graph, done } of replicate(primary, replica)) write(`${done} ${graph}\n`)
      }
      if (every === undefined) return once()
      const stop = new AbortController()
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort())
      while (!stop.signal.aborted) {
        // A store that is away comes back.
        await once().catch((error: unknown) => warn(lineOf(error)))
        await sleep(every * 1000, undefined, { signal: stop.signal }).catch(() => undefined)
      }
    })
}

function readUrl(text: string): string {
  if (!URL.canParse(text)) throw new InvalidArgumentError('Expected a URL.')
  return text
}

function readPassword(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    throw new InvalidArgumentError('Expected a file that can be read.')
  }
}

function readSeconds(text: string): number {
  if (!(Number(text) > 0)) throw new InvalidArgumentError('Expected a number of seconds.')
  return Number(text)
}
