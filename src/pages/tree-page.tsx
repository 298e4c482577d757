import { readIris, readWholeNumber } from '../http/parameters.ts'
import { NODE_PROPERTIES } from '../jskos/properties.ts'
import { queryTemplate } from '../sparql/queries.ts'
import type { TemplateName } from '../sparql/template-names.ts'
import type { Terms } from '../sparql/templates.ts'
import { count, iri } from '../sparql/terms.ts'
import type { Vocabulary as KnownVocabulary } from '../vocabularies/vocabulary.ts'
import { askEndpoint, askWaysUp, link, type PageRequest } from './page-request.ts'
import { formatNumber } from './format.tsx'
import { byLabel, ConceptLink, Name } from './label.tsx'
import type { Made } from './page.tsx'
import { Pagination } from './pagination.tsx'
import { nameOf, type Concept } from './records.ts'
import { vocabularyAsked, VocabularyHeading, within } from './vocabulary.tsx'

/** Concepts of a level on a page. */
const PAGE = 100

/** A part of the top concepts, of those below one concept, or of those that no top concept reaches. */
interface Level {
  parent: string | undefined
  total: number
  offset: number
  concepts: readonly Concept[]
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
  const [uri] = readIris(parameters, parameters.has('at') ? 'at' : 'uri')
  const offset = readWholeNumber(parameters, 'offset') ?? 0
  const id = known.ids[0] ?? known.uri
  const path = `voc/${encodeURIComponent(id)}/tree`
  const tree = { asked, path, here: uri }
  if (parameters.get('part') === 'below') {
    return { part: <LevelList tree={tree} level={await readLevel(asked, known, uri, offset)} /> }
  }
  const unreached = await readUnreached(asked, known, uri, offset)
  const inTree = unreached?.open ? undefined : uri
  const [{ records }, level] = await Promise.all([
    askEndpoint(asked, '/voc/:vocid'),
    inTree === undefined
      ? readLevel(asked, known, undefined, unreached?.open ? 0 : offset)
      : readLevels(asked, known, inTree, offset),
  ])
  const vocabulary = records[0]!
  const name = nameOf(vocabulary, reading.preferred)
  return {
    title: `${texts.tree}: ${name}`,
    canonical: uri === undefined && offset === 0 && !parameters.has('unreached') ? { path } : undefined,
    vocabulary: { id, name },
    islands: ['tree'],
    body: (
      <>
        <VocabularyHeading asked={asked} vocabulary={vocabulary} view="tree" />
        {level.total > 0 ? <LevelList tree={tree} level={level} isRoot /> : null}
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

/** The levels from the top down to those directly below a concept. */
async function readLevels(asked: PageRequest, known: KnownVocabulary, uri: string, offset: number): Promise<Level> {
  const voc = known.ids[0] ?? known.uri
  const [way = []] = (await askWaysUp(asked, { uri, voc, properties: 'prefLabel' }, 1)).ways
  const open = [...way.map((one) => one.uri).reverse(), uri]
  const levels = await Promise.all([
    readLevel(asked, known, undefined, 0),
    ...open.map((one) => readLevel(asked, known, one, one === uri ? offset : 0)),
  ])
  const missing = open.filter((one, at) => !levels[at]!.concepts.some((concept) => concept.uri === one))
  const others = await describe(asked, known, missing)
  return levels.reduceRight((below, level, at) => {
    const opened = open[at]!
    const other = others.get(opened)
    // A concept further down a long level moves to its beginning.
    return { ...level, concepts: other ? [other, ...level.concepts] : level.concepts, open: { uri: opened, below } }
  })
}

/**
 * A page of the concepts that no top concept reaches, with the requested concept opened if it is one of them; undefined if loading
 * has found none.
 *
 * @param below the narrower concepts before the page of those of the requested concept.
 */
async function readUnreached(
  asked: PageRequest,
  known: KnownVocabulary,
  uri: string | undefined,
  below: number,
): Promise<Level | undefined> {
  const total = known.lengths.unreached
  if (total === undefined) return undefined
  const { dependencies, parameters, signal } = asked
  const ask = (template: TemplateName, terms: Terms) =>
    dependencies.client.select(queryTemplate(template).bind({ terms }), { signal })
  const found = uri === undefined ? [] : await ask('list/place', { c: [iri(uri)] })
  const place = Number(found.find(({ graph }) => graph?.value === known.uri)?.['unreached']?.value ?? 0)
  const offset = readWholeNumber(parameters, 'unreached') ?? Math.floor(Math.max(0, place - 1) / PAGE) * PAGE
  const places = Array.from({ length: Math.max(0, Math.min(PAGE, total - offset)) }, (_, at) => count(offset + at + 1))
  const rows = await ask('list/places', { graph: [iri(known.uri)], unreachedPosition: places })
  const uris = rows.flatMap(({ c }) => c?.value ?? [])
  const concepts = [...(await describe(asked, known, uris)).values()]
  const level = { parent: undefined, total, offset, concepts }
  if (uri === undefined || place === 0) return level
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

async function describe(
  asked: PageRequest,
  known: KnownVocabulary,
  uris: readonly string[],
): Promise<ReadonlyMap<string, Concept>> {
  if (uris.length === 0) return new Map()
  const voc = known.ids[0] ?? known.uri
  const { records } = await askEndpoint(asked, '/data', { uri: uris.join('|'), voc, properties: FIELDS })
  return new Map(records.map((record) => [record.uri, record]))
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
      {concepts.map((concept) => (
        <Node tree={tree} level={level} concept={concept} />
      ))}
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
