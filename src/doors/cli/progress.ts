import type { LoadProgress, LoadStep } from '../../writing/source/read-files.ts'

const LABEL: Record<LoadStep, string> = {
  read: 'reading',
  check: 'checking',
  compare: 'comparing',
  index: 'writing the index',
  history: 'writing the history',
  send: 'sending',
}
const LABEL_WIDTH = Math.max(...Object.values(LABEL).map(({ length }) => length))
const WIDTH = 30
/** Without a terminal, a long step has a line after every so many milliseconds. */
const LINE_MS = 30_000
/** From this share and this time on, the remaining time of a step can be estimated. */
const LEAST_SHARE = 0.02
const LEAST_MS = 2000

/**
 * Shows the progress of a load: on a terminal a bar, elsewhere a plain line at the beginning of each step and every
 * half minute. Both have the share of the step that is done, and the time left of it. Nothing without `write`.
 *
 * @param now the time in milliseconds.
 */
export function showProgress(
  write: ((text: string) => void) | undefined,
  { isTerminal = process.stdout.isTTY, now = () => performance.now() } = {},
): { show: LoadProgress; end: () => void } {
  let step: LoadStep | undefined
  let began = 0
  let lastLine = 0
  let shown = ''
  const show: LoadProgress = (current, done) => {
    if (write === undefined) return
    const time = now()
    const isNew = current !== step
    if (isNew) began = lastLine = time
    step = current
    const left = timeLeft(done, time - began)
    if (isTerminal) {
      const filled = Math.round(done * WIDTH)
      const bar = `${'='.repeat(filled)}${' '.repeat(WIDTH - filled)}`
      const text = `${LABEL[current].padEnd(LABEL_WIDTH)} [${bar}] ${inPercent(done)}${left}`
      if (text === shown) return
      // A shorter text covers the one before.
      write(`\r${text.padEnd(shown.trimEnd().length)}`)
      shown = text
    } else if (isNew) {
      write(`${LABEL[current]} ...\n`)
    } else if (time - lastLine >= LINE_MS) {
      lastLine = time
      write(`${LABEL[current]}: ${inPercent(done)}${left}\n`)
    }
  }
  const end = () => {
    if (write !== undefined && isTerminal && shown !== '') write(`\r${' '.repeat(shown.length)}\r`)
  }
  return { show, end }
}

const inPercent = (share: number) => `${Math.floor(share * 100)} %`

/** The remaining time of a step in words, after a comma; empty if it cannot be estimated yet. */
function timeLeft(done: number, elapsedMs: number): string {
  if (done < LEAST_SHARE || done >= 1 || elapsedMs < LEAST_MS) return ''
  const seconds = Math.ceil((elapsedMs * (1 - done)) / done / 1000)
  return seconds < 100 ? `, ${seconds} s left` : `, ${Math.round(seconds / 60)} min left`
}
