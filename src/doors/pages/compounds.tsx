import { textOrder } from './language.ts'
import { ISOTHES } from '../../base/namespaces.ts'
import { recordsByUri } from '../../interface/read/data.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { byLabel, ConceptLink, Text } from './label.tsx'
import { type PageRequest, useRequest } from './page-request.ts'
import type { Concept } from './records.ts'

/** A term that is not preferred, and the concepts to use for it together (ISO 25964, compound equivalence). */
interface Compound {
  text: string
  language: string
  concepts: readonly Concept[]
}

/** The properties from a compound equivalence, or from its term, to the preferred terms. */
const USES = ['plusUse', 'plusUseTerm'].map((name) => iri(ISOTHES + name))

/**
 * The compound equivalences that a concept has a part in, in the order of their terms.
 *
 * @throws the errors of the store.
 */
export async function compoundsOf(request: PageRequest, { uri, inScheme }: Concept): Promise<Compound[]> {
  const { dependencies, signal, reading } = request
  const vocabularies = await dependencies.registry.list()
  // The terms are labels of SKOS-XL, so a vocabulary without objects has none.
  if (!vocabularies.some((whole) => whole.hasObjects && inScheme?.some((scheme) => scheme.uri === whole.uri))) return []
  const query = queryTemplate('describe/compounds').bind({ terms: { c: [iri(uri)], uses: USES } })
  const rows = await dependencies.client.select(query, { signal })
  const uris = rows.flatMap(({ concept }) => concept?.value ?? [])
  const records = await recordsByUri(request, uris)
  const compounds = new Map<string, { text: string; language: string; concepts: Map<string, Concept> }>()
  for (const { split, text, concept } of rows) {
    const record = records.get(concept!.value)
    if (text === undefined || record === undefined) continue
    const { value, 'xml:lang': language } = text
    const key = JSON.stringify([split!.value, value, language])
    const compound = compounds.get(key) ?? { text: value, language: language || 'und', concepts: new Map() }
    compound.concepts.set(record.uri, record)
    compounds.set(key, compound)
  }
  const compare = textOrder(reading.page)
  return [...compounds.values()]
    .map((compound) => ({ ...compound, concepts: byLabel(request, [...compound.concepts.values()]) }))
    .filter(({ concepts }) => concepts.length > 1)
    .sort((a, b) => compare(a.text, b.text))
}

/** The terms that a concept stands for together with others: "use A + B". */
export function Compounds({ compounds }: { compounds: readonly Compound[] }) {
  const { texts } = useRequest()
  if (compounds.length === 0) return null
  return (
    <section>
      <h2>{texts.compounds}</h2>
      <ul class="concepts">
        {compounds.map(({ text, language, concepts }) => (
          <li>
            <Text language={language}>{text}</Text>: <span class="quiet">{texts.use}</span>{' '}
            {concepts.map((concept, at) => (
              <>
                {at > 0 ? ' + ' : null}
                <ConceptLink concept={concept} />
              </>
            ))}
          </li>
        ))}
      </ul>
    </section>
  )
}
