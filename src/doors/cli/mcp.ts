import { once } from 'node:events'
import { Command } from 'commander'
import { messageOf } from '../../base/thrown.ts'
import type { CliContext } from './context.ts'
import { lineOf } from './error-line.ts'

/**
 * A call waits so long until the index has read the vocabularies, which takes minutes for millions of labels. The
 * assistant ends it earlier if it likes.
 */
const INDEX_WAIT_MS = 600_000

/** `vocab mcp`: the tools for assistants over standard input and output, for desktop programs. */
export function mcpCommand({ config, client, warn }: CliContext): Command {
  return new Command('mcp')
    .description('answer an assistant over standard input and output (Model Context Protocol)')
    .option('--url <url>', 'address of a running service; without it, the store of this installation')
    .action(async ({ url }: { url?: string }) => {
      const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio')
      const ended = once(process.stdin, 'end')
      if (url === undefined) {
        const [{ composeReading }, { mcpServer }] = await Promise.all([
          import('../../compose.ts'),
          import('../mcp/server.ts'),
        ])
        const reading = composeReading(config, (await client()).endpoint, { indexWaitMs: INDEX_WAIT_MS })
        const { signal } = new AbortController()
        reading.index.begin()
        const reportError = (error: unknown) => warn(lineOf(error))
        const dependencies = { ...reading, config, history: undefined }
        serveStdio(() => mcpServer(dependencies, { signal, reportError }), { onerror: reportError })
        await ended
        await reading.index.close()
        return
      }
      const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
      const stdio = new StdioServerTransport()
      const remote = new StreamableHTTPClientTransport(new URL('mcp', url.endsWith('/') ? url : `${url}/`))
      // Passes every message on, so that the tools of the service are those that the assistant sees.
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
      await ended
      await remote.close()
    })
}
