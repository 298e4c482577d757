import { readWholeNumber } from '../../interface/http/parameters.ts'
import { NODES_ON_PAGE } from './branch.tsx'
import {
  CommonFacts,
  ConceptSection,
  IdentifierFact,
  Lead,
  Notes,
  turtleOf,
  UriFact,
  VocabulariesFact,
} from './facts.tsx'
import { Name, VersionsLink } from './label.tsx'
import { MoreStatements } from './more-statements.tsx'
import type { PageRequest } from './page-request.ts'
import { Crumbs, type HtmlPage } from './page.tsx'
import { Pagination } from './pagination.tsx'
import { inLanguage, nameOf, notes } from './records.ts'
import { ReportLink } from './report-link.tsx'
import { membersInOrder, type Collection } from '../../graph/jskos/record.ts'
import type { PageStatement } from './statements.ts'
import { VocabularyLink } from './vocabulary-heading.tsx'

/**
 * The page of a collection, at the address of the page of a concept: its members in their order, `NODES_ON_PAGE` at a
 * time.
 */
export function collectionPage(
  request: PageRequest,
  collection: Collection,
  statements: readonly PageStatement[],
): HtmlPage {
  const { texts, reading, parameters } = request
  const { uri, memberOf = [] } = collection
  const members = membersInOrder(collection)
  const offset = readWholeNumber(parameters, 'offset') ?? 0
  const part = { offset, limit: NODES_ON_PAGE, total: members.length }
  const name = nameOf(collection, reading.preferred)
  const [scheme] = collection.inScheme ?? []
  const schemeName = scheme && nameOf(scheme, reading.preferred)
  const id = scheme?.notation?.[0]
  const shown = members.slice(offset, offset + NODES_ON_PAGE)
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
          <Crumbs>
            <VocabularyLink item={scheme} />
          </Crumbs>
        ) : null}
        <h1>
          <Name of={collection} />
        </h1>
        <Lead resource={collection} />
        <div class="columns">
          <div>
            {members.length === 0 ? null : (
              <ConceptSection title={texts.members} concepts={shown}>
                <Pagination path="concept" query={{ uri, voc: parameters.get('voc') }} part={part} />
              </ConceptSection>
            )}
            {memberOf.length === 0 ? null : <ConceptSection title={texts.memberOf} concepts={memberOf} />}
            <Notes resource={collection} />
            <MoreStatements statements={statements} fileAddress={turtleOf(request, id, uri)} />
          </div>
          <aside>
            <section>
              <h2>{texts.facts}</h2>
              <dl>
                <UriFact uri={uri} />
                <VocabulariesFact name={texts.vocabulary} vocabularies={collection.inScheme} />
                <IdentifierFact resource={collection} />
                <CommonFacts resource={collection} />
              </dl>
              <VersionsLink uri={uri} />
              <ReportLink uri={uri} name={name} />
            </section>
          </aside>
        </div>
      </article>
    ),
  }
}
