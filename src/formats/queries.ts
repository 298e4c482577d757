import { fromRoot } from '../root.ts'
import { loadTemplates, type Template } from '../sparql/templates.ts'

const TEMPLATES = loadTemplates(fromRoot('queries/formats'))

/** The template `queries/formats/{name}`. */
export function formatQuery(name: string): Template {
  const found = TEMPLATES.get(name)
  if (!found) throw new Error(`no template formats/${name}`)
  return found
}
