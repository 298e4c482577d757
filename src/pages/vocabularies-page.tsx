import { askEndpoint, publicUrl, type PageRequest } from './page-request.ts'
import { formatNumber, Day } from './format.tsx'
import { ItemLink, Label, Text } from './label.tsx'
import { languageName } from './language.ts'
import type { Page } from './page.tsx'
import { inLanguage, notes, type ConceptScheme } from './records.ts'
import { vocabularyLink } from './vocabulary.tsx'

/** GET / for browsers: all vocabularies. */
export async function vocabulariesPage(asked: PageRequest): Promise<Page> {
  const { texts, dependencies } = asked
  const { records } = await askEndpoint(asked, '/voc')
  const counts = await countAll(asked, records)
  const { site, baseUrl } = dependencies.config
  return {
    title: site.name,
    description: texts.intro,
    canonical: { path: '' },
    alternates: [{ mediaType: 'application/json', href: publicUrl(asked, 'voc') }],
    data: {
      '@context': 'https://schema.org',
      '@type': 'DataCatalog',
      '@id': baseUrl,
      name: site.name,
      url: baseUrl,
      dataset: records.map(({ uri, prefLabel }) => ({
        '@type': 'DefinedTermSet',
        '@id': uri,
        name: inLanguage(prefLabel, asked.reading.preferred)?.value ?? uri,
      })),
    },
    body: (
      <>
        <h1>{texts.vocabularies}</h1>
        <p class="lead">{texts.intro}</p>
        {records.length === 0 ? (
          <p>
            {texts.noVocabularies} {texts.noVocabulariesHint} <code>npm run vocab -- load FILE</code>.
          </p>
        ) : (
          <ul class="cards">
            {records.map((record) => (
              <Card asked={asked} vocabulary={record} count={counts.get(record.uri)} />
            ))}
          </ul>
        )}
      </>
    ),
  }
}

async function countAll(
  asked: PageRequest,
  records: readonly ConceptScheme[],
): Promise<Map<string, number | undefined>> {
  const { registry, statistics } = asked.dependencies
  const known = await registry.list()
  return new Map(
    await Promise.all(
      records.map(async ({ uri }) => {
        const vocabulary = known.find((one) => one.uri === uri)
        return [uri, vocabulary && (await statistics.concepts(vocabulary))] as const
      }),
    ),
  )
}

function Card({
  asked,
  vocabulary,
  count,
}: {
  asked: PageRequest
  vocabulary: ConceptScheme
  count: number | undefined
}) {
  const { texts, reading } = asked
  const definition = inLanguage(notes(vocabulary, 'definition'), reading.preferred)
  return (
    <li>
      <h2>
        <a href={vocabularyLink(asked, vocabulary)}>
          <Label asked={asked} item={vocabulary} />
        </a>
      </h2>
      {definition ? (
        <p class="excerpt">
          <Text language={definition.language}>{definition.value[0]}</Text>
        </p>
      ) : null}
      <ul class="inline">
        {count === undefined ? null : <li>{texts.concepts(formatNumber(asked, count), count === 1)}</li>}
        {vocabulary.languages?.length ? <li>{languageNames(asked, vocabulary.languages)}</li> : null}
        {vocabulary.license?.map((license) => (
          <li>
            <ItemLink asked={asked} item={license} />
          </li>
        ))}
        {vocabulary.modified ? (
          <li>
            {texts.modified} <Day asked={asked} date={vocabulary.modified} />
          </li>
        ) : null}
      </ul>
    </li>
  )
}

/** The page counts further languages instead of naming them. */
const MAX_LANGUAGES = 6

/** Names of languages, the reader's own first, and the number of further ones. */
function languageNames(asked: PageRequest, tags: readonly string[]): string {
  const { preferred, page } = asked.reading
  const isWanted = (tag: string) => preferred.some((wanted) => wanted.split('-', 1)[0] === tag.split('-', 1)[0])
  const sorted = [...tags.filter(isWanted), ...tags.filter((tag) => !isWanted(tag))]
  const shown = sorted.length > MAX_LANGUAGES ? sorted.slice(0, MAX_LANGUAGES - 1) : sorted
  const names = shown.map((tag) => languageName(tag, page)).join(', ')
  return shown.length === sorted.length ? names : `${names} ${asked.texts.andMore(sorted.length - shown.length)}`
}
