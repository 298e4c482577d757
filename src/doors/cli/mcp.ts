import type { Transport } from '@modelcontextprotocol/server'
import { Command } from 'commander'
import { InputError } from '../../base/files/input-error.ts'
import { messageOf } from '../../base/thrown.ts'
import type { SparqlClient } from '../../graph/sparql/client.ts'
import { MAXIMA } from '../../interface/http/maxima.ts'
import type { CliContext } from './context.ts'
import { lineOf } from './error-line.ts'

/**
 * A call waits so long until the index has read the vocabularies, which takes minutes for millions of labels. The
 * assistant ends it earlier if it likes.
 */
const INDEX_WAIT_MS = 600_000

/** The transport reports a line that is too long before it closes; the command has an error of its own. */
const TOO_LONG = /exceeded maximum size/

/** `vocab mcp`: the tools for assistants over standard input and output, for desktop programs. */
export function mcpCommand({ config, client, renewedClient, warn }: CliContext): Command {
  return new Command('mcp')
    .option('--url <url>', 'address of a running service; without it, the store of this installation')
    .action(async ({ url }: { url?: string }) => {
      const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio')
      const stdio = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MAXIMA.mcpMessage.most })
      if (url === undefined) {
        const [{ composeReading }, { mcpServer }] = await Promise.all([
          import('../../compose.ts'),
          import('../mcp/server.ts'),
        ])
        const compose = ({ endpoint }: SparqlClient) => {
          const reading = composeReading(config, endpoint, { indexWaitMs: INDEX_WAIT_MS })
          reading.index.begin()
          return reading
        }
        const { signal } = new AbortController()
        const reportError = (error: unknown) => {
          if (!TOO_LONG.test(messageOf(error))) warn(lineOf(error))
        }
        const dependencies = { ...compose(await client()), config, history: undefined }
        serveStdio(() => mcpServer(dependencies, { signal, reportError }), { onerror: reportError, transport: stdio })
        beforeEach(stdio, async () => {
          const renewed = await renewedClient()
          if (!renewed) return
          const { index } = dependencies
          Object.assign(dependencies, compose(renewed))
          await index.close()
        })
        await endOf(stdio)
        await dependencies.index.close()
        return
      }
      const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
      const remote = new StreamableHTTPClientTransport(new URL('mcp', url.endsWith('/') ? url : `${url}/`))
      // Passes every message on, so that the assistant sees the tools of the service.
      stdio.onmessage = (message) => {
        remote.send(message).catch((error: unknown) => {
          if (!('id' in message) || !('method' in message)) return
          const failed = { code: -32_000, message: `The service cannot be reached: ${messageOf(error)}` }
          void stdio.send({ jsonrpc: '2.0', id: message.id, error: failed })
        })
      }
      remote.onmessage = (message) => void stdio.send(message)
      await remote.start()
      await stdio.start()
      await endOf(stdio)
      await remote.close()
    })
}

/** Does something before each message is read; messages keep their order. A failure shows in what follows. */
function beforeEach(transport: Transport, prepare: () => Promise<void>): void {
  const read = transport.onmessage
  let last = Promise.resolve()
  transport.onmessage = (...message) => {
    last = last
      .then(prepare)
      .catch(() => undefined)
      .then(() => read?.(...message))
  }
}

/** Resolves at the end of standard input. @throws InputError if it has a line that is too long. */
async function endOf(transport: Transport): Promise<void> {
  const close = transport.onclose
  await new Promise<void>((resolve) => {
    transport.onclose = () => {
      close?.()
      resolve()
    }
  })
  if (process.stdin.readableEnded || process.stdin.destroyed) return
  throw new InputError(`standard input: expected messages of at most ${MAXIMA.mcpMessage.most} bytes, a line each.`)
}
