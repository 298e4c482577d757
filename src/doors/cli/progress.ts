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

/**
 * Shows the progress of a load: a bar on a terminal, elsewhere one plain line for each step; nothing without `write`.
 */
export function showProgress(write: ((text: string) => void) | undefined): { show: LoadProgress; end: () => void } {
  const terminal = process.stdout.isTTY
  let step: string | undefined
  let shown = ''
  const show: LoadProgress = (now, done) => {
    if (write === undefined) return
    if (terminal) {
      const filled = Math.round(done * WIDTH)
      const text = `${LABEL[now].padEnd(LABEL_WIDTH)} [${'='.repeat(filled)}${' '.repeat(WIDTH - filled)}] ${Math.floor(done * 100)} %`
      if (text !== shown) write(`\r${(shown = text)}`)
    } else if (now !== step) {
      write(`${LABEL[now]} ...\n`)
    }
    step = now
  }
  const end = () => {
    if (write !== undefined && terminal && shown !== '') write(`\r${' '.repeat(shown.length)}\r`)
  }
  return { show, end }
}
