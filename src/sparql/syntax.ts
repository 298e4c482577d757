import { Parser } from '@traqula/parser-sparql-1-1'
import type { Template } from './templates.ts'

// One parser for all, because building the grammar takes longer than parsing every template.
const parser = new Parser()

/**
 * Parses a template as it stands and without its optional blocks. The service does this at start; the commands do not,
 * because the parser would take most of their time.
 *
 * @throws Error naming the file and the line of a syntax error.
 */
export function checkSyntax({ file, text, withoutBlocks }: Template): void {
  parse(file, text)
  parse(`${file} (without optional blocks)`, withoutBlocks)
}

function parse(file: string, text: string): void {
  try {
    parser.parse(text)
  } catch (cause) {
    throw new Error(`${file}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}
