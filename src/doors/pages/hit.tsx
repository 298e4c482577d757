import { isLink } from '../../graph/jskos/names.ts'
import { hasWords, matchedLabel, placesOfWord, type SoughtWords } from '../../interface/search/matched-label.ts'
import { isProposedRecord } from '../../graph/vocabularies/proposals.ts'
import { conceptHref, ForeignLanguage, Label, Notation, notationBefore, Text } from './label.tsx'
import { useRequest } from './page-request.ts'
import { inLanguage, nameWithoutLabel, type Concept } from './records.ts'
import { VocabularyLink } from './vocabulary-heading.tsx'

/** A concept of a list of hits: its name, the label that matches, its vocabulary and its broader concepts. */
export function Hit({ concept, words }: { concept: Concept; words: SoughtWords }) {
  const request = useRequest()
  const { reading, texts } = request
  const matches = (text: string) => hasWords(words, text)
  const label = inLanguage(concept.prefLabel, reading.preferred)
  const name = label?.value ?? nameWithoutLabel(concept) ?? ''
  const matchingLabel = matchedLabel(concept, name, words)
  const notation = notationBefore(name, concept)
  const [scheme] = concept.inScheme ?? []
  const definition =
    matches(name) || matchingLabel || concept.notation?.some(matches) ? undefined : matchingDefinition(concept, matches)
  return (
    <li>
      <a class="hit" href={conceptHref(request, concept.uri)}>
        {notation === undefined ? null : (
          <Notation>
            <Marked text={notation} words={words} />
          </Notation>
        )}{' '}
        <Text language={label?.language ?? 'und'}>
          <Marked text={name} words={words} />
        </Text>
      </a>{' '}
      {label ? <ForeignLanguage language={label.language} /> : null}
      {isProposedRecord(concept) ? <p class="small">{texts.proposed}</p> : null}
      {matchingLabel ? (
        <p class="small">
          {texts.foundBy}{' '}
          <Text language={matchingLabel.language}>
            <Marked text={matchingLabel.text} words={words} />
          </Text>{' '}
          <ForeignLanguage language={matchingLabel.language} />
        </p>
      ) : null}
      {definition ? (
        <p class="small">
          {texts.foundInDefinition}{' '}
          <Text language={definition.language}>
            <Marked text={definition.text} words={words} />
          </Text>
        </p>
      ) : null}
      <ul class="inline small">
        {scheme ? (
          <li>
            <VocabularyLink class="quiet" item={scheme} />
          </li>
        ) : null}
        {concept.broader
          ?.filter(isLink)
          .slice(0, 3)
          .map((parent) => (
            <li>
              ↑{' '}
              <a class="quiet" href={conceptHref(request, parent.uri)}>
                <Label item={parent} />
              </a>
            </li>
          ))}
      </ul>
    </li>
  )
}

function matchingDefinition({ definition = {} }: Concept, matches: (text: string) => boolean) {
  return Object.entries(definition)
    .flatMap(([language, texts]) => texts.map((text) => ({ language, text })))
    .find(({ text }) => matches(text))
}

/** Longer texts of hits are cut to this number of UTF-16 code units around the first search word. */
const MOST_LENGTH = 500
/** How many of them come before that word, at most. */
const BEFORE = 150

/** A text; of a long one the part around the first search word, with `…` for what is left out on either side. */
function excerptOf(text: string, words: SoughtWords): string {
  if (text.length <= MOST_LENGTH) return text
  const places = words.flatMap((word) => placesOfWord(word, text)).map(([start]) => start)
  const first = places.reduce((a, b) => Math.min(a, b), text.length)
  const from = first === text.length ? 0 : Math.max(0, first - BEFORE)
  const end = from + MOST_LENGTH
  // The cuts leave no half of a surrogate pair.
  const part = text.slice(from, end).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '')
  return (from > 0 ? '…' : '') + part + (end < text.length ? '…' : '')
}

/** A text, or an excerpt of a long one, with the search words marked. */
function Marked({ text: whole, words }: { text: string; words: SoughtWords }) {
  const text = excerptOf(whole, words)
  const marks = words.flatMap((word) => placesOfWord(word, text)).sort(([a], [b]) => a - b)
  const marked = []
  let position = 0
  for (const [start, end] of marks) {
    if (end <= position) continue
    marked.push(
      text.slice(position, Math.max(position, start)),
      <mark>{text.slice(Math.max(position, start), end)}</mark>,
    )
    position = end
  }
  return (
    <>
      {marked}
      {text.slice(position)}
    </>
  )
}
