import { link, type PageRequest } from './page-request.ts'
import type { VocabularyFacts } from './vocabulary-facts.ts'

/**
 * The views of a vocabulary beside a page: links, of which the island `column` makes tabs that load the views in part.
 * Narrow screens do not show it, because their pages have the same links.
 *
 * @param at the URI of the concept or collection that the page is about.
 */
export function Column({
  request,
  facts,
  openAt,
}: {
  request: PageRequest
  facts: VocabularyFacts
  openAt: string | undefined
}) {
  const { texts, reading, dependencies } = request
  const { id, revision, hasGroups } = facts
  const views = [
    ['tree', texts.tree],
    ['index', texts.index],
    ...(hasGroups ? [['groups', texts.collections] as const] : []),
    ...(dependencies.history ? [['changes', texts.changes] as const] : []),
  ] as const
  return (
    <nav
      class="column"
      aria-label={texts.browse}
      data-state={`${id} ${reading.page} ${reading.content ?? reading.preferred[0]} ${revision ?? ''}`}
      data-at={openAt}
      data-failed={texts.notLoaded}
      data-again={texts.tryAgain}
    >
      <div>
        {views.map(([view, name]) => (
          <a
            href={link(request, `voc/${encodeURIComponent(id)}/${view}`, {
              at: view === 'changes' ? undefined : openAt,
            })}
            data-view={view}
          >
            {name}
          </a>
        ))}
      </div>
    </nav>
  )
}
