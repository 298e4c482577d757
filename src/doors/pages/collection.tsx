import { COLLECTION } from '../../base/namespaces.ts'
import { Crumbs } from './crumbs.tsx'
import { CommonFacts, IdentifierFact, Lead, Notes, turtleOf, UriFact, VocabulariesFact } from './facts.tsx'
import { ConceptLink, Name, VersionsLink } from './label.tsx'
import { MoreStatements } from './more-statements.tsx'
import type { PageRequest } from './page-request.ts'
import type { HtmlPage } from './page.tsx'
import { inLanguage, nameOf, notes } from './records.ts'
import { ReportLink } from './report-link.tsx'
import type { Collection } from '../../graph/jskos/record.ts'
import type { PageStatement } from './statements.ts'
import { VocabularyLink } from './vocabulary-heading.tsx'

/** True for the record of a collection. */
export function isCollection({ type }: { type: readonly string[] }): boolean {
  return type[0] === COLLECTION
}

/** The page of a collection, at the address of the page of a concept: its members in their order. */
export function collectionPage(
  request: PageRequest,
  collection: Collection,
  statements: readonly PageStatement[],
): HtmlPage {
  const { texts, reading } = request
  const { uri, memberOf = [] } = collection
  const members = collection.memberList ?? collection.memberSet ?? []
  const name = nameOf(collection, reading.preferred)
  const [scheme] = collection.inScheme ?? []
  const schemeName = scheme && nameOf(scheme, reading.preferred)
  const id = scheme?.notation?.[0]
  const named = [
    [texts.members, members],
    [texts.memberOf, memberOf],
  ] as const
  return {
    title: [name, schemeName].filter(Boolean).join(' – '),
    description: inLanguage(notes(collection, 'definition'), reading.preferred)?.value[0],
    canonical: { path: 'concept', query: { uri } },
    vocabulary: id === undefined ? undefined : { id, name: schemeName! },
    column: { openAt: uri },
    islands: ['copy'],
    body: (
      <article>
        {scheme ? (
          <Crumbs request={request}>
            <VocabularyLink request={request} item={scheme} />
          </Crumbs>
        ) : null}
        <h1>
          <Name request={request} of={collection} />
        </h1>
        <Lead request={request} resource={collection} />
        <div class="columns">
          <div>
            {named.map(([title, list]) =>
              list.length === 0 ? null : (
                <section>
                  <h2>{title}</h2>
                  <ul class="concepts">
                    {list.map((member) =>
                      member === null ? null : (
                        <li>
                          <ConceptLink request={request} concept={member} />
                        </li>
                      ),
                    )}
                  </ul>
                </section>
              ),
            )}
            <Notes request={request} resource={collection} />
            <MoreStatements request={request} statements={statements} fileAddress={turtleOf(request, id, uri)} />
          </div>
          <aside>
            <section>
              <h2>{texts.facts}</h2>
              <dl>
                <UriFact request={request} uri={uri} />
                <VocabulariesFact request={request} name={texts.vocabulary} vocabularies={collection.inScheme} />
                <IdentifierFact request={request} resource={collection} />
                <CommonFacts request={request} resource={collection} />
              </dl>
              <VersionsLink request={request} uri={uri} />
              <ReportLink request={request} uri={uri} name={name} />
            </section>
          </aside>
        </div>
      </article>
    ),
  }
}
