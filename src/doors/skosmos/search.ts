import { DEPRECATED, ISOTHES, LABELS, SKOS } from '../../base/namespaces.ts'
import { firstFound, isInLanguage } from '../../graph/jskos/names.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { conceptsBelow } from '../../interface/search/below.ts'
import type { LabelMatch } from '../../interface/search/label-reader.ts'
import { nameCollections } from '../../interface/search/places.ts'
import { singleSpaced } from '../../interface/search/words.ts'
import { readList, type Parameters } from '../../interface/http/parameters.ts'
import { normaliseText, wholeNumberIn } from '../../base/unicode.ts'
import { namespacesOf } from '../../graph/vocabularies/namespaces.ts'
import { EVERYTHING, scopeOf } from '../../graph/vocabularies/registry.ts'
import type { Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { recordsByUri } from '../../interface/read/data.ts'
import { contexts } from './contexts.ts'
import { skosFirst, localName, shortType } from './namespaces.ts'
import { membersOf } from './groups.ts'
import { labelIn, shownTag, tagIn } from './labels.ts'
import { badRequest, notFoundError, vocabulariesById, type SkosmosRequest, type VocabularyRequest } from './request.ts'

/** Prefixes that `type` may have. */
const PREFIXES: Readonly<Record<string, string>> = { skos: SKOS, isothes: ISOTHES }

/** The words to search for, and where. */
interface Search {
  text: string
  /** Where; several, or undefined for all. */
  vocabularies: readonly Vocabulary[] | undefined
  /** The language of labels to match; undefined: any. */
  language: string | undefined
  /** The language of names in the answer; undefined: the language of the matching label. */
  nameLanguage: string | undefined
}

/** A label that matches, as the answer shows it. */
type SearchHit = Record<string, unknown> & {
  uri: string
  prefLabel?: string
  matchedPrefLabel?: string
  altLabel?: string
}

/** `search` in one vocabulary. */
export async function searchVocabulary(request: VocabularyRequest) {
  return findResults(request, [request.vocabulary], request.language)
}

/** `search` in all vocabularies, or in the vocabularies that `vocab` lists. */
export async function searchAll(request: SkosmosRequest) {
  const vocabularies = await vocabulariesById(request.dependencies, readList(request.parameters, 'vocab', ' '))
  return findResults(request, vocabularies.length > 0 ? vocabularies : undefined, request.parameters.get('lang'))
}

async function findResults(
  request: SkosmosRequest,
  vocabularies: readonly Vocabulary[] | undefined,
  language: string | undefined,
) {
  const { parameters } = request
  const text = typed(parameters.get('query'))
  if (text === '' && !parameters.has('group') && !parameters.has('parent')) throw badRequest('query parameter missing')
  const maxhits = readNumber(parameters, 'maxhits', 1)
  const offset = readNumber(parameters, 'offset', 0) ?? 0
  const nameLanguage = parameters.get('labellang') ?? language
  const searchTerms = { text, vocabularies, language: parameters.get('lang'), nameLanguage }
  const limit = Math.min(maxhits ?? Infinity, request.dependencies.config.maxLimit)
  const matches = await find(request, searchTerms, { limit, offset })
  const fields = readList(parameters, 'fields', /[ +]/).filter((field) => /^\w+$/.test(field))
  const results = await withFields(request, await toHits(request, searchTerms, matches), fields, nameLanguage)
  const labellang = parameters.get('labellang') ?? parameters.get('lang')
  return {
    '@context': {
      ...contexts.search,
      ...Object.fromEntries(
        fields.flatMap((field) => (Object.hasOwn(contexts.search, field) ? [] : [[field, `skos:${field}`]])),
      ),
      ...Object.fromEntries(
        LABELS.flatMap((label) =>
          results[0]?.[`${label}s`] ? [[`${label}s`, { '@id': `skos:${label}`, '@container': '@language' }]] : [],
        ),
      ),
      '@language': labellang,
    },
    uri: '',
    results,
  }
}

const typed = (text = '') => singleSpaced(normaliseText(text))

/** A whole number in digits. @throws SkosmosError 400 for anything else. */
function readNumber(parameters: Parameters, name: string, least: number): number | undefined {
  const value = parameters.get(name)
  // As in PHP, 0 counts as absent.
  if (value === undefined || value === '0') return undefined
  const number = wholeNumberIn(value.trim().replace(/^\+/, ''))
  if (number === undefined || number < least) throw badRequest(`${name} parameter is invalid`)
  return number
}

/** The labels that match, in the order of the answer. */
async function find(
  request: SkosmosRequest,
  { text, vocabularies, language, nameLanguage }: Search,
  page: { limit: number; offset: number },
): Promise<LabelMatch[]> {
  const { dependencies, parameters, signal } = request
  const only = await limits(request)
  const types = readSearchTypes(parameters)
  const isEmpty = /^\**$/.test(text)
  if ((isEmpty && !only) || only?.length === 0) return []
  const question = {
    scope: vocabularies ? scopeOf(vocabularies) : EVERYTHING,
    text: isEmpty ? undefined : text,
    language: isEmpty ? nameLanguage : language,
    preferred: nameLanguage,
    types,
    // As Skosmos with a class of groups configured for a vocabulary.
    withCollections: vocabularies !== undefined || nameCollections(types),
    only,
    isUnique: isTrue(parameters.get('unique')),
    page,
  }
  return dependencies.index.matches(question, signal)
}

/** The classes of `type`, separated by spaces; undefined: of any. */
function readSearchTypes(parameters: SkosmosRequest['parameters']): string[] | undefined {
  const types = readList(parameters, 'type', /[ +]/)
  if (types.length === 0) return undefined
  return types.map((type) => {
    const [prefix = '', name] = type.split(':', 2)
    return name !== undefined && prefix in PREFIXES ? PREFIXES[prefix] + name : type
  })
}

/** A boolean of PHP. */
const isTrue = (value: string | undefined) => ['1', 'true', 'on', 'yes'].includes(value?.toLowerCase() ?? '')

/**
 * The URIs of the concepts below `parent`, in `group` and in one of the concept schemes in `scheme`; undefined if the
 * request has none of these parameters.
 */
async function limits(request: SkosmosRequest): Promise<string[] | undefined> {
  const { dependencies, parameters, signal } = request
  const inSchemes = async (schemes: string[]) => {
    const query = queryTemplate('voc/concepts').bind({ terms: { of: schemes.map(iri) } })
    return (await dependencies.client.select(query, { signal })).flatMap(({ c }) => c?.value ?? [])
  }
  const inGroup = async ([group = '']: string[]) => ((await membersOf(request, group)) ?? []).map(({ uri }) => uri)
  const read = async (uris: string[] | undefined, find: (iris: string[]) => Promise<readonly string[]>) => {
    const iris = uris?.filter(isAbsoluteIri)
    return iris?.length ? find(iris) : iris
  }
  const firstLine = (name: string) => parameters.get(name)?.trim().split('\n', 1)
  const limitingUris = await Promise.all([
    read(firstLine('parent'), (iris) => conceptsBelow(dependencies, iris, signal)),
    read(firstLine('group'), inGroup),
    read(parameters.has('scheme') ? readList(parameters, 'scheme', ' ') : undefined, inSchemes),
  ])
  const [first, ...rest] = limitingUris.flatMap((uris) => (uris === undefined ? [] : [new Set(uris)]))
  return first && [...first].filter((uri) => rest.every((uris) => uris.has(uri)))
}

/** Labels that match as the answer shows them. */
async function toHits(
  { dependencies }: SkosmosRequest,
  { vocabularies, language: matched, nameLanguage }: Search,
  matches: readonly LabelMatch[],
): Promise<SearchHit[]> {
  const registered = await dependencies.registry.list()
  return matches.map((match) => {
    const { uri, type, language, text, names, notation, classes, graph } = match
    const labels = Object.fromEntries(names)
    const tags = Object.keys(labels)
    const nameTag = nameLanguage === undefined ? undefined : tagIn(tags, nameLanguage)
    // If labels of several languages may match, a concept without a name in the requested language gets its name in the
    // language of the matching label.
    const tag = nameTag ?? (nameLanguage === undefined || matched !== nameLanguage ? tagIn(tags, language) : undefined)
    const name = tag === undefined ? undefined : labels[tag]
    const isName = type === 'prefLabel' && text === name && tag === language
    const place = registered.find((vocabulary) => vocabulary.uri === graph)
    const exvocab =
      place && isOutside(uri, place)
        ? registered.find((vocabulary) => localName(uri, vocabulary) !== undefined)
        : undefined
    const localname = exvocab ? undefined : firstFound(vocabularies ?? [], (vocabulary) => localName(uri, vocabulary))
    return {
      uri,
      type: skosFirst(classes.filter((typeUri) => typeUri !== DEPRECATED)).map(shortType),
      ...(localname === undefined ? {} : { localname }),
      ...(name === undefined ? {} : { prefLabel: name }),
      lang: shownTag(isName ? tag : language),
      ...(notation === null ? {} : { notation }),
      ...(isName ? {} : { [type === 'prefLabel' ? 'matchedPrefLabel' : type]: text }),
      vocab: place?.ids[0] ?? '???',
      ...(exvocab ? { exvocab: exvocab.ids[0] } : {}),
    }
  })
}

const isOutside = (uri: string, vocabulary: Vocabulary) =>
  namespacesOf(vocabulary).length > 0 && localName(uri, vocabulary) === undefined

/** Adds further properties to hits, whose own members stay as they are. */
async function withFields(
  request: SkosmosRequest,
  hits: readonly SearchHit[],
  fields: readonly string[],
  language: string | undefined,
): Promise<SearchHit[]> {
  if (fields.length === 0 || hits.length === 0) return [...hits]
  const matches = fields.filter((field) => field.endsWith('Match'))
  const properties = [...fields, ...(matches.length > 0 ? ['mappings'] : [])].join(',')
  const records = await recordsByUri(
    request,
    hits.map(({ uri }) => uri),
    { properties },
  )
  const mapped = [...records.values()].flatMap((record) => matches.flatMap((field) => matchesOf(record, field)))
  const targets = await recordsByUri(request, mapped, { properties: 'prefLabel' })
  return hits.map((hit) => {
    const record = records.get(hit.uri)
    if (!record) return hit
    const more = fields.flatMap((field): [string, unknown][] => {
      const label = LABELS.find((name) => name === field)
      if (label !== undefined) return [[`${label}s`, record[label] ?? {}]]
      if (Object.hasOwn(hit, field)) return []
      const values = matches.includes(field)
        ? matchesOf(record, field).map((uri) => toNamed(uri, targets.get(uri)?.prefLabel, language))
        : valuesOfProperty(record, field, language)
      return values.length > 0 ? [[field, values]] : []
    })
    return { ...hit, ...Object.fromEntries(more) }
  })
}

/** The targets of the mappings of a concept by one property. */
function matchesOf({ mappings = [] }: JskosRecord, property: string): string[] {
  const sameType = mappings.filter(({ type }) => type[0] === SKOS + property)
  return sameType.flatMap(({ to }) => to.memberSet.map(({ uri }) => uri))
}

function toNamed(uri: string, labels: Record<string, string> | undefined, language: string | undefined) {
  const label = language === undefined ? undefined : labelIn(labels, language)
  return { uri, prefLabel: label }
}

/** The values of a SKOS property of a record: links with labels, and texts in a language. */
function valuesOfProperty(record: JskosRecord, field: string, language: string | undefined): unknown[] {
  const value = (record as Record<string, unknown>)[field]
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown) => {
      if (typeof item === 'string') return item
      const { uri, prefLabel } = (item ?? {}) as { uri?: string; prefLabel?: Record<string, string> }
      return uri === undefined ? [] : toNamed(uri, prefLabel, language)
    })
  }
  if (typeof value !== 'object' || value === null) return []
  const texts = value as Record<string, unknown>
  return [language === undefined ? Object.values(texts) : labelIn(texts, language)]
    .flat(2)
    .filter((text) => typeof text === 'string')
}

