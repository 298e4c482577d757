import { run } from './run.ts'

// The reader of the output may stop (`| head`), which is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

process.exitCode = await run(process.argv.slice(2), process.env, {
  write: (text) => void process.stdout.write(text),
  warn: (text) => void process.stderr.write(text),
})
