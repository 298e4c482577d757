import type { ComponentChildren } from 'preact'
import { withQuery } from '../../interface/http/addresses.ts'
import { EXPORT_FORMATS, type ExportFormat } from '../export/export.ts'
import { type PageRequest, useRequest } from './page-request.ts'
import { Day, formatNumber } from './format.tsx'
import { ConceptLink, CopyButton, ForeignLanguage, ItemLink, OutLink, Text, UriText } from './label.tsx'
import { inLanguage, notes, type Item, type NoteName, type PageResource } from './records.ts'
import type { Texts } from './texts.ts'
import { localVocabulary, VocabularyLink } from './vocabulary-heading.tsx'

/** One line of a list of facts; nothing if it has no content. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

const ITEMS = ['publisher', 'creator', 'contributor', 'license', 'source', 'subject'] as const
const DATES = ['created', 'issued', 'modified'] as const

/** The facts that concepts and vocabularies have in common, except their names. */
export function CommonFacts({ resource }: { resource: PageResource }) {
  const { texts } = useRequest()
  return (
    <>
      {ITEMS.map((name) => (
        <ItemFact name={texts[name]} items={resource[name]} />
      ))}
      {DATES.map((name) => {
        const date = resource[name]
        return date ? (
          <Fact name={texts[name]}>
            <Day date={date} />
          </Fact>
        ) : null
      })}
      {resource.version ? <Fact name={texts.version}>{resource.version}</Fact> : null}
      {resource.url ? (
        <Fact name={texts.homepage}>
          <OutLink href={resource.url}>
            <UriText uri={resource.url} />
          </OutLink>
        </Fact>
      ) : null}
    </>
  )
}

/** Linked resources with a URI or a name; nothing if there are none. */
function ItemFact({ name, items }: { name: string; items: readonly Item[] | undefined }) {
  const shown = (items ?? []).filter(({ uri, prefLabel, url }) => [uri, prefLabel, url].some(Boolean))
  return (
    <SeveralFact name={name}>
      {shown.map((item) => (
        <ItemLink item={item} />
      ))}
    </SeveralFact>
  )
}

/** Links to vocabularies, and to the URIs of other concept schemes; nothing if there are none. */
export function VocabulariesFact({
  name,
  vocabularies = [],
}: {
  name: string
  vocabularies: readonly Item[] | undefined
}) {
  const request = useRequest()
  return (
    <SeveralFact name={name}>
      {vocabularies.map((item) =>
        item.uri !== undefined && localVocabulary(request, item.uri) ? (
          <VocabularyLink item={item} />
        ) : (
          <ItemLink item={item} />
        ),
      )}
    </SeveralFact>
  )
}

/** A section that lists concepts or collections. */
export function ConceptSection({
  title,
  concepts,
  kinds,
  class: name,
  children,
}: {
  title: ComponentChildren
  concepts: readonly Item[]
  /** Words for the kinds of links by URI. */
  kinds?: ReadonlyMap<string, string> | undefined
  class?: string
  children?: ComponentChildren
}) {
  return (
    <section class={name}>
      <h2>{title}</h2>
      <ul class="concepts">
        {concepts.map((concept) => (
          <li>
            {kinds?.has(concept.uri ?? '') ? <span class="quiet">{kinds.get(concept.uri!)} </span> : null}
            <ConceptLink concept={concept} />
          </li>
        ))}
      </ul>
      {children}
    </section>
  )
}

/** One or more items as a fact, one below the other; nothing if there are none. */
export function SeveralFact({ name, children }: { name: string; children: ComponentChildren[] }) {
  if (children.length === 0) return null
  return (
    <Fact name={name}>
      {children.length === 1 ? (
        children
      ) : (
        <ul>
          {children.map((child) => (
            <li>{child}</li>
          ))}
        </ul>
      )}
    </Fact>
  )
}

/** The URI of a resource, with a button that copies it. */
export function UriFact({ uri }: { uri: string }) {
  const { texts } = useRequest()
  return (
    <Fact name={texts.address}>
      <UriText uri={uri} /> <CopyButton text={uri} label={texts.copyAddress} />
    </Fact>
  )
}

/** Other identifiers, except spellings of the URI with or without a slash at the end. */
export function IdentifierFact({ resource }: { resource: PageResource }) {
  const { texts } = useRequest()
  const plainUri = resource.uri.replace(/\/$/, '')
  const identifiers = resource.identifier ?? []
  const otherIdentifiers = identifiers.filter((identifier) => identifier.replace(/\/$/, '') !== plainUri)
  return (
    <SeveralFact name={texts.identifiers}>
      {otherIdentifiers.map((identifier) => (
        <OutLink href={identifier}>
          <UriText uri={identifier} />
        </OutLink>
      ))}
    </SeveralFact>
  )
}