/**
 * `lookup`: the concepts with a label; an exact preferred label takes precedence over other letter cases and other
 * labels.
 */
export async function lookup(request: VocabularyRequest) {
  const { parameters, vocabulary, language } = request
  const label = parameters.get('label')
  if (label === undefined) throw badRequest('label parameter missing')
  const lang = parameters.get('lang')
  const text = typed(label)
  const searchTerms = {
    text,
    vocabularies: [vocabulary],
    language: lang,
    nameLanguage: parameters.get('labellang') ?? language,
  }
  const matches = await find(request, searchTerms, { limit: request.dependencies.config.maxLimit, offset: 0 })
  const hits = await toHits(request, searchTerms, matches)
  const isSame = (hitLabel: string | undefined) => hitLabel !== undefined && singleSpaced(hitLabel) === text
  const isLike = (hitLabel: string | undefined) =>
    hitLabel !== undefined && singleSpaced(hitLabel).toLowerCase() === text.toLowerCase()
  const asPreferred = ({ matchedPrefLabel, ...hit }: SearchHit): SearchHit => ({ ...hit, prefLabel: matchedPrefLabel! })
  const inAnyLanguage = lang === undefined ? hits.filter((hit) => hit.matchedPrefLabel !== undefined) : []
  const [result] = [
    hits.filter((hit) => isSame(hit.prefLabel)),
    hits.filter((hit) => isLike(hit.prefLabel)),
    inAnyLanguage.filter((hit) => isSame(hit.matchedPrefLabel)).map(asPreferred),
    inAnyLanguage.filter((hit) => isLike(hit.matchedPrefLabel)).map(asPreferred),
    hits.filter((hit) => isSame(hit.altLabel)),
    hits.filter((hit) => isLike(hit.altLabel)),
  ].filter((matching) => matching.length > 0)
  if (!result) throw notFoundError(`Could not find label '${label}'`)
  return { '@context': { ...contexts.lookup, '@language': lang }, result }
}

