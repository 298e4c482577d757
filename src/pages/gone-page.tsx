import type { Gone } from '../errors.ts'
import { link, type PageRequest } from './page-request.ts'
import { Day, joined } from './format.tsx'
import { ConceptLink, ItemLink, Name, VersionsLink } from './label.tsx'
import type { Page } from './page.tsx'
import { nameOf } from './records.ts'

/** The page of a deleted concept: its name, the date, and its replacement. */
export function gonePage(asked: PageRequest, gone: Gone): Page {
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
            {joined(
              gone.replacedBy.map((one) =>
                one.prefLabel || one.notation ? (
                  <ConceptLink asked={asked} concept={one} />
                ) : (
                  <ItemLink asked={asked} item={one} />
                ),
              ),
            )}
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
