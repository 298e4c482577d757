import { readIris, readWholeNumber } from '../../interface/http/parameters.ts'
import { isLink, type Link } from '../../graph/jskos/names.ts'
import { isCollection, membersInOrder, type JskosRecord } from '../../graph/jskos/record.ts'
import { recordsByUri } from '../../interface/read/data.ts'
import { withPath, type TreeLevel } from '../../interface/read/levels.ts'
import { askEndpoint } from '../../routes.ts'
import { BranchList, LONGEST_NODE_NAME, NODES_ON_PAGE, toBranch, type TreeBranch, type BranchNode } from './branch.tsx'
import { formatNumber } from './format.tsx'
import { ConceptLink } from './label.tsx'
import { link, type PageRequest, useRequest } from './page-request.ts'
import type { PageResult } from './page.tsx'
import { Pagination } from './pagination.tsx'
import { VocabularyHeading, vocabularyFrame, vocabularyOfPath } from './vocabulary-heading.tsx'

/** The page shows at most this many members of a group; the page of the group has all. */
const MAX_MEMBERS = 20
/** The page shows the members of at most this many groups within groups. */
const MAX_NESTED = 100
/** The tree beside a page opens at most this many groups within each other. */
const MAX_OPEN = 10

/** A part of the groups that are in no other one, or of the members of a group. */
interface GroupLevel extends TreeLevel<Link> {
  offset: number
}

/**
 * GET /voc/{vocid}/groups for browsers: the groups of a vocabulary with their members; for the column in parts, opened
 * down to `at`.
 */
export async function groupsPage(pageRequest: PageRequest): Promise<PageResult> {
  const { request, registered, path } = await vocabularyOfPath(pageRequest, 'groups')
  const { parameters, texts } = request
  const [openAt] = readIris(parameters, 'at')
  const [uri] = readIris(parameters, 'uri')
  const offset = readWholeNumber(parameters, 'offset') ?? 0
  const part = parameters.get('part')
  if (part === 'branch' || part === 'column') {
    const short = { ...request, longest: LONGEST_NODE_NAME }
    const isPart = part === 'branch'
    const branch = await (isPart
      ? readLevel(request, uri, offset).then((level) => branchOf(short, path, level, []))
      : readBranch(short, path, openAt))
    if (branch.nodes.length === 0 && !isPart) return { request, part: <p class="small">{texts.noGroups}</p> }
    return { request: short, part: <BranchList branch={branch} {...(isPart ? {} : { name: texts.collections })} /> }
  }
  const [{ vocabulary, page }, { total, records: groups }] = await Promise.all([
    vocabularyFrame(request, registered, texts.collections, path, 'prefLabel,notation'),
    askGroups(request, offset, 'prefLabel,notation,memberSet,memberList'),
  ])
  const nested = await readNested(request, groups)
  return {
    ...page,
    column: { openAt },
    body: (
      <>
        <VocabularyHeading vocabulary={vocabulary} view="groups" />
        {total === 0 ? <p>{texts.noGroups}</p> : null}
        <ul class="groups">
          {groups.map((group) => (
            <Group group={group} nested={nested} />
          ))}
        </ul>
        <Pagination path={path} query={{}} part={{ offset, limit: NODES_ON_PAGE, total }} />
      </>
    ),
  }
}

function askGroups(request: PageRequest, offset: number, properties: string) {
  const page = { limit: String(NODES_ON_PAGE), offset: String(offset) }
  return askEndpoint(request, '/voc/:vocid/groups', { top: 'true', properties, ...page })
}

/** A group with its first members, and the first members of the groups among them. */
function Group({ group, nested }: { group: JskosRecord; nested: Nested }) {
  const members = linksTo(group)
  return (
    <li>
      <h2>
        <ConceptLink concept={group} /> <Count of={members} />
      </h2>
      <Members group={group} members={members} nested={nested} />
    </li>
  )
}

/** The groups within groups, by URI. */
type Nested = ReadonlyMap<string, JskosRecord>

function Count({ of: { length } }: { of: readonly Link[] }) {
  const request = useRequest()
  return length > 0 ? <span class="count">{formatNumber(request, length)}</span> : null
}

