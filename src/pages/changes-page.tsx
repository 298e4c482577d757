import { ATOM } from '../history/atom.ts'
import { findChanges } from '../history/changes.ts'
import { CHANGE_KINDS, type Change, type ChangeKind } from '../history/log/change.ts'
import { givenParameters } from '../http/parameters.ts'
import type { JskosRecord } from '../jskos/record.ts'
import { CONCEPT_SCHEME } from '../namespaces.ts'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import { LONGEST_NAME } from './branch.tsx'
import { Day, formatMonth, formatNumber } from './format.tsx'
import { ConceptLink, ItemLink, Label, Name } from './label.tsx'
import { askEndpoint, link, publicUrl, type PageRequest } from './page-request.ts'
import type { Made } from './page.tsx'
import { Pagination } from './pagination.tsx'
import { nameOf, type Item } from './records.ts'
import { VocabularyHeading, vocabularyLink, within } from './vocabulary.tsx'

/** Changes on one page. */
const PAGE = 100

/** One change with the record of what has changed. */
interface Entry {
  change: Change
  record: JskosRecord
  isProposed: boolean
}

/** GET /voc/{vocid}/changes for people: by month, what is new, changed, deprecated and gone. */
export async function changesPage(request: PageRequest): Promise<Made> {
  const isPart = request.parameters.get('part') === 'column'
  const asked = isPart ? { ...request, longest: LONGEST_NAME } : request
  const { texts, reading, parameters, dependencies, vocid = '', signal } = asked
  const query = { since: parameters.get('since'), kind: parameters.get('kind') }
  const given = givenParameters({
    ...query,
    offset: parameters.get('offset'),
    limit: String(PAGE),
    properties: 'prefLabel,notation,deprecated,replacedBy',
  })
  const found = await findChanges(dependencies, vocid, given, signal)
  const records: JskosRecord[] = []
  for await (const piece of found.records) records.push(...piece)
  const { followed, changes, proposed, total } = found
  const entries = changes.map((change, at) => ({
    change,
    record: records[at]!,
    isProposed: proposed.has(change.uri),
  }))
  const replacements = await named(asked, records)
  const present = await dependencies.registry.find(vocid)
  const vocabulary = { uri: followed.uri, prefLabel: followed.prefLabel, notation: [followed.id] }
  const name = nameOf(vocabulary, reading.preferred)
  const path = `voc/${encodeURIComponent(followed.id)}/changes`
  const inside = present ? within(asked, present) : asked
  const list = (
    <>
      {total === 0 ? <p>{texts.noVersions}</p> : null}
      {byMonth(entries).map(([month, ofMonth]) => (
        <section>
          <h2>{formatMonth(asked, month)}</h2>
          {CHANGE_KINDS.map((kind) => (
            <OfKind
              asked={inside}
              kind={kind}
              entries={ofMonth.filter(({ change }) => change.kind === kind)}
              replacements={replacements}
            />
          ))}
        </section>
      ))}
      <Pagination
        asked={asked}
        part={{ offset: found.request.page.offset, limit: PAGE, total }}
        path={path}
        query={query}
      />
    </>
  )
  if (isPart) return { part: list }
  return {
    title: `${texts.changes}: ${name}`,
    canonical: [...parameters.keys()].every((one) => one === 'lang') ? { path } : undefined,
    alternates: [{ mediaType: ATOM.mediaType, href: publicUrl(asked, path, { format: 'atom' }) }],
    vocabulary: present ? { id: followed.id, name } : undefined,
    column: {},
    body: (
      <>
        {present ? (
          <VocabularyHeading asked={asked} vocabulary={vocabulary} view="changes" />
        ) : (
          <h1>
            <Label asked={asked} item={vocabulary} />
          </h1>
        )}
        {list}
        <p class="small">
          <a href={`${asked.root}${path}?format=atom`} type={ATOM.mediaType}>
            Atom
          </a>
        </p>
      </>
    ),
  }
}

