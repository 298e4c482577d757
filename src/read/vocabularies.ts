import { ApiError } from '../errors.ts'
import { malformed, quoted, readIris, readList } from '../http/parameters.ts'
import { fieldsOf } from '../jskos/fields.ts'
import { frameNodes } from '../jskos/frame.ts'
import { schemeRecord, type JskosRecord } from '../jskos/record.ts'
import { ID } from '../namespaces.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { iri } from '../sparql/terms.ts'
import { findVocabulary, isSameVocabulary, vocabularyKey, type Vocabulary } from '../vocabularies/vocabulary.ts'
import type { RecordList } from './list.ts'
import { once } from './pieces.ts'
import type { Read } from './read.ts'

const HAS_CONCEPT = 'urn:x-vocabulary-service:hasConcept'
const HAS_TOP_CONCEPT = 'urn:x-vocabulary-service:hasTopConcept'

/** The properties of a vocabulary whose values have names of their own. */
const LINKS = fieldsOf('scheme').flatMap(({ kind, name, property }) =>
  (kind === 'items' || kind === 'concepts') && property && name !== 'topConcepts' ? [iri(property)] : [],
)

/** GET /voc: vocabularies, all of them or those with the given notations, URIs or identifiers. */
export async function vocabularies(read: Read): Promise<RecordList> {
  const given = ['notation', 'uri', 'id'].filter((name) => read.parameters.has(name))
  if (given.length > 1) throw malformed(`notation, uri, id: expected at most one of them, got ${given.join(' and ')}`)
  const subset = read.parameters.get('subset')
  const { scope } = read.view
  return describeChosen(read, (all) => {
    const selected = select(read, all, given[0])
    const kept = subset === undefined && given.length > 0 ? selected : selected.filter(subsetFilter(subset, all))
    return scope.all
      ? kept
      : kept.filter(({ uri }) => [...scope.schemes, ...scope.subsets].some((one) => one.uri === uri))
  })
}

/** GET /voc/{vocid}: one vocabulary or subset. */
export async function vocabulary(read: Read): Promise<RecordList> {
  const id = read.vocid ?? ''
  const found = await describeChosen(read, (all) => {
    const known = findVocabulary(all, id)
    return known ? [known] : []
  })
  if (found.total === 0) throw new ApiError('EntityNotFoundError', `There is no vocabulary with the id ${quoted(id)}.`)
  return found
}

/**
 * A page of the vocabularies that are chosen among those in the store. While the store is asked for its vocabularies,
 * those that would have been chosen last time are described already, because they are usually the same.
 */
async function describeChosen(read: Read, choose: (all: readonly Vocabulary[]) => Vocabulary[]): Promise<RecordList> {
  const { registry } = read.dependencies
  const { limit, offset } = read.page
  const page = (chosen: readonly Vocabulary[]) => chosen.slice(offset, offset + limit).map(({ uri }) => uri)
  const expected = registry.last && page(choose(registry.last))
  const [all, early] = await Promise.all([registry.fresh(read.signal), expected && describe(read, expected)])
  const chosen = choose(all)
  const uris = page(chosen)
  const isAsExpected = uris.length === expected?.length && uris.every((uri, at) => uri === expected[at])
  return { total: chosen.length, records: once(isAsExpected ? early! : await describe(read, uris)) }
}

function select(read: Read, all: readonly Vocabulary[], name: string | undefined): Vocabulary[] {
  if (name === undefined) return [...all]
  if (name === 'notation') {
    const notations = readList(read.parameters, 'notation')
    return all.filter((vocabulary) => vocabulary.notations.some((notation) => notations.includes(notation)))
  }
  const keys = readIris(read.parameters, name).map(vocabularyKey)
  return all.filter(({ uri, identifiers }) => {
    const candidates = name === 'id' ? [uri, ...identifiers] : [uri]
    return candidates.some((candidate) => keys.includes(vocabularyKey(candidate)))
  })
}

/**
 * The `subset` parameter (docs/interface.md, "Parameters"): absent, `true`, `only`, or a vocabulary, whose subsets are
 * chosen.
 */
function subsetFilter(value: string | undefined, all: readonly Vocabulary[]): (vocabulary: Vocabulary) => boolean {
  if (value === undefined || value === 'false') return ({ isSubset }) => !isSubset
  if (value === 'true') return () => true
  if (value === 'only') return ({ isSubset }) => isSubset
  const whole = findVocabulary(all, value)
  return ({ isSubset, partOf }) =>
    isSubset && whole !== undefined && partOf.some((uri) => isSameVocabulary(uri, whole.uri))
}

async function describe(read: Read, uris: readonly string[]): Promise<JskosRecord[]> {
  if (uris.length === 0) return []
  const { client } = read.dependencies
  const query = queryTemplate('describe/scheme').bind({
    terms: { c: uris.map(iri), link: LINKS },
  })
  const graph = await client.construct(query, { template: 'describe/scheme', signal: read.signal })
  const framed = frameNodes(graph)
  return uris.flatMap((uri) => {
    const node = framed(uri)
    if (!node) return []
    const facts = {
      ids: (graph.get(uri)!.get(ID) ?? []).map(({ value }) => value),
      hasConcept: graph.get(uri)!.has(HAS_CONCEPT),
      hasTopConcept: graph.get(uri)!.has(HAS_TOP_CONCEPT),
    }
    return [schemeRecord(node, facts, read.view)]
  })
}
