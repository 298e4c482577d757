import { readIris, readWholeNumber } from '../http/parameters.ts'
import { waysUp } from '../read/concepts.ts'
import type { Vocabulary as KnownVocabulary } from '../vocabularies/vocabulary.ts'
import { askEndpoint, link, toRead, type Asked } from './page-request.ts'
import { formatNumber } from './format.tsx'
import { byLabel, ConceptLink, Name } from './label.tsx'
import type { Made } from './page.tsx'
import { Pagination } from './pagination.tsx'
import { nameOf, type Concept, type Vocabulary } from './records.ts'
import { vocabularyAsked, VocabularyHeading, within } from './vocabulary-page.tsx'

/** Concepts of a level on a page. */
const PAGE = 100

/** A part of the top concepts, or of those below one concept. */
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
  asked: Asked
  path: string
  /** The requested concept. */
  here: string | undefined
}

/** GET /voc/{vocid}/tree: the hierarchy, opened down to the concept `uri` and its narrower concepts. */
export async function treePage(request: Asked): Promise<Made> {
  const known = await vocabularyAsked(request)
  const asked = within(request, known)
  const { parameters, reading, texts } = asked
  const [uri] = readIris(parameters, 'uri')
  const offset = readWholeNumber(parameters, 'offset') ?? 0
  const id = known.ids[0] ?? known.uri
  const path = `voc/${encodeURIComponent(id)}/tree`
  const tree = { asked, path, here: uri }
  if (parameters.get('part') === 'below') {
    return { part: <LevelList tree={tree} level={await readLevel(asked, known, uri, offset)} /> }
  }
  const [{ records }, level] = await Promise.all([
    askEndpoint<Vocabulary>(asked, '/voc/:vocid'),
    uri === undefined ? readLevel(asked, known, undefined, offset) : readLevels(asked, known, uri, offset),
  ])
  const vocabulary = records[0]!
  const name = nameOf(vocabulary, reading.preferred)
  return {
    title: `${texts.tree}: ${name}`,
    canonical: uri === undefined && offset === 0 ? { path } : undefined,
    vocabulary: { id, name },
    islands: ['tree'],
    body: (
      <>
        <VocabularyHeading asked={asked} vocabulary={vocabulary} view="tree" />
        {level.total === 0 ? <p>{texts.emptyVocabulary}</p> : <LevelList tree={tree} level={level} isRoot />}
        <Pagination
          asked={asked}
          path={path}
          query={{ uri }}
          part={{ offset, limit: PAGE, total: lowest(level).total }}
        />
      </>
    ),
  }
}

/** The levels from the top down to those directly below a concept. */
async function readLevels(asked: Asked, known: KnownVocabulary, uri: string, offset: number): Promise<Level> {
  const read = await toRead(asked, '/ancestors', { uri, voc: known.ids[0] ?? known.uri, properties: 'prefLabel' })
  const [way = []] = (await waysUp(read, uri, 1)).ways
  const open = [...way.map((one) => one['uri'] as string).reverse(), uri]
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

/** The level with pages to turn: the one below the requested concept. */
function lowest(level: Level): Level {
  return level.open?.below ? lowest(level.open.below) : level
}

/** These give label, notation and a sign of narrower concepts; asking for `narrower` by name would list all of them. */
const FIELDS =
  '-inScheme,topConceptOf,identifier,altLabel,scopeNote,definition,created,modified,publisher,license,deprecated,broader'

async function readLevel(
  asked: Asked,
  known: KnownVocabulary,
  parent: string | undefined,
  offset: number,
): Promise<Level> {
  const common = { properties: FIELDS, limit: String(PAGE), offset: String(offset) }
  const voc = known.ids[0] ?? known.uri
  const { total, records } =
    parent === undefined
      ? await askEndpoint<Concept>(asked, '/voc/:vocid/top', { ...common, voc: known.isSubset ? voc : undefined })
      : await askEndpoint<Concept>(asked, '/narrower', { ...common, uri: parent, voc })
  const isWhole = offset === 0 && total === records.length
  return { parent, total, offset, concepts: isWhole ? byLabel(asked, records) : records }
}

async function describe(
  asked: Asked,
  known: KnownVocabulary,
  uris: readonly string[],
): Promise<ReadonlyMap<string, Concept>> {
  if (uris.length === 0) return new Map()
  const voc = known.ids[0] ?? known.uri
  const { records } = await askEndpoint<Concept>(asked, '/data', { uri: uris.join('|'), voc, properties: FIELDS })
  return new Map(records.map((record) => [record.uri, record]))
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
