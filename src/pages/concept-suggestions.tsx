import { suggestionsFor } from '../mappings/endpoints.ts'
import type { Mapping } from '../jskos/mapping.ts'
import type { Vocabulary } from '../vocabularies/vocabulary.ts'
import { formatNumber } from './format.tsx'
import { Label, Name } from './label.tsx'
import { link, type PageRequest } from './page-request.ts'
import type { Concept, Item } from './records.ts'
import { InVocabulary } from './vocabulary-heading.tsx'

/** Vocabularies to choose from; beyond these, there is a link for all. */
const MOST_VOCABULARIES = 30
/** Suggestions on a page. */
const MOST_SUGGESTIONS = 20

/** The vocabularies that a concept may be mapped to, and the suggestions for the one that the reader has chosen. */
export interface AskedSuggestions {
  vocabularies: Vocabulary[]
  /** The value of `suggest`; undefined: the reader has chosen none. */
  chosen: string | undefined
  mappings: Mapping[]
}

/** Every vocabulary. */
const ALL = '*'

/**
 * The suggestions that a request for the page of a concept asks for (`suggest`).
 *
 * @throws the errors of the store, and, if it asks for some, those of the index.
 */
export async function suggestionsAsked(asked: PageRequest, { uri, inScheme }: Concept): Promise<AskedSuggestions> {
  const { dependencies, parameters, signal } = asked
  const isOwn = (one: Vocabulary) => inScheme?.some((scheme) => scheme.uri === one.uri)
  const vocabularies = (await dependencies.registry.list()).filter((one) => !one.isSubset && !isOwn(one))
  const chosen = parameters.get('suggest')
  if (chosen === undefined || vocabularies.length === 0) return { vocabularies, chosen: undefined, mappings: [] }
  const schemes = chosen === ALL ? undefined : [chosen]
  const mappings = await suggestionsFor(dependencies, uri, schemes, signal)
  return { vocabularies, chosen, mappings: mappings.slice(0, MOST_SUGGESTIONS) }
}

/** Links that ask for suggestions, and those asked for; nothing if there is no other vocabulary. */
export function ConceptSuggestions({
  asked,
  uri,
  suggestions: { vocabularies, chosen, mappings },
}: {
  asked: PageRequest
  uri: string
  suggestions: AskedSuggestions
}) {
  const { texts, parameters } = asked
  if (vocabularies.length === 0) return null
  const address = (suggest: string) =>
    `${link(asked, 'concept', { uri, voc: parameters.get('voc'), suggest })}#suggestions`
  const isChosen = ({ uri: own, ids }: Vocabulary) => chosen === own || (chosen !== undefined && ids.includes(chosen))
  return (
    <details id="suggestions" open={chosen !== undefined}>
      <summary>{texts.suggestLinks}</summary>
      {chosen === undefined ? null : mappings.length === 0 ? (
        <p>{texts.noSuggestions}</p>
      ) : (
        <ul>
          {mappings.map((mapping) => (
            <Suggestion asked={asked} mapping={mapping} />
          ))}
        </ul>
      )}
      <p class="small">{texts.suggestionsTo}</p>
      <ul>
        {vocabularies.slice(0, MOST_VOCABULARIES).map((one) => (
          <li>
            <a rel="nofollow" href={address(one.ids[0] ?? one.uri)} aria-current={isChosen(one) ? 'true' : undefined}>
              <Label asked={asked} item={{ uri: one.uri, notation: one.ids, prefLabel: one.prefLabel }} />
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

function Suggestion({
  asked,
  mapping: { to, toScheme, mappingRelevance = 0 },
}: {
  asked: PageRequest
  mapping: Mapping
}) {
  const concept = to.memberSet![0] as Item
  const known = (asked.dependencies.registry.last ?? []).find(({ uri }) => uri === toScheme?.uri)
  const scheme = known && { uri: known.uri, notation: known.ids, prefLabel: known.prefLabel }
  return (
    <li>
      <a href={link(asked, 'concept', { uri: concept.uri })}>
        <Name asked={asked} of={concept} />
      </a>
      <InVocabulary asked={asked} scheme={scheme} />
      {' · '}
      <span class="quiet">{asked.texts.similarity(formatNumber(asked, Math.round(mappingRelevance * 100)))}</span>
    </li>
  )
}
