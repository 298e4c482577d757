import { malformed, quoted, readIris, readWholeNumber } from '../http/parameters.ts'
import { collator } from '../read/vocabularies.ts'
import type { Vocabulary as KnownVocabulary } from '../vocabularies/vocabulary.ts'
import { LONGEST_NAME } from './branch.tsx'
import { askEndpoint, isPlain, link, type PageRequest } from './page-request.ts'
import { formatNumber } from './format.tsx'
import { ConceptLink, conceptHref, cut, Text } from './label.tsx'
import { languageName } from './language.ts'
import type { Made } from './page.tsx'
import { Pagination, type Part } from './pagination.tsx'
import { inLanguage, nameOf, type Concept, type ConceptScheme } from './records.ts'
import { vocabularyAsked, VocabularyHeading, within } from './vocabulary-heading.tsx'

/** Entries on a page. */
const PAGE = 200
/** A label, and the preferred one if that differs. */
interface Entry {
  uri: string
  label: string
  preferred: string | undefined
}

/** A letter of the index, and the first characters of the labels under it. */
interface Letter {
  name: string
  characters: string[]
  count: number
}

/** GET /voc/{vocid}/index: all labels in a language from A to Z, or all concepts by notation. */
export async function indexPage(request: PageRequest): Promise<Made> {
  const known = await vocabularyAsked(request)
  const asked = within(request, known)
  const { parameters, reading, texts, dependencies } = asked
  const isPart = parameters.get('part') === 'column'
  const by = parameters.get('by') ?? 'label'
  if (by !== 'label' && by !== 'notation') throw malformed(`by: expected label or notation, got ${quoted(by)}`)
  const id = known.ids[0] ?? known.uri
  const path = `voc/${encodeURIComponent(id)}/index`
  const [{ records }, notations] = await Promise.all([
    askEndpoint(asked, '/voc/:vocid'),
    dependencies.statistics.remember('has notations', known, (signal) => hasNotations({ ...asked, signal }, known)),
  ])
  const vocabulary = records[0]!
  if (isPart && by === 'label') {
    return { part: await byLabel({ ...asked, longest: LONGEST_NAME }, known, vocabulary, path) }
  }
  const name = nameOf(vocabulary, reading.preferred)
  return {
    title: `${texts.index}: ${name}`,
    canonical: isPlain(asked) ? { path } : undefined,
    vocabulary: { id, name },
    column: { at: parameters.get('at') },
    isUnfinished: notations === undefined,
    body: (
      <>
        <VocabularyHeading asked={asked} vocabulary={vocabulary} view="index" />
        {notations?.some ? (
          <nav class="chips" aria-label={texts.index}>
            {(['label', 'notation'] as const).map((one) => (
              <a
                href={link(asked, path, { by: one === 'label' ? undefined : one })}
                aria-current={one === by ? 'page' : undefined}
              >
                {one === 'label' ? texts.byLabel : texts.byNotation}
              </a>
            ))}
          </nav>
        ) : null}
        {by === 'notation' ? (
          <ByNotation asked={asked} path={path} {...await readByNotation(asked, known)} />
        ) : (
          await byLabel(asked, known, vocabulary, path)
        )}
      </>
    ),
  }
}

/** Concepts with notations come first. */
async function hasNotations(asked: PageRequest, { uri }: KnownVocabulary): Promise<{ some: boolean }> {
  const { records } = await askEndpoint(asked, '/voc/concepts', { uri, properties: 'notation', limit: '1' })
  return { some: Boolean(records[0]?.notation?.length) }
}

async function readByNotation(asked: PageRequest, { uri }: KnownVocabulary) {
  const offset = readWholeNumber(asked.parameters, 'offset') ?? 0
  const { total, records } = await askEndpoint(asked, '/voc/concepts', {
    uri,
    properties: 'prefLabel,notation',
    limit: String(PAGE),
    offset: String(offset),
  })
  return { part: { offset, limit: PAGE, total }, concepts: records }
}

function ByNotation({
  asked,
  path,
  part,
  concepts,
}: {
  asked: PageRequest
  path: string
  part: Part
  concepts: readonly Concept[]
}) {
  return (
    <>
      <ul class="concepts">
        {concepts.map((concept) => (
          <li>
            <ConceptLink asked={asked} concept={concept} />
          </li>
        ))}
      </ul>
      <Pagination asked={asked} path={path} query={{ by: 'notation' }} part={part} />
    </>
  )
}

