import { ApiError } from '../errors.ts'
import { readIris, readWholeNumber } from '../http/parameters.ts'
import { NODE_PROPERTIES } from '../jskos/properties.ts'
import { nodeLabels } from '../read/node-labels.ts'
import type { Vocabulary as RegisteredVocabulary } from '../vocabularies/vocabulary.ts'
import { BranchList, LONGEST_NAME, type TreeBranch, type BranchNode } from './branch.tsx'
import { askEndpoint, askRecords, askWaysUp, isPlain, link, type PageRequest } from './page-request.ts'
import { isCollection } from './collection.tsx'
import { formatNumber } from './format.tsx'
import { byLabel, ConceptLink, Name } from './label.tsx'
import type { PageResult } from './page.tsx'
import { Pagination } from './pagination.tsx'
import { nameOf, type Concept, type ConceptScheme, type Item } from './records.ts'
import { hasGroups } from './vocabulary-facts.ts'
import { requestedVocabulary, VocabularyHeading, withinSubset } from './vocabulary-heading.tsx'

/** Concepts of a level on a page. */
const PAGE = 100

/**
 * A part of the top concepts, of the narrower concepts of a concept, or of the concepts that no top concept reaches.
 */
interface TreePageLevel {
  parent: string | undefined
  total: number
  offset: number
  concepts: readonly Concept[]
  /** Collections that divide the concepts, with the URIs of their members. */
  arrays?: readonly { array: Item & { uri: string }; members: ReadonlySet<string> }[]
  /** The open concept of this level, and the level below it. */
  open?: { uri: string; below: TreePageLevel | undefined }
}

/** The data that the tree shows. */
interface Tree {
  request: PageRequest
  path: string
  /** The requested concept. */
  currentUri: string | undefined
}

/**
 * GET /voc/{vocid}/tree: the hierarchy, opened down to the concept `uri` or `at` and its narrower concepts, and after
 * it the concepts that no top concept reaches.
 */
export async function treePage(pageRequest: PageRequest): Promise<PageResult> {
  const registered = await requestedVocabulary(pageRequest)
  const request = withinSubset(pageRequest, registered)
  const { parameters, reading, texts } = request
  const parameter = parameters.has('at') ? 'at' : 'uri'
  const [uri] = readIris(parameters, parameter)
  const offset = readWholeNumber(parameters, 'offset') ?? 0
  const id = registered.ids[0] ?? registered.uri
  const path = `voc/${encodeURIComponent(id)}/tree`
  const tree = { request, path, currentUri: uri }
  const part = parameters.get('part')
  if (part === 'below' || part === 'branch') {
    const below = await divided(request, registered, await readLevel(request, registered, uri, offset))
    if (part === 'below') return { part: <LevelList tree={tree} level={below} /> }
    const short = { ...request, longest: LONGEST_NAME }
    return { part: <BranchList request={short} branch={branchOf(short, path, below)} /> }
  }
  if (part === 'column') {
    const topLevel = await (uri === undefined
      ? readTop(request, registered)
      : readLevels(request, registered, uri, 0, MAX_OPEN))
    const short = { ...request, longest: LONGEST_NAME }
    if (topLevel.concepts.length === 0) return { part: <p class="small">{texts.emptyVocabulary}</p> }
    const branch = branchOf(short, path, await divided(request, registered, topLevel))
    return { part: <BranchList request={short} branch={branch} name={texts.tree} /> }
  }
  if (uri !== undefined && !(await askRecords(request, [uri], { properties: 'uri', voc: id })).has(uri))
    throw new ApiError('EntityNotFoundError', `${parameter}: this vocabulary has no concept with this URI.`)
  const unreached = await readUnreached(request, registered, uri, offset)
  const inTree = unreached?.open ? undefined : uri
  const [{ records }, level] = await Promise.all([
    askEndpoint(request, '/voc/:vocid'),
    inTree === undefined
      ? readLevel(request, registered, undefined, unreached?.open ? 0 : offset)
      : readLevels(request, registered, inTree, offset),
  ])
  const [vocabulary] = records as [ConceptScheme]
  const shown = await divided(request, registered, level)
  const name = nameOf(vocabulary, reading.preferred)
  return {
    title: `${texts.tree}: ${name}`,
    canonical: isPlain(request) ? { path } : undefined,
    vocabulary: { id, name },
    islands: ['tree'],
    body: (
      <>
        <VocabularyHeading request={request} vocabulary={vocabulary} view="tree" />
        {level.total > 0 ? <LevelList tree={tree} level={shown} isRoot /> : null}
        {level.total === 0 && !unreached ? <p>{texts.emptyVocabulary}</p> : null}
        <Pagination
          request={request}
          path={path}
          query={{ uri: inTree }}
          part={{ offset: lowest(level).offset, limit: PAGE, total: lowest(level).total }}
        />
        {unreached ? <Unreached tree={tree} level={unreached} /> : null}
      </>
    ),
  }
}

