import type { Quad_Object } from '@rdfjs/types'
import { COLLECTION, RDF_TYPE, SKOS } from '../../base/namespaces.ts'
import { InputError } from '../../base/files/input-error.ts'
import type { History } from '../history/history.ts'
import { readText } from '../../base/files/text.ts'
import { isSubsetNotation } from '../../graph/jskos/names.ts'
import { NO_DEADLINE, type SparqlClient } from '../../graph/sparql/client.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { iri } from '../../graph/sparql/terms.ts'
import {
  isSameVocabulary,
  readVocabularies,
  requireVocabulary,
  type Vocabulary,
} from '../../graph/vocabularies/vocabulary.ts'
import type { VocabularyIndex } from '../../graph/vocabularies/vocabulary-index.ts'
import { commitLoad } from './commit.ts'
import { readRecord } from '../source/metadata-record.ts'
import { normaliseSubset, type NormalisedVocabulary } from './normalise.ts'
import { noProposals } from './proposals.ts'
import { SourceGraph } from '../source/source-graph.ts'
import { factory } from '../source/terms.ts'

interface SubsetOptions {
  /** The notation, `subset_...`. */
  id: string
  /** Id or URI of the vocabulary. */
  of: string
  /** URI of a concept: it and all below it are the members. */
  branch?: string | undefined
  /** A file with the URIs of the members. */
  members?: string | undefined
  /** A file with the subset's own names and notes. */
  record?: string | undefined
}

interface SubsetReport {
  uri: string
  id: string
  of: string
  members: number
  /** The changes and losses of loading its record. */
  changes: NormalisedVocabulary['changes']
}

/**
 * Makes or replaces a subset: a separate graph with its members (docs/specification.md, "Vocabularies and subsets").
 *
 * @throws InputError if an option is not right or a member is not a concept of the vocabulary.
 */
export async function addSubset(
  client: SparqlClient,
  options: SubsetOptions,
  history?: History,
  index?: VocabularyIndex,
): Promise<SubsetReport> {
  const { id, branch, members: file, record: recordFile } = options
  if (!isSubsetNotation(id)) {
    throw new InputError(`--id: expected subset_ and then a-z, 0-9 and the minus sign, found "${id}".`)
  }
  if ((branch === undefined) === (file === undefined)) throw new InputError('expected either --branch or --members.')
  const stored = await readVocabularies(client)
  const whole = requireVocabulary(stored, options.of)
  if (whole.isSubset) throw new InputError(`--of: ${options.of} is a subset itself.`)
  const members =
    branch === undefined ? await listedMembers(client, whole, file!) : await branchMembers(client, whole, branch)

  const source = new SourceGraph()
  try {
    const record = recordFile === undefined ? undefined : await readRecord(recordFile, source.jskosListener, members)
    const existing = stored.find(({ ids }) => ids.includes(id))
    if (existing && !existing.partOf.some((vocabulary) => isSameVocabulary(vocabulary, whole.uri))) {
      throw new InputError(`the notation ${id} is taken by <${existing.uri}>.`)
    }
    const uri = existing?.uri ?? record?.only ?? `${whole.uri.replace(/([^/#])$/, '$1/')}${id}`
    const taken = stored.find((candidate) => candidate.uri === uri && candidate !== existing)
    if (taken) throw new InputError(`the URI <${uri}> is taken by ${taken.ids.join(', ')}.`)
    for (const quad of record?.about(uri) ?? []) source.add(quad)
    const node = source.intern(uri)
    const add = (predicate: string, object: Quad_Object) => {
      source.add(factory.quad(factory.namedNode(uri), factory.namedNode(predicate), object))
    }
    if (!source.describe(node).statements.some(({ predicate }) => predicate === RDF_TYPE)) {
      add(RDF_TYPE, factory.namedNode(COLLECTION))
    }
    add(`${SKOS}notation`, factory.literal(id))
    for (const member of members) add(`${SKOS}member`, factory.namedNode(member))
    const normalised = normaliseSubset(source, node, whole)
    const graph = { uri, ids: [id], existing, storedGraphs: [], proposals: noProposals(), subsets: [], normalised }
    const commit = { history, index, by: 'subset' } as const
    await commitLoad(client, graph, [], commit).finally(() => normalised.graphs.close())
    return { uri, id, of: whole.uri, members: members.length, changes: normalised.changes }
  } finally {
    source.close()
  }
}

async function branchMembers(client: SparqlClient, { uri }: Vocabulary, branch: string): Promise<string[]> {
  if (!isAbsoluteIri(branch)) throw new InputError(`--branch: expected an absolute URI, found "${branch}".`)
  const query = queryTemplate('vocab/branch').bind({ terms: { graph: [iri(uri)], concept: [iri(branch)] } })
  const rows = await client.select(query, NO_DEADLINE)
  const members = rows.map(({ c }) => c!.value)
  if (!members.includes(branch)) throw new InputError(`--branch: <${branch}> is not a concept of <${uri}>.`)
  return members
}

async function listedMembers(client: SparqlClient, { uri }: Vocabulary, file: string): Promise<string[]> {
  let text = ''
  for await (const chunk of readText(file)) text += chunk
  const listed = new Map<string, number>()
  for (const [at, line] of text.split('\n').entries()) {
    const member = line.trim().replace(/^<(.*)>$/, '$1')
    if (member === '' || member.startsWith('#')) continue
    if (!isAbsoluteIri(member)) throw new InputError('expected an absolute URI.', file, { line: at + 1 })
    listed.set(member, listed.get(member) ?? at + 1)
  }
  if (listed.size === 0) throw new InputError('found no URI of a member.', file)
  const members = [...listed.keys()]
  for (let from = 0; from < members.length; from += 500) {
    const asked = members.slice(from, from + 500)
    const query = queryTemplate('vocab/members').bind({ terms: { graph: [iri(uri)], c: asked.map(iri) } })
    const rows = await client.select(query)
    const readable = new Set(rows.map(({ c }) => c!.value))
    const missing = asked.find((member) => !readable.has(member))
    if (missing)
      throw new InputError(`<${missing}> is not a concept of <${uri}>.`, file, { line: listed.get(missing)! })
  }
  return members
}
