import { SKOS } from '../../base/namespaces.ts'
import type { ReadDependencies } from '../read/dependencies.ts'
import type { RecordList } from '../read/list.ts'
import type { ListRequest } from '../read/request.ts'
import { chosenBy, pageOfVocabularies } from '../read/vocabularies.ts'
import type { Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { searchedText } from './search.ts'
import { labelMatcher } from './matching.ts'
import { readSearchText, type SearchText } from './words.ts'

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
