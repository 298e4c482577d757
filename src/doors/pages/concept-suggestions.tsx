import { suggestionsFor } from '../mappings/suggest-for.ts'
import type { Mapping } from '../../graph/jskos/mapping.ts'
import { idOf, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { formatNumber } from './format.tsx'
import { Label, Name } from './label.tsx'
import { link, type PageRequest, useRequest } from './page-request.ts'
import type { Concept, Item } from './records.ts'
import { InVocabulary, localVocabulary, vocabularyItem } from './vocabulary-heading.tsx'

/** Vocabularies to choose from; beyond these, there is a link for all. */
const MOST_VOCABULARIES = 30
/** Suggestions on a page. */
const MOST_SUGGESTIONS = 20

/** The vocabularies that a concept may be mapped to, and the suggestions for the chosen vocabulary. */
interface RequestedSuggestions {
  vocabularies: Vocabulary[]
  /** The value of `suggest`; undefined: the reader has chosen none. */
  chosen: string | undefined
  mappings: Mapping[]
}

/** Every vocabulary. */
const ALL = '*'

/**
 * The suggestions that a request for the page of a concept names in `suggest`.
 *
 * @throws the errors of the store and, with `suggest`, of the index.
 */
export async function requestedSuggestions(
  request: PageRequest,
  { uri, inScheme }: Concept,
): Promise<RequestedSuggestions> {
  const { dependencies, parameters, signal } = request
  const isOwn = (vocabulary: Vocabulary) => inScheme?.some((scheme) => scheme.uri === vocabulary.uri)
  const vocabularies = (await dependencies.registry.list()).filter(
    (vocabulary) => !vocabulary.isSubset && !isOwn(vocabulary),
  )
  const chosen = parameters.get('suggest')
  if (chosen === undefined || vocabularies.length === 0) return { vocabularies, chosen: undefined, mappings: [] }
  const schemes = chosen === ALL ? undefined : [chosen]
  const mappings = await suggestionsFor(dependencies, uri, schemes, signal)
  return { vocabularies, chosen, mappings: mappings.slice(0, MOST_SUGGESTIONS) }
}

/** Links that ask for suggestions, and those asked for; nothing if there is no other vocabulary. */
export function ConceptSuggestions({
  uri,
  suggestions: { vocabularies, chosen, mappings },
}: {
  uri: string
  suggestions: RequestedSuggestions
}) {
  const request = useRequest()
  const { texts, parameters } = request
  if (vocabularies.length === 0) return null
  const address = (suggest: string) =>
    `${link(request, 'concept', { uri, voc: parameters.get('voc'), suggest })}#suggestions`
  const isChosen = ({ uri: vocabularyUri, ids }: Vocabulary) =>
    chosen === vocabularyUri || (chosen !== undefined && ids.includes(chosen))
  return (
    <details id="suggestions" open={chosen !== undefined}>
      <summary>{texts.suggestLinks}</summary>
      {chosen === undefined ? null : mappings.length === 0 ? (
        <p>{texts.noSuggestions}</p>
      ) : (
        <ul>
          {mappings.map((mapping) => (
            <Suggestion mapping={mapping} />
          ))}
        </ul>
      )}
      <p class="small">{texts.suggestionsTo}</p>
      <ul>
        {vocabularies.slice(0, MOST_VOCABULARIES).map((vocabulary) => (
          <li>
            <a rel="nofollow" href={address(idOf(vocabulary))} aria-current={isChosen(vocabulary) ? 'true' : undefined}>
              <Label item={vocabularyItem(vocabulary)} />
            </a>
          </li>
        ))}
        {vocabularies.length > 1 ? (
          <li>
            <a rel="nofollow" href={address(ALL)} aria-current={chosen === ALL ? 'true' : undefined}>
              {texts.suggestionsAll}
            </a>
          </li>
        ) : null}
      </ul>
    </details>
  )
}

function Suggestion({ mapping: { to, toScheme, mappingRelevance = 0 } }: { mapping: Mapping }) {
  const request = useRequest()
  const concept = to.memberSet![0] as Item
  return (
    <li>
      <a href={link(request, 'concept', { uri: concept.uri })}>
        <Name of={concept} />
      </a>
      <InVocabulary scheme={localVocabulary(request, toScheme?.uri ?? '')} />
      {' · '}
      <span class="quiet">{request.texts.similarity(formatNumber(request, Math.round(mappingRelevance * 100)))}</span>
    </li>
  )
}
