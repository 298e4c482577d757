import { fromRoot } from '../../base/root.ts'
import type { TemplateName } from './template-names.ts'
import { loadTemplates, type Template } from './templates.ts'

let templates: ReadonlyMap<string, Template> | undefined

/**
 * Reads all templates of `queries/`. Without this call, the first use of a template reads them.
 *
 * @throws Error naming the file and line of the first unreadable mark.
 */
export function loadQueries(): ReadonlyMap<string, Template> {
  return (templates ??= loadTemplates(fromRoot('queries')))
}

/**
 * The template `queries/{name}`.
 *
 * @throws Error if the folder lacks it, and the errors of `loadQueries`.
 * @example client.select(queryTemplate('describe/home').bind({ terms: { c: [iri(uri)] } }), { signal })
 */
export function queryTemplate(name: TemplateName): Template {
  const template = loadQueries().get(name)
  if (!template) throw new Error(`no template ${name}`)
  return template
}
