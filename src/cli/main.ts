import { Command } from 'commander'
import { ConfigError, EXIT_CONFIG } from '../config.ts'
import { readCatalogue } from '../vocabularies/catalogue.ts'
import { accountCommand } from './account.ts'
import { checkCommand } from './check.ts'
import { openContext, type CliContext } from './context.ts'
import { exportCommand } from './export.ts'
import { formatsCommand } from './formats.ts'
import { listCommand } from './list.ts'
import { loadCommand } from './load.ts'
import { normaliseCommand } from './normalise.ts'
import { removeCommand } from './remove.ts'
import { subsetCommand } from './subset.ts'

/** The commands of `npm run vocab`: one file each. */
function program(context: CliContext): Command {
  const { config, write } = context
  const catalogue = async () => readCatalogue(await context.client())
  return new Command('vocab')
    .description('loads and maintains the vocabularies of the service; it takes the same environment variables')
    .addCommand(loadCommand(context))
    .addCommand(listCommand(context))
    .addCommand(removeCommand(context))
    .addCommand(exportCommand(context))
    .addCommand(checkCommand(context))
    .addCommand(normaliseCommand(context))
    .addCommand(subsetCommand(context))
    .addCommand(accountCommand({ config: () => config, catalogue, write }))
    .addCommand(
      formatsCommand({
        config: () => config,
        client: () => context.client(),
        write,
        warn: (text) => void process.stderr.write(text),
      }),
    )
}

async function main(): Promise<void> {
  const context = openContext(process.env)
  try {
    await program(context).parseAsync()
  } finally {
    await context.close()
  }
}

// Whoever reads the output may stop reading (`| head`): that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`error: ${message.replace(/\s*\n\s*/g, ' ')}\n`)
  process.exitCode = error instanceof ConfigError ? EXIT_CONFIG : 1
})
