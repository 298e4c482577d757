import { KINDS_OF_LINKS, SKOS, SKOSXL, type KindOfLink } from '../../base/namespaces.ts'

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
  ...KINDS_OF_LINKS,
} as const
export type LinkName = keyof typeof LINKS

/** A link to a broader concept, and its inverse. */
type Pair = readonly [broader: LinkName, narrower: LinkName]

/** What a property means for the hierarchy. */
interface Hierarchical {
  isBroader: boolean
  /** The links that follow from it, in both directions. */
  pairs: readonly Pair[]
}

const PLAIN: Pair = ['broader', 'narrower']
const PAIRS_OF_KINDS = ['Generic', 'Instantial', 'Partitive'].map((kind): Pair => [
  `broader${kind}` as KindOfLink,
  `narrower${kind}` as KindOfLink,
])

/** The hierarchical links of SKOS, and their kinds of ISO 25964, which are sub-properties of them. */
export const HIERARCHICAL: ReadonlyMap<string, Hierarchical> = new Map(
  [[PLAIN], ...PAIRS_OF_KINDS.map((pair) => [pair, PLAIN])].flatMap((pairs): [string, Hierarchical][] => {
    const [broader, narrower] = pairs[0]!
    return [
      [LINKS[broader], { isBroader: true, pairs }],
      [LINKS[narrower], { isBroader: false, pairs }],
    ]
  }),
)

/** The links that only properties with a kind of ISO 25964 add, by their IRIs. */
export const KIND_LINKS = PAIRS_OF_KINDS.flat().map((link) => [LINKS[link], link] as const)

/** Further properties whose sub-properties imply them. */
const FURTHER = ['related', 'exactMatch', 'closeMatch', 'broadMatch', 'narrowMatch', 'relatedMatch'] as const

/** These properties by their IRIs. */
export const IMPLIED: ReadonlyMap<string, (typeof FURTHER)[number]> = new Map(
  FURTHER.map((name) => [SKOS + name, name]),
)

/** A statement that loading adds because a file declares its property as the super-property of another one. */
export type ImpliedChange = `skos:${(typeof FURTHER)[number]} added`

/**
 * The properties of SKOS and ISO 25964 that follow from properties of files, by these (RDF Schema 1.1, section 3.4):
 * declarations count through properties of the files, too. What an ontology declares of properties of SKOS does not
 * count: a broader match is no broader concept of the vocabulary.
 *
 * @param declared the properties that each property is declared a sub-property of.
 */
export function impliedBy(declared: ReadonlyMap<string, ReadonlySet<string>>): Map<string, string[]> {
  const isImplied = (property: string) => HIERARCHICAL.has(property) || IMPLIED.has(property)
  const implied = new Map<string, string[]>()
  for (const property of declared.keys()) {
    if (isImplied(property) || property.startsWith(SKOS)) continue
    const above = new Set([property])
    for (const each of above) {
      // A set that grows is iterated to its end.
      if (!isImplied(each)) for (const next of declared.get(each) ?? []) above.add(next)
    }
    const properties = [...above].filter(isImplied)
    if (properties.length > 0) implied.set(property, properties)
  }
  return implied
}
