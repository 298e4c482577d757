/** Commands of `npm run vocab`, run in the process of the test: a process of their own takes as long as several tests. */
import { openContext } from '../src/cli/context.ts'
import { lineOf } from '../src/cli/error-line.ts'
import { runVocab } from '../src/cli/program.ts'

/** Runs a command; gives what it prints, and the line of its error, which is empty if it succeeds. */
export async function runCommand(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ output: string; error: string }> {
  const context = openContext(env)
  let output = ''
  try {
    await runVocab(args, { ...context, write: (text) => void (output += text) })
    return { output, error: '' }
  } catch (error) {
    return { output, error: lineOf(error) }
  } finally {
    await context.close()
  }
}
