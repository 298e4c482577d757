import { ApiError } from '../../base/errors.ts'
import type { Change } from '../../writing/history/log/change.ts'
import { findGone, toFields, versionsOf } from '../../writing/history/versions.ts'
import { readWholeNumber, requireIri } from '../../interface/http/parameters.ts'
import { FIELD, FIELDS, holdsLinks, isStructured } from '../../graph/jskos/fields.ts'
import { RDF_TYPE } from '../../base/namespaces.ts'
import { findVocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { recordsByUri } from '../../interface/read/data.ts'
import { askEndpoint } from '../../routes.ts'
import { link, type PageRequest, useRequest } from './page-request.ts'
import { Fact } from './facts.tsx'
import { formatNumber } from './format.tsx'
import { ConceptLink, ItemLink, LanguageTag, Name, OutLink, relationName, Text, UriText } from './label.tsx'
import type { PageResult } from './page.tsx'
import { Pagination } from './pagination.tsx'
import { Reason } from './proposed.tsx'
import { nameOf, type Item } from './records.ts'
import { vocabularyItem, VocabularyLink } from './vocabulary-heading.tsx'

/** Versions on one page. */
const PAGE = 20
/** Values of one field that a version shows. */
const MAX_VALUES = 50
/** Resources whose names are looked up. */
const MAX_NAMES = 400

/** GET /history?uri= for people: the versions of a concept, the newest first, with the removed and added values. */
export async function historyPage(request: PageRequest): Promise<PageResult> {
  const uri = requireIri(request.parameters, 'uri')
  const history = request.dependencies.history!
  const offset = readWholeNumber(request.parameters, 'offset') ?? 0
  const [{ total, changes }, { records }] = await Promise.all([
    versionsOf(history, uri, { limit: PAGE, offset }),
    askEndpoint(request, '/data', { uri, properties: 'prefLabel,notation,inScheme' }),
  ])
  const present = records.find((record) => record.uri === uri)
  const item: Item | undefined = present ?? (await findGone(history, [uri]))
  if (!item && total === 0) throw new ApiError('EntityNotFoundError', 'uri: there is no concept with this URI.')

  const versions = changes.map((change) => ({ change, differences: differencesOf(change) }))
  const items = await readNames(request, versions)
  const { texts, reading } = request
  const name = nameOf(item ?? { uri }, reading.preferred)
  return {
    title: texts.versionsOf(name),
    body: (
      <article>
        <p class="crumbs">{present ? <ConceptLink concept={present} /> : <UriText uri={uri} />}</p>
        <h1>
          <Name of={item ?? { uri }} />
        </h1>
        <h2>{texts.versions}</h2>
        {total === 0 ? <p>{texts.noVersions}</p> : null}
        <ol class="versions">
          {versions.map(({ change, differences }) => (
            <li>
              <Version change={change} differences={differences} items={items} />
            </li>
          ))}
        </ol>
        <Pagination part={{ offset, limit: PAGE, total }} path="history" query={{ uri }} />
      </article>
    ),
  }
}

/** A value of a field: a text in a language, a resource with a name, or a truth value. */
type FieldValue = { text: string; language: string } | { item: Item; relation?: string } | { flag: boolean }

interface FieldDifference {
  field: string
  removed: FieldValue[]
  added: FieldValue[]
}

/** The fields that differ, in the order of records. */
function differencesOf({ uri, removed = [], added = [] }: Change): FieldDifference[] {
  const [went, came] = [toFields(uri, removed), toFields(uri, added)]
  return FIELDS.flatMap(({ name }) => {
    // `mapping` shows the same.
    if (name === 'mappings' || (went[name] === undefined && came[name] === undefined)) return []
    return { field: name, removed: valuesOfField(name, went[name]), added: valuesOfField(name, came[name]) }
  })
}

function valuesOfField(field: string, value: unknown): FieldValue[] {
  if (value === undefined) return []
  const { kind } = FIELD.get(field)!
  if (kind === 'mapping') {
    return (value as { type: string; to: string }[]).map(({ type, to }) => ({ item: { uri: to }, relation: type }))
  }
  if (holdsLinks(FIELD.get(field)!)) return (value as Item[]).map((item) => ({ item }))
  if (kind === 'iris' || kind === 'url') return [value].flat().map((uri) => ({ item: { uri: uri as string } }))
  if (kind === 'label' || kind === 'labels' || kind === 'note') {
    return Object.entries(value as Record<string, string | string[]>).flatMap(([language, texts]) =>
      [texts].flat().map((text) => ({ text, language })),
    )
  }
  if (kind === 'boolean') return [{ flag: value as boolean }]
  const texts = kind === 'json' || kind === 'jsons' ? [JSON.stringify(value)] : ([value].flat() as string[])
  return texts.map((text) => ({ text, language: 'und' }))
}

/** The present names of the resources that the versions link to, by URI. */
async function readNames(
  request: PageRequest,
  versions: readonly { differences: readonly FieldDifference[] }[],
): Promise<ReadonlyMap<string, Item>> {
  const values = versions.flatMap(({ differences }) =>
    differences.flatMap(({ removed, added }) => [...removed.slice(0, MAX_VALUES), ...added.slice(0, MAX_VALUES)]),
  )
  const uris = [...new Set(values.flatMap((value) => ('item' in value ? (value.item.uri ?? []) : [])))]
  return recordsByUri(request, uris.slice(0, MAX_NAMES))
}

interface VersionProps {
  change: Change
  differences: readonly FieldDifference[]
  items: ReadonlyMap<string, Item>
}

function Version({ change, differences, items }: VersionProps) {
  const request = useRequest()
  const { texts } = request
  const { uri, kind, time, cause, graph, removed, added } = change
  const otherStatements = [...(removed ?? []), ...(added ?? [])].filter(isBeside).length
  const by =
    cause.by === 'load'
      ? texts.changedBy.load(cause.files?.join(', ') ?? '')
      : texts.changedBy[cause.decision ?? cause.by]
  return (
    <section>
      <h3>
        {texts.changeKinds[kind]}{' '}
        <time class="quiet" dateTime={time}>
          {formatTime(request, time)}
        </time>
      </h3>
      <p class="small">
        <bdi>{by}</bdi> · <ChangedVocabulary uri={graph} />
        {kind === 'Delete' ? null : (
          <>
            {' · '}
            <a href={link(request, 'data', { uri, at: time, format: 'json' })}>{texts.versionRecord}</a>
          </>
        )}
      </p>
      <Reason reason={cause.reason} />
      {differences.length > 0 ? (
        <dl class="changes">
          {differences.map((difference) => (
            <Fact name={fieldName(request, difference.field)}>
              <ul>
                <Values values={difference.removed} items={items} isRemoved />
                <Values values={difference.added} items={items} />
              </ul>
            </Fact>
          ))}
        </dl>
      ) : null}
      {removed ? null : <p>{texts.largeChange}</p>}
      {otherStatements > 0 ? (
        <p class="small">{texts.otherStatements(formatNumber(request, otherStatements))}</p>
      ) : null}
    </section>
  )
}

/** The element, a sign and a word mark each value, so that readers do not depend on colours. */
function Values({
  values,
  items,
  isRemoved = false,
}: {
  values: readonly FieldValue[]
  items: ReadonlyMap<string, Item>
  isRemoved?: boolean
}) {
  const request = useRequest()
  const { texts } = request
  const Mark = isRemoved ? 'del' : 'ins'
  return (
    <>
      {values.slice(0, MAX_VALUES).map((value) => (
        <li>
          <span class="sign" aria-hidden="true">
            {isRemoved ? '−' : '+'}
          </span>
          <span class="hidden">{isRemoved ? texts.removed : texts.added}: </span>
          <Mark>
            <ValueText value={value} items={items} />
          </Mark>
        </li>
      ))}
      {values.length > MAX_VALUES ? <li>{texts.andMore(formatNumber(request, values.length - MAX_VALUES))}</li> : null}
    </>
  )
}

function ValueText({ value, items }: { value: FieldValue; items: ReadonlyMap<string, Item> }) {
  const request = useRequest()
  if ('flag' in value) return <>{value.flag ? request.texts.sparqlTexts.yes : request.texts.sparqlTexts.no}</>
  if ('text' in value) {
    const { text, language } = value
    return (
      <>
        <Text language={language}>{text}</Text> <LanguageTag language={language} />
      </>
    )
  }
  const { item, relation } = value
  const storedItem = item.uri === undefined ? undefined : items.get(item.uri)
  return (
    <>
      {relation === undefined ? null : `${relationName(request, relation)} `}
      {storedItem ? <ConceptLink concept={storedItem} /> : <ItemLink item={item} />}
    </>
  )
}

/** The vocabulary or subset in which something changed. */
function ChangedVocabulary({ uri }: { uri: string }) {
  const { dependencies } = useRequest()
  const vocabulary = findVocabulary(dependencies.registry.last ?? [], uri)
  if (!vocabulary) {
    return (
      <OutLink href={uri}>
        <UriText uri={uri} />
      </OutLink>
    )
  }
  return <VocabularyLink item={vocabularyItem(vocabulary)} />
}

/** The beginnings of statements that a field shows. The property of dates has links, too. */
const SHOWN = FIELDS.flatMap((field) => {
  const { name, kind, property } = field
  return property && name !== 'type' && !isStructured(field) && kind !== 'jsons'
    ? `<${property}> ${kind === 'dates' ? '"' : ''}`
    : []
})

/** True for a statement of the resource itself that no field shows. */
function isBeside(statement: string): boolean {
  if (statement.startsWith('_:')) return false
  return statement.startsWith(`<${RDF_TYPE}> `) || !SHOWN.some((property) => statement.startsWith(property))
}

/** The fields whose texts have another name. */
const FIELD_TEXTS: Readonly<Record<string, string>> = {
  prefLabel: 'preferred',
  altLabel: 'alternative',
  identifier: 'identifiers',
  inScheme: 'vocabulary',
  deprecated: 'isDeprecated',
  mapping: 'mappings',
  url: 'homepage',
}

/** The name of a field on pages; fields that pages show nowhere else keep their JSKOS name. */
function fieldName({ texts }: PageRequest, field: string): string {
  const name = (texts as unknown as Record<string, unknown>)[FIELD_TEXTS[field] ?? field]
  return typeof name === 'string' ? name : field
}

function formatTime({ reading }: PageRequest, time: string): string {
  const date = new Date(time)
  return `${date.toLocaleString(reading.page, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })} UTC`
}