/** Digits, and all that is neither letter nor digit, as `index` names them. */
const DIGITS = '0-9'
const SPECIAL = '!*'

/** `index/`: the first letters of preferred labels. */
export async function letters(request: VocabularyRequest) {
  const counts = await request.dependencies.index.letters(request.vocabulary, await tagsOf(request), request.signal)
  const capitals = new Set(counts.flatMap(([first, , preferred]) => (preferred > 0 ? capital(first) : [])))
  const realLetters = [...capitals].filter((letter) => /^\p{L}/u.test(letter))
  realLetters.sort(new Intl.Collator(collation(request.language)).compare)
  const otherCharacters = [...capitals].filter((letter) => !realLetters.includes(letter))
  const isDigit = (letter: string) => /^\d/u.test(letter)
  return {
    '@context': contexts.letters(request.language),
    uri: '',
    indexLetters: [
      ...realLetters,
      ...(otherCharacters.some((letter) => !isDigit(letter)) ? [SPECIAL] : []),
      ...(otherCharacters.some(isDigit) ? [DIGITS] : []),
    ],
  }
}

/** A letter in upper case; itself if several letters stand for it there, as for `ß`. */
function capital(letter: string): string {
  const upper = letter.toUpperCase()
  return [...upper].length === 1 ? upper : letter
}

