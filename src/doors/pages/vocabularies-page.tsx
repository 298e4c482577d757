import { labelMatcher } from '../../interface/search/matching.ts'
import { readSearchText, type SearchText } from '../../interface/search/words.ts'
import { isInLanguage } from '../../graph/jskos/names.ts'
import { CONCEPT_SCHEME } from '../../base/namespaces.ts'
import { readWholeNumber } from '../../interface/http/parameters.ts'
import { askEndpoint } from '../../routes.ts'
import { Choice } from './choice.tsx'
import { formatNumber, Day } from './format.tsx'
import { ItemLink, Text, licenseName } from './label.tsx'
import { languageName, textOrder } from './language.ts'
import { isPlain, link, publicUrl, type PageRequest, useRequest } from './page-request.ts'
import { OperatorText, ChosenLanguages, type HtmlPage } from './page.tsx'
import { Pagination } from './pagination.tsx'
import { inLanguage, nameOf, notes, type ConceptScheme, type Item, type ListedVocabulary } from './records.ts'
import { VocabularyLink } from './vocabulary-heading.tsx'

/** Vocabularies on one page. */
const PAGE = 100
/** Fewer vocabularies need no filters. */
const FILTERED_FROM = 4

/** The parameters that filter the list. */
const FILTERS = ['query', 'language', 'type', 'subject', 'license'] as const
/** All parameters of the page. */
export const VOCABULARIES_PARAMETERS = [...FILTERS, 'group', 'offset'] as const

/** GET / for browsers: all vocabularies, filtered and in groups if the reader wants that. */
export async function vocabulariesPage(request: PageRequest): Promise<HtmlPage> {
  const { texts, dependencies, parameters } = request
  const listed = await dependencies.vocabularyRecords.get('all', () => readAll(request), request.signal)
  const records = listed.map(({ record }) => record)
  const filtered = byName(
    request,
    listed.filter(filterOf(request)).map(({ record }) => record),
  )
  const groups = grouped(request, filtered)
  const offset = readWholeNumber(parameters, 'offset') ?? 0
  const page = partOf(groups, offset)
  const shown = page.flatMap(({ members }) => members)
  const counts = await countAll(request, records, shown)
  const { site, baseUrl } = dependencies.config
  const query = Object.fromEntries([...FILTERS, 'group'].map((name) => [name, parameters.get(name)]))
  const total = groups.reduce((sum, { members }) => sum + members.length, 0)
  const isFiltered = filtered.length < records.length
  return {
    title: site.name,
    description: texts.intro,
    canonical: isPlain(request) ? { path: '' } : undefined,
    alternates: [{ mediaType: 'application/json', href: publicUrl(request, 'voc') }],
    isUnfinished: shown.some(({ uri }) => counts.each.get(uri) === undefined),
    data: {
      '@context': 'https://schema.org',
      '@type': 'DataCatalog',
      '@id': baseUrl,
      name: site.name,
      url: baseUrl,
      dataset: shown.map(({ uri, prefLabel }) => ({
        '@type': 'DefinedTermSet',
        '@id': uri,
        name: inLanguage(prefLabel, request.reading.preferred)?.value ?? uri,
      })),
    },
    body: (
      <>
        <h1>{texts.vocabularies}</h1>
        {dependencies.siteFolder.front.size > 0 ? (
          <OperatorText texts={dependencies.siteFolder.front} />
        ) : (
          <p class="lead">{texts.intro}</p>
        )}
        {records.length >= FILTERED_FROM || isFiltered || parameters.get('group') ? (
          <Filters records={records} />
        ) : null}
        {records.length === 0 ? (
          <p>
            {texts.noVocabularies} {texts.noVocabulariesHint} <code>npm run vocab -- load FILE</code>.
          </p>
        ) : (
          <>
            <p class="small" role="status">
              {texts.vocabularyCount(formatNumber(request, filtered.length), filtered.length === 1)}
              {isFiltered ? ` ${texts.ofAll(formatNumber(request, records.length))}` : null}
              {counts.total > 0 && !isFiltered
                ? `, ${texts.concepts(formatNumber(request, counts.total), counts.total === 1)}`
                : null}
              {' · '}
              {isFiltered ? (
                <a href={link(request, '')}>{texts.showAll}</a>
              ) : (
                <a href={link(request, 'statistics')}>{texts.statistics}</a>
              )}
            </p>
            {page.map(({ name, members }) => (
              <Group name={name}>
                <ul class="cards">
                  {members.map((record) => (
                    <Card vocabulary={record} count={counts.each.get(record.uri)} isGrouped={name !== undefined} />
                  ))}
                </ul>
              </Group>
            ))}
            <Pagination path="" query={query} part={{ offset, limit: PAGE, total }} />
          </>
        )}
      </>
    ),
  }
}

