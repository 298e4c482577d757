import type { ComponentChildren } from 'preact'
import { isUuid, isSubsetNotation } from '../../graph/jskos/names.ts'
import { concordanceId, type ConcordanceRecord } from '../mappings/concordance.ts'
import { SKOS } from '../../base/namespaces.ts'
import { shorten } from '../../base/unicode.ts'
import { link, type PageRequest, useRequest } from './page-request.ts'
import { languageName, textOrder } from './language.ts'
import { inLanguage, nameOf, nameWithoutLabel, type Concept, type Item } from './records.ts'
import { readShape } from '../../graph/shapes/read.ts'

/** A text of a vocabulary, marked with its language; its writing direction does not affect the text around it. */
export function Text({ language, children }: { language: string; children: ComponentChildren }) {
  return <bdi lang={language === 'und' ? '' : language}>{children}</bdi>
}

/** The label in the reader's language, else the notation or the end of the URI. */
export function Label({ item }: { item: Item }) {
  const request = useRequest()
  const label = inLanguage(item.prefLabel, request.reading.preferred)
  if (label) return <Text language={label.language}>{shortName(request, label.value)}</Text>
  const name = nameWithoutLabel(item)
  return name === undefined ? (
    <span class="unnamed">{request.texts.noLabel}</span>
  ) : (
    <bdi class="unnamed" lang="">
      {shortName(request, name)}
    </bdi>
  )
}

/** A name as long as this part of a page can have it. */
export function shortName({ longest }: PageRequest, name: string): string {
  return longest === undefined ? name : shorten(name, longest)
}

/** Names the language of a text unless it is the reader's first language. */
export function ForeignLanguage({ language }: { language: string }) {
  const { reading } = useRequest()
  const preferred = reading.preferred[0]!
  if (language.split('-', 1)[0] === preferred.split('-', 1)[0]) return null
  return <LanguageTag language={language} />
}

/** The tag of a language, with its name; nothing if the language is not known. */
export function LanguageTag({ language }: { language: string }) {
  const { reading } = useRequest()
  return language === 'und' ? null : (
    <abbr class="tag" title={languageName(language, reading.page)}>
      {language}
    </abbr>
  )
}

/** The notation to show before a name: none if the name begins with it, or if it is a UUID. */
export function notationBefore(name: string, { notation }: Item): string | undefined {
  const first = notation?.[0]
  return !first || name.startsWith(`${first} `) || isUuid(first) ? undefined : first
}

/** A notation before a name. */
export function Notation({ children }: { children: ComponentChildren }) {
  return (
    <bdi class="notation" lang="">
      {children}
    </bdi>
  )
}

/** Notation and label, or what stands for the label. */
export function Name({ of: item }: { of: Item }) {
  const { reading } = useRequest()
  const label = inLanguage(item.prefLabel, reading.preferred)
  const notation = label && notationBefore(label.value, item)
  return (
    <>
      {notation === undefined ? null : <Notation>{notation}</Notation>} <Label item={item} />
    </>
  )
}

/** The address of a concept's page; stays within the subset, if any. */
export function conceptHref(request: PageRequest, uri: string): string {
  const voc = request.parameters.get('voc')
  return link(request, 'concept', { uri, voc: voc !== undefined && isSubsetNotation(voc) ? voc : undefined })
}

/** A link to the page of a concept. */
export function ConceptLink({ concept, class: name }: { concept: Item; class?: string }) {
  const request = useRequest()
  const content = <Name of={concept} />
  return concept.uri === undefined ? (
    <span class={name}>{content}</span>
  ) : (
    <a class={name} href={conceptHref(request, concept.uri)}>
      {content}
    </a>
  )
}

/** A link to something that this service does not describe, such as a publisher or a licence. */
export function ItemLink({ item }: { item: Item }) {
  const label = item.prefLabel ? <Label item={item} /> : null
  const address = item.uri ?? item.url
  if (address === undefined) return label
  return <OutLink href={address}>{label ?? licenseName(address) ?? <UriText uri={address} />}</OutLink>
}

/** An external link, if a browser can follow it safely. */
export function OutLink({ href, children }: { href: string; children: ComponentChildren }) {
  return /^https?:\/\//i.test(href) ? (
    <a href={href} rel="external">
      {children}
    </a>
  ) : (
    <>{children}</>
  )
}

/** A URI as text, whatever the direction of the text around it. */
export function UriText({ uri }: { uri: string }) {
  return (
    <bdi class="uri" lang="">
      {uri}
    </bdi>
  )
}

/** A link to the versions of something, if the service keeps a history. */
export function VersionsLink({ uri }: { uri: string }) {
  const request = useRequest()
  if (!request.dependencies.history) return null
  return (
    <p>
      <a class="view" href={link(request, 'history', { uri })}>
        {request.texts.toVersions}
      </a>
    </p>
  )
}

const RELATIONS = ['exactMatch', 'closeMatch', 'broadMatch', 'narrowMatch', 'relatedMatch', 'mappingRelation'] as const

/** The meaning of a mapping, in the language of the page. */
export function relationName({ texts }: PageRequest, uri: string): string {
  const relation = RELATIONS.find((name) => uri === SKOS + name)
  return relation ? texts[relation] : uri
}

/** A button that copies a text; hidden without JavaScript. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const { texts } = useRequest()
  return (
    <button type="button" class="copy" data-copy={text} data-copied={texts.copied} aria-label={label}>
      {texts.copy}
    </button>
  )
}

/** Sorts concepts by label, unless one has a notation: they already come in the order of notations. */
export function byLabel<Named extends Item>(request: PageRequest, concepts: readonly Named[]): readonly Named[] {
  if (concepts.some(({ notation }) => notation?.length)) return concepts
  const { preferred, page } = request.reading
  const compare = textOrder(page)
  return concepts
    .map((concept) => ({ concept, name: nameOf(concept, preferred) }))
    .sort((a, b) => compare(a.name, b.name))
    .map(({ concept }) => concept)
}

/** A link to the record of a concordance. */
export function ConcordanceLink({ concordance }: { concordance: ConcordanceRecord }) {
  const { root } = useRequest()
  const item = concordance.record as Pick<Concept, 'uri' | 'prefLabel' | 'notation'>
  return (
    <a class="quiet" href={`${root}concordances/${encodeURIComponent(concordanceId(concordance))}`}>
      <Label item={item} />
    </a>
  )
}

let names: Readonly<Record<string, string>> | undefined

/**
 * The usual name of a well-known licence (`shapes/license-names.json`); undefined for others.
 *
 * @param uri of the licence, or the address of its text or summary.
 * @example licenseName('https://creativecommons.org/licenses/by/4.0/deed.de') // 'CC BY 4.0'
 */
export function licenseName(uri: string): string | undefined {
  names ??= readShape<Record<string, string>>('license-names.json')
  const key = uri
    .toLowerCase()
    .replace(/^https?:\/\/(www\.)?/, '')
    .replace(/\/(deed(\.[a-z_-]+)?|legalcode(\.[a-z_-]+)?)?$/, '')
  return Object.hasOwn(names, key) ? names[key] : undefined
}
