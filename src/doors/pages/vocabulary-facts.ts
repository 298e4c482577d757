import { createContext } from 'preact'
import { idOf, languagesOf, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { askEndpoint } from '../../routes.ts'
import type { PageRequest } from './page-request.ts'

/** The facts that every page of a vocabulary shows around its content. */
export interface VocabularyFacts {
  id: string
  /** Changes with its content; undefined if another program wrote it. */
  revision: string | undefined
  /** Undefined if finding out takes long. */
  hasGroups: boolean | undefined
  /** Tags of the languages of its texts. */
  languages: readonly string[]
}

const VIEWS = ['overview', 'tree', 'index', 'groups', 'statistics', 'changes'] as const
export type VocabularyView = (typeof VIEWS)[number]

/** The views that a vocabulary has, in the order of their links. */
export function viewsOf({ dependencies }: Pick<PageRequest, 'dependencies'>, hasGroups: boolean): VocabularyView[] {
  return VIEWS.filter((view) => (view !== 'groups' || hasGroups) && (view !== 'changes' || dependencies.history))
}

/** True for the views that the column beside a page has. */
export function isInColumn(view: VocabularyView): boolean {
  return view !== 'overview' && view !== 'statistics'
}

/** The name of a view on pages. */
export function viewName({ texts }: PageRequest, view: VocabularyView): string {
  return texts[view === 'groups' ? 'collections' : view]
}

/** The facts about the vocabulary of a page; undefined on other pages. */
export const VocabularyContext = createContext<VocabularyFacts | undefined>(undefined)

/** Facts about the vocabulary with an id; undefined if there is none. @throws the errors of the store. */
export async function readVocabularyFacts(
  { dependencies }: PageRequest,
  id: string,
): Promise<VocabularyFacts | undefined> {
  const vocabulary = await dependencies.registry.find(id)
  if (!vocabulary) return undefined
  const groups = await hasGroups({ dependencies }, vocabulary)
  return { id, revision: vocabulary.revision, hasGroups: groups, languages: languagesOf(vocabulary) }
}

/** True if a vocabulary has collections; undefined if finding out takes long. */
export async function hasGroups(
  { dependencies }: Pick<PageRequest, 'dependencies'>,
  vocabulary: Vocabulary,
): Promise<boolean | undefined> {
  const groups = await dependencies.statistics.remember('has groups', vocabulary, async (signal) => {
    const endpointRequest = { dependencies, vocid: idOf(vocabulary), signal }
    const { total } = await askEndpoint(endpointRequest, '/voc/:vocid/groups', { limit: '0' })
    return { some: total > 0 }
  })
  return groups?.some
}
