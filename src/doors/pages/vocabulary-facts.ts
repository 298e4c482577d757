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
