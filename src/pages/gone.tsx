import { ApiError, type Gone } from '../errors.ts'
import { findGone } from '../history/tombstones.ts'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import { askEndpoint, link, type Asked, type Asking } from './page-request.ts'
import { Day } from './format.tsx'
import { VersionsLink } from './history-page.tsx'
import { ConceptLink, ItemLink, Name } from './label.tsx'
import type { Page } from './page.tsx'
import { nameOf, type Item } from './records.ts'

/**
 * Refuses the URIs of deleted resources. Call it for URIs that the store does not have.
 *
 * @throws ApiError GoneError if one of them was deleted, with what replaces it.
 */
export async function refuseGone(asking: Asking, uris: readonly string[]): Promise<void> {
  const { history } = asking.dependencies
  const gone = history && (await findGone(history, uris))
  if (!gone) return
  const replacedBy = gone.replacedBy.length > 0 ? await named(asking, gone.replacedBy) : []
  const day = gone.date.slice(0, 10)
  throw new ApiError('GoneError', `uri: <${gone.uri}> was deleted on ${day}.`, { gone: { ...gone, replacedBy } })
}

/** Adds labels and notations to those concepts that the store has. */
async function named(asking: Asking, items: readonly Item[]): Promise<Item[]> {
  const uris = items.flatMap(({ uri }) => uri ?? [])
  if (!uris.some(isAbsoluteIri)) return uris.map((uri) => ({ uri }))
  const query = { uri: uris.join('|'), properties: 'prefLabel,notation' }
  const { records } = await askEndpoint<Item>({ ...asking, vocid: undefined }, '/data', query)
  return uris.map((uri) => {
    const { prefLabel, notation } = records.find((record) => record.uri === uri) ?? {}
    return { uri, ...(prefLabel ? { prefLabel } : {}), ...(notation?.length ? { notation } : {}) }
  })
}

/** The page of a deleted concept: its name, the date, and its replacement. */
export function gonePage(asked: Asked, gone: Gone): Page {
  const { texts, reading } = asked
  return {
    title: nameOf(gone, reading.preferred),
    body: (
      <div class="problem">
        <p class="status">410</p>
        <h1>
          <Name asked={asked} of={gone} />
        </h1>
        <p class="lead">
          {texts.goneSince} <Day asked={asked} date={gone.date.slice(0, 10)} />.
        </p>
        {gone.replacedBy.length > 0 ? (
          <p>
            {texts.replacedBy}:{' '}
            {gone.replacedBy.map((one, at) => (
              <>
                {at > 0 ? ', ' : null}
                {one.prefLabel || one.notation ? (
                  <ConceptLink asked={asked} concept={one} />
                ) : (
                  <ItemLink asked={asked} item={one} />
                )}
              </>
            ))}
          </p>
        ) : null}
        <VersionsLink asked={asked} uri={gone.uri} />
        <p>
          {texts.tryThis} <a href={link(asked, '')}>{texts.allVocabularies}</a>
        </p>
      </div>
    ),
  }
}