async function readAll(request: PageRequest): Promise<readonly ListedVocabulary[]> {
  const { maxLimit } = request.dependencies.config
  const { records } = await askEndpoint(request, '/voc', { properties: '+subject,altLabel', limit: String(maxLimit) })
  return records.map((record) => {
    const texts = [
      ...Object.values(record.prefLabel ?? {}),
      ...Object.values(record.altLabel ?? {}).flat(),
      ...Object.values(notes(record, 'definition')).flat(),
      ...(record.notation ?? []),
      ...(record.subject ?? []).flatMap(({ prefLabel }) => Object.values(prefLabel ?? {})),
    ]
    return { record, texts: texts.flatMap((text) => readSearchText(text)?.text ?? []) }
  })
}

/** Vocabularies by their names in the language of the page. */
function byName({ reading }: PageRequest, records: readonly ConceptScheme[]): ConceptScheme[] {
  const compare = textOrder(reading.page)
  const named = records.map((record) => ({ record, name: nameOf(record, reading.preferred) }))
  return named.sort((a, b) => compare(a.name, b.name)).map(({ record }) => record)
}

/** Returns a test for vocabularies that match the filters of a request. */
function filterOf({ parameters }: PageRequest): (listed: ListedVocabulary) => boolean {
  const [language, type, subject, license] = ['language', 'type', 'subject', 'license'].map((name) =>
    parameters.get(name),
  )
  const text = readSearchText(parameters.get('query'))
  const matchers = splitWords(text).map(labelMatcher)
  return ({ record, texts }) =>
    (!language || record.languages?.some((tag) => isInLanguage(tag, language)) === true) &&
    (!type || record.type.includes(type)) &&
    (!subject || record.subject?.some((subjectItem) => filterKey(subjectItem) === subject) === true) &&
    (!license || record.license?.some((licenseItem) => filterKey(licenseItem) === license) === true) &&
    matchers.every((match) => texts.some((recordText) => match(recordText) !== undefined))
}

/**
 * The words of a text as texts by themselves, because each may be in another text of a vocabulary; a text without words
 * as a whole.
 */
function splitWords(text: SearchText | undefined): SearchText[] {
  if (text === undefined || text.words.length === 0) return text ? [text] : []
  return text.words.map((word) => ({ text: word, words: [word] }))
}

/** The key of a filter: the URI of its item, else the name. */
function filterKey(item: Item): string {
  return item.uri ?? Object.values(item.prefLabel ?? {})[0] ?? ''
}

interface VocabularyList {
  name: string | undefined
  members: ConceptScheme[]
}

/** The vocabularies by group: in the operator's groups, by subject, or in one list. A vocabulary may be in several. */
function grouped(request: PageRequest, records: readonly ConceptScheme[]): VocabularyList[] {
  const { texts, parameters, reading, dependencies } = request
  const { groups } = dependencies.siteFolder
  const by = parameters.get('group') ?? usualGrouping(request)
  const compare = textOrder(reading.page)
  const lists: VocabularyList[] = []
  if (by === 'list' && groups.length > 0) {
    for (const { prefLabel, vocabularies } of groups) {
      const isMember = ({ uri, notation = [] }: ConceptScheme) =>
        vocabularies.some((listed) => listed === uri || notation.includes(listed))
      lists.push({ name: nameOf({ prefLabel }, reading.preferred), members: records.filter(isMember) })
    }
  } else if (by === 'subject') {
    const listsBySubject = new Map<string, VocabularyList>()
    for (const record of records) {
      for (const subject of record.subject ?? []) {
        const list = listsBySubject.get(filterKey(subject)) ?? { name: nameOf(subject, reading.preferred), members: [] }
        listsBySubject.set(filterKey(subject), list)
        list.members.push(record)
      }
    }
    lists.push(...[...listsBySubject.values()].sort((a, b) => compare(a.name!, b.name!)))
  } else return [{ name: undefined, members: [...records] }]
  const inGroups = new Set(lists.flatMap(({ members }) => members))
  lists.push({ name: texts.otherVocabularies, members: records.filter((record) => !inGroups.has(record)) })
  return lists.filter(({ members }) => members.length > 0)
}

