import { compareCodePoints } from '../../graph/jskos/order.ts'
import { LABELS, SKOS } from '../../base/namespaces.ts'
import { unescapeNTriples } from '../../graph/sparql/ntriples.ts'
import { DERIVED, type SourceGraph, type SubjectStatement } from './source-graph.ts'
import { splitLiteral } from '../../graph/sparql/statements.ts'
import { normaliseText } from '../../base/unicode.ts'

/** The changes to the labels of a resource, in the words of the report. */
export type LabelChange =
  | 'SKOS-XL label also as plain label'
  | 'further prefLabel of a language made altLabel'
  | 'altLabel equal to the prefLabel dropped'

const PREF = `${SKOS}prefLabel`
const ALT = `${SKOS}altLabel`
const LABEL_BY_DERIVED = new Map(LABELS.map((name) => [`${DERIVED}${SKOS}${name}`, SKOS + name]))

/**
 * Normalises the labels of one resource (docs/loading.md, "Loading"): plain labels for SKOS-XL ones, one prefLabel
 * for each language (a plain one before those of SKOS-XL, then the first in code point order), no altLabel that equals
 * it. Other statements come back as they are.
 *
 * @param preferred prefLabels (`"text"@language`) that win over others of their language.
 */
export function normaliseLabels(
  statements: SubjectStatement[],
  count: (change: LabelChange) => void,
  preferred: ReadonlySet<string> = new Set(),
): SubjectStatement[] {
  if (isNormal(statements)) return statements
  const kept: SubjectStatement[] = []
  const labels = new Map<string, Set<string>>(LABELS.map((name) => [SKOS + name, new Set()]))
  const derived: [string, string][] = []
  for (const statement of statements) {
    const { predicate, object } = statement
    const plain = LABEL_BY_DERIVED.get(predicate)
    if (plain) derived.push([plain, object])
    else if (labels.has(predicate) && languageOfLabel(object)) labels.get(predicate)!.add(object)
    else kept.push(statement)
  }
  const original = new Map([...labels].map(([predicate, objects]) => [predicate, new Set(objects)]))
  for (const [predicate, object] of derived) labels.get(predicate)!.add(object)

  const prefs = labels.get(PREF)!
  const alts = labels.get(ALT)!
  const chosen = new Map<string, string>()
  for (const object of prefs) {
    const language = languageOfLabel(object)!
    const other = chosen.get(language)
    if (other === undefined || isBefore(object, other, [preferred, original.get(PREF)!])) chosen.set(language, object)
  }
  for (const object of prefs) {
    if (chosen.get(languageOfLabel(object)!) === object) continue
    prefs.delete(object)
    alts.add(object)
    if (original.get(PREF)!.has(object)) count('further prefLabel of a language made altLabel')
  }
  for (const object of alts) {
    if (!prefs.has(object)) continue
    alts.delete(object)
    if (original.get(ALT)!.has(object)) count('altLabel equal to the prefLabel dropped')
  }
  for (const [predicate, object] of derived) {
    if (labels.get(predicate)!.has(object) && !original.get(predicate)!.has(object)) {
      count('SKOS-XL label also as plain label')
      original.get(predicate)!.add(object)
    }
  }
  for (const [predicate, objects] of labels) for (const object of objects) kept.push({ predicate, object })
  return kept
}

const PLAIN_LABEL = {
  xlPrefLabel: `${SKOS}prefLabel`,
  xlAltLabel: `${SKOS}altLabel`,
  xlHiddenLabel: `${SKOS}hiddenLabel`,
} as const

/** Adds the literal forms of SKOS-XL labels, which are resources, to the resources that they label. */
export function derivePlainLabels(source: SourceGraph): void {
  if (source.isDerived) return
  source.isDerived = true
  const labelled = Object.entries(PLAIN_LABEL).map(
    ([link, predicate]) => [predicate, source.links[link as keyof typeof PLAIN_LABEL].byTarget(source.size)] as const,
  )
  if (labelled.every(([, resources]) => resources.length === 0)) return
  for (const [label, form] of source.literalForms()) {
    const literal = languageOfLabel(form) ? form : form.endsWith('"') ? `${normaliseText(form)}@und` : undefined
    if (literal === undefined || unescapeNTriples(splitLiteral(literal)!.lexical).trim() === '') continue
    for (const [predicate, resources] of labelled) {
      for (const resource of resources.of(label)) source.addDerived(resource, predicate, literal)
    }
  }
}

/** True for most resources: one prefLabel for each language and no altLabel need no change. */
function isNormal(statements: SubjectStatement[]): boolean {
  let languages = ''
  for (const { predicate, object } of statements) {
    if (predicate === ALT || predicate.startsWith(DERIVED)) return false
    if (predicate !== PREF) continue
    const suffix = `${object.slice(object.lastIndexOf('"') + 1)} `
    if (languages.includes(suffix)) return false
    languages += suffix
  }
  return true
}

/** The language of a label in N-Triples; undefined if it is not a text in a language. */
export function languageOfLabel(object: string): string | undefined {
  const suffix = splitLiteral(object)?.suffix
  return suffix?.startsWith('@') ? suffix.slice(1) : undefined
}

/** True for a label that comes before another one: those of the first set, then those of the next, then by text. */
function isBefore(object: string, other: string, preferred: readonly ReadonlySet<string>[]): boolean {
  for (const labels of preferred) if (labels.has(object) !== labels.has(other)) return labels.has(object)
  const text = (written: string) => unescapeNTriples(splitLiteral(written)!.lexical)
  return compareCodePoints(text(object), text(other)) < 0
}
