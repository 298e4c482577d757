import { SKOS, SKOSXL } from '../../base/namespaces.ts'

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
