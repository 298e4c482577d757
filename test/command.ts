/**
 * Commands of `npm run vocab`, run in the process of the test: a process of their own takes as long as several tests.
 */
import { run } from '../src/doors/cli/run.ts'
import type { EndedProcess } from './process.ts'

/** Runs a command; gives what its process would. What `vocab export` writes goes to standard output all the same. */
export async function runCommand(args: readonly string[], env: NodeJS.ProcessEnv): Promise<EndedProcess> {
  let stdout = ''
  let stderr = ''
  const code = await run(args, env, {
    write: (text) => void (stdout += text),
    warn: (text) => void (stderr += text),
  })
  return { code, stdout, stderr }
}

/**
 * Runs a command; gives what it prints.
 *
 * @throws Error with the line of the command's error if it fails.
 */
export async function outputOf(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const { code, stdout, stderr } = await runCommand(args, env)
  if (code !== 0) throw new Error(stderr)
  return stdout
}