/** The texts of a note in one language, with a heading. */
export function NoteSection({ resource, name }: { resource: PageResource; name: NoteName }) {
  const { reading, texts } = useRequest()
  const chosen = inLanguage(notes(resource, name), reading.preferred)
  if (!chosen) return null
  return (
    <section class="note">
      <h2>
        {texts[name satisfies keyof Texts]} <ForeignLanguage language={chosen.language} />
      </h2>
      {chosen.value.map((text) => (
        <p>
          <Text language={chosen.language}>{text}</Text>
        </p>
      ))}
    </section>
  )
}

/** The notes of a concept or collection, without the definition, which `Lead` shows. */
export function Notes({ resource }: { resource: PageResource }) {
  return (
    <>
      {(['scopeNote', 'note', 'example', 'historyNote', 'editorialNote', 'changeNote'] as const).map((name) => (
        <NoteSection resource={resource} name={name} />
      ))}
    </>
  )
}

/** The definition below a name. */
export function Lead({ resource }: { resource: PageResource }) {
  const { reading } = useRequest()
  const chosen = inLanguage(notes(resource, 'definition'), reading.preferred)
  if (!chosen) return null
  return (
    <>
      {chosen.value.map((text) => (
        <p class="lead">
          <Text language={chosen.language}>{text}</Text> <ForeignLanguage language={chosen.language} />
        </p>
      ))}
    </>
  )
}

/** A link to a file. */
interface Download {
  title: string
  mediaType: string
  href: string
}

/** Links to the same data in several formats. */
export function Downloads({ title, files }: { title: string; files: readonly Download[] }) {
  const { texts } = useRequest()
  return (
    <section>
      <h2>{texts.download}</h2>
      <p class="small">{title}</p>
      <ul class="chips">
        {files.map(({ title, href }) => (
          <li>
            <a href={href}>{title}</a>
          </li>
        ))}
      </ul>
    </section>
  )
}

/**
 * The downloads of a whole vocabulary.
 *
 * @param root of the links: the root of the page, or the public address.
 * @param id of the vocabulary, or its URI.
 */
export function vocabularyFiles(root: string, id: string): Download[] {
  return EXPORT_FORMATS.map((format) => exported(root, id, format))
}

/**
 * The downloads of one concept with all statements of its vocabulary about it.
 *
 * @param id of the vocabulary; undefined: there is none, and only the record can be downloaded.
 */
export function conceptFiles(root: string, id: string | undefined, uri: string): Download[] {
  const record = (format: string) => root + withQuery('data', { uri, properties: '*', format })
  const rdf = EXPORT_FORMATS.filter(({ kind }) => kind === 'rdf')
  return [
    { title: 'JSKOS', mediaType: 'application/json', href: record('json') },
    ...rdf.map((format) =>
      id === undefined ? { ...format, href: record(format.formats[0]) } : exported(root, id, format, uri),
    ),
  ]
}

/** The address of all statements about a resource, in Turtle. */
export function turtleOf({ root }: PageRequest, id: string | undefined, uri: string): string {
  return conceptFiles(root, id, uri).find(({ mediaType }) => mediaType === 'text/turtle')!.href
}

function exported(root: string, id: string, { title, mediaType, formats }: ExportFormat, uri?: string): Download {
  const href = root + withQuery(`voc/${encodeURIComponent(id)}/export`, { uri, format: formats[0] })
  return { title, mediaType, href }
}

/** The text to cite, with a button that copies it. */
export function Citation({ text }: { text: string }) {
  const { texts } = useRequest()
  return (
    <section>
      <h2>{texts.cite}</h2>
      <p class="citation">
        <bdi>{text}</bdi>
      </p>
      <CopyButton text={text} label={texts.copyCitation} />
    </section>
  )
}

/** A bar for a part of a total; the figures beside it repeat it as text. */
function Bar({ part, total }: { part: number; total: number }) {
  const width = total > 0 ? Math.max(1, Math.round((part / total) * 100)) : 0
  return (
    <svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect width={width} height="6" rx="1" />
    </svg>
  )
}

/** Numbers with their names, each with a bar for its part of the whole; nothing if there are none. */
export function Chart({
  caption,
  rows,
  total,
}: {
  caption: string
  rows: readonly (readonly [name: ComponentChildren, count: number])[]
  total: number
}) {
  const request = useRequest()
  if (rows.length === 0) return null
  return (
    <table class="chart">
      <caption>{caption}</caption>
      <tbody>
        {rows.map(([name, count]) => (
          <tr>
            <th scope="row">{name}</th>
            <td>
              <Bar part={count} total={total} />
            </td>
            <td class="number">{formatNumber(request, count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** How many concepts each level has; nothing if there is only one. */
export function LevelChart({ levels = [] }: { levels: readonly number[] | undefined }) {
  const request = useRequest()
  if (levels.length < 2) return null
  return (
    <Chart
      caption={request.texts.byLevel}
      total={Math.max(...levels)}
      rows={levels.map((count, index) => [request.texts.level(formatNumber(request, index + 1)), count])}
    />
  )
}
