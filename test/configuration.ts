/** The variables of the configuration, as the code and the documents name them. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SETTINGS, type SettingNote } from '../src/settings.ts'
import { ROOT } from './process.ts'

const read = (name: string) => readFile(join(ROOT, name), 'utf8')

/** The variables that the service reads. */
export const VARIABLES: readonly string[] = Object.keys(SETTINGS.shape)

/** The rows of the table of settings, as the schema has them. */
export const SETTING_ROWS: readonly string[] = Object.entries(SETTINGS.shape).map(([name, schema]) => {
  const note = schema.meta() as unknown as SettingNote
  return `| \`${name}\` | ${note.default} | ${note.description} |`
})

/** A comment of a member, in lines that are not too long. */
function comment(text: string): string {
  if (text.length <= 110) return `  /** ${text} */`
  const lines = text.match(/.{1,110}(?: |$)/g)!.map((line) => `   * ${line.trim()}`)
  return ['  /**', ...lines, '   */'].join('\n')
}

/** The members of the type of settings in src/package-types.d.ts, as the schema has them. */
export const SETTING_TYPES: string = Object.entries(SETTINGS.shape)
  .map(([name, schema]) => {
    const note = schema.meta() as unknown as SettingNote
    const plain = (text: string) => text.replaceAll(/\[([^\]]*)\]\(([^)]*)\)/g, '$1').replaceAll('\\|', '|')
    // The values of a choice stand in the error about another one.
    const [issue] = schema.safeParse('no value of a choice').error?.issues ?? []
    const choices = /^one of (.*)$/.exec(issue?.message ?? '')?.[1]?.split(', ')
    const type = choices?.map((value) => `'${value}'`).join(' | ') ?? 'string'
    const text = plain(`${note.description[0]!.toUpperCase()}${note.description.slice(1)}. Default: ${note.default}.`)
    return `${comment(text)}\n  ${name}?: ${type} | undefined`
  })
  .join('\n')

/** The rows of the table of all settings in docs/settings.md. */
export async function documentedSettings(): Promise<string[]> {
  const text = await read('docs/settings.md')
  const [, , ...rows] = text.slice(text.indexOf('| variable | default |')).split('\n')
  return rows.filter((row) => row.startsWith('|'))
}

/** The settings that .env.example shows, with their values. */
export async function exampleSettings(): Promise<Record<string, string>> {
  const lines = [...(await read('.env.example')).matchAll(/^#?([A-Z_]+)=(?:'(.*)'|(.*))$/gm)]
  return Object.fromEntries(lines.map(([, name, quoted, plain]) => [name!, quoted ?? plain!]))
}
