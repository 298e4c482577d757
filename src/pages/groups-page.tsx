import { readIris, readWholeNumber } from '../http/parameters.ts'
import type { Collection, JskosRecord } from '../jskos/record.ts'
import { BranchList, LONGEST_NAME, type Branch, type BranchNode } from './branch.tsx'
import { isCollection } from './collection.tsx'
import { formatNumber } from './format.tsx'
import { ConceptLink } from './label.tsx'
import { askEndpoint, askRecords, isPlain, link, type PageRequest } from './page-request.ts'
import type { Made } from './page.tsx'
import { Pagination } from './pagination.tsx'
import { nameOf, type Item } from './records.ts'
import { vocabularyAsked, VocabularyHeading, within } from './vocabulary-heading.tsx'

/** Groups on a page, and members of a group in the tree beside a page. */
const PAGE = 100
/** The page shows at most this many members of a group; the page of the group has all. */
const MAX_MEMBERS = 20
/** The page shows the members of at most this many groups within groups. */
const MAX_NESTED = 100
/** The tree beside a page opens at most this many groups within each other. */
const MAX_OPEN = 10

/** A part of the groups that are in no other one, or of the members of a group. */
interface Level {
  parent: string | undefined
  total: number
  offset: number
  members: readonly Member[]
}

type Member = Item & { uri: string; type?: string[] }

/** GET /voc/{vocid}/groups for browsers: the groups of a vocabulary with their members; for the column in parts, open at `at`. */
export async function groupsPage(request: PageRequest): Promise<Made> {
  const known = await vocabularyAsked(request)
  const asked = within(request, known)
  const { parameters, texts, reading } = asked
  const id = known.ids[0] ?? known.uri
  const path = `voc/${encodeURIComponent(id)}/groups`
  const [at] = readIris(parameters, 'at')
  const [uri] = readIris(parameters, 'uri')
  const offset = readWholeNumber(parameters, 'offset') ?? 0
  const part = parameters.get('part')
  if (part === 'branch' || part === 'column') {
    const short = { ...asked, longest: LONGEST_NAME }
    const isPart = part === 'branch'
    const branch = await (isPart
      ? readLevel(asked, uri, offset).then((level) => branchOf(short, path, level, []))
      : readBranch(short, path, at))
    if (branch.nodes.length === 0 && !isPart) return { part: <p class="small">{texts.noGroups}</p> }
    return { part: <BranchList asked={short} branch={branch} {...(isPart ? {} : { name: texts.collections })} /> }
  }
  const [{ records }, { total, records: groups }] = await Promise.all([
    askEndpoint(asked, '/voc/:vocid', { properties: 'prefLabel,notation' }),
    askGroups(asked, offset, 'prefLabel,notation,memberSet,memberList'),
  ])
  const nested = await readNested(asked, groups)
  const vocabulary = records[0]!
  const name = nameOf(vocabulary, reading.preferred)
  return {
    title: `${texts.collections}: ${name}`,
    canonical: isPlain(asked) ? { path } : undefined,
    vocabulary: { id, name },
    column: { at },
    body: (
      <>
        <VocabularyHeading asked={asked} vocabulary={vocabulary} view="groups" />
        {total === 0 ? <p>{texts.noGroups}</p> : null}
        <ul class="groups">
          {groups.map((group) => (
            <Group asked={asked} group={group} nested={nested} />
          ))}
        </ul>
        <Pagination asked={asked} path={path} query={{}} part={{ offset, limit: PAGE, total }} />
      </>
    ),
  }
}

function askGroups(asked: PageRequest, offset: number, properties: string) {
  const page = { limit: String(PAGE), offset: String(offset) }
  return askEndpoint(asked, '/voc/:vocid/groups', { top: 'true', properties, ...page })
}

/** A group with the first of its members, and of those of the groups among them. */
function Group({ asked, group, nested }: { asked: PageRequest; group: JskosRecord; nested: Nested }) {
  const members = membersOf(group)
  return (
    <li>
      <h2>
        <ConceptLink asked={asked} concept={group} /> <Count asked={asked} of={members} />
      </h2>
      <Members asked={asked} group={group} members={members} nested={nested} />
    </li>
  )
}

/** The groups within groups, by URI. */
type Nested = ReadonlyMap<string, JskosRecord>

function Count({ asked, of: { length } }: { asked: PageRequest; of: readonly Member[] }) {
  return length > 0 ? <span class="count">{formatNumber(asked, length)}</span> : null
}

