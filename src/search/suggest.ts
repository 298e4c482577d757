import type { Representation } from '../http/send.ts'
import { inLanguage } from '../jskos/names.ts'
import { readProperties } from '../jskos/properties.ts'
import type { JskosRecord } from '../jskos/record.ts'
import type { ReadDependencies } from '../read/dependencies.ts'
import type { RecordList } from '../read/list.ts'
import type { ListRequest } from '../read/request.ts'
import { search, searchedText, searchNames, type SearchDependencies } from './search.ts'
import { wordMatcher } from './typed-text.ts'
import { searchVocabularies } from './vocabularies.ts'
import { readSearchText } from './words.ts'

/** The fields of suggestions, regardless of `properties`. */
const PROPERTIES = 'prefLabel,altLabel,notation'

/** GET /suggest: the same concepts as /search, in short. */
export function suggest(dependencies: SearchDependencies, request: ListRequest): Promise<RecordList> {
  return wantsRecords(request) ? search(dependencies, request) : searchNames(dependencies, inShort(request))
}

/** GET /voc/suggest: the same vocabularies as /voc/search, in short. */
export function suggestVocabularies(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  return searchVocabularies(dependencies, inShort(request))
}

/** Clients of jskos-server may ask for records instead of suggestions. */
const wantsRecords = ({ parameters }: ListRequest) => parameters.get('format')?.toLowerCase() === 'jskos'

function inShort(request: ListRequest): ListRequest {
  if (wantsRecords(request)) return request
  return { ...request, view: { ...request.view, properties: readProperties(PROPERTIES, []) } }
}

/** Records as OpenSearch Suggestions 1.0: `[query, [labels], [descriptions], [URIs]]`; undefined if `format=jskos` asks for the records. */
export function suggestions(request: ListRequest): Representation | undefined {
  if (wantsRecords(request)) return undefined
  const text = searchedText(request)
  const words = readSearchText(text)?.words ?? []
  const matches = wordMatcher(words)
  const isPlain = request.parameters.get('plain') === 'true'
  return {
    mediaType: 'application/json',
    extension: 'json',
    formats: ['json'],
    open: () => {
      const labels: string[] = []
      const descriptions: string[] = []
      const uris: string[] = []
      return {
        write: (records: readonly JskosRecord[]) => {
          for (const record of records) {
            const label = isPlain ? plainLabel(record, request) : labelOf(record, request)
            labels.push(label)
            descriptions.push(matches(label) ? '' : (otherLabels(record).find(matches) ?? ''))
            uris.push(record.uri)
          }
          return ''
        },
        end: () => `${JSON.stringify([text, labels, descriptions, uris])}\n`,
      }
    },
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The label in the most preferred language; without one the notation, or the URI if there is neither. */
function plainLabel({ uri, notation, prefLabel }: JskosRecord, { view: { preferred } }: ListRequest): string {
  return inLanguage(prefLabel, preferred)?.value ?? notation?.[0] ?? uri
}

/** The same after the notation, unless this is longer than the label or a UUID, which tell a reader nothing. */
function labelOf(record: JskosRecord, request: ListRequest): string {
  const label = plainLabel(record, request)
  const notation = record.notation?.[0]
  const isShown =
    notation !== undefined && notation.length <= label.length && !UUID.test(notation) && notation !== label
  return isShown ? `${notation} ${label}` : label
}

/** Labels and notations that show why a concept was found; hidden labels stay hidden (SKOS Reference, section 5.6.2). */
function otherLabels({ prefLabel = {}, altLabel = {}, notation = [] }: JskosRecord): string[] {
  return [...Object.values(altLabel).flat(), ...Object.values(prefLabel), ...notation]
}
