import type { ComponentChild } from 'preact'
import { alike, isUuid, shownNotation, tellApart, type Row } from '../../graph/jskos/names.ts'
import { quoted } from '../../base/unicode.ts'
import { malformed, readIris, readWholeNumber } from '../../interface/http/parameters.ts'
import { collator } from '../../interface/read/vocabularies.ts'
import type { Vocabulary as RegisteredVocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { recordsByUri } from '../../interface/read/data.ts'
import { askEndpoint } from '../../routes.ts'
import { LONGEST_NODE_NAME } from './branch.tsx'
import { link, type PageRequest, useRequest } from './page-request.ts'
import { formatNumber } from './format.tsx'
import { ConceptLink, conceptHref, notationBefore, shortName, Text } from './label.tsx'
import { languageName } from './language.ts'
import type { PageResult } from './page.tsx'
import { Pagination } from './pagination.tsx'
import { proposalsAmong, ProposedMark } from './proposed.tsx'
import { inLanguage, nameOf, type Concept, type ConceptScheme } from './records.ts'
import { VocabularyHeading, vocabularyFrame, vocabularyOfPath } from './vocabulary-heading.tsx'

/** Entries on a page. */
const PAGE = 200
/** A label, and the preferred one if that differs. */
interface IndexPageEntry {
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
export async function indexPage(pageRequest: PageRequest): Promise<PageResult> {
  const { request, registered, path } = await vocabularyOfPath(pageRequest, 'index')
  const { parameters, texts, dependencies } = request
  const isPart = parameters.get('part') === 'column'
  const by = parameters.get('by') ?? 'label'
  if (by !== 'label' && by !== 'notation') throw malformed(`by: expected label or notation, got ${quoted(by)}`)
  const [{ vocabulary, page }, notations] = await Promise.all([
    vocabularyFrame(request, registered, texts.index, path),
    dependencies.statistics.remember('has notations', registered, (signal) =>
      hasNotations({ ...request, signal }, registered),
    ),
  ])
  if (isPart && by === 'label') {
    const short = { ...request, longest: LONGEST_NODE_NAME }
    return { request: short, part: await labelIndex(short, registered, vocabulary, path) }
  }
  return {
    ...page,
    column: { openAt: parameters.get('at') },
    isUnfinished: notations === undefined,
    body: (
      <>
        <VocabularyHeading vocabulary={vocabulary} view="index" />
        {notations?.some ? (
          <nav class="chips" aria-label={texts.index}>
            {(['label', 'notation'] as const).map((order) => (
              <a
                href={link(request, path, { by: order === 'label' ? undefined : order })}
                aria-current={order === by ? 'page' : undefined}
              >
                {order === 'label' ? texts.byLabel : texts.byNotation}
              </a>
            ))}
          </nav>
        ) : null}
        {by === 'notation'
          ? await byNotation(request, registered, path)
          : await labelIndex(request, registered, vocabulary, path)}
      </>
    ),
  }
}

/** Concepts with notations come first. UUIDs are none for people. */
async function hasNotations(request: PageRequest, { uri }: RegisteredVocabulary): Promise<{ some: boolean }> {
  const { records } = await askEndpoint(request, '/voc/concepts', { uri, properties: 'notation', limit: '1' })
  return { some: records[0]?.notation?.some((notation) => !isUuid(notation)) ?? false }
}

async function byNotation(request: PageRequest, { uri }: RegisteredVocabulary, path: string) {
  const offset = readWholeNumber(request.parameters, 'offset') ?? 0
  const { total, records } = await askEndpoint(request, '/voc/concepts', {
    uri,
    properties: 'prefLabel,notation',
    limit: String(PAGE),
    offset: String(offset),
  })
  const rows = records.map((concept) => ({
    uri: concept.uri,
    name: nameOfRow(request, concept),
    content: <ConceptLink concept={concept} />,
  }))
  return (
    <>
      {await listOf(request, rows)}
      <Pagination path={path} query={{ by: 'notation' }} part={{ offset, limit: PAGE, total }} />
    </>
  )
}

/** A row of a list: a concept, its name as the row shows it, and the row. */
interface IndexPageRow {
  uri: string
  name: string
  content: ComponentChild
}

/** A list of concepts, in which rows that look the same have something to tell them apart. */
async function listOf(request: PageRequest, rows: readonly IndexPageRow[]) {
  const uris = rows.map(({ uri }) => uri)
  const [distinctions, proposed] = await Promise.all([distinguish(request, rows), proposalsAmong(request, uris)])
  return (
    <ul class="concepts">
      {rows.map(({ uri, content }, at) => (
        <li>
          {content}
          <Distinction text={distinctions[at]} />
          {proposed.has(uri) ? <ProposedMark /> : null}
        </li>
      ))}
    </ul>
  )
}

/** A concept as `ConceptLink` shows it. */
function nameOfRow({ reading }: PageRequest, concept: Concept): string {
  const name = nameOf(concept, reading.preferred)
  const notation = notationBefore(name, concept)
  return notation === undefined ? name : `${notation} ${name}`
}

/**
 * The texts that tell rows apart if they look the same: the notation and the name of a broader concept, else the URI.
 * Empty for all other rows.
 */
async function distinguish(request: PageRequest, rows: readonly { uri: string; name: string }[]): Promise<string[]> {
  const plain = rows.map(({ uri, name }): Row => ({ item: { uri }, label: shortName(request, name), description: '' }))
  const uris = [...new Set(alike(plain).map(({ item }) => item.uri!))]
  if (uris.length === 0) return plain.map(() => '')
  const recordByUri = await recordsByUri(request, uris, { properties: 'prefLabel,notation,broader' })
  const described = plain.map((row) => {
    const record = recordByUri.get(row.item.uri!)
    if (!record) return row
    const above = record.broader?.[0]
    const places = [shownNotation(record, row.label), above && nameOf(above, request.reading.preferred)]
    return { ...row, item: record, description: places.filter((place) => place).join(', ') }
  })
  tellApart(described)
  return described.map(({ description }) => description)
}

function Distinction({ text = '' }: { text: string | undefined }) {
  return text === '' ? null : (
    <small>
      {' '}
      <bdi>{text}</bdi>
    </small>
  )
}

async function labelIndex(
  request: PageRequest,
  registered: RegisteredVocabulary,
  vocabulary: ConceptScheme,
  path: string,
) {
  const { texts, reading, parameters, longest } = request
  const isPart = longest !== undefined
  const tags = Object.fromEntries((vocabulary.languages ?? []).map((tag) => [tag, tag]))
  const language = inLanguage(tags, reading.preferred)?.language ?? 'und'
  const letters = await readLetters(request, registered, language)
  if (letters.length === 0) return <p>{texts.emptyVocabulary}</p>
  const [openAt] = readIris(parameters, 'at')
  const first =
    openAt !== undefined && !parameters.has('letter') ? await firstOf(request, registered, openAt, language) : undefined
  const letterName = parameters.get('letter') ?? (first && letterOf(first))
  const letter = letters.find(({ name }) => name === letterName) ?? letters[0]!
  const entries = await readEntries(request, registered, language, letter)
  const place = entries.findIndex(({ uri, preferred }) => uri === openAt && preferred === undefined)
  const offset = readWholeNumber(parameters, 'offset') ?? (place < 0 ? 0 : Math.floor(place / PAGE) * PAGE)
  const inLanguageOfList = (text: string) => <Text language={language}>{shortName(request, text)}</Text>
  const rows = entries.slice(offset, offset + PAGE).map(({ uri, label, preferred }) => ({
    uri,
    name: preferred === undefined ? label : `${label} → ${preferred}`,
    content: (
      <>
        {preferred === undefined ? null : (
          <>
            <i>{inLanguageOfList(label)}</i> →{' '}
          </>
        )}
        <a href={conceptHref(request, uri)}>{inLanguageOfList(preferred ?? label)}</a>
      </>
    ),
  }))
  return (
    <>
      {isPart ? null : <Languages path={path} languages={vocabulary.languages ?? []} shown={language} />}
      <nav class="letters" aria-label={texts.lettersLabel}>
        {letters.map(({ name }) => (
          <a
            href={link(request, path, { letter: name })}
            aria-current={name === letter.name ? 'page' : undefined}
            aria-label={name === OTHER ? texts.startsOther : undefined}
          >
            {name}
          </a>
        ))}
      </nav>
      <h2 class="letter">
        {letter.name === OTHER ? texts.startsOther : letter.name}{' '}
        <span class="count">{formatNumber(request, letter.count)}</span>
      </h2>
      {await listOf(request, rows)}
      <Pagination path={path} query={{ letter: letter.name }} part={{ offset, limit: PAGE, total: entries.length }} />
    </>
  )
}

function Languages({ path, languages, shown }: { path: string; languages: readonly string[]; shown: string }) {
  const request = useRequest()
  if (languages.length < 2) return null
  const { reading, texts, parameters } = request
  return (
    <nav class="small labels-in" aria-label={texts.labelLanguage}>
      <span>{texts.labelLanguage}</span>
      {languages.map((tag) => (
        <a
          href={link({ ...request, reading: { ...reading, content: tag } }, path, { by: parameters.get('by') })}
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
async function firstOf(
  request: PageRequest,
  { ids, uri: scheme }: RegisteredVocabulary,
  uri: string,
  language: string,
) {
  const records = await recordsByUri(request, [uri], { voc: ids[0] ?? scheme, properties: 'prefLabel' })
  const [label] = records.get(uri)?.prefLabel?.[language] ?? ''
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

async function readLetters({ dependencies, signal }: PageRequest, registered: RegisteredVocabulary, language: string) {
  const letters = new Map<string, Letter>()
  for (const [first, count] of await dependencies.index.letters(registered, tagsOf(language), signal)) {
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
  registered: RegisteredVocabulary,
  language: string,
  { characters }: Letter,
): Promise<IndexPageEntry[]> {
  const question = { languages: tagsOf(language), first: characters }
  const rows = await dependencies.index.entries(registered, question, signal)
  const entries = rows.map(([uri, label, preferred]) => ({ uri, label, preferred: preferred ?? undefined }))
  const { compare } = collator([language])
  return entries.sort((a, b) => compare(a.label, b.label) || compare(a.preferred ?? '', b.preferred ?? ''))
}

/** The tags of a language in the index; loading turns a missing tag into `und`. */
function tagsOf(language: string): string[] {
  return language === 'und' ? ['und', ''] : [language]
}
