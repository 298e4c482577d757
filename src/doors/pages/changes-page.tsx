import { ATOM } from '../../writing/history/atom.ts'
import { findChanges } from '../../writing/history/changes.ts'
import { CHANGE_KINDS, type ChangeKind } from '../../writing/history/log/change.ts'
import { givenParameters } from '../../interface/http/parameters.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import { CONCEPT_SCHEME } from '../../base/namespaces.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri, literal } from '../../graph/sparql/terms.ts'
import type { Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { recordsByUri } from '../../interface/read/data.ts'
import { LONGEST_NODE_NAME } from './branch.tsx'
import { Day, formatDay, formatMonth, formatNumber, joinedItems } from './format.tsx'
import { ConceptLink, ItemLink, Label, Name } from './label.tsx'
import { isPlain, link, publicUrl, type PageRequest, useRequest } from './page-request.ts'
import type { PageResult } from './page.tsx'
import { Pagination } from './pagination.tsx'
import { nameOf, type Item } from './records.ts'
import { VocabularyHeading, VocabularyLink, withinSubset } from './vocabulary-heading.tsx'
import { groupedBy } from '../../base/groups.ts'

/** Changes on one page. */
const PAGE = 100

/** The service does not sort the dates of larger vocabularies. */
const MAX_DATED = 200_000

/** One change with the record of what has changed. */
interface ChangeEntry {
  kind: ChangeKind
  /** YYYY-MM-DD, YYYY-MM or YYYY */
  day: string
  record: JskosRecord
  isProposed: boolean
}

/**
 * GET /voc/{vocid}/changes for people: by month, what is new, changed, deprecated and gone. Concepts that existed when
 * the log began do not count as new; dates before the log come from the source.
 */
export async function changesPage(pageRequest: PageRequest): Promise<PageResult> {
  const isPart = pageRequest.parameters.get('part') === 'column'
  const request = isPart ? { ...pageRequest, longest: LONGEST_NODE_NAME } : pageRequest
  const { texts, reading, parameters, dependencies, vocid = '', signal } = request
  const query = { since: parameters.get('since'), kind: parameters.get('kind') }
  const isWhole = query.since === undefined && query.kind === undefined
  const listParameters = givenParameters({
    ...query,
    offset: parameters.get('offset'),
    limit: String(PAGE),
    properties: FIELDS,
  })
  const changeList = await findChanges(dependencies, vocid, listParameters, signal, isWhole)
  const records: JskosRecord[] = []
  for await (const piece of changeList.records) records.push(...piece)
  const { followed, changes, proposed, began } = changeList
  const logged = changes.map(({ kind, time, uri }, index): ChangeEntry => {
    return { kind, day: time.slice(0, 10), record: records[index]!, isProposed: proposed.has(uri) }
  })
  const present = await dependencies.registry.find(vocid)
  const { offset } = changeList.request.page
  const dated =
    isWhole && present && began !== undefined
      ? await datedEntries(request, present, began, {
          offset: Math.max(0, offset - changeList.total),
          limit: PAGE - logged.length,
        })
      : { total: 0, entries: [] }
  const entries = [...logged, ...dated.entries]
  const total = changeList.total + dated.total
  const replacements = await recordsByUri(
    request,
    entries.flatMap(({ record }) => replacementsOf(record).flatMap(({ uri }) => uri ?? [])),
  )
  const vocabulary = { uri: followed.uri, prefLabel: followed.prefLabel, notation: [followed.id] }
  const name = nameOf(vocabulary, reading.preferred)
  const path = `voc/${encodeURIComponent(followed.id)}/changes`
  const inside = present ? withinSubset(request, present) : request
  const list = (
    <>
      {began !== undefined && isWhole && present ? (
        <p class="small">
          {texts.followedSince(formatDay(request, began.slice(0, 10)))} {total === 0 ? texts.nothingSince : null}
          {dated.total > 0 ? texts.datesOfSource : null}
        </p>
      ) : total === 0 ? (
        <p>{texts.noVersions}</p>
      ) : null}
      {byMonth(entries).map(([month, ofMonth]) => (
        <section class="month">
          <h2>{formatMonth(request, month)}</h2>
          {CHANGE_KINDS.map((kind) => (
            <OfKind
              kind={kind}
              entries={ofMonth.filter((entry) => entry.kind === kind)}
              // A month may go on, on the page before or after this one.
              isCounted={total <= PAGE}
              replacements={replacements}
            />
          ))}
        </section>
      ))}
      <Pagination
        part={{ offset, limit: PAGE, total }}
        path={path}
        query={query}
        // The column may be beside the page of the same list.
        name={isPart ? texts.changes : undefined}
      />
    </>
  )
  if (isPart) return { request: inside, part: list }
  return {
    request: inside,
    title: `${texts.changes}: ${name}`,
    canonical: isPlain(request) ? { path } : undefined,
    alternates: [{ mediaType: ATOM.mediaType, href: publicUrl(request, path, { format: 'atom' }) }],
    vocabulary: present ? { id: followed.id, name } : undefined,
    column: {},
    body: (
      <>
        {present ? (
          <VocabularyHeading vocabulary={vocabulary} view="changes" />
        ) : (
          <h1>
            <Label item={vocabulary} />
          </h1>
        )}
        {list}
        <p class="small">
          <a href={`${request.root}${path}?format=atom`} type={ATOM.mediaType}>
            Atom
          </a>
          {present ? (
            <>
              {', '}
              <a href={`${request.root}voc/${encodeURIComponent(followed.id)}/activity`}>ActivityStreams</a>
            </>
          ) : null}
        </p>
      </>
    ),
  }
}

/** The fields of what has changed. */
const FIELDS = 'prefLabel,notation,deprecated,replacedBy'

/**
 * A page of changes before the log began, by the dates in the source; empty for a subset, whose concepts have the dates
 * of its vocabulary.
 *
 * @throws the errors of the store.
 */
async function datedEntries(
  { dependencies, signal }: PageRequest,
  vocabulary: Vocabulary,
  before: string,
  page: { limit: number; offset: number },
): Promise<{ total: number; entries: ChangeEntry[] }> {
  const { uri, isSubset } = vocabulary
  const { concepts = 0 } = (await dependencies.index.lengths(vocabulary)) ?? {}
  if (isSubset || concepts > MAX_DATED) return { total: 0, entries: [] }
  const { client } = dependencies
  const dated = queryTemplate('history/dated')
  const terms = { graph: [iri(uri)], before: [literal(before.slice(0, 10))] }
  const select = dated.bindSubselect({ terms })
  const counting = queryTemplate('history/count').bind({ subselect: { slot: 'c', select } })
  const [[count], rows] = await Promise.all([
    client.select(counting, { signal }),
    page.limit === 0 ? [] : client.select(dated.bind({ terms, include: ['page'], ...page }), { signal }),
  ])
  const uris = rows.flatMap(({ c }) => c?.value ?? [])
  const records = await recordsByUri({ dependencies, signal }, uris, { properties: FIELDS, voc: uri })
  const entries = rows.flatMap(({ c, day, kind }): ChangeEntry[] => {
    const record = records.get(c?.value ?? '')
    return record ? [{ kind: kind!.value as ChangeKind, day: day!.value, record, isProposed: false }] : []
  })
  return { total: Number(count?.['count']?.value ?? 0), entries }
}

/** Entries by month (YYYY-MM, UTC), or by year if the source has no more, in the order of the entries. */
function byMonth(entries: readonly ChangeEntry[]): [month: string, entries: ChangeEntry[]][] {
  return [...groupedBy(entries, ({ day }) => day.slice(0, 7))]
}

function replacementsOf(record: JskosRecord): readonly Item[] {
  return ('replacedBy' in record && record.replacedBy) || []
}

/** The entries of one kind; nothing if there are none. */
function OfKind({
  kind,
  entries,
  isCounted,
  replacements,
}: {
  kind: ChangeKind
  entries: readonly ChangeEntry[]
  isCounted: boolean
  replacements: ReadonlyMap<string, Item>
}) {
  const request = useRequest()
  if (entries.length === 0) return null
  return (
    <>
      <h3>
        {request.texts.changeKinds[kind]}
        {isCounted ? <span class="count"> {formatNumber(request, entries.length)}</span> : null}
      </h3>
      <ul class="log">
        {entries.map((entry) => (
          <li>
            <EntryLine entry={entry} replacements={replacements} />
          </li>
        ))}
      </ul>
    </>
  )
}

/** The name, struck through if the concept is deprecated or deleted, with the day and the replacement. */
function EntryLine({
  entry: { kind, day, record, isProposed },
  replacements,
}: {
  entry: ChangeEntry
  replacements: ReadonlyMap<string, Item>
}) {
  const { texts } = useRequest()
  const isGone = kind === 'Delete'
  const isDeprecated = 'deprecated' in record && record.deprecated === true
  const isOver = isGone || kind === 'Deprecate' || isDeprecated
  const name = <Changed record={record} isGone={isGone} />
  const instead = replacementsOf(record)
  return (
    <>
      {isOver ? <s>{name}</s> : name} <Day date={day} />
      {isDeprecated && !isGone && kind !== 'Deprecate' ? ` · ${texts.isDeprecated}` : null}
      {isProposed ? ` · ${texts.proposed}` : null}
      {instead.length > 0 ? (
        <>
          {' · '}
          {texts.replacedBy}:{' '}
          {joinedItems(
            instead.map((item) => {
              const replacement = item.uri === undefined ? undefined : replacements.get(item.uri)
              return replacement ? <ConceptLink concept={replacement} /> : <ItemLink item={item} />
            }),
          )}
        </>
      ) : null}
    </>
  )
}

/** A link to the page of what has changed; what is gone has only its versions. */
function Changed({ record, isGone }: { record: JskosRecord; isGone: boolean }) {
  const request = useRequest()
  const { uri, type } = record
  if (isGone) {
    return (
      <a href={link(request, 'history', { uri })}>
        <Name of={record} />
      </a>
    )
  }
  return type[0] === CONCEPT_SCHEME ? <VocabularyLink item={record} /> : <ConceptLink concept={record} />
}
