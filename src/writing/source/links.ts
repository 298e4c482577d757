import { ISOTHES, SKOS, SKOSXL } from '../../base/namespaces.ts'

/** Links between resources that rules about the whole graph need. */
export const LINKS = {
  broader: `${SKOS}broader`,
  narrower: `${SKOS}narrower`,
  related: `${SKOS}related`,
  broaderTransitive: `${SKOS}broaderTransitive`,
  narrowerTransitive: `${SKOS}narrowerTransitive`,
  inScheme: `${SKOS}inScheme`,
  topConceptOf: `${SKOS}topConceptOf`,
  hasTopConcept: `${SKOS}hasTopConcept`,
  xlPrefLabel: `${SKOSXL}prefLabel`,
  xlAltLabel: `${SKOSXL}altLabel`,
  xlHiddenLabel: `${SKOSXL}hiddenLabel`,
} as const
export type Link = keyof typeof LINKS

/** The hierarchical links of SKOS, and their kinds of ISO 25964, which are sub-properties of them. */
export const HIERARCHICAL: ReadonlyMap<string, 'broader' | 'narrower'> = new Map(
  (['broader', 'narrower'] as const).flatMap((link) =>
    [LINKS[link], ...['Generic', 'Partitive', 'Instantial'].map((kind) => `${ISOTHES}${link}${kind}`)].map(
      (property) => [property, link] as const,
    ),
  ),
)
