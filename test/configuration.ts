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

/** The rows of the table of settings in README.md. */
export async function documentedSettings(): Promise<string[]> {
  const readme = await read('README.md')
  const [, , ...rows] = readme.slice(readme.indexOf('| variable |')).split('\n')
  return rows.slice(
    0,
    rows.findIndex((row) => !row.startsWith('|')),
  )
}

/** The settings that .env.example shows, with their values. */
export async function exampleSettings(): Promise<Record<string, string>> {
  const lines = [...(await read('.env.example')).matchAll(/^#?([A-Z_]+)=(?:'(.*)'|(.*))$/gm)]
  return Object.fromEntries(lines.map(([, name, quoted, plain]) => [name!, quoted ?? plain!]))
}
