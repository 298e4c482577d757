import { ConfigError, EXIT_CONFIG } from '../config.ts'
import { openContext } from './context.ts'
import { lineOf } from './error-line.ts'
import { runVocab } from './program.ts'

async function main(): Promise<void> {
  const context = openContext(process.env)
  try {
    await runVocab(process.argv.slice(2), context)
  } finally {
    await context.close()
  }
}

// The reader of the output may stop (`| head`), which is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

main().catch((error: unknown) => {
  process.stderr.write(lineOf(error))
  process.exitCode = error instanceof ConfigError ? EXIT_CONFIG : 1
})
