import type { Representation } from '../http/send.ts'
import { NOTE_NAMES } from '../../graph/jskos/fields.ts'
import { inLanguage, nameOf, shownNotation, tellApart, type Row } from '../../graph/jskos/names.ts'
import { readProperties } from '../../graph/jskos/properties.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import { recordsOfConcepts } from '../read/concepts.ts'
import type { ReadDependencies } from '../read/dependencies.ts'
import { recordsIn, type RecordList } from '../read/list.ts'
import { inOnePiece } from '../read/pieces.ts'
import type { ListRequest } from '../read/request.ts'
import { search, searchedText, searchesNotes, searchNames, type SearchDependencies } from './search.ts'
import { insideWord, wordMatcher, labelMatcher } from './matching.ts'
import { readSearchText, type SearchText } from './words.ts'
import { SKOS } from '../../base/namespaces.ts'
import { chosenBy, pageOfVocabularies } from '../read/vocabularies.ts'
import type { Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { groupedBy } from '../../base/groups.ts'

/** The fields of suggestions, regardless of `properties`. */
const SHORT = readProperties('prefLabel,altLabel,notation', [])
/** The same with the notes, which show why a search in them has found a concept. */
const SHORT_WITH_NOTES = readProperties(`prefLabel,altLabel,notation,${NOTE_NAMES.join(',')}`, [])
/** The fields that tell concepts of one name apart. */
const PLACE = readProperties('broader,inScheme', [])

/** GET /suggest: the same concepts as /search, in short. */
export async function suggest(dependencies: SearchDependencies, request: ListRequest): Promise<RecordList> {
  if (wantsRecords(request)) return search(dependencies, request)
  const list = searchesNotes(request)
    ? await search(dependencies, { ...request, view: { ...request.view, properties: SHORT_WITH_NOTES } })
    : await searchNames(dependencies, inShort(request))
  const records = await recordsIn(list)
  return { ...list, records: inOnePiece(await withPlaces(dependencies, records, request)) }
}

/**
 * The records. If two have the same name, they come with their broader concepts, which the store knows; and with their
 * vocabularies, if there is nothing broader or if the vocabularies differ.
 */
async function withPlaces(
  dependencies: SearchDependencies,
  records: JskosRecord[],
  { view, signal }: ListRequest,
): Promise<JskosRecord[]> {
  const ofName = groupedBy(records, (record) => nameOf(record, view.preferred).toLowerCase())
  const groups = [...ofName.values()].filter(({ length }) => length > 1)
  if (groups.length === 0) return records
  const uris = groups.flat().map(({ uri }) => uri)
  const ofPlace = { ...view, properties: PLACE }
  const concepts = await recordsIn({ records: recordsOfConcepts(dependencies, uris, ofPlace, signal) })
  const places = new Map(concepts.map((record) => [record.uri, record]))
  const placeOf = new Map<JskosRecord, Partial<JskosRecord>>()
  for (const group of groups) {
    const schemes = new Set(group.map(({ uri }) => places.get(uri)?.inScheme?.[0]?.uri))
    for (const record of group) {
      const { broader, inScheme } = places.get(record.uri) ?? {}
      const hasScheme = schemes.size > 1 || !broader?.length
      placeOf.set(record, { ...(broader && { broader }), ...(hasScheme && inScheme && { inScheme }) })
    }
  }
  return records.map((record) => ({ ...record, ...placeOf.get(record) }))
}

/** GET /voc/suggest: the same vocabularies as /voc/search, in short. */
export function suggestVocabularies(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  return searchVocabularies(dependencies, inShort(request))
}

/** Clients of jskos-server may ask for records instead of suggestions. */
const wantsRecords = ({ parameters }: ListRequest) => parameters.get('format')?.toLowerCase() === 'jskos'

function inShort(request: ListRequest): ListRequest {
  if (wantsRecords(request)) return request
  return { ...request, view: { ...request.view, properties: SHORT } }
}

/**
 * Records as OpenSearch Suggestions 1.0, `[query, [labels], [descriptions], [URIs]]`; undefined if `format` is `jskos`.
 */
export function suggestions(request: ListRequest): Representation | undefined {
  if (wantsRecords(request)) return undefined
  const text = searchedText(request)
  const words = readSearchText(text, { wildcards: true })?.words ?? []
  const matches = { begins: wordMatcher(words), has: wordMatcher(words.map((word) => insideWord(word) ?? word)) }
  const isPlain = request.parameters.get('plain') === 'true'
  return {
    mediaType: 'application/json',
    extension: 'json',
    formats: ['json'],
    open: () => {
      const rows: Row[] = []
      return {
        write: (records: readonly JskosRecord[]) => {
          for (const record of records) {
            const label = isPlain ? plainLabel(record, request) : labelOf(record, request)
            rows.push({ item: record, label, description: descriptionOf(record, label, matches, request) })
          }
          return ''
        },
        end: () => {
          tellApart(rows)
          const labels = rows.map(({ label }) => label)
          const descriptions = rows.map(({ description }) => description)
          return `${JSON.stringify([text, labels, descriptions, rows.map(({ item }) => item.uri)])}\n`
        },
      }
    },
  }
}

/** The label in the most preferred language; without one the notation, or the URI if there is neither. */
function plainLabel({ uri, notation, prefLabel }: JskosRecord, { view: { preferred } }: ListRequest): string {
  return inLanguage(prefLabel, preferred)?.value ?? notation?.[0] ?? uri
}

/** The same after the notation, if the notation is useful to a reader. */
function labelOf(record: JskosRecord, request: ListRequest): string {
  const label = plainLabel(record, request)
  const notation = shownNotation(record, label)
  return notation === undefined ? label : `${notation} ${label}`
}

/**
 * Why the text has found a concept; and if another one has its name, its notation, its broader concept and its
 * vocabulary.
 *
 * @param begins true for a label whose words begin with those of the text; has: also for one with them inside of words.
 */
function descriptionOf(
  record: JskosRecord,
  label: string,
  { begins, has }: Record<'begins' | 'has', (label: string) => boolean>,
  { view: { preferred } }: ListRequest,
): string {
  const labels = begins(label) ? [label] : [label, ...otherLabels(record)]
  const match = labels.find(begins) ?? labels.find(has)
  const reason = match === label ? undefined : match
  const { broader, inScheme } = record
  if (!broader && !inScheme) return reason ?? ''
  const places = [broader?.[0], inScheme?.[0]].map((place) => place && nameOf(place, preferred))
  const reasons = [reason, shownNotation(record, label), ...places].filter((text) => text)
  return [...new Set(reasons)].join(', ')
}

/**
 * Labels, notations and notes that show why a concept was found; hidden labels stay hidden (SKOS Reference, section
 * 5.6.2).
 */
function otherLabels(record: JskosRecord): string[] {
  const { prefLabel = {}, altLabel = {}, notation = [] } = record
  const notes = NOTE_NAMES.flatMap((name) => Object.values(record[name] ?? {}).flat())
  return [...Object.values(altLabel).flat(), ...Object.values(prefLabel), ...notation, ...notes]
}

/** GET /voc/search: vocabularies whose names, ids or notations match a text, best first; without a text all of them. */
export function searchVocabularies(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  const text = readSearchText(searchedText(request))
  const choose = chosenBy(request)
  return pageOfVocabularies(dependencies, request, text === undefined ? choose : (all) => ranked(choose(all), text))
}

/** The matching vocabularies by rank (whole name, its beginning, words of it), in their former order within a rank. */
function ranked(vocabularies: readonly Vocabulary[], text: SearchText): Vocabulary[] {
  const match = labelMatcher(text)
  const matching = vocabularies.map((vocabulary) => {
    const { prefLabel, values, ids, notations } = vocabulary
    const names = [...Object.values(prefLabel), ...(values.get(`${SKOS}altLabel`) ?? [])].map(match)
    // A word of an id or a notation names something else.
    const codes = [...ids, ...notations].map(match).filter((code) => code !== 'words')
    const matches = [...names, ...codes]
    return { vocabulary, rank: RANKS.findIndex((rank) => matches.includes(rank)) }
  })
  const ranks = matching.filter(({ rank }) => rank >= 0).sort((a, b) => a.rank - b.rank)
  return ranks.map(({ vocabulary }) => vocabulary)
}

const RANKS = ['whole', 'beginning', 'words'] as const
