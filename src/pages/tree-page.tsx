import { ApiError } from '../errors.ts'
import { readIris, readWholeNumber } from '../http/parameters.ts'
import { NODE_PROPERTIES } from '../jskos/properties.ts'
import { nodeLabels } from '../read/node-labels.ts'
import type { Vocabulary as KnownVocabulary } from '../vocabularies/vocabulary.ts'
import { BranchList, LONGEST_NAME, type Branch, type BranchNode } from './branch.tsx'
import { askEndpoint, askRecords, askWaysUp, isPlain, link, type PageRequest } from './page-request.ts'
import { isCollection } from './collection.tsx'
import { formatNumber } from './format.tsx'
import { byLabel, ConceptLink, Name } from './label.tsx'
import type { Made } from './page.tsx'
import { Pagination } from './pagination.tsx'
import { nameOf, type Concept, type ConceptScheme, type Item } from './records.ts'
import { hasGroups } from './vocabulary-facts.ts'
import { vocabularyAsked, VocabularyHeading, within } from './vocabulary-heading.tsx'

/** Concepts of a level on a page. */
const PAGE = 100

/** A part of the top concepts, of those below one concept, or of those that no top concept reaches. */
interface Level {
  parent: string | undefined
  total: number
  offset: number
  concepts: readonly Concept[]
  /** Collections that divide the concepts, with the URIs of those in them. */
  arrays?: readonly { array: Item & { uri: string }; members: ReadonlySet<string> }[]
  /** The open concept of this level, and the level below it. */
  open?: { uri: string; below: Level | undefined }
}

/** The data that the tree shows. */
interface Tree {
  asked: PageRequest
  path: string
  /** The requested concept. */
  here: string | undefined
}

/**
 * GET /voc/{vocid}/tree: the hierarchy, opened down to the concept `uri` or `at` and its narrower concepts, and after it the concepts that
 * no top concept reaches.
 */
