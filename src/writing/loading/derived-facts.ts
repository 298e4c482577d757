import {
  DCT,
  NAMING,
  NOTATION,
  NOTATION_TYPE,
  OBJECTS,
  ORDER,
  RDF_TYPE,
  RECORD_CLASSES,
  RESOURCE_NOTES,
  SKOS,
  XSD,
} from '../../base/namespaces.ts'
import { CONCEPT_PROPERTIES, ITEM_PROPERTIES, NOTES, OBJECT_PROPERTIES } from '../../graph/jskos/fields.ts'
import { compareCodePoints, orderWith, type RecordOrder } from '../../graph/jskos/order.ts'
import { splitLiteral, writeLiteral, writeString } from '../../graph/sparql/statements.ts'
import type { Hierarchy } from '../source/hierarchy.ts'
import { languageOfLabel } from '../source/labels.ts'
import { NAMESPACE, NamespaceFinder } from '../source/namespace.ts'
import type { Description, SourceGraph, SubjectStatement } from '../source/source-graph.ts'

/** The facts that the report of a load counts. */
export type FactChange = 'language of the scheme from the labels' | 'namespace of the scheme found'

interface DerivedFact {
  predicate: string
  /** In N-Triples. */
  object: string
  change?: FactChange
}

const LANGUAGE = `${DCT}language`
const LABELS: ReadonlySet<string> = new Set(['prefLabel', 'altLabel', 'hiddenLabel'].map((name) => SKOS + name))
/** The properties of composed concepts. */
const OF_COMPOSED: readonly string[] = [`${SKOS}member`, `${SKOS}memberList`]
const CLASSES_OF_RECORDS: readonly string[] = RECORD_CLASSES.map((name) => `<${name}>`)

/**
 * Collects the facts about a vocabulary that follow from all of its resources: its order, the datatypes of its
 * notations, what reading may leave out because no resource has it, and languages and namespace if the vocabulary does
 * not state them itself.
 */
export class DerivedFacts {
  readonly #languages = new Set<string>()
  readonly #notationTypes = new Set<string>()
  readonly #namespace = new NamespaceFinder()
  #order: RecordOrder | undefined
  #statesLanguages = false
  #hasResourceNotes = false
  #hasObjects = false

  /** @param isProposed true for a concept from which neither languages nor the namespace follow. */
  constructor(
    private readonly source: SourceGraph,
    private readonly scheme: number,
    private readonly hierarchy: Hierarchy,
    private readonly isProposed: (concept: number) => boolean,
  ) {}

  /** Adds a resource. @param statements about it, as they go into the store. */
  add(description: Description, statements: readonly SubjectStatement[]): void {
    const { node } = description
    const isConcept = this.source.isConcept(node)
    for (const { predicate, object } of statements) {
      this.#hasResourceNotes ||= NOTES.has(predicate) && !object.startsWith('"')
      this.#hasObjects ||=
        OBJECT_PROPERTIES.has(predicate) ||
        (isConcept ? isObjectOfConcept(predicate, object) : isObjectOfItem(predicate, description))
    }
    if (isConcept) this.#addConcept(node, statements)
    if (node !== this.scheme) return
    this.#namespace.addScheme(statements)
    this.#statesLanguages = statements.some(({ predicate }) => predicate === LANGUAGE)
  }

  #addConcept(node: number, statements: readonly SubjectStatement[]): void {
    const isInScheme = this.hierarchy.isIn(node, this.scheme)
    const isProposed = this.isProposed(node)
    if (isInScheme && !isProposed) this.#namespace.addConcept(this.source.iri(node))
    for (const { predicate, object } of statements) {
      if (LABELS.has(predicate)) {
        const language = languageOfLabel(object)
        if (language && language !== 'und' && !isProposed) this.#languages.add(language)
      } else if (predicate === NOTATION) {
        const notation = splitLiteral(object)
        if (!object.endsWith('"')) this.#notationTypes.add(notation?.suffix ?? '')
        if (notation && isInScheme) this.#order = orderWith(this.#order, notation.lexical)
      }
    }
  }

  /** The facts as statements about the vocabulary. Call it after the last resource. */
  *statements(): Generator<DerivedFact> {
    for (const type of this.#notationTypes) {
      if (type.startsWith('^^')) yield { predicate: NOTATION_TYPE, object: type.slice(2) }
      else if (type.startsWith('@')) yield { predicate: NOTATION_TYPE, object: writeString(type.slice(1)) }
    }
    if (this.#order !== undefined && this.#order !== 'code-point')
      yield { predicate: ORDER, object: writeString(this.#order) }
    yield { predicate: RESOURCE_NOTES, object: writeBoolean(this.#hasResourceNotes) }
    yield { predicate: OBJECTS, object: writeBoolean(this.#hasObjects) }
    if (!this.#statesLanguages) {
      for (const language of [...this.#languages].sort(compareCodePoints))
        yield { predicate: LANGUAGE, object: writeString(language), change: 'language of the scheme from the labels' }
    }
    const namespace = this.#namespace.missing
    if (namespace !== undefined)
      yield { predicate: NAMESPACE, object: writeString(namespace), change: 'namespace of the scheme found' }
  }
}

function isObjectOfConcept(predicate: string, object: string): boolean {
  return OF_COMPOSED.includes(predicate) || (object.startsWith('_:') && CONCEPT_PROPERTIES.has(predicate))
}

/** True if a record that links to this resource shows more of it than its names. */
function isObjectOfItem(predicate: string, description: Description): boolean {
  const isOfItem = ITEM_PROPERTIES.has(predicate) || (CONCEPT_PROPERTIES.has(predicate) && isNamed(description))
  return isOfItem && !isRecord(description)
}

/** True for a neighbour of which records show more than its URI. */
function isNamed({ statements }: Description): boolean {
  return statements.some(({ predicate }) => NAMING.has(predicate))
}

/** True for a resource with a record of its own. */
function isRecord({ statements }: Description): boolean {
  return statements.some(({ predicate, object }) => predicate === RDF_TYPE && CLASSES_OF_RECORDS.includes(object))
}

function writeBoolean(value: boolean): string {
  return writeLiteral(String(value), { datatype: `${XSD}boolean` })
}
