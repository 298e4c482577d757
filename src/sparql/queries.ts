import { fromRoot } from '../root.ts'
import { loadTemplates, type Template } from './templates.ts'

let templates: ReadonlyMap<string, Template> | undefined

/**
 * Reads all templates of `queries/`; without it, that is done when the first of them is asked for.
 *
 * @throws Error naming the file and line of the first one whose marks cannot be read.
 */
export function loadQueries(): ReadonlyMap<string, Template> {
  return (templates ??= loadTemplates(fromRoot('queries')))
}

/**
 * The template `queries/{name}`.
 *
 * @throws Error where there is none with this name, and what `loadQueries` throws.
 */
export function queryTemplate(name: string): Template {
  const found = loadQueries().get(name)
  if (!found) throw new Error(`no template ${name}`)
  return found
}