/** `index/{letter}`: the labels that begin with a letter. */
export async function entries(request: VocabularyRequest) {
  const { dependencies, http, parameters, vocabulary, signal } = request
  const letter = normaliseText(String(http.params['letter']))
  const languages = await tagsOf(request)
  const counts = await dependencies.index.letters(vocabulary, languages, signal)
  const beginning = letter.toLowerCase()
  const isWanted = (label: string) => {
    if (letter === '*') return true
    if (letter === DIGITS) return /^\d/.test(label)
    if (letter === SPECIAL) return /^[^\p{L}\d]/u.test(label)
    return label.toLowerCase().startsWith(beginning)
  }
  const first = counts
    .map(([start]) => start)
    .filter((start) => isWanted(start) || beginning.startsWith(start.toLowerCase()))
  const question = { languages, first, without: DEPRECATED }
  const indexEntries = (await dependencies.index.entries(vocabulary, question, signal))
    .filter(([, label, preferred, isPreferred]) => isWanted(label) && (isPreferred || preferred !== null))
    .map(([uri, label, preferred, , tag]) => ({ uri, label, preferred, tag, key: label.toLowerCase() }))
  indexEntries.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.uri < b.uri ? -1 : 1))
  const offset = numberOrZero(parameters, 'offset')
  const limit = numberOrZero(parameters, 'limit') || request.dependencies.config.maxLimit
  return {
    '@context': contexts.entries,
    uri: '',
    indexConcepts: indexEntries.slice(offset, offset + limit).map(({ uri, label, preferred, tag }) => ({
      uri,
      localname: uri.split(/[/#]/).at(-1),
      prefLabel: preferred ?? label,
      lang: tag,
      altLabel: preferred === null ? undefined : label,
    })),
  }
}

/** The value of a parameter as a whole number; anything else counts as 0. */
export function numberOrZero(parameters: Parameters, name: string): number {
  return wholeNumberIn(parameters.get(name) ?? '') ?? 0
}

/** The tags of labels that are in the language of the request, whatever languages the vocabulary names. */
async function tagsOf(request: VocabularyRequest): Promise<string[]> {
  const { dependencies, vocabulary, language, signal } = request
  const { labels } = await dependencies.index.figures(vocabulary, signal)
  return [...new Set(labels.map(([, tag]) => tag))].filter((tag) => isInLanguage(tag, language))
}

function collation(language: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(language)[0]
  } catch {
    return undefined
  }
}