/** To find the concept that a collection divides, the tree looks at this many of those above a member. */
const MAX_PARENTS = 10

/** The tree beside a page opens at most this many levels. */
const MAX_OPEN = 40

/**
 * The levels from the top down to those directly below a concept.
 *
 * @param most the number of open concepts; those above are left out.
 */
async function readLevels(
  request: PageRequest,
  registered: RegisteredVocabulary,
  uri: string,
  offset: number,
  most = Infinity,
): Promise<TreePageLevel> {
  const voc = registered.ids[0] ?? registered.uri
  const [way = []] = (await askWaysUp(request, { uri, voc, properties: 'prefLabel' }, 1)).ways
  const open = [...way.map((openUri) => openUri.uri).reverse(), uri].slice(-most)
  const levels = await Promise.all([
    readLevel(request, registered, undefined, 0),
    ...open.map((openUri) => readLevel(request, registered, openUri, openUri === uri ? offset : 0)),
  ])
  const missing = open.filter((openUri, index) => !levels[index]!.concepts.some((concept) => concept.uri === openUri))
  const missingRecords = await askRecords(request, missing, { properties: FIELDS, voc })
  const other = missingRecords.get(uri)
  if (other && isCollection(other)) return levelsAround(request, registered, uri, most)
  return levels.reduceRight((below, level, index) => {
    const opened = open[index]!
    const other = missingRecords.get(opened)
    // A concept further down a long level moves to its beginning.
    return { ...level, concepts: other ? [other, ...level.concepts] : level.concepts, open: { uri: opened, below } }
  })
}

/** The levels down to the concept that a collection divides; the top concepts if it divides none. */
async function levelsAround(
  request: PageRequest,
  registered: RegisteredVocabulary,
  uri: string,
  most: number,
): Promise<TreePageLevel> {
  const { dependencies, signal } = request
  const voc = registered.ids[0] ?? registered.uri
  const { records } = await askEndpoint({ ...request, vocid: undefined }, '/data', {
    uri,
    properties: 'memberSet,memberList',
  })
  const collection = records.find(isCollection)
  const members = (collection?.memberList ?? collection?.memberSet ?? []).flatMap((entry) => entry?.uri ?? [])
  const [member] = members
  if (member === undefined) return readTop(request, registered)
  const { ways: paths } = await askWaysUp(request, { uri: member, voc, properties: 'prefLabel' }, MAX_PARENTS)
  const parents = paths.flatMap(([parent]) => parent?.uri ?? [])
  const arraysByParent = await nodeLabels(dependencies, parents, [member], signal)
  const parent = parents.find((candidate) => arraysByParent.get(candidate)?.has(uri))
  return parent === undefined ? readTop(request, registered) : readLevels(request, registered, parent, 0, most)
}

/**
 * A page of the concepts that no top concept reaches, with the requested concept opened if it is one of them; undefined
 * if there are none, or if the index does not have the vocabulary.
 *
 * @param below the offset of the page of narrower concepts of the requested concept.
 */
