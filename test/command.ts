/** Commands of `npm run vocab`, run in the process of the test: a process of their own takes as long as several tests. */
import { run } from '../src/cli/run.ts'
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
