import { fileURLToPath } from 'node:url'
import { loadTemplates, type Template } from '../sparql/templates.ts'

const TEMPLATES = loadTemplates(fileURLToPath(new URL('../../queries/formats', import.meta.url)))

/** The template `queries/formats/{name}`. */
export function formatQuery(name: string): Template {
  const found = TEMPLATES.get(name)
  if (!found) throw new Error(`no template formats/${name}`)
  return found
}