async function byLabel(asked: PageRequest, known: KnownVocabulary, vocabulary: ConceptScheme, path: string) {
  const { texts, reading, parameters, longest } = asked
  const isPart = longest !== undefined
  const tags = Object.fromEntries((vocabulary.languages ?? []).map((tag) => [tag, tag]))
  const language = inLanguage(tags, reading.preferred)?.language ?? 'und'
  const letters = await readLetters(asked, known, language)
  if (letters.length === 0) return <p>{texts.emptyVocabulary}</p>
  const [at] = readIris(parameters, 'at')
  const first = at !== undefined && !parameters.has('letter') ? await firstOf(asked, known, at, language) : undefined
  const wanted = parameters.get('letter') ?? (first && letterOf(first))
  const letter = letters.find(({ name }) => name === wanted) ?? letters[0]!
  const entries = await readEntries(asked, known, language, letter)
  const place = entries.findIndex(({ uri, preferred }) => uri === at && preferred === undefined)
  const offset = readWholeNumber(parameters, 'offset') ?? (place < 0 ? 0 : Math.floor(place / PAGE) * PAGE)
  return (
    <>
      {isPart ? null : <Languages asked={asked} path={path} languages={vocabulary.languages ?? []} shown={language} />}
      <nav class="letters" aria-label={texts.lettersLabel}>
        {letters.map(({ name }) => (
          <a
            href={link(asked, path, { letter: name })}
            aria-current={name === letter.name ? 'page' : undefined}
            aria-label={name === OTHER ? texts.startsOther : undefined}
          >
            {name}
          </a>
        ))}
      </nav>
      <h2 class="letter">
        {letter.name === OTHER ? texts.startsOther : letter.name}{' '}
        <span class="count">{formatNumber(asked, letter.count)}</span>
      </h2>
      <ul class="concepts">
        {entries.slice(offset, offset + PAGE).map(({ uri, label, preferred }) => (
          <li>
            {preferred === undefined ? (
              <a href={conceptHref(asked, uri)}>
                <Text language={language}>{cut(asked, label)}</Text>
              </a>
            ) : (
              <>
                <i>
                  <Text language={language}>{cut(asked, label)}</Text>
                </i>{' '}
                →{' '}
                <a href={conceptHref(asked, uri)}>
                  <Text language={language}>{cut(asked, preferred)}</Text>
                </a>
              </>
            )}
          </li>
        ))}
      </ul>
      <Pagination
        asked={asked}
        path={path}
        query={{ letter: letter.name }}
        part={{ offset, limit: PAGE, total: entries.length }}
      />
    </>
  )
}

function Languages({
  asked,
  path,
  languages,
  shown,
}: {
  asked: PageRequest
  path: string
  languages: readonly string[]
  shown: string
}) {
  if (languages.length < 2) return null
  const { reading, texts, parameters } = asked
  return (
    <nav class="small labels-in" aria-label={texts.labelLanguage}>
      <span>{texts.labelLanguage}</span>
      {languages.map((tag) => (
        <a
          href={link({ ...asked, reading: { ...reading, content: tag } }, path, { by: parameters.get('by') })}
          data-clang={tag}
          aria-current={tag === shown ? 'true' : undefined}
        >
          {languageName(tag, reading.page)}
        </a>
      ))}
    </nav>
  )
}

/** The first character of the preferred label of a concept in a language; undefined if it has none. */
async function firstOf(asked: PageRequest, { ids, uri: scheme }: KnownVocabulary, uri: string, language: string) {
  const { records } = await askEndpoint({ ...asked, vocid: undefined }, '/data', {
    uri,
    voc: ids[0] ?? scheme,
    properties: 'prefLabel',
  })
  const [label] = records[0]?.prefLabel?.[language] ?? ''
  return label
}

/** The heading for labels that do not begin with a letter. */
const OTHER = '#'

/** Scripts with too many characters for one line; each gets a single heading. */
const SCRIPTS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['漢', /\p{Script=Han}/u],
  ['あ', /\p{Script=Hiragana}|\p{Script=Katakana}/u],
  ['가', /\p{Script=Hangul}/u],
  ['0–9', /\p{Nd}/u],
]

/** The letter under which readers look for a label that begins with this character. */
function letterOf(character: string): string {
  const base = character.toUpperCase().normalize('NFD')[0] ?? ''
  const script = SCRIPTS.find(([, pattern]) => pattern.test(base))
  if (script) return script[0]
  return /\p{L}/u.test(base) ? base.toUpperCase() : OTHER
}

async function readLetters({ dependencies, signal }: PageRequest, known: KnownVocabulary, language: string) {
  const letters = new Map<string, Letter>()
  for (const [first, count] of await dependencies.index.letters(known, tagsOf(language), signal)) {
    const name = letterOf(first)
    const letter = letters.get(name) ?? { name, characters: [], count: 0 }
    letters.set(name, letter)
    letter.characters.push(first)
    letter.count += count
  }
  const { compare } = collator([language])
  const rank = ({ name }: Letter) => (name === OTHER ? 2 : name === '0–9' ? 1 : 0)
  return [...letters.values()].sort((a, b) => rank(a) - rank(b) || compare(a.name, b.name))
}

async function readEntries(
  { dependencies, signal }: PageRequest,
  known: KnownVocabulary,
  language: string,
  { characters }: Letter,
): Promise<Entry[]> {
  const asked = { languages: tagsOf(language), first: characters }
  const rows = await dependencies.index.entries(known, asked, signal)
  const entries = rows.map(([uri, label, preferred]) => ({ uri, label, preferred: preferred ?? undefined }))
  const { compare } = collator([language])
  return entries.sort((a, b) => compare(a.label, b.label) || compare(a.preferred ?? '', b.preferred ?? ''))
}

/** The tags of a language in the index; loading turns a missing tag into `und`. */
function tagsOf(language: string): string[] {
  return language === 'und' ? ['und', ''] : [language]
}
