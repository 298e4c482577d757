import type { WaysUp } from '../../interface/read/ancestors.ts'
import { KINDS_OF_LINKS, type KindOfLink } from '../../base/namespaces.ts'
import { link, type PageRequest, useRequest } from './page-request.ts'
import { ConceptSection, SeveralFact } from './facts.tsx'
import { formatNumber, joinedItems } from './format.tsx'
import { byLabel, ConceptLink, ItemLink, LanguageTag, OutLink, Text } from './label.tsx'
import { languageName } from './language.ts'
import { inLanguage, nameWithoutLabel, type Concept, type Item } from './records.ts'
import { VocabularyLink } from './vocabulary-heading.tsx'

/** The page lists at most this many narrower concepts; the tree has all. */
export const MAX_NARROWER = 100

/** The page shows at most this many paths to the top. */
export const MAX_PATHS = 5

/** The vocabulary, and the paths from its top down to the concept. */
export function Breadcrumbs({
  id,
  concept,
  paths: { ways: paths, isAll },
}: {
  id: string | undefined
  concept: Concept
  paths: WaysUp
}) {
  const request = useRequest()
  const { texts } = request
  const schemes = concept.inScheme ?? []
  const chains = paths.length > 0 ? paths.map((way) => way.toReversed()) : [[]]
  return (
    <nav class="crumbs" aria-label={texts.breadcrumb}>
      {chains.map((chain) => (
        <ol>
          {schemes[0] ? (
            <li>
              <VocabularyLink item={schemes[0]} />
            </li>
          ) : null}
          {chain.map((ancestor) => (
            <li>
              <ConceptLink
                concept={{
                  uri: ancestor.uri,
                  ...(ancestor.prefLabel ? { prefLabel: ancestor.prefLabel } : { notation: ancestor.notation ?? [] }),
                }}
              />
            </li>
          ))}
        </ol>
      ))}
      {isAll ? null : <p>{texts.morePaths}</p>}
      {id === undefined ? null : (
        <p>
          <a class="view" href={`${link(request, `voc/${encodeURIComponent(id)}/tree`, { uri: concept.uri })}#here`}>
            {texts.inTree}
          </a>
        </p>
      )}
    </nav>
  )
}

/** The preferred labels in other languages, in one line. */
export function OtherNames({ concept }: { concept: Concept }) {
  const { reading } = useRequest()
  const shown = inLanguage(concept.prefLabel, reading.preferred)?.language
  const otherLabels = Object.entries(concept.prefLabel ?? {}).filter(([language]) => language !== shown)
  if (otherLabels.length === 0 || otherLabels.length > 3) return null
  return (
    <ul class="inline names">
      {otherLabels.map(([language, label]) => (
        <li>
          <Text language={language}>{label}</Text> <LanguageTag language={language} />
        </li>
      ))}
    </ul>
  )
}

/** A notice for a deprecated or replaced concept. */
export function Replaced({ concept }: { concept: Concept }) {
  const { texts } = useRequest()
  const { deprecated, replacedBy = [] } = concept
  if (!deprecated && replacedBy.length === 0) return null
  return (
    <p class="notice">
      {deprecated ? `${texts.deprecated} ` : null}
      {replacedBy.length > 0 ? `${texts.replacedBy}: ` : null}
      {joinedItems(
        replacedBy.map((replacement) =>
          replacement.uri === undefined && replacement.url !== undefined ? (
            <ItemLink item={replacement} />
          ) : (
            <ConceptLink concept={replacement} />
          ),
        ),
      )}
    </p>
  )
}

