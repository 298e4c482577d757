import { useContext } from 'preact/hooks'
import {
  idOf,
  vocabulariesNamed,
  type Vocabulary as RegisteredVocabulary,
} from '../../graph/vocabularies/vocabulary.ts'
import { askEndpoint } from '../../routes.ts'
import { Crumbs } from './page.tsx'
import { Label } from './label.tsx'
import { isPlain, link, type PageRequest, useRequest } from './page-request.ts'
import { nameOf, type Item } from './records.ts'
import { isInColumn, viewName, viewsOf, VocabularyContext, type VocabularyView } from './vocabulary-facts.ts'

/** The address of a vocabulary's page. */
export function vocabularyLink(request: PageRequest, { uri, notation }: { uri?: string; notation?: string[] }): string {
  return link(request, `voc/${encodeURIComponent(notation?.[0] ?? uri ?? '')}`)
}

/** A link to a vocabulary's page. */
export function VocabularyLink({ item, class: name }: { item: Item; class?: string }) {
  const request = useRequest()
  return (
    <a class={name} href={vocabularyLink(request, item)}>
      <Label item={item} />
    </a>
  )
}

/** A vocabulary with its names, as records have them. */
export function vocabularyItem({ uri, ids, prefLabel }: RegisteredVocabulary): Item & { uri: string } {
  return { uri, notation: ids, prefLabel }
}

/** The vocabulary of this service that a URI names. */
export function localVocabulary({ dependencies: { registry } }: PageRequest, uri: string): Item | undefined {
  const [vocabulary] = vocabulariesNamed(registry.last ?? [], [uri])
  return vocabulary && vocabularyItem(vocabulary)
}

/** The vocabulary in the path of a page, and the request for the page, within the vocabulary if it is a subset. */
interface VocabularyOfPath {
  request: PageRequest
  registered: RegisteredVocabulary
  /** How addresses name the vocabulary. */
  id: string
  /** The path of the page below the root. */
  path: string
}

/**
 * Reads the path of a page of a vocabulary.
 *
 * @param view the last segment of the path.
 * @throws ApiError EntityNotFoundError for an unknown vocabulary.
 */
export async function vocabularyOfPath(pageRequest: PageRequest, view: string): Promise<VocabularyOfPath> {
  const registered = await requestedVocabulary(pageRequest)
  const id = idOf(registered)
  const path = `voc/${encodeURIComponent(id)}/${view}`
  return { request: withinSubset(pageRequest, registered), registered, id, path }
}

/**
 * The record of the vocabulary of a page, and the members of the page that follow from it.
 *
 * @param title of the page, before the name of the vocabulary.
 */
export async function vocabularyFrame(
  request: PageRequest,
  registered: RegisteredVocabulary,
  title: string,
  path: string,
  properties?: string,
) {
  const { records } = await askEndpoint(request, '/voc/:vocid', { properties })
  const vocabulary = records[0]!
  const name = nameOf(vocabulary, request.reading.preferred)
  const page = {
    request,
    title: `${title}: ${name}`,
    canonical: isPlain(request) ? { path } : undefined,
    vocabulary: { id: idOf(registered), name },
  }
  return { vocabulary, page }
}

/** The vocabulary of the path. */
export function requestedVocabulary({ dependencies, vocid = '' }: PageRequest): Promise<RegisteredVocabulary> {
  return dependencies.registry.require(vocid)
}

/** The graphs of the vocabularies that a concept or a collection is in. */
export async function graphsOf(
  { dependencies: { registry } }: PageRequest,
  { inScheme = [] }: { inScheme?: readonly Item[] },
): Promise<string[]> {
  const vocabularies = await registry.list()
  return vocabularies.filter(({ uri }) => inScheme.some((scheme) => scheme.uri === uri)).map(({ uri }) => uri)
}

/** If the vocabulary is a subset, restricts the request to it, so that links and counts stay within the subset. */
export function withinSubset(request: PageRequest, { isSubset, ids }: RegisteredVocabulary): PageRequest {
  return isSubset ? { ...request, parameters: new Map([...request.parameters, ['voc', ids[0]!]]) } : request
}

/** The name of a vocabulary and its views; beside the column, only views that the column lacks. */
export function VocabularyHeading({
  vocabulary,
  view,
}: {
  vocabulary: Item & { uri: string }
  view: VocabularyView | 'proposals'
}) {
  const request = useRequest()
  const { texts } = request
  const facts = useContext(VocabularyContext)
  const path = `voc/${encodeURIComponent(vocabulary.notation?.[0] ?? vocabulary.uri)}`
  return (
    <>
      <Crumbs>
        <a href={link(request, '')}>{texts.vocabularies}</a>
      </Crumbs>
      <h1>
        <Label item={vocabulary} />
      </h1>
      <nav class="tabs" aria-label={texts.views}>
        {viewsOf(request, facts?.hasGroups === true || view === 'groups').map((name) => (
          <a
            class={name !== view && isInColumn(name) ? 'in-column' : undefined}
            href={link(request, name === 'overview' ? path : `${path}/${name}`)}
            aria-current={name === view ? 'page' : undefined}
          >
            {viewName(request, name)}
          </a>
        ))}
      </nav>
    </>
  )
}

/** The vocabulary behind the name of something in it; nothing if it is not known. */
export function InVocabulary({ scheme }: { scheme: Item | undefined }) {
  if (!scheme) return null
  return (
    <>
      {' · '}
      <VocabularyLink class="quiet" item={scheme} />
    </>
  )
}
