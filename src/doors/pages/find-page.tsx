import { quoted } from '../../base/unicode.ts'
import { malformed, readList, readWholeNumber } from '../../interface/http/parameters.ts'
import type { FacetCount, Facets, ReplacedWords } from '../../interface/read/list.ts'
import { labelsOf, soughtWords } from '../../interface/search/matched-label.ts'
import { placesOf } from '../../interface/search/matching.ts'
import { readSearchText, WILDCARD, type SearchText } from '../../interface/search/words.ts'
import { noVocabulary } from '../../graph/vocabularies/registry.ts'
import { idOf, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { recordsByUri } from '../../interface/read/data.ts'
import { askEndpoint } from '../../routes.ts'
import { link, type PageRequest, useRequest } from './page-request.ts'
import { formatNumber, joinedItems } from './format.tsx'
import { languageName, textOrder } from './language.ts'
import { Label } from './label.tsx'
import { Choice } from './choice.tsx'
import { Hit } from './hit.tsx'
import { SEARCH_FORM, type HtmlPage } from './page.tsx'
import { Pagination } from './pagination.tsx'
import { nameOf, type Concept, type Item } from './records.ts'
import { vocabularyItem } from './vocabulary-heading.tsx'

/** Hits on a page. */
const PAGE = 20
/** Readers can turn pages up to this hit. */
const MAX_OFFSET = 10_000

/** GET /find?query=: the search. */
export async function findPage(request: PageRequest): Promise<HtmlPage> {
  const { parameters, texts, reading, dependencies } = request
  const { registry } = dependencies
  const query = parameters.get('query')?.trim() ?? ''
  const voc = parameters.get('voc')
  const type = parameters.get('type')
  const language = parameters.get('in')
  const ancestors = parameters.get('ancestors')
  const use = parameters.get('use')
  const asked = { query, voc, type, ancestors, use, in: language }
  const inDefinitions = /\b(definition|all)\b/.test(use ?? '')
  const offset = readWholeNumber(parameters, 'offset') ?? 0
  if (offset > MAX_OFFSET) throw malformed(`offset: expected at most ${MAX_OFFSET}, got ${quoted(String(offset))}`)
  const scope = await registry.scope(readList(parameters, 'voc'))
  if (!scope.all && scope.schemes.length + scope.subsets.length === 0) throw noVocabulary(voc!)
  const sought = readSearchText(query, { wildcards: true })
  const chosen = voc === undefined ? undefined : await registry.find(voc)
  const [vocabularies, languages, kinds, hits] = await Promise.all([
    registry.list(),
    readLanguagesOf(request, chosen ? { uri: chosen.uri } : { notation: voc }),
    readKinds(request, chosen),
    sought
      ? askEndpoint(request, '/search', {
          ...asked,
          language: reading.preferred.join(','),
          limit: String(PAGE),
          offset: String(offset),
          facets: 'voc,type,top',
          properties: `prefLabel,altLabel,notation,inScheme,broader,deprecated,status${inDefinitions ? ',definition' : ''}`,
        })
      : undefined,
  ])
  const replaced = hits?.replaced
  const narrower = hits?.facets ? await readNarrower(request, hits.facets, { vocabularies, kinds: kinds ?? [] }) : []
  const replacedQueries = sought && replaced ? foundTexts(sought, replaced, hits.records) : []
  const words = soughtWords(query, replaced)
  return {
    title: query === '' ? texts.search : texts.hitsFor(query),
    search: { text: query },
    isUnfinished: kinds === undefined,
    body: (
      <>
        <h1>{texts.search}</h1>
        <div class="filters">
          <Choice
            form={SEARCH_FORM}
            name="voc"
            title={texts.vocabulary}
            allOption={texts.allVocabularies}
            value={chosen && idOf(chosen)}
            options={vocabularies.map((vocabulary) => [
              idOf(vocabulary),
              nameOf(vocabularyItem(vocabulary), reading.preferred),
            ])}
          />
          {languages.length > 1 ? (
            <Choice
              form={SEARCH_FORM}
              name="in"
              title={texts.labelLanguage}
              allOption={texts.anyLanguage}
              value={language?.toLowerCase()}
              options={languages.map((tag) => [tag, languageName(tag, reading.page)])}
            />
          ) : null}
          {kinds && kinds.length > 1 ? (
            <Choice
              form={SEARCH_FORM}
              name="type"
              title={texts.types}
              allOption={texts.allOption}
              value={type}
              options={kinds.map((kind) => [kind.uri!, nameOf(kind, reading.preferred)])}
            />
          ) : null}
          <label>
            <input
              form={SEARCH_FORM}
              type="checkbox"
              name="use"
              value="label,notation,definition"
              checked={inDefinitions}
            />{' '}
            {texts.alsoInDefinitions}
          </label>
          <button type="submit" form={SEARCH_FORM}>
            {texts.filterVocabularies}
          </button>
        </div>
        {hits === undefined ? (
          <p class="small">{texts.whatToSearch}</p>
        ) : hits.total === 0 ? (
          <NothingFound
            query={query}
            isFiltered={[voc, type, language, ancestors].some((filter) => filter !== undefined)}
          />
        ) : (
          <>
            <div role="status">
              {replaced ? (
                <p>
                  {isInside(replaced) ? texts.insideWords : texts.replaced(query)}{' '}
                  {joinedItems(
                    replacedQueries.map((text) => (
                      <a href={link(request, 'find', { ...asked, query: text })}>{text}</a>
                    )),
                  )}
                </p>
              ) : null}
              <p class="small">{texts.hits(formatNumber(request, hits.total), hits.total === 1)}</p>
            </div>
            {narrower.map(({ title, parameter, values }) => (
              <p class="small">
                {title}:{' '}
                {joinedItems(
                  values.map(({ value, item, count }) => (
                    <>
                      <a href={link(request, 'find', { ...asked, [parameter]: value })}>
                        <Label item={item} />
                      </a>{' '}
                      ({formatNumber(request, count)})
                    </>
                  )),
                )}
              </p>
            ))}
            <ol class="hits">
              {hits.records.map((concept) => (
                <Hit concept={concept} words={words} />
              ))}
            </ol>
            <Pagination
              path="find"
              query={asked}
              part={{ offset, limit: PAGE, total: Math.min(hits.total, MAX_OFFSET + PAGE) }}
            />
          </>
        )}
      </>
    ),
  }
}

/** The languages of the named vocabulary, or of all of them, in the order of their names. */
async function readLanguagesOf(
  request: PageRequest,
  named: { uri: string } | { notation: string | undefined },
): Promise<string[]> {
  const { records } = await askEndpoint(request, '/voc', { properties: 'languages', ...named })
  const tags = [...new Set(records.flatMap(({ languages }) => languages ?? []))].filter((tag) => tag !== 'und')
  const compare = textOrder(request.reading.page)
  return tags.sort((a, b) => compare(languageName(a, request.reading.page), languageName(b, request.reading.page)))
}

/**
 * The classes of the concepts of one vocabulary; none if the search covers several, undefined if finding them takes
 * long.
 */
async function readKinds(
  request: PageRequest,
  vocabulary: Vocabulary | undefined,
): Promise<readonly Item[] | undefined> {
  if (!vocabulary) return []
  return request.dependencies.statistics.remember('kinds', vocabulary, async (signal) => {
    const { records } = await askEndpoint({ ...request, signal }, '/types', { voc: vocabulary.uri })
    return records
  })
}

/** Values of a facet to show. */
const MOST_VALUES = 8

/** Narrower searches: a title, the parameter, and its values with the numbers of their hits. */
interface Narrower {
  title: string
  parameter: 'voc' | 'type' | 'ancestors'
  values: { value: string; item: Item; count: number }[]
}

/** The narrower searches that the facets of a search lead to; none by a facet with one value. */
async function readNarrower(
  request: PageRequest,
  { voc = [], type = [], top = [] }: Facets,
  { vocabularies, kinds }: { vocabularies: readonly Vocabulary[]; kinds: readonly Item[] },
): Promise<Narrower[]> {
  const { texts } = request
  const some = (counts: readonly FacetCount[]) => (counts.length > 1 ? counts.slice(0, MOST_VALUES) : [])
  const tops = some(top)
  const topConcepts = await recordsByUri(
    request,
    tops.map(({ uri }) => uri),
  )
  const listed = (
    counts: readonly FacetCount[],
    itemOfUri: (uri: string) => { value: string; item: Item } | undefined,
  ) =>
    some(counts).flatMap(({ uri, count }) => {
      const shown = itemOfUri(uri)
      return shown ? [{ ...shown, count }] : []
    })
  const narrower: Narrower[] = [
    {
      title: texts.vocabulary,
      parameter: 'voc',
      values: listed(voc, (uri) => {
        const vocabulary = vocabularies.find((present) => present.uri === uri)
        return vocabulary && { value: idOf(vocabulary), item: vocabularyItem(vocabulary) }
      }),
    },
    {
      title: texts.types,
      parameter: 'type',
      values: listed(type, (uri) => {
        const item = kinds.find((kind) => kind.uri === uri)
        return item && { value: uri, item }
      }),
    },
    {
      title: texts.topConcepts,
      parameter: 'ancestors',
      values: listed(top, (uri) => {
        const item = topConcepts.get(uri)
        return item && { value: uri, item }
      }),
    },
  ]
  return narrower.filter(({ values }) => values.length > 0)
}

/** Texts to name if the search has replaced words. */
const MAX_FOUND = 3

/**
 * The texts that the search has used instead of a text: words without hits are replaced by words of the labels that
 * were found.
 */
function foundTexts({ text }: SearchText, replaced: ReplacedWords, hits: readonly Concept[]): string[] {
  const segments = text.split(/([\p{L}\p{M}\p{N}]+)/u)
  if (isInside(replaced)) return [segments.map((part) => replaced.get(part)?.[0] ?? part).join('')]
  const withWords = (wordOf: (word: string, replacements: readonly string[]) => string | undefined) => {
    const words = segments.map((part) => (replaced.has(part) ? wordOf(part, replaced.get(part)!) : part))
    return words.includes(undefined) ? [] : [words.join('')]
  }
  const inLabel = ({ text }: { text: string }) =>
    withWords((word, replacements) =>
      [word, ...replacements]
        .map((wordOfLabel) => beginningIn(text, wordOfLabel))
        .find((wordOfLabel) => wordOfLabel !== undefined),
    )
  const textsOfLabels = hits.flatMap(labelsOf).flatMap(inLabel)
  // A hit may have the words in a hidden label, which the page does not show.
  const texts = textsOfLabels.length > 0 ? textsOfLabels : withWords((word, [replacement]) => replacement ?? word)
  const isFirst = (first: string, index: number) => texts.findIndex((second) => isSame(first, second)) === index
  return texts.filter(isFirst).slice(0, MAX_FOUND)
}

/** True if the search has also looked inside of words, and replaced none. */
function isInside(replaced: ReplacedWords): boolean {
  return [...replaced.values()].every(([word]) => word?.includes(WILDCARD))
}

const isSame = (first: string, second: string) => first.toLowerCase() === second.toLowerCase()

/** The beginning of a word of a label, as it is written there; undefined if no word begins so. */
function beginningIn(label: string, word: string): string | undefined {
  const [place] = placesOf(word, label)
  return place && label.slice(...place)
}

function NothingFound({ query, isFiltered }: { query: string; isFiltered: boolean }) {
  const request = useRequest()
  const { texts } = request
  return (
    <section role="status">
      <h2>{texts.nothingFound}</h2>
      <ul class="bullets">
        {texts.nothingFoundHints.map((hint) => (
          <li>{hint}</li>
        ))}
      </ul>
      <p>
        {isFiltered ? (
          <a href={link(request, 'find', { query })}>{texts.searchEverywhere}</a>
        ) : (
          <a href={link(request, '')}>{texts.allVocabularies}</a>
        )}
      </p>
    </section>
  )
}