function Members({
  asked,
  group,
  members,
  nested,
}: {
  asked: PageRequest
  group: JskosRecord
  members: readonly Member[]
  nested?: Nested
}) {
  if (members.length === 0) return null
  return (
    <ul class={nested && 'concepts'}>
      {members.slice(0, MAX_MEMBERS).map((member) => {
        const within = nested?.get(member.uri)
        const below = within ? membersOf(within) : []
        return (
          <li class={isGroup(member) ? 'group' : undefined}>
            <ConceptLink asked={asked} concept={member} /> <Count asked={asked} of={below} />
            {within ? <Members asked={asked} group={within} members={below} /> : null}
          </li>
        )
      })}
      {members.length > MAX_MEMBERS ? (
        <li>
          <a href={link(asked, 'concept', { uri: group.uri })}>
            {asked.texts.moreBelow(formatNumber(asked, members.length - MAX_MEMBERS))}
          </a>
        </li>
      ) : null}
    </ul>
  )
}

/** The shown groups within some groups. */
async function readNested(asked: PageRequest, groups: readonly JskosRecord[]): Promise<Nested> {
  const shown = groups.flatMap((group) => membersOf(group).slice(0, MAX_MEMBERS).filter(isGroup))
  const uris = [...new Set(shown.map(({ uri }) => uri))].slice(0, MAX_NESTED)
  return askRecords(asked, uris, { properties: 'memberSet,memberList' })
}

/** The members of a group in their order. */
function membersOf(group: JskosRecord): Member[] {
  const { memberList, memberSet } = group as Collection
  return (memberList ?? memberSet ?? []).flatMap((one) => one ?? [])
}

function isGroup({ type }: Member): boolean {
  return type !== undefined && isCollection({ type })
}

/** The groups in no other one, or a part of the members of a group. */
async function readLevel(asked: PageRequest, parent: string | undefined, offset: number): Promise<Level> {
  if (parent === undefined) {
    const { total, records } = await askGroups(asked, offset, 'prefLabel,notation')
    return { parent, total, offset, members: records }
  }
  const { records } = await askEndpoint({ ...asked, vocid: undefined }, '/data', {
    uri: parent,
    properties: 'memberSet,memberList',
  })
  const members = records[0] ? membersOf(records[0]) : []
  return { parent, total: members.length, offset, members: members.slice(offset, offset + PAGE) }
}

/** The groups from those in no other one down to something in one. */
async function readBranch(asked: PageRequest, path: string, at: string | undefined): Promise<Branch> {
  const way = at === undefined ? [] : await readWay(asked, at)
  const levels = await Promise.all([
    readLevel(asked, undefined, 0),
    ...way.slice(0, -1).map(({ uri }) => readLevel(asked, uri, 0)),
  ])
  const whole = levels.map((level, at) => {
    const next = way[at]
    // A member further down a long level moves to its beginning.
    if (!next || level.members.some(({ uri }) => uri === next.uri)) return level
    return { ...level, members: [next, ...level.members] }
  })
  const [top, ...below] = whole
  return branchOf(
    asked,
    path,
    top!,
    way.map(({ uri }, at) => ({ uri, level: below[at] })),
  )
}

/** From a group that is in no other one down to something in one; nothing if it is in none. */
async function readWay(asked: PageRequest, uri: string): Promise<Member[]> {
  const read = async (one: string) => {
    const query = { uri: one, properties: 'prefLabel,notation,memberOf' }
    const { records } = await askEndpoint({ ...asked, vocid: undefined }, '/data', query)
    return records[0]
  }
  const way: Member[] = []
  let at = await read(uri)
  while (at && way.length < MAX_OPEN && !way.some((one) => one.uri === at!.uri)) {
    way.unshift(at)
    const [above] = at.memberOf ?? []
    at = above && (await read(above.uri))
  }
  return way.length > 1 || (way[0] && isGroup(way[0])) ? way : []
}

function branchOf(
  asked: PageRequest,
  path: string,
  { parent, total, offset, members }: Level,
  [open, ...rest]: readonly { uri: string; level: Level | undefined }[],
): Branch {
  const nodes = members.map((item): BranchNode => {
    const isParent = isGroup(item)
    const level = item.uri === open?.uri ? open.level : undefined
    return {
      item,
      isGroup: isParent,
      isParent,
      below: isParent && level ? branchOf(asked, path, level, rest) : undefined,
    }
  })
  const next = offset + PAGE
  const href = link(asked, path, { uri: parent, offset: String(next) })
  return { nodes, total, ...(next < total && { more: { href, count: total - next } }) }
}
