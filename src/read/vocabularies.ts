import { ApiError } from '../errors.ts'
import { malformed, quoted, readIris, readList } from '../http/parameters.ts'
import { frameNodes } from '../jskos/frame.ts'
import { schemeRecord, type JskosRecord } from '../jskos/record.ts'
import { ID } from '../namespaces.ts'
import { queryTemplate } from '../queries.ts'
import { iri } from '../sparql/terms.ts'
import { lookUp, sameVocabularyKey, type Vocabulary } from '../vocabularies/registry.ts'
import type { RecordList } from './list.ts'
import { once } from './pieces.ts'
import type { Read } from './read.ts'

const HAS_CONCEPT = 'urn:x-vocabulary-service:hasConcept'
const HAS_TOP_CONCEPT = 'urn:x-vocabulary-service:hasTopConcept'

/** GET /voc: vocabularies, all of them or those with the given notations, URIs or identifiers. */
export async function vocabularies(read: Read): Promise<RecordList> {
  const given = ['notation', 'uri', 'id'].filter((name) => read.parameters.has(name))
  if (given.length > 1) throw malformed(`notation, uri, id: expected at most one of them, got ${given.join(' and ')}`)
  const all = await read.dependencies.registry.fresh(read.signal)
  const selected = select(read, all, given[0])
  const subset = read.parameters.get('subset')
  const kept = subset === undefined && given.length > 0 ? selected : selected.filter(subsetFilter(subset, all))
  const { scope } = read.view
  const inScope = scope.all
    ? kept
    : kept.filter(({ uri }) => [...scope.schemes, ...scope.subsets].some((s) => s.uri === uri))
  const { limit, offset } = read.page
  return { total: inScope.length, records: once(await describe(read, inScope.slice(offset, offset + limit))) }
}

/** GET /voc/{vocid}: one vocabulary or subset. */
export async function vocabulary(read: Read): Promise<RecordList> {
  const id = read.vocid ?? ''
  const found = lookUp(await read.dependencies.registry.fresh(read.signal), id)
  if (!found) throw new ApiError('EntityNotFoundError', `There is no vocabulary with the id ${quoted(id)}.`)
  const { limit, offset } = read.page
  return { total: 1, records: once(await describe(read, [found].slice(offset, offset + limit))) }
}

function select(read: Read, all: readonly Vocabulary[], name: string | undefined): Vocabulary[] {
  if (name === undefined) return [...all]
  if (name === 'notation') {
    const notations = readList(read.parameters, 'notation')
    return all.filter((vocabulary) => vocabulary.notations.some((notation) => notations.includes(notation)))
  }
  const keys = readIris(read.parameters, name).map(sameVocabularyKey)
  return all.filter(({ uri, identifiers }) => {
    const candidates = name === 'id' ? [uri, ...identifiers] : [uri]
    return candidates.some((candidate) => keys.includes(sameVocabularyKey(candidate)))
  })
}

/** The `subset` parameter (contract, section 4): absent, `true`, `only`, or a vocabulary whose subsets are wanted. */
function subsetFilter(value: string | undefined, all: readonly Vocabulary[]): (vocabulary: Vocabulary) => boolean {
  if (value === undefined || value === 'false') return ({ isSubset }) => !isSubset
  if (value === 'true') return () => true
  if (value === 'only') return ({ isSubset }) => isSubset
  const whole = lookUp(all, value)
  return ({ isSubset, partOf }) =>
    isSubset && whole !== undefined && partOf.some((uri) => sameVocabularyKey(uri) === sameVocabularyKey(whole.uri))
}

async function describe(read: Read, selected: readonly Vocabulary[]): Promise<JskosRecord[]> {
  if (selected.length === 0) return []
  const { client, schemeFrame } = read.dependencies
  const query = queryTemplate('describe/scheme').bind({
    terms: { c: selected.map(({ uri }) => iri(uri)) },
  })
  const graph = await client.construct(query, { template: 'describe/scheme', signal: read.signal })
  const framed = frameNodes(schemeFrame, graph)
  return selected.flatMap(({ uri }) => {
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
