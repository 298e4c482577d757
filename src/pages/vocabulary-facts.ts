import { createContext } from 'preact'
import type { Vocabulary } from '../vocabularies/vocabulary.ts'
import { askEndpoint, type EndpointRequest, type PageRequest } from './page-request.ts'

/** What every page of a vocabulary shows of it besides its content. */
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
export const Facts = createContext<VocabularyFacts | undefined>(undefined)

/** Facts about the vocabulary with an id; undefined if there is none. Throws the errors of the store. */
export async function readVocabularyFacts(
  { dependencies, signal }: PageRequest,
  id: string,
): Promise<VocabularyFacts | undefined> {
  const known = await dependencies.registry.find(id)
  if (!known) return undefined
  const asking = { dependencies, vocid: id, signal }
  const [{ records }, groups] = await Promise.all([
    askEndpoint(asking, '/voc/:vocid', { properties: 'languages' }),
    hasGroups(asking, known),
  ])
  return { id, revision: known.revision, hasGroups: groups, languages: records[0]?.languages ?? [] }
}

/** True if a vocabulary has collections; undefined if finding out takes long. */
export async function hasGroups({ dependencies }: EndpointRequest, known: Vocabulary): Promise<boolean | undefined> {
  const groups = await dependencies.statistics.remember('has groups', known, async (signal) => {
    const asking = { dependencies, vocid: known.ids[0] ?? known.uri, signal }
    const { total } = await askEndpoint(asking, '/voc/:vocid/groups', { limit: '0' })
    return { some: total > 0 }
  })
  return groups?.some
}