export async function treePage(request: PageRequest): Promise<Made> {
  const known = await vocabularyAsked(request)
  const asked = within(request, known)
  const { parameters, reading, texts } = asked
  const parameter = parameters.has('at') ? 'at' : 'uri'
  const [uri] = readIris(parameters, parameter)
  const offset = readWholeNumber(parameters, 'offset') ?? 0
  const id = known.ids[0] ?? known.uri
  const path = `voc/${encodeURIComponent(id)}/tree`
  const tree = { asked, path, here: uri }
  const part = parameters.get('part')
  if (part === 'below' || part === 'branch') {
    const below = await divided(asked, known, await readLevel(asked, known, uri, offset))
    if (part === 'below') return { part: <LevelList tree={tree} level={below} /> }
    const short = { ...asked, longest: LONGEST_NAME }
    return { part: <BranchList asked={short} branch={branchOf(short, path, below)} /> }
  }
  if (part === 'column') {
    const whole = await (uri === undefined ? readTop(asked, known) : readLevels(asked, known, uri, 0, MAX_OPEN))
    const short = { ...asked, longest: LONGEST_NAME }
    if (whole.concepts.length === 0) return { part: <p class="small">{texts.emptyVocabulary}</p> }
    const branch = branchOf(short, path, await divided(asked, known, whole))
    return { part: <BranchList asked={short} branch={branch} name={texts.tree} /> }
  }
  if (uri !== undefined && !(await askRecords(asked, [uri], { properties: 'uri', voc: id })).has(uri))
    throw new ApiError('EntityNotFoundError', `${parameter}: this vocabulary has no concept with this URI.`)
  const unreached = await readUnreached(asked, known, uri, offset)
  const inTree = unreached?.open ? undefined : uri
  const [{ records }, level] = await Promise.all([
    askEndpoint(asked, '/voc/:vocid'),
    inTree === undefined
      ? readLevel(asked, known, undefined, unreached?.open ? 0 : offset)
      : readLevels(asked, known, inTree, offset),
  ])
  const [vocabulary] = records as [ConceptScheme]
  const shown = await divided(asked, known, level)
  const name = nameOf(vocabulary, reading.preferred)
  return {
    title: `${texts.tree}: ${name}`,
    canonical: isPlain(asked) ? { path } : undefined,
    vocabulary: { id, name },
    islands: ['tree'],
    body: (
      <>
        <VocabularyHeading asked={asked} vocabulary={vocabulary} view="tree" />
        {level.total > 0 ? <LevelList tree={tree} level={shown} isRoot /> : null}
        {level.total === 0 && !unreached ? <p>{texts.emptyVocabulary}</p> : null}
        <Pagination
          asked={asked}
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
  asked: PageRequest,
  known: KnownVocabulary,
  uri: string,
  offset: number,
  most = Infinity,
): Promise<Level> {
  const voc = known.ids[0] ?? known.uri
  const [way = []] = (await askWaysUp(asked, { uri, voc, properties: 'prefLabel' }, 1)).ways
  const open = [...way.map((one) => one.uri).reverse(), uri].slice(-most)
  const levels = await Promise.all([
    readLevel(asked, known, undefined, 0),
    ...open.map((one) => readLevel(asked, known, one, one === uri ? offset : 0)),
  ])
  const missing = open.filter((one, at) => !levels[at]!.concepts.some((concept) => concept.uri === one))
  const others = await askRecords(asked, missing, { properties: FIELDS, voc })
  const other = others.get(uri)
  if (other && isCollection(other)) return levelsAround(asked, known, uri, most)
  return levels.reduceRight((below, level, at) => {
    const opened = open[at]!
    const other = others.get(opened)
    // A concept further down a long level moves to its beginning.
    return { ...level, concepts: other ? [other, ...level.concepts] : level.concepts, open: { uri: opened, below } }
  })
}

/** The levels down to the concept that a collection divides; the top concepts if it divides none. */
async function levelsAround(asked: PageRequest, known: KnownVocabulary, uri: string, most: number): Promise<Level> {
  const { dependencies, signal } = asked
  const voc = known.ids[0] ?? known.uri
  const { records } = await askEndpoint({ ...asked, vocid: undefined }, '/data', {
    uri,
    properties: 'memberSet,memberList',
  })
  const collection = records.find(isCollection)
  const members = (collection?.memberList ?? collection?.memberSet ?? []).flatMap((one) => one?.uri ?? [])
  const [member] = members
  if (member === undefined) return readTop(asked, known)
  const { ways } = await askWaysUp(asked, { uri: member, voc, properties: 'prefLabel' }, MAX_PARENTS)
  const parents = ways.flatMap(([parent]) => parent?.uri ?? [])
  const found = await nodeLabels(dependencies, parents, [member], signal)
  const parent = parents.find((one) => found.get(one)?.has(uri))
  return parent === undefined ? readTop(asked, known) : readLevels(asked, known, parent, 0, most)
}

/**
 * A page of the concepts that no top concept reaches, with the requested concept opened if it is one of them; undefined if there are
 * none, or if the index does not have the vocabulary.
 *
 * @param below the narrower concepts before the page of those of the requested concept.
 */
async function readUnreached(
  asked: PageRequest,
  known: KnownVocabulary,
  uri: string | undefined,
  below: number,
): Promise<Level | undefined> {
  const { dependencies, parameters, signal } = asked
  const { index, lists } = dependencies
  const before = uri === undefined ? undefined : await index.unreachedBefore(uri, known, signal)
  const offset = readWholeNumber(parameters, 'unreached') ?? Math.floor((before ?? 0) / PAGE) * PAGE
  const listed = await lists.page(known, { list: 'unreached', page: { offset, limit: PAGE } }, signal)
  if (!listed || listed.total === 0) return undefined
  const { total, uris } = listed
  const concepts = [...(await askRecords(asked, uris, { properties: FIELDS, voc: known.uri })).values()]
  const level = { parent: undefined, total, offset, concepts }
  if (uri === undefined || before === undefined) return level
  return { ...level, open: { uri, below: await readLevel(asked, known, uri, below) } }
}

/** The level with pages to turn: the one below the requested concept. */
function lowest(level: Level): Level {
  return level.open?.below ? lowest(level.open.below) : level
}

/** A level has the broader concept of its concepts. */
const FIELDS = `${NODE_PROPERTIES},broader`

async function readLevel(
  asked: PageRequest,
  known: KnownVocabulary,
  parent: string | undefined,
  offset: number,
): Promise<Level> {
  const common = { properties: FIELDS, limit: String(PAGE), offset: String(offset) }
  const voc = known.ids[0] ?? known.uri
  const { total, records } =
    parent === undefined
      ? await askEndpoint(asked, '/voc/:vocid/top', { ...common, voc: known.isSubset ? voc : undefined })
      : await askEndpoint(asked, '/narrower', { ...common, uri: parent, voc })
  const isWhole = offset === 0 && total === records.length
  return { parent, total, offset, concepts: isWhole ? byLabel(asked, records) : records }
}

/** The levels with the collections that divide their concepts. */
async function divided(asked: PageRequest, known: KnownVocabulary, top: Level): Promise<Level> {
  const { dependencies, signal } = asked
  if ((await hasGroups(asked, known)) === false) return top
  const levels: Level[] = []
  for (let level: Level | undefined = top; level; level = level.open?.below) levels.push(level)
  const parents = levels.flatMap(({ parent }) => parent ?? [])
  const children = levels.flatMap(({ parent, concepts }) =>
    parent === undefined ? [] : concepts.map(({ uri }) => uri),
  )
  const found = await nodeLabels(dependencies, parents, children, signal)
  const arrays = await askRecords(
    asked,
    [...found.values()].flatMap((each) => [...each.keys()]),
  )
  return levels.reduceRight<Level | undefined>((below, level) => {
    const { parent, open } = level
    const own = [...((parent !== undefined && found.get(parent)) || [])]
    return {
      ...level,
      arrays: byLabel(
        asked,
        own.map(([uri, members]) => ({ ...(arrays.get(uri) ?? { uri }), members })),
      ).map(({ members, ...array }) => ({ array, members: new Set(members) })),
      ...(open && { open: { ...open, below } }),
    }
  }, undefined)!
}

/** The concepts of a level, those that a collection divides off first, with the collection. */
function parts({ concepts, arrays = [] }: Level): { array?: Item & { uri: string }; concepts: readonly Concept[] }[] {
  const isDivided = ({ uri }: Concept) => arrays.some(({ members }) => members.has(uri))
  return [
    ...arrays.map(({ array, members }) => ({ array, concepts: concepts.filter(({ uri }) => members.has(uri)) })),
    { concepts: concepts.filter((concept) => !isDivided(concept)) },
  ]
}

/** A level as the tree beside a page shows it. */
function branchOf(asked: PageRequest, path: string, level: Level): Branch {
  const { parent, total, offset, open } = level
  const node = (concept: Concept): BranchNode => ({
    item: concept,
    isParent: Boolean(concept.narrower?.length),
    below:
      open?.uri === concept.uri && open.below && concept.narrower?.length
        ? branchOf(asked, path, open.below)
        : undefined,
  })
  const nodes = parts(level).flatMap(({ array, concepts: some }): BranchNode[] => {
    const nodes = some.map(node)
    return array ? [{ item: array, isGroup: true, isParent: true, below: { nodes, total: nodes.length } }] : nodes
  })
  const next = offset + PAGE
  const isPart = next < total
  const href = link(asked, path, { uri: parent, offset: String(next) })
  return {
    nodes,
    total: isPart || offset > 0 ? total : nodes.length,
    ...(isPart && { more: { href, count: total - next } }),
  }
}

/** The top concepts; if there is only one, what is below it, too. */
async function readTop(asked: PageRequest, known: KnownVocabulary): Promise<Level> {
  const top = await readLevel(asked, known, undefined, 0)
  const [only, ...others] = top.concepts
  if (!only || others.length > 0) return top
  return { ...top, open: { uri: only.uri, below: await readLevel(asked, known, only.uri, 0) } }
}

/** The concepts that no top concept reaches; each is in the list once, also if it is below another one. */
function Unreached({ tree, level }: { tree: Tree; level: Level }) {
  const { asked, path, here } = tree
  const { texts, parameters } = asked
  return (
    <section id="unreached">
      <h2>
        {texts.unreached} <span class="count">{formatNumber(asked, level.total)}</span>
      </h2>
      <p class="small">{texts.unreachedHint}</p>
      <LevelList tree={tree} level={level} isRoot />
      <Pagination
        asked={asked}
        path={path}
        query={level.open ? {} : { uri: here, offset: parameters.get('offset') }}
        part={{ offset: level.offset, limit: PAGE, total: level.total }}
        list={{ name: texts.unreached, parameter: 'unreached' }}
      />
    </section>
  )
}

function LevelList({ tree, level, isRoot = false }: { tree: Tree; level: Level; isRoot?: boolean }) {
  const { asked, path } = tree
  const { parent, total, offset, concepts } = level
  const shown = offset + concepts.length
  const more = (to: number) => link(asked, path, { uri: parent, offset: to > 0 ? String(to) : undefined })
  return (
    <ul class={isRoot ? 'tree' : undefined}>
      {offset > 0 && parent !== undefined ? (
        <li class="more">
          <a rel="prev" href={more(Math.max(0, offset - PAGE))}>
            {asked.texts.previousPage}
          </a>
        </li>
      ) : null}
      {parts(level).map(({ array, concepts: some }) => {
        const nodes = some.map((concept) => <Node tree={tree} level={level} concept={concept} />)
        return array ? (
          <li class="array">
            <ConceptLink asked={asked} concept={array} />
            <ul>{nodes}</ul>
          </li>
        ) : (
          nodes
        )
      })}
      {shown < total && parent !== undefined ? (
        <li class="more">
          <a href={more(offset + PAGE)} data-more>
            {asked.texts.moreBelow(formatNumber(asked, total - shown))}
          </a>
        </li>
      ) : null}
    </ul>
  )
}

function Node({ tree, level, concept }: { tree: Tree; level: Level; concept: Concept }) {
  const { asked, path, here } = tree
  const { uri } = concept
  const isOpen = level.open?.uri === uri
  const isHere = uri === here
  const below = isOpen ? level.open?.below : undefined
  const current = isHere ? 'here' : undefined
  if (!concept.narrower?.length) {
    return (
      <li id={current} class={current}>
        <ConceptLink asked={asked} concept={concept} />
      </li>
    )
  }
  return (
    <li id={current} class={current}>
      <ConceptLink asked={asked} concept={concept} />
      {/* A summary is a button and cannot contain the link. */}
      <details open={isOpen}>
        <summary>
          <span class="hidden">
            {asked.texts.narrower}: <Name asked={asked} of={concept} />
          </span>
        </summary>
        {below ? (
          <LevelList tree={tree} level={below} />
        ) : (
          <p>
            <a href={`${link(asked, path, { uri })}#here`} data-below>
              {asked.texts.openBelow}
              <span class="hidden">
                : <Name asked={asked} of={concept} />
              </span>
            </a>
          </p>
        )}
      </details>
    </li>
  )
}
