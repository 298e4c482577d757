import { vocabulariesNamed, type Vocabulary as KnownVocabulary } from '../vocabularies/vocabulary.ts'
import { Crumbs } from './crumbs.tsx'
import { Label } from './label.tsx'
import { link, type PageRequest } from './page-request.ts'
import type { Item } from './records.ts'
import { Facts } from './vocabulary-facts.ts'

/** The address of a vocabulary's page. */
export function vocabularyLink(asked: PageRequest, { uri, notation }: { uri?: string; notation?: string[] }): string {
  return link(asked, `voc/${encodeURIComponent(notation?.[0] ?? uri ?? '')}`)
}

/** A link to a vocabulary's page. */
export function VocabularyLink({ asked, item, class: name }: { asked: PageRequest; item: Item; class?: string }) {
  return (
    <a class={name} href={vocabularyLink(asked, item)}>
      <Label asked={asked} item={item} />
    </a>
  )
}

/** A vocabulary with its names, as records have them. */
export function itemOf({ uri, ids, prefLabel }: KnownVocabulary): Item & { uri: string } {
  return { uri, notation: ids, prefLabel }
}

/** The vocabulary of this service that a URI names. */
export function knownVocabulary({ dependencies: { registry } }: PageRequest, uri: string): Item | undefined {
  const [known] = vocabulariesNamed(registry.last ?? [], [uri])
  return known && itemOf(known)
}

/** The vocabulary of the path. */
export function vocabularyAsked({ dependencies, vocid = '' }: PageRequest): Promise<KnownVocabulary> {
  return dependencies.registry.require(vocid)
}

/** The graphs of the vocabularies that a concept or a collection is in. */
export async function graphsOf(
  { dependencies: { registry } }: PageRequest,
  { inScheme = [] }: { inScheme?: readonly Item[] },
): Promise<string[]> {
  const all = await registry.list()
  return all.filter(({ uri }) => inScheme.some((scheme) => scheme.uri === uri)).map(({ uri }) => uri)
}

/** If the vocabulary is a subset, restricts the request to it, so that links and counts stay within the subset. */
export function within(asked: PageRequest, { isSubset, ids }: KnownVocabulary): PageRequest {
  return isSubset ? { ...asked, parameters: new Map([...asked.parameters, ['voc', ids[0]!]]) } : asked
}

type View = 'overview' | 'tree' | 'index' | 'groups' | 'statistics' | 'changes'

function viewsOf(
  { dependencies }: PageRequest,
  { uri, notation }: Item & { uri: string },
  hasGroups: boolean,
): (readonly [View, string])[] {
  const path = `voc/${encodeURIComponent(notation?.[0] ?? uri)}`
  return [
    ['overview', path],
    ['tree', `${path}/tree`],
    ['index', `${path}/index`],
    ...(hasGroups ? [['groups', `${path}/groups`] as const] : []),
    ['statistics', `${path}/statistics`],
    ...(dependencies.history ? [['changes', `${path}/changes`] as const] : []),
  ]
}

/** The name of a vocabulary and its views. */
export function VocabularyHeading({
  asked,
  vocabulary,
  view,
}: {
  asked: PageRequest
  vocabulary: Item & { uri: string }
  view: View
}) {
  const { texts } = asked
  return (
    <>
      <Crumbs asked={asked}>
        <a href={link(asked, '')}>{texts.vocabularies}</a>
      </Crumbs>
      <h1>
        <Label asked={asked} item={vocabulary} />
      </h1>
      <Facts.Consumer>
        {(facts) => (
          <nav class="tabs" aria-label={texts.views}>
            {viewsOf(asked, vocabulary, facts?.hasGroups === true || view === 'groups').map(([name, address]) => (
              <a href={link(asked, address)} aria-current={name === view ? 'page' : undefined}>
                {texts[name === 'groups' ? 'collections' : name]}
              </a>
            ))}
          </nav>
        )}
      </Facts.Consumer>
    </>
  )
}

/** The vocabulary behind the name of something in it; nothing if it is not known. */
export function InVocabulary({ asked, scheme }: { asked: PageRequest; scheme: Item | undefined }) {
  if (!scheme) return null
  return (
    <>
      {' · '}
      <VocabularyLink class="quiet" asked={asked} item={scheme} />
    </>
  )
}
