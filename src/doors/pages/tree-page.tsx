import { ApiError } from '../../base/errors.ts'
import { readIris, readWholeNumber } from '../../interface/http/parameters.ts'
import { isLink } from '../../graph/jskos/names.ts'
import { TREE_NODE_PROPERTIES } from '../../graph/jskos/properties.ts'
import { levelBelow, levelsTo, withArrays, type TreeLevel, nodeLabels } from '../../interface/read/levels.ts'
import { idOf, type Vocabulary as RegisteredVocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { isCollection, membersInOrder } from '../../graph/jskos/record.ts'
import { recordsByUri } from '../../interface/read/data.ts'
import { BranchList, LONGEST_NODE_NAME, NODES_ON_PAGE, toBranch, type TreeBranch, type BranchNode } from './branch.tsx'
import { askWaysUp, link, type PageRequest, useRequest } from './page-request.ts'
import { formatNumber, joinedItems } from './format.tsx'
import { byLabel, ConceptLink, Name } from './label.tsx'
import type { PageResult } from './page.tsx'
import { Pagination } from './pagination.tsx'
import { proposalsAmong, ProposedMark } from './proposed.tsx'
import type { Concept, Item } from './records.ts'
import { hasGroups } from './vocabulary-facts.ts'
import { VocabularyHeading, vocabularyFrame, vocabularyOfPath } from './vocabulary-heading.tsx'

/** A part of a level of the hierarchy, or of the concepts that no top concept reaches. */
interface TreePageLevel extends TreeLevel {
  offset: number
  /** The URIs of the proposals among its concepts. */
  proposed: ReadonlySet<string>
  /** The open concept of this level, and the level below it. */
  open?: { uri: string; below: TreePageLevel }
}

/** The data that the tree shows. */
interface Tree {
  request: PageRequest
  registered: RegisteredVocabulary
  path: string
  /** The requested concept. */
  currentUri: string | undefined
}

/**
 * GET /voc/{vocid}/tree: the hierarchy, opened down to the concept `uri` or `at` and its narrower concepts, and after
 * it the concepts that no top concept reaches.
 */
export async function treePage(pageRequest: PageRequest): Promise<PageResult> {
  const { request, registered, id, path } = await vocabularyOfPath(pageRequest, 'tree')
  const { parameters, texts } = request
  const parameter = parameters.has('at') ? 'at' : 'uri'
  const [uri] = readIris(parameters, parameter)
  const offset = readWholeNumber(parameters, 'offset') ?? 0
  const tree = { request, registered, path, currentUri: uri }
  const part = parameters.get('part')
  if (part === 'below' || part === 'branch') {
    const below = await toPageLevel(tree, [await readLevel(tree, uri, offset)], offset)
    if (part === 'below') return { request, part: <LevelList tree={tree} level={below} /> }
    const short = { ...request, longest: LONGEST_NODE_NAME }
    return { request: short, part: <BranchList branch={branchOf(short, path, below)} /> }
  }
  if (part === 'column') {
    const levels = await (uri === undefined ? readTop(tree) : readLevels(tree, uri, 0, MAX_OPEN))
    const short = { ...request, longest: LONGEST_NODE_NAME }
    if (levels[0]!.concepts.length === 0) return { request, part: <p class="small">{texts.emptyVocabulary}</p> }
    const branch = branchOf(short, path, await toPageLevel(tree, levels, 0))
    return { request: short, part: <BranchList branch={branch} name={texts.tree} /> }
  }
  if (uri !== undefined && !(await recordsByUri(request, [uri], { properties: 'uri', voc: id })).has(uri))
    throw new ApiError('EntityNotFoundError', `${parameter}: this vocabulary has no concept with this URI.`, {
      missing: 'concept',
    })
  const unreached = await readUnreached(tree, offset)
  const inTree = unreached?.open ? undefined : uri
  const from = unreached?.open ? 0 : offset
  const [{ vocabulary, page }, levels] = await Promise.all([
    vocabularyFrame(request, registered, texts.tree, path),
    inTree === undefined ? readLevel(tree, undefined, from).then((level) => [level]) : readLevels(tree, inTree, from),
  ])
  const level = await toPageLevel(tree, levels, from)
  const lowest = levels.at(-1)!
  return {
    ...page,
    islands: ['tree'],
    body: (
      <>
        <VocabularyHeading vocabulary={vocabulary} view="tree" />
        <Levels levels={vocabulary.levels ?? []} />
        {level.total > 0 ? <LevelList tree={tree} level={level} isRoot /> : null}
        {level.total === 0 && !unreached ? <p>{texts.emptyVocabulary}</p> : null}
        <Pagination
          path={path}
          query={{ uri: inTree }}
          part={{ offset: from, limit: NODES_ON_PAGE, total: lowest.total }}
        />
        {unreached ? <Unreached tree={tree} level={unreached} /> : null}
      </>
    ),
  }
}

/** The names of the levels of a classification, from the top. */
function Levels({ levels }: { levels: readonly (Item & { depth?: number })[] }) {
  const { texts } = useRequest()
  if (levels.length === 0) return null
  return (
    <p class="small">
      {texts.levels}:{' '}
      {joinedItems(
        levels.map(({ depth, ...level }, index) => (
          <>
            {depth ?? index + 1} <Name of={level} />
          </>
        )),
      )}
    </p>
  )
}

/** To find the concept that a collection divides, the tree looks at this many of those above a member. */
const MAX_PARENTS = 10

/** The tree beside a page opens at most this many levels. */
const MAX_OPEN = 40

/** Levels have the broader concepts of their concepts. */
const FIELDS = `${TREE_NODE_PROPERTIES},broader`

const questionOf = ({ registered, request: { signal } }: Tree) => ({
  vocabulary: registered,
  parameters: { properties: FIELDS, limit: String(NODES_ON_PAGE) },
  signal,
})

/** The concepts directly below a concept, or the top concepts. */
function readLevel(tree: Tree, parent: string | undefined, offset: number): Promise<TreeLevel> {
  return levelBelow(tree.request.dependencies, questionOf(tree), parent, offset)
}

/**
 * The levels from the top down to the concepts directly below a concept, or down to the concept that a collection
 * divides.
 *
 * @param offset of the last level.
 * @param most the number of open concepts; those above are left out.
 */
async function readLevels(tree: Tree, uri: string, offset: number, most = Infinity): Promise<readonly TreeLevel[]> {
  const { dependencies } = tree.request
  const path = await levelsTo(dependencies, questionOf(tree), uri, { most, offset })
  if (path) return path.levels
  const parent = await dividedBy(tree, uri)
  const around = parent === undefined ? undefined : await levelsTo(dependencies, questionOf(tree), parent, { most })
  return around?.levels ?? readTop(tree)
}

/** The concept whose narrower concepts a collection divides; undefined if it divides none. */
async function dividedBy({ request, registered }: Tree, uri: string): Promise<string | undefined> {
  const { dependencies, signal } = request
  const records = await recordsByUri(request, [uri], { properties: 'memberSet,memberList' })
  const collection = [...records.values()].find(isCollection)
  const member = collection && membersInOrder(collection).find(isLink)?.uri
  if (member === undefined) return undefined
  const question = { uri: member, voc: idOf(registered), properties: 'prefLabel' }
  const { ways } = await askWaysUp(request, question, MAX_PARENTS)
  const parents = ways.flatMap(([parent]) => parent?.uri ?? [])
  const arraysByParent = await nodeLabels(dependencies, parents, [member], signal)
  return parents.find((candidate) => arraysByParent.get(candidate)?.has(uri))
}

/** The top concepts; if there is only one, the concepts below it, too. */
async function readTop(tree: Tree): Promise<TreeLevel[]> {
  const top = await readLevel(tree, undefined, 0)
  const [only, ...otherTops] = top.concepts
  return !only || otherTops.length > 0 ? [top] : [top, await readLevel(tree, only.uri, 0)]
}

/**
 * A page of the concepts that no top concept reaches, with the requested concept opened if it is among them; undefined
 * if there are none, or if the index does not have the vocabulary.
 *
 * @param below the offset of the page of narrower concepts of the requested concept.
 */
async function readUnreached(tree: Tree, below: number): Promise<TreePageLevel | undefined> {
  const { request, registered, currentUri: uri } = tree
  const { dependencies, parameters, signal } = request
  const { index, lists } = dependencies
  const before = uri === undefined ? undefined : await index.unreachedBefore(uri, registered, signal)
  const offset = readWholeNumber(parameters, 'unreached') ?? Math.floor((before ?? 0) / NODES_ON_PAGE) * NODES_ON_PAGE
  const listed = await lists.page(registered, { list: 'unreached', page: { offset, limit: NODES_ON_PAGE } }, signal)
  if (!listed || listed.total === 0) return undefined
  const { total, uris } = listed
  const concepts = [...(await recordsByUri(request, uris, { properties: FIELDS, voc: registered.uri })).values()]
  const level = { total, offset, concepts, proposed: await proposalsAmong(request, uris) }
  if (uri === undefined || before === undefined) return level
  return { ...level, open: { uri, below: await toPageLevel(tree, [await readLevel(tree, uri, below)], below) } }
}

/** The levels with the collections that divide their concepts. */
async function divided(tree: Tree, levels: readonly TreeLevel[]): Promise<readonly TreeLevel[]> {
  const { request, registered } = tree
  if ((await hasGroups(request, registered)) === false) return levels
  return withArrays(request.dependencies, questionOf(tree), levels)
}

/**
 * Levels from the top down as the page shows them, each within the level above it. A level that the page shows as a
 * whole is sorted by labels.
 *
 * @param offset of the last level.
 */
async function toPageLevel(tree: Tree, levels: readonly TreeLevel[], offset: number): Promise<TreePageLevel> {
  const { request } = tree
  const uris = levels.flatMap(({ concepts }) => concepts.map(({ uri }) => uri))
  const [completed, proposed] = await Promise.all([divided(tree, levels), proposalsAmong(request, uris)])
  const shown = completed.map((level, depth): TreePageLevel => {
    const { total, concepts, arrays } = level
    const from = depth === levels.length - 1 ? offset : 0
    return {
      ...level,
      offset: from,
      proposed,
      concepts: from === 0 && concepts.length >= total ? byLabel(request, concepts) : concepts,
      ...(arrays && { arrays: byLabel(request, arrays) }),
    }
  })
  return shown.reduceRight((below, level) => ({ ...level, open: { uri: below.parent!, below } }))
}

/** The concepts of a level by collection: first each collection with its concepts, then the rest. */
function groupsOf({
  concepts,
  arrays = [],
}: TreeLevel): { array?: Item & { uri: string }; concepts: readonly Concept[] }[] {
  const groups = arrays.map((array) => {
    const members = new Set((array.memberSet ?? []).map((member) => member?.uri))
    return { array, concepts: concepts.filter(({ uri }) => members.has(uri)) }
  })
  const grouped = new Set(groups.flatMap((group) => group.concepts))
  return [...groups, { concepts: concepts.filter((concept) => !grouped.has(concept)) }]
}

/** A level as the tree beside a page shows it. */
function branchOf(request: PageRequest, path: string, level: TreePageLevel): TreeBranch {
  const { open } = level
  const node = (concept: Concept): BranchNode => ({
    item: concept,
    isProposed: level.proposed.has(concept.uri),
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
  return toBranch(request, path, level, nodes)
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
        path={path}
        query={level.open ? {} : { uri: currentUri, offset: parameters.get('offset') }}
        part={{ offset: level.offset, limit: NODES_ON_PAGE, total: level.total }}
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
          <a rel="prev" href={more(Math.max(0, offset - NODES_ON_PAGE))}>
            {request.texts.previousPage}
          </a>
        </li>
      ) : null}
      {groupsOf(level).map(({ array, concepts: some }) => {
        const nodes = some.map((concept) => <Node tree={tree} level={level} concept={concept} />)
        return array ? (
          <li class="array">
            <ConceptLink concept={array} />
            <ul>{nodes}</ul>
          </li>
        ) : (
          nodes
        )
      })}
      {shown < total && parent !== undefined ? (
        <li class="more">
          <a href={more(offset + NODES_ON_PAGE)} data-more>
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
  const mark = level.proposed.has(uri) ? <ProposedMark /> : null
  if (!concept.narrower?.length) {
    return (
      <li id={current} class={current}>
        <ConceptLink concept={concept} />
        {mark}
      </li>
    )
  }
  return (
    <li id={current} class={current}>
      <ConceptLink concept={concept} />
      {mark}
      {/* A summary is a button and cannot contain the link. */}
      <details open={isOpen}>
        <summary>
          <span class="hidden">
            {request.texts.narrower}: <Name of={concept} />
          </span>
        </summary>
        {below ? (
          <LevelList tree={tree} level={below} />
        ) : (
          <p>
            <a href={`${link(request, path, { uri })}#here`} data-below>
              {request.texts.openBelow}
              <span class="hidden">
                : <Name of={concept} />
              </span>
            </a>
          </p>
        )}
      </details>
    </li>
  )
}