/** How the list is grouped unless the reader chooses: by the operator's groups, but search results in one list. */
function usualGrouping({ parameters, dependencies }: PageRequest): 'list' | 'none' {
  return dependencies.siteFolder.groups.length > 0 && !parameters.has('query') ? 'list' : 'none'
}

/** The groups of one page, with the members that are on it. */
function partOf(groups: readonly VocabularyList[], offset: number): VocabularyList[] {
  let before = 0
  return groups.flatMap(({ name, members }) => {
    const [start, end] = [Math.max(0, offset - before), Math.max(0, offset + PAGE - before)]
    before += members.length
    const shown = members.slice(start, end)
    return shown.length > 0 ? [{ name, members: shown }] : []
  })
}

function Group({ name, children }: { name: string | undefined; children: preact.ComponentChild }) {
  if (name === undefined) return <>{children}</>
  return (
    <section class="vocabulary-group">
      <h2>{name}</h2>
      {children}
    </section>
  )
}

/** A form that works without JavaScript; each choice shows its number of vocabularies. */
function Filters({ records }: { records: readonly ConceptScheme[] }) {
  const request = useRequest()
  const { texts, parameters, reading, dependencies } = request
  const compare = textOrder(reading.page)
  const options = (of: (record: ConceptScheme) => readonly (readonly [value: string, name: string])[]) => {
    const countsByValue = new Map<string, { name: string; count: number }>()
    for (const record of records) {
      for (const [value, name] of new Map(of(record))) {
        const entry = countsByValue.get(value) ?? { name, count: 0 }
        countsByValue.set(value, entry)
        entry.count++
      }
    }
    return [...countsByValue]
      .sort(([, a], [, b]) => compare(a.name, b.name))
      .map(([value, { name, count }]) => [value, `${name} (${formatNumber(request, count)})`] as const)
  }
  const named = (items: readonly Item[] | undefined) =>
    (items ?? []).map(
      (item) => [filterKey(item), item.prefLabel ? nameOf(item, reading.preferred) : shortUri(item)] as const,
    )
  const choices = [
    [
      'language',
      texts.language,
      options(({ languages = [] }) => languages.map((tag) => [tag, languageName(tag, reading.page)])),
    ],
    [
      'type',
      texts.types,
      options(({ type }) => type.filter((uri) => uri !== CONCEPT_SCHEME).map((uri) => [uri, nameOf({ uri }, [])])),
    ],
    ['subject', texts.subject, options(({ subject }) => named(subject))],
    ['license', texts.license, options(({ license }) => named(license))],
  ] as const
  const groupings = [
    ['none', '–'] as const,
    ...(dependencies.siteFolder.groups.length > 0 ? [['list', texts.operatorList] as const] : []),
    ...(choices[2][2].length > 1 ? [['subject', texts.subject] as const] : []),
  ]
  const usual = usualGrouping(request)
  const isChosen = [...choices.map(([name]) => name), 'group'].some((name) => parameters.get(name))
  return (
    <form class="find row" role="search" aria-label={texts.filterVocabularies} action={`${request.root}`}>
      <div class="search">
        <label class="hidden" for="filter">
          {texts.filterHint}
        </label>
        <input
          id="filter"
          type="search"
          name="query"
          value={parameters.get('query')}
          placeholder={texts.filterHint}
          maxLength={200}
          autocomplete="off"
        />
        <button type="submit">{texts.filterVocabularies}</button>
      </div>
      <details open={isChosen}>
        <summary>{texts.moreFilters}</summary>
        <div class="filters">
          {choices.map(([name, title, choiceOptions]) =>
            choiceOptions.length > 1 || parameters.get(name) ? (
              <Choice
                name={name}
                title={title}
                allOption={`${title}: ${texts.allOption}`}
                value={parameters.get(name)}
                options={choiceOptions}
              />
            ) : null,
          )}
          {groupings.length > 1 ? (
            <Choice
              name="group"
              title={texts.groupBy}
              allOption={`${texts.groupBy}: ${new Map<string, string>(groupings).get(usual)!}`}
              value={parameters.get('group')}
              options={groupings.filter(([grouping]) => grouping !== usual)}
            />
          ) : null}
        </div>
      </details>
      <ChosenLanguages />
    </form>
  )
}