/** The concepts directly above, below and beside a concept. */
export function Neighbourhood({
  id,
  concept,
  children,
}: {
  id: string | undefined
  concept: Concept
  children: { total: number; records: Concept[] }
}) {
  const request = useRequest()
  const { texts } = request
  const kinds = kindsOfLinks(request, concept)
  return (
    <>
      <Concepts title={texts.broader} concepts={concept.broader ?? []} kinds={kinds} />
      <Concepts
        title={texts.narrower}
        count={children.total}
        kinds={kinds}
        concepts={children.total > children.records.length ? children.records : byLabel(request, children.records)}
      >
        {children.total > children.records.length && id !== undefined ? (
          <p>
            <a href={link(request, `voc/${encodeURIComponent(id)}/tree`, { uri: concept.uri })}>
              {texts.allInTree(formatNumber(request, children.total))}
            </a>
          </p>
        ) : null}
      </Concepts>
      {(['related', 'previous', 'next', 'place', 'memberOf'] as const).map((name) => (
        <Concepts title={texts[name]} concepts={byLabel(request, concept[name] ?? [])} />
      ))}
    </>
  )
}

/** The words for the kinds of the links to other concepts (ISO 25964), by the URIs of these. */
function kindsOfLinks({ texts }: PageRequest, { qualifiedRelations = {} }: Concept): ReadonlyMap<string, string> {
  const kinds = new Map<string, string>()
  for (const [kind, property] of Object.entries(KINDS_OF_LINKS)) {
    for (const statement of qualifiedRelations[property] ?? []) {
      const { uri } = statement['resource'] as Item
      const word = texts.kindsOfLinks[kind as KindOfLink]
      if (uri !== undefined) kinds.set(uri, kinds.has(uri) ? `${kinds.get(uri)}, ${word}` : word)
    }
  }
  return kinds
}

function Concepts({
  title,
  concepts,
  kinds,
  count = concepts.length,
  children,
}: {
  title: string
  concepts: readonly Item[]
  /** Words for the kinds of links by URI. */
  kinds?: ReadonlyMap<string, string>
  count?: number
  children?: preact.ComponentChildren
}) {
  const request = useRequest()
  if (concepts.length === 0) return null
  const titleWithCount = (
    <>
      {title} {count > 5 ? <span class="count">{formatNumber(request, count)}</span> : null}
    </>
  )
  return (
    <ConceptSection title={titleWithCount} concepts={concepts} kinds={kinds}>
      {children}
    </ConceptSection>
  )
}

/** All labels by language, the reader's languages first. */
export function Labels({ concept }: { concept: Concept }) {
  const { texts, reading } = useRequest()
  const { prefLabel = {}, altLabel = {} } = concept
  const rank = (tag: string) => {
    const index = reading.preferred.findIndex((preferred) => preferred.split('-', 1)[0] === tag.split('-', 1)[0])
    return index < 0 ? reading.preferred.length : index
  }
  const languages = [...new Set([...Object.keys(prefLabel), ...Object.keys(altLabel)])]
  languages.sort(
    (a, b) => rank(a) - rank(b) || languageName(a, reading.page).localeCompare(languageName(b, reading.page)),
  )
  if (languages.length === 0) return null
  const hasAlternatives = Object.keys(altLabel).length > 0
  return (
    <section>
      <h2>{texts.labels}</h2>
      <table class="labels">
        <thead>
          <tr>
            <th scope="col">{texts.language}</th>
            <th scope="col">{texts.preferred}</th>
            {hasAlternatives ? <th scope="col">{texts.alternative}</th> : null}
          </tr>
        </thead>
        <tbody>
          {languages.map((language) => (
            <tr>
              <th scope="row">{languageName(language, reading.page)}</th>
              <td>{prefLabel[language] ? <Text language={language}>{prefLabel[language]}</Text> : null}</td>
              {hasAlternatives ? (
                <td>
                  {joinedItems((altLabel[language] ?? []).map((label) => <Text language={language}>{label}</Text>))}
                </td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Classes beside skos:Concept. */
export function Kinds({ concept }: { concept: Concept }) {
  const { texts } = useRequest()
  return (
    <SeveralFact name={texts.types}>
      {concept.type.slice(1).map((uri) => (
        <OutLink href={uri}>{nameWithoutLabel({ uri })}</OutLink>
      ))}
    </SeveralFact>
  )
}