/** Entries by month (YYYY-MM, UTC), in the order of the entries. */
function byMonth(entries: readonly Entry[]): [month: string, entries: Entry[]][] {
  const months = new Map<string, Entry[]>()
  for (const entry of entries) {
    const month = entry.change.time.slice(0, 7)
    const known = months.get(month)
    if (known) known.push(entry)
    else months.set(month, [entry])
  }
  return [...months]
}

/** The present names of what replaces deprecated and deleted concepts, by URI. */
async function named(asked: PageRequest, records: readonly JskosRecord[]): Promise<ReadonlyMap<string, Item>> {
  const uris = [...new Set(records.flatMap((record) => replacementsOf(record).flatMap(({ uri }) => uri ?? [])))]
  const absolute = uris.filter(isAbsoluteIri)
  if (absolute.length === 0) return new Map()
  const query = { uri: absolute.join('|'), properties: 'prefLabel,notation' }
  const { records: found } = await askEndpoint({ ...asked, vocid: undefined }, '/data', query)
  return new Map(found.map((record) => [record.uri, record]))
}

function replacementsOf(record: JskosRecord): readonly Item[] {
  return ('replacedBy' in record && record.replacedBy) || []
}

/** The entries of one kind; nothing if there are none. */
function OfKind({
  asked,
  kind,
  entries,
  replacements,
}: {
  asked: PageRequest
  kind: ChangeKind
  entries: readonly Entry[]
  replacements: ReadonlyMap<string, Item>
}) {
  if (entries.length === 0) return null
  return (
    <>
      <h3>
        {asked.texts.changeKinds[kind]} <span class="count">{formatNumber(asked, entries.length)}</span>
      </h3>
      <ul class="log">
        {entries.map((entry) => (
          <li>
            <EntryLine asked={asked} entry={entry} replacements={replacements} />
          </li>
        ))}
      </ul>
    </>
  )
}

/** The name, struck through if nobody should use it any more, with the day and what replaces it. */
function EntryLine({
  asked,
  entry: { change, record, isProposed },
  replacements,
}: {
  asked: PageRequest
  entry: Entry
  replacements: ReadonlyMap<string, Item>
}) {
  const { texts } = asked
  const isGone = change.kind === 'Delete'
  const isDeprecated = 'deprecated' in record && record.deprecated === true
  const isOver = isGone || change.kind === 'Deprecate' || isDeprecated
  const name = <Changed asked={asked} record={record} isGone={isGone} />
  const instead = isOver ? replacementsOf(record) : []
  return (
    <>
      {isOver ? <s>{name}</s> : name} <Day asked={asked} date={change.time.slice(0, 10)} />
      {isDeprecated && !isGone && change.kind !== 'Deprecate' ? ` · ${texts.isDeprecated}` : null}
      {isProposed ? ` · ${texts.proposed}` : null}
      {instead.length > 0 ? (
        <>
          {' · '}
          {texts.replacedBy}:{' '}
          {instead.map((item, at) => {
            const known = item.uri === undefined ? undefined : replacements.get(item.uri)
            return (
              <>
                {at > 0 ? ', ' : null}
                {known ? <ConceptLink asked={asked} concept={known} /> : <ItemLink asked={asked} item={item} />}
              </>
            )
          })}
        </>
      ) : null}
    </>
  )
}

/** A link to the page of what has changed; what is gone has only its versions. */
function Changed({ asked, record, isGone }: { asked: PageRequest; record: JskosRecord; isGone: boolean }) {
  const { uri, type } = record
  if (isGone) {
    return (
      <a href={link(asked, 'history', { uri })}>
        <Name asked={asked} of={record} />
      </a>
    )
  }
  if (type[0] !== CONCEPT_SCHEME) return <ConceptLink asked={asked} concept={record} />
  return (
    <a href={vocabularyLink(asked, record)}>
      <Label asked={asked} item={record} />
    </a>
  )
}
