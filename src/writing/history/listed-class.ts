import { COLLECTION, CONCEPT, CONCEPT_SCHEME, NOTATION, RDF_TYPE, RECORD_CLASSES } from '../../base/namespaces.ts'

const LISTED = RECORD_CLASSES.map((name) => ({ name, statement: `<${RDF_TYPE}> <${name}>` }))
/** Subsets need no class. */
const OF_SUBSET = `<${NOTATION}> "subset_`

/** True for concepts, schemes and collections; the log keeps changes of other resources, but does not list them. */
export function isListedResource(statements: readonly string[]): boolean {
  return classOf(statements) !== undefined
}

/** The SKOS class of a resource by its statements, `skos:Collection` for all collections; undefined: it has none. */
export function classOf(statements: readonly string[]): string | undefined {
  const type = LISTED.find(({ statement }) => statements.includes(statement))?.name
  if (type === undefined) return statements.some((line) => line.startsWith(OF_SUBSET)) ? CONCEPT_SCHEME : undefined
  return type === CONCEPT || type === CONCEPT_SCHEME ? type : COLLECTION
}
