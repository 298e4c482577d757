import { ConfigError, EXIT_CONFIG } from '../../config.ts'
import { openContext, type CliContext } from './context.ts'
import { lineOf } from './error-line.ts'
import { runVocab } from './program.ts'

/**
 * Runs one command.
 *
 * @param args the words of the command line
 * @param output takes what the command prints, and the line of an error by `warn`
 * @returns the exit code
 */
export async function run(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  output: Pick<CliContext, 'write' | 'warn'>,
): Promise<number> {
  try {
    const context = openContext(env, output)
    try {
      await runVocab(args, context)
    } catch (error) {
      throw await context.reasonOf(error)
    } finally {
      await context.close()
    }
    return 0
  } catch (error) {
    output.warn(lineOf(error))
    return error instanceof ConfigError ? EXIT_CONFIG : 1
  }
}