async function readUnreached(
  request: PageRequest,
  registered: RegisteredVocabulary,
  uri: string | undefined,
  below: number,
): Promise<TreePageLevel | undefined> {
  const { dependencies, parameters, signal } = request
  const { index, lists } = dependencies
  const before = uri === undefined ? undefined : await index.unreachedBefore(uri, registered, signal)
  const offset = readWholeNumber(parameters, 'unreached') ?? Math.floor((before ?? 0) / PAGE) * PAGE
  const listed = await lists.page(registered, { list: 'unreached', page: { offset, limit: PAGE } }, signal)
  if (!listed || listed.total === 0) return undefined
  const { total, uris } = listed
  const concepts = [...(await askRecords(request, uris, { properties: FIELDS, voc: registered.uri })).values()]
  const level = { parent: undefined, total, offset, concepts }
  if (uri === undefined || before === undefined) return level
  return { ...level, open: { uri, below: await readLevel(request, registered, uri, below) } }
}

/** The level with pages to turn: the one below the requested concept. */
function lowest(level: TreePageLevel): TreePageLevel {
  return level.open?.below ? lowest(level.open.below) : level
}

/** A level has the broader concept of its concepts. */
const FIELDS = `${NODE_PROPERTIES},broader`

async function readLevel(
  request: PageRequest,
  registered: RegisteredVocabulary,
  parent: string | undefined,
  offset: number,
): Promise<TreePageLevel> {
  const common = { properties: FIELDS, limit: String(PAGE), offset: String(offset) }
  const voc = registered.ids[0] ?? registered.uri
  const { total, records } =
    parent === undefined
      ? await askEndpoint(request, '/voc/:vocid/top', { ...common, voc: registered.isSubset ? voc : undefined })
      : await askEndpoint(request, '/narrower', { ...common, uri: parent, voc })
  const isWhole = offset === 0 && total === records.length
  return { parent, total, offset, concepts: isWhole ? byLabel(request, records) : records }
}

/** The levels with the collections that divide their concepts. */
async function divided(
  request: PageRequest,
  registered: RegisteredVocabulary,
  top: TreePageLevel,
): Promise<TreePageLevel> {
  const { dependencies, signal } = request
  if ((await hasGroups(request, registered)) === false) return top
  const levels: TreePageLevel[] = []
  for (let level: TreePageLevel | undefined = top; level; level = level.open?.below) levels.push(level)
  const parents = levels.flatMap(({ parent }) => parent ?? [])
  const children = levels.flatMap(({ parent, concepts }) =>
    parent === undefined ? [] : concepts.map(({ uri }) => uri),
  )
  const arraysByParent = await nodeLabels(dependencies, parents, children, signal)
  const arrays = await askRecords(
    request,
    [...arraysByParent.values()].flatMap((each) => [...each.keys()]),
  )
  return levels.reduceRight<TreePageLevel | undefined>((below, level) => {
    const { parent, open } = level
    const arraysOfParent = [...((parent !== undefined && arraysByParent.get(parent)) || [])]
    return {
      ...level,
      arrays: byLabel(
        request,
        arraysOfParent.map(([uri, members]) => ({ ...(arrays.get(uri) ?? { uri }), members })),
      ).map(({ members, ...array }) => ({ array, members: new Set(members) })),
      ...(open && { open: { ...open, below } }),
    }
  }, undefined)!
}

/** The concepts of a level by collection: first each collection with its concepts, then the rest. */
function groupsOf({
  concepts,
  arrays = [],
}: TreePageLevel): { array?: Item & { uri: string }; concepts: readonly Concept[] }[] {
  const isDivided = ({ uri }: Concept) => arrays.some(({ members }) => members.has(uri))
  return [
    ...arrays.map(({ array, members }) => ({ array, concepts: concepts.filter(({ uri }) => members.has(uri)) })),
    { concepts: concepts.filter((concept) => !isDivided(concept)) },
  ]
}

/** A level as the tree beside a page shows it. */
function branchOf(request: PageRequest, path: string, level: TreePageLevel): TreeBranch {
  const { parent, total, offset, open } = level
  const node = (concept: Concept): BranchNode => ({
    item: concept,
    isParent: Boolean(concept.narrower?.length),
    below:
      open?.uri === concept.uri && open.below && concept.narrower?.length
        ? branchOf(request, path, open.below)
        : undefined,
  })
  const nodes = groupsOf(level).flatMap(({ array, concepts: some }): BranchNode[] => {
    const nodes = some.map(node)
    return array ? [{ item: array, isGroup: true, isParent: true, below: { nodes, total: nodes.length } }] : nodes
  })
  const next = offset + PAGE
  const isPart = next < total
  const href = link(request, path, { uri: parent, offset: String(next) })
  return {
    nodes,
    total: isPart || offset > 0 ? total : nodes.length,
    ...(isPart && { more: { href, count: total - next } }),
  }
}

