import type { ConcordanceRecord } from '../mappings/concordance.ts'
import { recordsByUri } from '../../interface/read/data.ts'
import { link, type PageRequest, useRequest } from './page-request.ts'
import { Fact } from './facts.tsx'
import { ConcordanceLink, ItemLink, Label, Name, OutLink, relationName } from './label.tsx'
import { mappedElsewhere, type MappedElsewhere } from './mapped-elsewhere.ts'
import type { Concept } from './records.ts'
import { InVocabulary, localVocabulary, VocabularyLink } from './vocabulary-heading.tsx'

/** The page looks up the labels of at most this many mapped concepts. */
const MAX_MAPPINGS = 400

/** The concepts that a concept is mapped to, by URI: records of this service, or names for concepts elsewhere. */
export async function mapped(
  request: PageRequest,
  { uri, mapping }: Concept,
): Promise<ReadonlyMap<string, Concept | MappedElsewhere>> {
  const uris = [...new Set(mapping?.map(({ to }) => to))].slice(0, MAX_MAPPINGS)
  const records = await recordsByUri(request, uris, { properties: 'prefLabel,notation,inScheme' })
  const byUri = new Map<string, Concept | MappedElsewhere>(records)
  const missing = uris.filter((target) => !byUri.has(target))
  for (const [missingUri, names] of await mappedElsewhere(request, uri, missing)) byUri.set(missingUri, names)
  return byUri
}

/** The mappings of a concept by relation, with the concordances that state them; nothing if it has none. */
export function Mappings({
  concept,
  mappedConcepts,
  concordances,
}: {
  concept: Concept
  mappedConcepts: ReadonlyMap<string, Concept | MappedElsewhere>
  concordances: readonly ConcordanceRecord[]
}) {
  const request = useRequest()
  if (!concept.mapping?.length) return null
  const concordancesOf = (relation: string, uri: string) => {
    const mapping = concept.mappings?.find(({ type, to }) => type[0] === relation && to.memberSet[0]?.uri === uri)
    return mapping?.partOf?.flatMap((part) => concordances.find(({ record }) => record.uri === part.uri) ?? []) ?? []
  }
  const relations = [...new Set(concept.mapping.map(({ type }) => type))]
  return (
    <section>
      <h2>{request.texts.mappings}</h2>
      <dl class="mappings">
        {relations.map((relation) => (
          <Fact name={relationName(request, relation)}>
            <ul>
              {concept
                .mapping!.filter(({ type }) => type === relation)
                .map(({ to }) => (
                  <li>
                    <MappedConcept uri={to} concept={mappedConcepts.get(to)} />
                    {concordancesOf(relation, to).map((concordance) => (
                      <>
                        {' · '}
                        <ConcordanceLink concordance={concordance} />
                      </>
                    ))}
                  </li>
                ))}
            </ul>
          </Fact>
        ))}
      </dl>
    </section>
  )
}

function MappedConcept({ uri, concept }: { uri: string; concept: Concept | MappedElsewhere | undefined }) {
  const request = useRequest()
  if (!concept || 'vocabulary' in concept) return <ConceptElsewhere uri={uri} named={concept} />
  const scheme = concept.inScheme?.[0]
  return (
    <>
      {/* The link drops the reader's subset, which belongs to another vocabulary than the mapped concept. */}
      <a href={link(request, 'concept', { uri })}>
        <Name of={concept} />
      </a>
      <InVocabulary scheme={scheme} />
    </>
  )
}

/** A mapped concept that no vocabulary of the store has, with its vocabulary if that is known. */
function ConceptElsewhere({ uri, named }: { uri: string; named: MappedElsewhere | undefined }) {
  const request = useRequest()
  const { vocabulary, ...item } = named ?? { uri, vocabulary: undefined }
  const localItem = localVocabulary(request, vocabulary?.uri ?? '')
  return (
    <>
      {item.prefLabel ? (
        <OutLink href={uri}>
          <Name of={item} />
        </OutLink>
      ) : (
        <ItemLink item={{ uri }} />
      )}
      {vocabulary ? (
        <>
          {' · '}
          {localItem ? (
            <VocabularyLink class="quiet" item={localItem} />
          ) : (
            <span class="quiet">
              <Label item={vocabulary} />
            </span>
          )}
        </>
      ) : null}
    </>
  )
}
