import { ISOTHES, SKOS } from '../namespaces.ts'
import { compareCodePoints } from '../jskos/order.ts'
import { firstFound, isInLanguage } from '../jskos/names.ts'
import type { JskosRecord } from '../jskos/record.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { iri } from '../sparql/terms.ts'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import type { LabelMatch } from '../search/index-reader.ts'
import { DEPRECATED } from '../search/labelled-resources.ts'
import { nameCollections } from '../search/places.ts'
import { normaliseText } from '../unicode.ts'
import { namespacesOf } from '../vocabularies/namespaces.ts'
import { EVERYTHING, scopeOf } from '../vocabularies/registry.ts'
import type { Vocabulary } from '../vocabularies/vocabulary.ts'
import { contexts } from './contexts.ts'
import { localName } from './namespaces.ts'
import { rememberedPart } from './parts.ts'
import { labelIn, shownTag, tagIn } from './labels.ts'
import {
  ask,
  badRequest,
  notFound,
  vocabularyNamed,
  type SchemeRequest,
  type SkosmosRequest,
  type VocabularyRequest,
} from './request.ts'

/** Prefixes that `type` may have. */
const PREFIXES: Readonly<Record<string, string>> = { skos: SKOS, isothes: ISOTHES }

/** The words to search for, and where. */
interface Search {
  text: string
  /** Where; several, or undefined for all. */
  vocabularies: readonly Vocabulary[] | undefined
  /** The language of labels to match; undefined: any. */
  language: string | undefined
  /** The language of names in the answer; undefined: that of the matching label. */
  nameLanguage: string | undefined
}

/** A label that matches, as the answer shows it. */
type Hit = Record<string, unknown> & {
  uri: string
  prefLabel?: string
  matchedPrefLabel?: string
  altLabel?: string
}

/** `search` in one vocabulary. */
export async function searchVocabulary(asked: VocabularyRequest) {
  return search(asked, [asked.vocabulary], asked.language)
}

/** `search` in all vocabularies, or in those of `vocab`. */
export async function searchAll(asked: SkosmosRequest) {
  const ids = (asked.parameters.get('vocab') ?? '').split(' ').filter((id) => id !== '')
  const vocabularies = await Promise.all(ids.map((id) => vocabularyNamed(asked.dependencies, id)))
  return search(asked, vocabularies.length > 0 ? vocabularies : undefined, asked.parameters.get('lang'))
}

async function search(
  asked: SkosmosRequest,
  vocabularies: readonly Vocabulary[] | undefined,
  language: string | undefined,
) {
  const { parameters } = asked
  const text = typed(parameters.get('query'))
  if (text === '' && !parameters.has('group') && !parameters.has('parent')) throw badRequest('query parameter missing')
  const maxhits = readNumber(parameters, 'maxhits', 1)
  const offset = readNumber(parameters, 'offset', 0) ?? 0
  const nameLanguage = parameters.get('labellang') ?? language
  const asking = { text, vocabularies, language: parameters.get('lang'), nameLanguage }
  const limit = Math.min(maxhits ?? Infinity, asked.dependencies.config.maxLimit)
  const matches = await find(asked, asking, { limit, offset })
  const fields = [...new Set((parameters.get('fields') ?? '').split(/[ +]/).filter((field) => /^\w+$/.test(field)))]
  const results = await withFields(asked, await toHits(asked, asking, matches), fields, nameLanguage)
  const own = labellangOf(parameters)
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
      ...(own === undefined ? {} : { '@language': own }),
    },
    uri: '',
    results,
  }
}

const labellangOf = (parameters: SkosmosRequest['parameters']) => parameters.get('labellang') ?? parameters.get('lang')

const typed = (text = '') => normaliseText(text).trim()

/** A whole number in digits. @throws SkosmosError 400 for anything else. */
function readNumber(parameters: SkosmosRequest['parameters'], name: string, least: number): number | undefined {
  const value = parameters.get(name)
  // As in PHP, 0 counts as absent.
  if (value === undefined || value === '0') return undefined
  const number = /^\+?\d+$/.test(value.trim()) ? Number(value) : -1
  if (number < least) throw badRequest(`${name} parameter is invalid`)
  return Math.min(number, Number.MAX_SAFE_INTEGER)
}