/** The top concepts; if there is only one, what is below it, too. */
async function readTop(request: PageRequest, registered: RegisteredVocabulary): Promise<TreePageLevel> {
  const top = await readLevel(request, registered, undefined, 0)
  const [only, ...otherTops] = top.concepts
  if (!only || otherTops.length > 0) return top
  return { ...top, open: { uri: only.uri, below: await readLevel(request, registered, only.uri, 0) } }
}

/** The concepts that no top concept reaches; each is listed once, even if it is below another one. */
function Unreached({ tree, level }: { tree: Tree; level: TreePageLevel }) {
  const { request, path, currentUri } = tree
  const { texts, parameters } = request
  return (
    <section id="unreached">
      <h2>
        {texts.unreached} <span class="count">{formatNumber(request, level.total)}</span>
      </h2>
      <p class="small">{texts.unreachedHint}</p>
      <LevelList tree={tree} level={level} isRoot />
      <Pagination
        request={request}
        path={path}
        query={level.open ? {} : { uri: currentUri, offset: parameters.get('offset') }}
        part={{ offset: level.offset, limit: PAGE, total: level.total }}
        list={{ name: texts.unreached, parameter: 'unreached' }}
      />
    </section>
  )
}

function LevelList({ tree, level, isRoot = false }: { tree: Tree; level: TreePageLevel; isRoot?: boolean }) {
  const { request, path } = tree
  const { parent, total, offset, concepts } = level
  const shown = offset + concepts.length
  const more = (to: number) => link(request, path, { uri: parent, offset: to > 0 ? String(to) : undefined })
  return (
    <ul class={isRoot ? 'tree' : undefined}>
      {offset > 0 && parent !== undefined ? (
        <li class="more">
          <a rel="prev" href={more(Math.max(0, offset - PAGE))}>
            {request.texts.previousPage}
          </a>
        </li>
      ) : null}
      {groupsOf(level).map(({ array, concepts: some }) => {
        const nodes = some.map((concept) => <Node tree={tree} level={level} concept={concept} />)
        return array ? (
          <li class="array">
            <ConceptLink request={request} concept={array} />
            <ul>{nodes}</ul>
          </li>
        ) : (
          nodes
        )
      })}
      {shown < total && parent !== undefined ? (
        <li class="more">
          <a href={more(offset + PAGE)} data-more>
            {request.texts.moreBelow(formatNumber(request, total - shown))}
          </a>
        </li>
      ) : null}
    </ul>
  )
}

function Node({ tree, level, concept }: { tree: Tree; level: TreePageLevel; concept: Concept }) {
  const { request, path, currentUri } = tree
  const { uri } = concept
  const isOpen = level.open?.uri === uri
  const isHere = uri === currentUri
  const below = isOpen ? level.open?.below : undefined
  const current = isHere ? 'here' : undefined
  if (!concept.narrower?.length) {
    return (
      <li id={current} class={current}>
        <ConceptLink request={request} concept={concept} />
      </li>
    )
  }
  return (
    <li id={current} class={current}>
      <ConceptLink request={request} concept={concept} />
      {/* A summary is a button and cannot contain the link. */}
      <details open={isOpen}>
        <summary>
          <span class="hidden">
            {request.texts.narrower}: <Name request={request} of={concept} />
          </span>
        </summary>
        {below ? (
          <LevelList tree={tree} level={below} />
        ) : (
          <p>
            <a href={`${link(request, path, { uri })}#here`} data-below>
              {request.texts.openBelow}
              <span class="hidden">
                : <Name request={request} of={concept} />
              </span>
            </a>
          </p>
        )}
      </details>
    </li>
  )
}
