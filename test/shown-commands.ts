/** The blocks of a document, and the commands that it shows. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from './process.ts'

/** A block of a document. */
interface Block {
  language: string
  text: string
}

/** The blocks of a document in their order. */
export async function blocksOf(document: string): Promise<Block[]> {
  const blocks = (await readFile(join(ROOT, document), 'utf8')).matchAll(/^( *)```(\w+)\n(.*?)^ *```/gms)
  return [...blocks].map(([, indent, language, text]) => ({
    language: language!,
    text: text!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))
}

/** The texts of the blocks in a language. */
async function shownBlocks(document: string, language: string): Promise<string[]> {
  return (await blocksOf(document)).filter((block) => block.language === language).map(({ text }) => text)
}

/** The commands of a block for a shell. A line that is indented continues the command before it. */
export function commandsOf(text: string): string[] {
  return text.trim().split(/\n(?! )/)
}

/** The commands in the blocks for a shell. */
export async function shownCommands(document: string): Promise<string[]> {
  return (await shownBlocks(document, 'sh')).flatMap(commandsOf)
}