/** The labels that match, in the order of the answer. */
async function find(
  asked: SkosmosRequest,
  { text, vocabularies, language, nameLanguage }: Search,
  page: { limit: number; offset: number },
): Promise<LabelMatch[]> {
  const { dependencies, parameters, signal } = asked
  const only = await limits(asked)
  const types = readTypes(parameters)
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
function readTypes(parameters: SkosmosRequest['parameters']): string[] | undefined {
  const types = (parameters.get('type') ?? '').split(/[ +]/).filter((type) => type !== '')
  if (types.length === 0) return undefined
  return types.map((type) => {
    const [prefix = '', name] = type.split(':', 2)
    return name !== undefined && prefix in PREFIXES ? PREFIXES[prefix] + name : type
  })
}

/** A boolean of PHP. */
const isTrue = (value: string | undefined) => ['1', 'true', 'on', 'yes'].includes(value?.toLowerCase() ?? '')

/** The URIs of the concepts below `parent`, in `group` and in one of the concept schemes in `scheme`; undefined if the request has none of them. */
async function limits({ dependencies, parameters, signal }: SkosmosRequest): Promise<string[] | undefined> {
  const { client, below } = dependencies
  const ask = async (
    name: 'search/below' | 'skosmos/in-group' | 'skosmos/in-scheme',
    slot: string,
    uris?: string[],
  ) => {
    if (uris === undefined) return undefined
    const iris = uris.filter(isAbsoluteIri).map(iri)
    if (iris.length === 0) return []
    const query = queryTemplate(name).bind({ terms: { [slot]: iris } })
    const read = async () => (await client.select(query, { signal })).flatMap(({ c }) => c?.value ?? [])
    return below.get(query.text, read, signal)
  }
  const one = (name: string) => parameters.get(name)?.trim().split('\n', 1)
  const found = await Promise.all([
    ask('search/below', 'below', one('parent')),
    ask('skosmos/in-group', 'group', one('group')),
    ask('skosmos/in-scheme', 'scheme', parameters.get('scheme')?.trim().split(/ +/)),
  ])
  const [first, ...others] = found.flatMap((uris) => (uris === undefined ? [] : [new Set(uris)]))
  return first && [...first].filter((uri) => others.every((uris) => uris.has(uri)))
}

/** Labels that match as the answer shows them. */
async function toHits(
  { dependencies }: SkosmosRequest,
  { vocabularies, language: matched, nameLanguage }: Search,
  matches: readonly LabelMatch[],
): Promise<Hit[]> {
  const all = await dependencies.registry.list()
  return matches.map((match) => {
    const { uri, type, language, text, names, notation, classes, graph } = match
    const labels = Object.fromEntries(names)
    const tags = Object.keys(labels)
    const wanted = nameLanguage === undefined ? undefined : tagIn(tags, nameLanguage)
    // If labels of several languages may match, a concept without a name in the wanted one has that of its matching label.
    const tag = wanted ?? (nameLanguage === undefined || matched !== nameLanguage ? tagIn(tags, language) : undefined)
    const name = tag === undefined ? undefined : labels[tag]
    const isName = type === 'prefLabel' && text === name && tag === language
    const place = all.find((one) => one.uri === graph)
    const exvocab = place && isOutside(uri, place) ? all.find((one) => localName(uri, one) !== undefined) : undefined
    const localname = exvocab ? undefined : firstFound(vocabularies ?? [], (one) => localName(uri, one))
    return {
      uri,
      type: inOrder(classes.filter((one) => one !== DEPRECATED)).map(shortType),
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

/** Classes, those of SKOS first. */
export function inOrder(classes: readonly string[]): string[] {
  const isOther = (uri: string) => Number(!uri.startsWith(SKOS))
  return [...classes].sort((a, b) => isOther(a) - isOther(b) || compareCodePoints(a, b))
}

/** A class of SKOS or ISO 25964 as Skosmos writes it. */
export function shortType(uri: string): string {
  if (uri.startsWith(SKOS)) return `skos:${uri.slice(SKOS.length)}`
  return uri.startsWith(ISOTHES) ? `isothes:${uri.slice(ISOTHES.length)}` : uri
}

/** The fields that hits have by language, as `prefLabels`: `prefLabel` is the one name in the wanted language. */
const LABELS = ['prefLabel', 'altLabel', 'hiddenLabel'] as const

/** Adds further properties to hits, whose own members stay as they are. */
async function withFields(
  asked: SkosmosRequest,
  hits: readonly Hit[],
  fields: readonly string[],
  language: string | undefined,
): Promise<Hit[]> {
  if (fields.length === 0 || hits.length === 0) return [...hits]
  const matches = fields.filter((field) => field.endsWith('Match'))
  const properties = [...fields, ...(matches.length > 0 ? ['mappings'] : [])].join(',')
  const records = await recordsOf(
    asked,
    hits.map(({ uri }) => uri),
    properties,
  )
  const mapped = [...records.values()].flatMap((record) => matches.flatMap((field) => matchesOf(record, field)))
  const targets = await recordsOf(asked, mapped.filter(isAbsoluteIri), 'prefLabel')
  return hits.map((hit) => {
    const record = records.get(hit.uri)
    if (!record) return hit
    const more = fields.flatMap((field): [string, unknown][] => {
      const label = LABELS.find((one) => one === field)
      if (label !== undefined) return [[`${label}s`, record[label] ?? {}]]
      if (Object.hasOwn(hit, field)) return []
      const values = matches.includes(field)
        ? matchesOf(record, field).map((uri) => toNamed(uri, targets.get(uri)?.prefLabel, language))
        : valuesOf(record, field, language)
      return values.length > 0 ? [[field, values]] : []
    })
    return { ...hit, ...Object.fromEntries(more) }
  })
}

/** The records of any number of URIs, by URI. */
export async function recordsOf(asked: SkosmosRequest, all: readonly string[], properties: string) {
  const records = new Map<string, JskosRecord>()
  const uris = [...new Set(all)]
  const piece = Math.min(PIECE, asked.dependencies.config.maxLimit)
  for (let start = 0; start < uris.length; start += piece) {
    const uri = uris.slice(start, start + piece).join('|')
    for (const record of (await ask(asked, '/data', { uri, properties })).records) records.set(record.uri, record)
  }
  return records
}

/** Concepts whose properties are read at a time. */
const PIECE = 200

/** The targets of the mappings of a concept by one property. */
function matchesOf({ mappings = [] }: JskosRecord, property: string): string[] {
  const own = mappings.filter(({ type }) => type[0] === SKOS + property)
  return own.flatMap(({ to }) => to.memberSet.map(({ uri }) => uri))
}

function toNamed(uri: string, labels: Record<string, string> | undefined, language: string | undefined) {
  const label = language === undefined ? undefined : labelIn(labels, language)
  return { uri, ...(label === undefined ? {} : { prefLabel: label }) }
}

/** The values of a SKOS property of a record: links with labels, and texts in a language. */
function valuesOf(record: JskosRecord, field: string, language: string | undefined): unknown[] {
  const value = (record as Record<string, unknown>)[field]
  if (Array.isArray(value)) {
    return value.flatMap((one: unknown) => {
      if (typeof one === 'string') return one
      const { uri, prefLabel } = (one ?? {}) as { uri?: string; prefLabel?: Record<string, string> }
      return uri === undefined ? [] : toNamed(uri, prefLabel, language)
    })
  }
  if (typeof value !== 'object' || value === null) return []
  const texts = value as Record<string, unknown>
  return [language === undefined ? Object.values(texts) : labelIn(texts, language)]
    .flat(2)
    .filter((one) => typeof one === 'string')
}

/** `lookup`: the concepts whose label is the given one; an exact preferred label counts before other cases and other labels. */
export async function lookup(asked: VocabularyRequest) {
  const { parameters, vocabulary, language } = asked
  const label = parameters.get('label')
  if (label === undefined) throw badRequest('label parameter missing')
  const lang = parameters.get('lang')
  const text = typed(label)
  const asking = {
    text,
    vocabularies: [vocabulary],
    language: lang,
    nameLanguage: parameters.get('labellang') ?? language,
  }
  const matches = await find(asked, asking, { limit: asked.dependencies.config.maxLimit, offset: 0 })
  const hits = await toHits(asked, asking, matches)
  const isSame = (found: string | undefined) => found === text
  const isLike = (found: string | undefined) => found?.toLowerCase() === text.toLowerCase()
  const asPreferred = ({ matchedPrefLabel, ...hit }: Hit): Hit => ({ ...hit, prefLabel: matchedPrefLabel! })
  const inAnyLanguage = lang === undefined ? hits.filter((hit) => hit.matchedPrefLabel !== undefined) : []
  const [result] = [
    hits.filter((hit) => isSame(hit.prefLabel)),
    hits.filter((hit) => isLike(hit.prefLabel)),
    inAnyLanguage.filter((hit) => isSame(hit.matchedPrefLabel)).map(asPreferred),
    inAnyLanguage.filter((hit) => isLike(hit.matchedPrefLabel)).map(asPreferred),
    hits.filter((hit) => isSame(hit.altLabel)),
    hits.filter((hit) => isLike(hit.altLabel)),
  ].filter((found) => found.length > 0)
  if (!result) throw notFound(`Could not find label '${label}'`)
  return { '@context': { ...contexts.lookup, ...(lang === undefined ? {} : { '@language': lang }) }, result }
}

/** Digits, and all that is neither letter nor digit, as `index` names them. */
const DIGITS = '0-9'
const SPECIAL = '!*'

/** `index/`: the first letters of preferred labels. */
export async function letters(asked: SchemeRequest) {
  const counts = await asked.dependencies.index.letters(asked.vocabulary, await tagsOf(asked), asked.signal)
  const found = new Set(counts.flatMap(([first, , preferred]) => (preferred > 0 ? capital(first) : [])))
  const own = [...found].filter((letter) => /^\p{L}/u.test(letter))
  own.sort(new Intl.Collator(collation(asked.language)).compare)
  const others = [...found].filter((letter) => !own.includes(letter))
  const isDigit = (letter: string) => /^\d/u.test(letter)
  return {
    '@context': contexts.letters(asked.language),
    uri: '',
    indexLetters: [
      ...own,
      ...(others.some((letter) => !isDigit(letter)) ? [SPECIAL] : []),
      ...(others.some(isDigit) ? [DIGITS] : []),
    ],
  }
}

/** A letter in upper case; itself if several letters stand for it there, as for `ß`. */
function capital(letter: string): string {
  const upper = letter.toUpperCase()
  return [...upper].length === 1 ? upper : letter
}

/** `index/{letter}`: the labels that begin with a letter. */
export async function entries(asked: SchemeRequest) {
  const { dependencies, http, parameters, vocabulary, signal } = asked
  const letter = normaliseText(String(http.params['letter']))
  const languages = await tagsOf(asked)
  const counts = await dependencies.index.letters(vocabulary, languages, signal)
  const beginning = letter.toLowerCase()
  const isWanted = (label: string) => {
    if (letter === '*') return true
    if (letter === DIGITS) return /^\d/.test(label)
    if (letter === SPECIAL) return /^[^\p{L}\d]/u.test(label)
    return label.toLowerCase().startsWith(beginning)
  }
  const first = counts.map(([one]) => one).filter((one) => isWanted(one) || beginning.startsWith(one.toLowerCase()))
  const asking = { languages, first, without: DEPRECATED }
  const found = (await dependencies.index.entries(vocabulary, asking, signal))
    .filter(([, label, preferred, isPreferred]) => isWanted(label) && (isPreferred || preferred !== null))
    .map(([uri, label, preferred, , tag]) => ({ uri, label, preferred, tag, key: label.toLowerCase() }))
  found.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.uri < b.uri ? -1 : 1))
  const offset = numberOf(parameters.get('offset'))
  const limit = numberOf(parameters.get('limit')) || asked.dependencies.config.maxLimit
  return {
    '@context': contexts.entries,
    uri: '',
    indexConcepts: found.slice(offset, offset + limit).map(({ uri, label, preferred, tag }) => ({
      uri,
      localname: /[^/#]*$/.exec(uri)![0],
      prefLabel: preferred ?? label,
      lang: tag,
      ...(preferred === null ? {} : { altLabel: label }),
    })),
  }
}

/** A number from 0; anything else counts as 0. */
export function numberOf(text: string | undefined): number {
  return /^\d+$/.test(text ?? '') ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : 0
}

/** The tags of labels that are in the language of the request, whatever languages the vocabulary names. */
async function tagsOf(asked: SchemeRequest): Promise<string[]> {
  const { dependencies, vocabulary, language, signal } = asked
  const tags = await rememberedPart(asked, ['tags', vocabulary.uri], async () => {
    const { labels } = await dependencies.index.figures(vocabulary, signal)
    return [...new Set(labels.map(([, tag]) => tag))]
  })
  return tags.filter((tag) => isInLanguage(tag, language))
}

function collation(language: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(language)[0]
  } catch {
    return undefined
  }
}