function shortUri(item: Item): string {
  return licenseName(filterKey(item)) ?? filterKey(item).replace(/^https?:\/\/|\/$/g, '')
}

/** The numbers of concepts of the shown vocabularies, and of all vocabularies in the index. */
async function countAll(
  request: PageRequest,
  records: readonly ConceptScheme[],
  shown: readonly ConceptScheme[],
): Promise<{ each: ReadonlyMap<string, number | undefined>; total: number }> {
  const { registry, statistics, index } = request.dependencies
  const vocabularyByUri = new Map((await registry.list()).map((vocabulary) => [vocabulary.uri, vocabulary]))
  const indexed = await Promise.all(
    records.map(async ({ uri }) => {
      const vocabulary = vocabularyByUri.get(uri)
      return [uri, vocabulary && (await index.lengths(vocabulary))?.concepts] as const
    }),
  )
  const counted = await Promise.all(
    shown.map(async ({ uri }) => {
      const vocabulary = vocabularyByUri.get(uri)
      return [uri, vocabulary && (await statistics.concepts(vocabulary))] as const
    }),
  )
  const each = new Map([...indexed, ...counted])
  return { each, total: [...each.values()].reduce<number>((sum, count) => sum + (count ?? 0), 0) }
}

function Card({
  vocabulary,
  count,
  isGrouped,
}: {
  vocabulary: ConceptScheme
  count: number | undefined
  isGrouped: boolean
}) {
  const request = useRequest()
  const { texts, reading } = request
  const definition = inLanguage(notes(vocabulary, 'definition'), reading.preferred)
  const Heading = isGrouped ? 'h3' : 'h2'
  return (
    <li>
      <Heading>
        <VocabularyLink item={vocabulary} />
      </Heading>
      {definition ? (
        <p class="excerpt">
          <Text language={definition.language}>{definition.value[0]}</Text>
        </p>
      ) : null}
      <ul class="inline">
        {count === undefined ? null : <li>{texts.concepts(formatNumber(request, count), count === 1)}</li>}
        {vocabulary.languages?.length ? <li>{languageNames(request, vocabulary.languages)}</li> : null}
        {vocabulary.license?.map((license) => (
          <li>
            <ItemLink item={license} />
          </li>
        ))}
        {vocabulary.modified ? (
          <li>
            {texts.modified} <Day date={vocabulary.modified} />
          </li>
        ) : null}
      </ul>
    </li>
  )
}

/** The page counts further languages instead of naming them. */
const MAX_LANGUAGES = 6

/** Names of languages, the reader's own first, and the number of further ones. */
function languageNames(request: PageRequest, tags: readonly string[]): string {
  const { preferred, page } = request.reading
  const isWanted = (tag: string) =>
    preferred.some((preferredTag) => preferredTag.split('-', 1)[0] === tag.split('-', 1)[0])
  const sorted = [...tags.filter(isWanted), ...tags.filter((tag) => !isWanted(tag))]
  const shown = sorted.length > MAX_LANGUAGES ? sorted.slice(0, MAX_LANGUAGES - 1) : sorted
  const names = shown.map((tag) => languageName(tag, page)).join(', ')
  return shown.length === sorted.length
    ? names
    : `${names} ${request.texts.andMore(formatNumber(request, sorted.length - shown.length))}`
}
