import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { fromRoot } from '../../base/root.ts'
import { messageOf } from '../../base/thrown.ts'
import type { Template } from './templates.ts'

/** Has the digest of the templates whose syntax was last found to be right. */
const CHECKED = fromRoot('dist/checked-templates')

/**
 * Parses templates as they stand and without their optional blocks. To load and run the parser takes most of the time
 * in which the service starts, so templates that were right at an earlier start are not parsed again. Commands do not
 * call this.
 *
 * @throws Error naming the file and the line of a syntax error.
 */
export async function checkTemplates(templates: Iterable<Template>, checked = CHECKED): Promise<void> {
  const all = [...templates]
  const digest = createHash('sha256')
  for (const { file, text, withoutBlocks } of all) digest.update(JSON.stringify([file, text, withoutBlocks]))
  const hex = digest.digest('hex')
  const before = await readFile(checked, 'utf8').catch(() => '')
  if (before === hex) return
  const { Parser } = await import('@traqula/parser-sparql-1-1')
  // One parser for all, because building the grammar takes longer than parsing every template.
  const parser = new Parser()
  const parse = (file: string, text: string): void => {
    try {
      parser.parse(text)
    } catch (cause) {
      throw new Error(`${file}: ${messageOf(cause)}`, { cause })
    }
  }
  for (const { file, text, withoutBlocks } of all) {
    parse(file, text)
    parse(`${file} (without optional blocks)`, withoutBlocks)
  }
  // The folder may be read-only; then the next start parses them again.
  await writeFile(checked, hex).catch(() => undefined)
}
