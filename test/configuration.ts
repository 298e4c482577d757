/** The variables of the configuration, as the code and the documents name them. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from './process.ts'

const read = (name: string) => readFile(join(ROOT, name), 'utf8')

/** The variables that the service reads. */
export async function readVariables(): Promise<Set<string>> {
  return new Set([...(await read('src/config.ts')).matchAll(/'([A-Z][A-Z_]{2,})'/g)].map(([, name]) => name!))
}

/** The variables in the table of README.md. */
export async function documentedVariables(): Promise<Set<string>> {
  const readme = await read('README.md')
  const table = readme.slice(readme.indexOf('| variable |'), readme.indexOf('\n## ', readme.indexOf('| variable |')))
  const names = table.split('\n').flatMap((row) => row.split('|')[1] ?? [])
  return new Set(names.flatMap((cell) => [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name!)))
}

/** The settings that .env.example shows, with their values. */
export async function exampleSettings(): Promise<Record<string, string>> {
  const lines = [...(await read('.env.example')).matchAll(/^#?([A-Z_]+)=(?:'(.*)'|(.*))$/gm)]
  return Object.fromEntries(lines.map(([, name, quoted, plain]) => [name!, quoted ?? plain!]))
}
