import type { Gone } from '../../base/errors.ts'
import { link, type PageRequest } from './page-request.ts'
import { Day, joinedItems } from './format.tsx'
import { ConceptLink, ItemLink, Name, VersionsLink } from './label.tsx'
import type { HtmlPage } from './page.tsx'
import { Reason } from './proposed.tsx'
import { nameOf } from './records.ts'

/** The page of a deleted concept: its name, the date, and its replacement. */
export function gonePage(request: PageRequest, gone: Gone): HtmlPage {
  const { texts, reading } = request
  return {
    title: nameOf(gone, reading.preferred),
    body: (
      <div class="problem">
        <p class="status">410</p>
        <h1>
          <Name request={request} of={gone} />
        </h1>
        <p class="lead">
          {gone.decision === undefined ? texts.goneSince : texts.refusedSince}{' '}
          <Day request={request} date={gone.date.slice(0, 10)} />.
        </p>
        <Reason request={request} reason={gone.reason} />
        {gone.replacedBy.length > 0 ? (
          <p>
            {texts.replacedBy}:{' '}
            {joinedItems(
              gone.replacedBy.map((replacement) =>
                replacement.prefLabel || replacement.notation ? (
                  <ConceptLink request={request} concept={replacement} />
                ) : (
                  <ItemLink request={request} item={replacement} />
                ),
              ),
            )}
          </p>
        ) : null}
        <VersionsLink request={request} uri={gone.uri} />
        <p>
          {texts.tryThis} <a href={link(request, '')}>{texts.allVocabularies}</a>
        </p>
      </div>
    ),
  }
}
