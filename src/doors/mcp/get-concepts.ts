import { withoutUndefined } from '../../base/json.ts'
import { ApiError } from '../../base/errors.ts'
import { normaliseText } from '../../base/unicode.ts'
import { inLanguage, isLink, nameOf } from '../../graph/jskos/names.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import { narrowerCounts } from '../../interface/read/levels.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { EVERYTHING } from '../../graph/vocabularies/registry.ts'
import { askEndpoint } from '../../routes.ts'
import { brief, COMPACT_FIELDS, compactConcept, pageOf, type NamingOptions } from './concepts.ts'
import {
  fit,
  isConcept,
  namingOf,
  vocabularyOfTool,
  type ToolCall,
  listedConcepts,
  listOf,
  requireConcept,
} from './tool.ts'
import { relationOf } from './find-mappings.ts'
import { idOf } from '../../graph/vocabularies/vocabulary.ts'

const WHOLE_FIELDS = `${COMPACT_FIELDS},altLabel,note,example,broader,related,mapping`

/**
 * The answer of the tool get_concepts: whole concepts by their URIs or notations, and which of them are missing.
 *
 * @throws ApiError if there are notations without a vocabulary, or if the vocabulary is unknown
 */
export async function getConcepts(
  call: ToolCall,
  { uris, vocabulary, language }: { uris: string[]; vocabulary?: string | undefined; language?: string | undefined },
): Promise<Record<string, unknown>> {
  const within = vocabulary === undefined ? undefined : await vocabularyOfTool(call, vocabulary)
  const voc = within?.uri
  const [iris, notations] = [uris.filter(isAbsoluteIri), uris.filter((name) => !isAbsoluteIri(name))]
  if (notations.length > 0 && voc === undefined) {
    throw new ApiError(
      'MalformedRequestError',
      'uris: expected absolute URIs. For notations, name their vocabulary too.',
    )
  }
  const matching: JskosRecord[] = []
  const shown = { voc, language, properties: WHOLE_FIELDS }
  const most = call.dependencies.config.maxLimit
  const add = async (name: 'uri' | 'notation', values: readonly string[]) => {
    for (let start = 0; start < values.length; start += most) {
      const piece = values.slice(start, start + most).join('|')
      matching.push(...(await askEndpoint(call, '/data', { ...shown, [name]: piece })).records)
    }
  }
  await add('uri', iris)
  const isList = (notation: string) => notation.includes('|')
  await add(
    'notation',
    notations.filter((notation) => !isList(notation)),
  )
  for (const notation of notations.filter(isList)) {
    // /data would take it for several notations.
    const { records } = await askEndpoint(call, '/search', { ...shown, search: notation, use: 'notation' })
    matching.push(...records.filter((record) => record.notation?.includes(notation)))
  }
  const naming = namingOf(call, language, within)
  const concepts = matching.filter((record) => record.inScheme !== undefined && isConcept(record))
  const conceptUris = concepts.map((record) => record.uri)
  const counts = await narrowerCounts(call.dependencies, conceptUris, EVERYTHING, call.signal)
  const answered = concepts.map((record) => wholeConcept(record, counts.get(record.uri) ?? 0, naming))
  const names = new Set(concepts.flatMap((record) => [record.uri, ...(record.notation ?? [])]).map(normaliseText))
  const fitting = fit(answered)
  const missing = uris.filter((name) => !names.has(normaliseText(name)))
  const notes = [
    ...(fitting.length < answered.length
      ? [`These are ${fitting.length} of ${answered.length} that were found. Ask for the others by themselves.`]
      : []),
    ...(missing.length > 0 ? ['Some are missing: find the right ones by their names with search_concepts.'] : []),
  ]
  return {
    concepts: fitting,
    missing,
    ...(notes.length > 0 && { note: notes.join(' ') }),
  }
}

/** Texts of a list in an answer, and labels of one concept. */
const MOST_TEXTS = 20

/** The full description of a concept, without fields that repeat others. */
function wholeConcept(record: JskosRecord, narrowerCount: number, naming: NamingOptions): object {
  const { preferred } = naming
  const named = (links: JskosRecord['broader']) =>
    links
      ?.filter(isLink)
      .slice(0, MOST_TEXTS)
      .map((link) => ({ uri: link.uri, label: brief(nameOf(link, preferred)) }))
  const labels = Object.entries(record.prefLabel ?? {}).slice(0, MOST_TEXTS)
  const notes = [record.definition, record.scopeNote, record.note, record.example].flatMap(
    (some) => inLanguage(some, preferred)?.value ?? [],
  )
  return withoutUndefined({
    ...compactConcept(record, naming),
    page: pageOf(record.uri, naming),
    labels: record.prefLabel && Object.fromEntries(labels.map(([tag, text]) => [tag, brief(text)])),
    alternative: inLanguage(record.altLabel, preferred)?.value.slice(0, MOST_TEXTS).map(brief),
    notes:
      notes.length > 0
        ? notes
            .filter((note) => typeof note === 'string')
            .slice(0, MOST_TEXTS)
            .map((note) => note.slice(0, 2000))
        : undefined,
    broader: named(record.broader),
    related: named(record.related),
    narrowerCount,
    mappings: record.mapping?.slice(0, MOST_TEXTS).map(({ type, to }) => ({ relation: relationOf(type), uri: to })),
  })
}

/** The concepts directly below a concept, or the top concepts of a vocabulary. */
export async function getNarrower(
  call: ToolCall,
  {
    uri,
    vocabulary,
    ...part
  }: {
    uri?: string | undefined
    vocabulary?: string | undefined
    language?: string | undefined
    limit: number
    cursor?: string | undefined
  },
): Promise<Record<string, unknown>> {
  const { language, limit, cursor } = part
  const page = listOf({ language, limit, cursor })
  const within = vocabulary === undefined ? undefined : await vocabularyOfTool(call, vocabulary)
  if (uri !== undefined) {
    await requireConcept(call, uri, ' For the top concepts of a vocabulary, name it as vocabulary, without uri.')
    const list = await askEndpoint(call, '/narrower', { uri, voc: within?.uri, ...page })
    const advice = within
      ? 'This vocabulary has nothing below this concept. Leave vocabulary out to look everywhere.'
      : 'Nothing is below this concept: it is as specific as its vocabulary gets.'
    return listedConcepts(call, list, { language, within, cursor, advice })
  }
  if (!within) {
    const expected = 'uri, vocabulary: expected the URI of a concept, or a vocabulary for its top concepts.'
    throw new ApiError('MalformedRequestError', expected)
  }
  const vocid = idOf(within)
  const voc = within.isSubset ? vocid : undefined
  const list = await askEndpoint({ ...call, vocid }, '/voc/:vocid/top', { voc, ...page })
  const advice = 'This vocabulary has no top concepts. Use search_concepts.'
  return listedConcepts(call, list, { language, within, cursor, advice })
}