function Members({ group, members, nested }: { group: JskosRecord; members: readonly Link[]; nested?: Nested }) {
  const request = useRequest()
  if (members.length === 0) return null
  return (
    <ul class={nested && 'concepts'}>
      {members.slice(0, MAX_MEMBERS).map((member) => {
        const nestedGroup = nested?.get(member.uri)
        const below = nestedGroup ? linksTo(nestedGroup) : []
        return (
          <li class={isCollection(member) ? 'group' : undefined}>
            <ConceptLink concept={member} /> <Count of={below} />
            {nestedGroup ? <Members group={nestedGroup} members={below} /> : null}
          </li>
        )
      })}
      {members.length > MAX_MEMBERS ? (
        <li>
          <a href={link(request, 'concept', { uri: group.uri })}>
            {request.texts.moreBelow(formatNumber(request, members.length - MAX_MEMBERS))}
          </a>
        </li>
      ) : null}
    </ul>
  )
}

/** The shown groups within some groups. */
async function readNested(request: PageRequest, groups: readonly JskosRecord[]): Promise<Nested> {
  const shown = groups.flatMap((group) => linksTo(group).slice(0, MAX_MEMBERS).filter(isCollection))
  const uris = [...new Set(shown.map(({ uri }) => uri))].slice(0, MAX_NESTED)
  return recordsByUri(request, uris, { properties: 'memberSet,memberList' })
}

function linksTo(group: JskosRecord): Link[] {
  return membersInOrder(group).filter(isLink)
}

/** The groups in no other one, or a part of the members of a group. */
async function readLevel(request: PageRequest, parent: string | undefined, offset: number): Promise<GroupLevel> {
  if (parent === undefined) {
    const { total, records } = await askGroups(request, offset, 'prefLabel,notation')
    return { total, offset, concepts: records }
  }
  const record = (await recordsByUri(request, [parent], { properties: 'memberSet,memberList' })).get(parent)
  const members = record ? linksTo(record) : []
  return { parent, total: members.length, offset, concepts: members.slice(offset, offset + NODES_ON_PAGE) }
}

/** The groups from the top level down to a concept or group. */
async function readBranch(request: PageRequest, path: string, openAt: string | undefined): Promise<TreeBranch> {
  const way = openAt === undefined ? [] : await readWay(request, openAt)
  const levels = await Promise.all([
    readLevel(request, undefined, 0),
    ...way.slice(0, -1).map(({ uri }) => readLevel(request, uri, 0)),
  ])
  const [top, ...below] = withPath(levels, way).map((level) => ({ ...level, offset: 0 }))
  return branchOf(
    request,
    path,
    top!,
    way.map(({ uri }, index) => ({ uri, level: below[index] })),
  )
}

/** The path from a top-level group down to a concept or group; empty if it is in no group. */
async function readWay(request: PageRequest, uri: string): Promise<Link[]> {
  const read = async (groupUri: string) => {
    const records = await recordsByUri(request, [groupUri], { properties: 'prefLabel,notation,memberOf' })
    return records.get(groupUri)
  }
  const way: Link[] = []
  let group = await read(uri)
  while (group && way.length < MAX_OPEN && !way.some((ancestor) => ancestor.uri === group!.uri)) {
    way.unshift(group)
    const [above] = group.memberOf ?? []
    group = above?.uri === undefined ? undefined : await read(above.uri)
  }
  return way.length > 1 || (way[0] && isCollection(way[0])) ? way : []
}

function branchOf(
  request: PageRequest,
  path: string,
  groupLevel: GroupLevel,
  [open, ...rest]: readonly { uri: string; level: GroupLevel | undefined }[],
): TreeBranch {
  const nodes = groupLevel.concepts.map((item): BranchNode => {
    const isParent = isCollection(item)
    const level = item.uri === open?.uri ? open.level : undefined
    return {
      item,
      isGroup: isParent,
      isParent,
      below: isParent && level ? branchOf(request, path, level, rest) : undefined,
    }
  })
  return toBranch(request, path, groupLevel, nodes)
}
