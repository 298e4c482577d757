import { setImmediate } from 'node:timers/promises'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { iri } from '../sparql/terms.ts'
import type { Scope } from '../vocabularies/registry.ts'
import { findForgivingly } from './forgiving.ts'
import { LabelIndex, type Groups } from './label-index.ts'
import { addSubject } from './label-indexes.ts'
import type { SearchDependencies } from './matches.ts'
import type { ScopedLabels } from './scoped-labels.ts'
import { readSearchText } from './words.ts'

/** For one text, only the labels of this many concepts count: the best by /search. */
const MAX_FOUND = 50
/** Concepts in one request to the store. */
const PIECE = 500

/**
 * The labels of the concepts that the text index of the store finds for some texts (names, notations or URIs), for
 * vocabularies with more labels than fit into memory.
 *
 * @returns undefined if the store has no text index: comparing millions of labels takes longer than a request may.
 * @throws the errors of the store.
 */
export async function labelsFoundFor(
  dependencies: SearchDependencies,
  scope: Scope,
  texts: Iterable<string>,
  signal: AbortSignal,
): Promise<ScopedLabels | undefined> {
  const { client, textIndex } = dependencies
  if (!(await textIndex.isThere(signal))) return undefined
  const asked = [...new Set(texts)]
  const found = new Set<string>()
  const find = async (text: string) => {
    const searched = readSearchText(text)
    if (!searched) return
    const fields = { label: true, notation: true }
    const question = { text: searched, fields, scope, below: undefined, types: undefined }
    const { ranks } = await findForgivingly(dependencies, question, signal)
    for (const uri of ranks.flatMap(({ uris }) => uris).slice(0, MAX_FOUND)) found.add(uri)
  }
  // The client limits the requests to the store at a time.
  await Promise.all(asked.map(find))
  const identified = asked.filter((text) => isAbsoluteIri(text.trim())).map((text) => text.trim())
  const labels = new LabelIndex()
  const uris = [...new Set([...found, ...identified])]
  for (let start = 0; start < uris.length; start += PIECE) {
    const query = queryTemplate('search/labels-of').bind({ terms: { c: uris.slice(start, start + PIECE).map(iri) } })
    for (const subject of await client.construct(query, { signal })) addSubject(labels, subject)
    await setImmediate()
  }
  const schemes = new Set(scope.schemes.map(({ uri }) => uri))
  const concept = (groups: Groups, uri: string) =>
    scope.all || found.has(uri) || groups.schemes.some((one) => schemes.has(one))
  return { indexes: [labels], filter: { concept } }
}
