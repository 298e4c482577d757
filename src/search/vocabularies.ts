import { SKOS } from '../namespaces.ts'
import type { ReadDependencies } from '../read/dependencies.ts'
import type { RecordList } from '../read/list.ts'
import type { ListRequest } from '../read/request.ts'
import { chosenBy, pageOfVocabularies } from '../read/vocabularies.ts'
import type { Vocabulary } from '../vocabularies/vocabulary.ts'
import { searchedText } from './search.ts'
import { keyMatcher, keyOf } from './spellings.ts'
import { wordMatcher } from './typed-text.ts'
import { readSearchText, type SearchText } from './words.ts'

/** GET /voc/search: vocabularies whose names, ids or notations match a text, best first; without a text all of them. */
export function searchVocabularies(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  const text = readSearchText(searchedText(request))
  const choose = chosenBy(request)
  return pageOfVocabularies(dependencies, request, text === undefined ? choose : (all) => ranked(choose(all), text))
}

/** The matching vocabularies by rank (whole name, its beginning, words of it), in their former order within a rank. */
function ranked(vocabularies: readonly Vocabulary[], { text, words }: SearchText): Vocabulary[] {
  const match = keyMatcher(text)
  const hasWords = wordMatcher(words)
  const rankOf = ({ prefLabel, values, ids, notations }: Vocabulary) => {
    const names = [...Object.values(prefLabel), ...(values.get(`${SKOS}altLabel`) ?? [])]
    const all = [...names, ...ids, ...notations]
    const matches = all.map((name) => match(keyOf(name)))
    if (matches.includes('whole')) return 0
    if (matches.includes('beginning')) return 1
    return words.length > 0 && names.some(hasWords) ? 2 : undefined
  }
  const found = vocabularies.flatMap((one) => {
    const rank = rankOf(one)
    return rank === undefined ? [] : [{ one, rank }]
  })
  return found.sort((a, b) => a.rank - b.rank).map(({ one }) => one)
}
