import type { Quad, Term } from '@rdfjs/types'
import {
  DEPRECATED,
  BOOKKEEPING,
  CONCEPT,
  CONCEPT_SCHEME,
  DCT,
  KINDS_OF_LINKS,
  NOTATION,
  RDF_TYPE,
  RECORD_CLASSES,
  RDFS,
  SKOS,
  SKOSXL,
  STATUS,
  STRING,
  UNDER_DEVELOPMENT,
} from '../../base/namespaces.ts'
import { isAbsoluteIri, withoutDotSegments } from '../../graph/sparql/grammar.ts'
import { Edges } from './edges.ts'
import { IriTable } from './iri-table.ts'
import { recordQuads, type JskosListener } from './jskos.ts'
import { NestedRecords } from './nested-records.ts'
import { HIERARCHICAL, IMPLIED, impliedBy, LINKS, type ImpliedChange, type LinkName } from './links.ts'
import { Bits } from './bits.ts'
import { Literals, meansTrue, type TermChange } from './literals.ts'
import { isRightIri, mistakeOf, iriAsWritten } from './terms.ts'
import { Spool } from '../../base/files/spool.ts'
import { InputError } from '../../base/files/input-error.ts'
import { NTriplesLine } from '../../graph/sparql/ntriples.ts'
import { isLiteral } from '../../graph/sparql/statements.ts'
import type { Mistake } from '../../graph/tables/mistakes.ts'
import type { TableListener } from '../../graph/tables/sheet.ts'
import { looksMinted } from '../../graph/vocabularies/proposals.ts'
import { copyOfText } from '../../base/unicode.ts'
import { addToSet } from '../../base/groups.ts'

const NO_DOTS: TermChange = 'dot segments removed from an IRI'

/** Subjects in one part of the spool: enough for large reads, few enough for memory. */
const SUBJECTS_IN_PART = 1 << 11
const LITERAL_FORM = `${SKOSXL}literalForm`
/** The properties by which a concept may name a proposal that it takes over. */
const SAME = [`${SKOS}exactMatch`, `${DCT}identifier`]
/** The properties whose objects records show by name. */
const SHOWN_BY_NAME = new Set(['publisher', 'creator', 'contributor', 'license'].map((name) => DCT + name))
/** Prefix of the predicate of a statement that follows from others. */
export const DERIVED = 'derived:'

/** One statement about a subject: predicate and object in N-Triples. */
export interface SubjectStatement {
  predicate: string
  object: string
  /** The number of its named graph; absent for the default graph. */
  graph?: number
}

/** A subject with its statements in the files. */
export interface Description {
  node: number
  statements: SubjectStatement[]
}

/** Resources of tables whose cells findings name. */
const MOST_CELLS = 100_000

/**
 * The statements from the files of one vocabulary, grouped by subject in a spool. Memory only holds the links, and a
 * number for every resource that is a subject or the end of a link. 1.4 million concepts need about 200 MB.
 *
 * Terms are normalised one by one on the way in (docs/loading.md, "Loading").
 */
export class SourceGraph {
  readonly links: Record<LinkName, Edges>
  readonly changes = new Map<TermChange | ImpliedChange, number>()
  /** Ill-formed language tags, with the resources that have them. */
  get illFormedTags(): ReadonlyMap<string, ReadonlySet<number>> {
    return this.#literals.illFormedTags
  }
  /**
   * Texts that stand in place of an IRI but are none, with the resources whose statements were therefore left out.
   */
  readonly wrongIris = new Map<string, Set<string>>()
  /** The place of the first one in the files. */
  readonly placesOfWrongIris = new Map<string, string>()
  /** The paths of malformed qualified statements in JSKOS, with the resources that they are about. */
  readonly wrongStatements = new Map<string, Set<string>>()
  /** The mistakes in cells of tables. */
  readonly mistakes: Mistake[] = []
  /** The cells with which rows of tables begin, by the URIs of their resources: of the first rows of large tables. */
  readonly cells = new Map<string, string>()
  /** Takes what readers of tables tell. */
  readonly listener: TableListener = {
    onMistake: (mistake) => this.mistakes.push(mistake),
    onMinted: (origin) => this.#count(`URI of a concept made from ${origin}`),
    onResource: (uri, cell) => {
      if (this.cells.size < MOST_CELLS && !this.cells.has(uri)) this.cells.set(uri, cell)
    },
  }
  /** Takes what readers leave out because it is no IRI; `about` is a resource in N-Triples. */
  readonly onWrongIri = (iri: string, about: string): void => {
    this.#count('statement with a wrong IRI left out')
    addToSet(this.wrongIris, iri, about)
  }
  /** Takes what readers of JSKOS leave out, and the copies of records within others. */
  readonly jskosListener: JskosListener = {
    onDropped: (field) => this.#count(`JSKOS field ${field} dropped`),
    onWrongStatement: (path, about) => {
      this.#count('qualified statement without its value left out')
      addToSet(this.wrongStatements, path, about)
    },
    onReference: (reference) => this.#nestedRecords.keep(reference, this.describes(reference.uri)),
    onWrongIri: this.onWrongIri,
  }
  /** The number of statements read, including duplicates. */
  read = 0
  /** True after all statements that follow from others were added. */
  isDerived = false
  /** Resources with a notation that begins like that of a subset. */
  readonly subsetNodes = new Set<number>()
  /** Schemes by the `vocabularyKey` of their identifiers; `resolveIdentifiers` finds them. */
  schemesByIdentifier: ReadonlyMap<string, number> = new Map()
  /** From resources to the resources that they name as the same by a URI that an ingest may have minted. */
  readonly namesMinted = new Edges()
  readonly #iris = new IriTable()
  /** The last subject, because most statements have the same subject as the one before. */
  #last: { subject: Term; node: number | undefined } | undefined
  #files = 0
  #concepts = new Bits()
  readonly #leftOut = new Set<number>()
  #schemes = new Bits()
  #blanks = new Bits()
  #deprecated = new Bits()
  #underDevelopment = new Bits()
  #shownByName = new Bits()
  readonly #literals = new Literals(
    (change) => this.#count(change),
    (iri) => this.#withoutDotSegments(iri),
  )
  /** The properties that properties of the files are declared sub-properties of. */
  readonly #superProperties = new Map<string, Set<string>>()
  #predicates = new Map<string, number>()
  #predicateNames: string[] = []
  /** Stands for predicates of the service's bookkeeping, which do not belong to a vocabulary. */
  readonly #bookkeeping = -1
  /** The resources with statements that are not those of a reference. */
  #described = new Bits()
  #addsReferences = false
  readonly #nestedRecords = new NestedRecords({
    intern: (uri) => this.intern(uri),
    isDescribed: (node) => this.#described.has(node),
    onDroppedRank: () => this.#count('JSKOS field rank dropped'),
  })
  #spool = new Spool()
  #literalForms = new Spool()

  constructor() {
    this.links = Object.fromEntries(Object.keys(LINKS).map((link) => [link, new Edges()])) as Record<LinkName, Edges>
  }

  /** Begins a file: blank nodes of different files differ, whatever their labels. */
  startFile(): void {
    this.#files++
    this.#last = undefined
  }

  /**
   * Adds a statement, unless it has a wrong IRI.
   *
   * @throws InputError for a concept, scheme or collection with a wrong IRI, relative IRIs, and features of RDF 1.2.
   */
  add(quad: Quad): void {
    this.read++
    const wrong = this.#addStatement(quad)
    if (wrong === undefined) return
    const { subject, predicate, object } = quad
    // A vocabulary consists of these resources, so none can be left out.
    const isRecord = wrong === subject && predicate.value === RDF_TYPE && RECORD_CLASSES.includes(object.value)
    // A relative IRI shows that the file lacks its base.
    if (isRecord || isAbsoluteIri(wrong.value)) throw new InputError(mistakeOf(wrong.value))
    this.onWrongIri(
      iriAsWritten(wrong.value),
      subject.termType === 'BlankNode' ? '_:' : `<${iriAsWritten(subject.value)}>`,
    )
  }

  /** True if there are statements with this subject, other than those of references. */
  describes(iri: string): boolean {
    const node = this.find(iri)
    return node !== undefined && this.#described.has(node)
  }

  /** Adds the references to resources that the files do not describe. */
  addReferences(): void {
    this.#addsReferences = true
    for (const record of this.#nestedRecords.undescribed()) {
      for (const quad of recordQuads(record, this.jskosListener)) this.add(quad)
    }
    this.#addsReferences = false
  }

  /** Adds a statement. Gives the term that is no IRI, if there is one; then nothing is added. */
  #addStatement({ subject, predicate, object, graph }: Quad): Term | undefined {
    const key = this.#predicateOf(predicate.value)
    if (key === this.#bookkeeping) return undefined
    if (this.#last?.subject !== subject) this.#last = { subject, node: this.#nodeOf(subject) }
    const { node } = this.#last
    if (node === undefined) return subject
    if (!this.#addsReferences) this.#described.set(node)
    if (key === undefined) return predicate
    let where = ''
    if (graph.termType !== 'DefaultGraph') {
      const inGraph = this.#nodeOf(graph)
      if (inGraph === undefined) return graph
      where = `@${inGraph}`
    }
    if (SAME.includes(predicate.value) && looksMinted(object.value) && isAbsoluteIri(object.value)) {
      this.namesMinted.push(node, this.intern(object.value))
    }
    let written: string | undefined
    if (isLiteral(object)) {
      const { language, datatype } = object
      if (!language && datatype.value !== STRING && !isRightIri(datatype.value)) return datatype
      written = this.#literals.write(node, predicate.value, object)
      if (written === undefined) return undefined
      if (predicate.value === NOTATION && object.value.startsWith('subset_')) this.subsetNodes.add(node)
      if (predicate.value === DEPRECATED && meansTrue(object.value)) this.#deprecated.set(node)
      if (predicate.value === LITERAL_FORM) this.#literalForms.append(0, `${node} ${written}\n`)
    } else {
      const link = LINK_BY_IRI.get(predicate.value)
      if (link !== undefined) {
        const target = this.#nodeOf(object)
        if (target === undefined) return object
        this.links[link].push(node, target)
        written = this.name(target)
      } else if (object.termType === 'BlankNode') {
        written = this.name(this.#nodeOf(object)!)
      } else {
        written = this.#writeIri(object)
        if (written === undefined) return object
        if (predicate.value === RDF_TYPE) {
          if (object.value === CONCEPT && !this.isBlank(node)) this.#concepts.set(node)
          else if (object.value === CONCEPT_SCHEME) this.#schemes.set(node)
        }
        if (predicate.value === STATUS && object.value === UNDER_DEVELOPMENT) this.#underDevelopment.set(node)
        if (HIERARCHICAL.has(predicate.value)) this.#entail(node, predicate.value, this.#nodeOf(object)!)
        if (predicate.value === SUB_PROPERTY) this.#addSubProperty(subject.value, object.value)
      }
      if (SHOWN_BY_NAME.has(predicate.value)) this.#shownByName.set(this.#nodeOf(object)!)
    }
    this.#append(node, `${key}${where}`, written)
    return undefined
  }

  #addSubProperty(property: string, of: string): void {
    addToSet(this.#superProperties, property, of)
  }

  /**
   * Adds what follows from properties of the files that these declare as sub-properties of those of SKOS and ISO 25964:
   * hierarchical links, relations and mappings. Call it after all statements.
   */
  entailSubProperties(): void {
    const implied = impliedBy(this.#superProperties)
    if (implied.size === 0) return
    for (const { node, statements } of this.descriptions()) {
      const before = new Set<string>()
      for (const { predicate, object } of statements) if (IMPLIED.has(predicate)) before.add(`${predicate} ${object}`)
      for (const { predicate, object } of statements) {
        if (!object.startsWith('<')) continue
        for (const property of implied.get(predicate) ?? []) {
          const name = IMPLIED.get(property)
          if (name === undefined) {
            this.#entail(node, property, this.intern(object.slice(1, -1)))
          } else if (!before.has(`${property} ${object}`)) {
            before.add(`${property} ${object}`)
            if (name === 'related') this.links.related.push(node, this.intern(object.slice(1, -1)))
            this.#append(node, `${this.#predicateOf(property)}`, object)
            this.#count(`skos:${name} added`)
          }
        }
      }
    }
  }

  /** Adds the links that follow from a hierarchical property, in both directions, as the rules of the hierarchy do. */
  #entail(node: number, property: string, target: number): void {
    const { isBroader, pairs } = HIERARCHICAL.get(property)!
    const [above, below] = isBroader ? [target, node] : [node, target]
    for (const [broader, narrower] of pairs) {
      this.links[broader].push(below, above)
      this.links[narrower].push(above, below)
    }
  }

  /** Adds a statement that follows from others; it stays distinct from those of the files. */
  addDerived(node: number, predicate: string, object: string): void {
    this.#append(node, `${this.#predicateOf(`${DERIVED}${predicate}`)}`, object)
  }

  /** Number of resources; their numbers count from 0. */
  get size(): number {
    return this.#iris.size
  }

  /** A resource in N-Triples: `<iri>` or `_:label`. */
  name(node: number): string {
    return this.isBlank(node) ? `_:b${node}` : `<${this.#iris.iri(node)}>`
  }

  /** The resource of an object that is a blank node, as `name` writes it; undefined for other objects. */
  blankNode(object: string): number | undefined {
    return object.startsWith('_:b') ? Number(object.slice('_:b'.length)) : undefined
  }

  iri(node: number): string {
    return this.#iris.iri(node)
  }

  find(iri: string): number | undefined {
    return this.#iris.find(withoutDotSegments(iri))
  }

  /** The number of an IRI, a new one if it has none yet. */
  intern(iri: string): number {
    return this.#iris.intern(withoutDotSegments(iri))
  }

  /**
   * True for a concept: a resource with a URI that the files type as skos:Concept. Links alone do not make a concept,
   * or every mentioned resource would be one.
   */
  isConcept(node: number): boolean {
    return this.#concepts.has(node)
  }

  /** Takes the type skos:Concept from resources, which keep their other statements. */
  leaveOut(nodes: Iterable<number>): void {
    for (const node of nodes) {
      this.#concepts.delete(node)
      this.#leftOut.add(node)
      this.#count('concept of another vocabulary that is only mapped to left out')
    }
  }

  isDeprecated(node: number): boolean {
    return this.#deprecated.has(node)
  }

  /** True for a resource with the mark of proposals. */
  isUnderDevelopment(node: number): boolean {
    return this.#underDevelopment.has(node)
  }

  /** True for a publisher, creator, contributor or licence of a resource: records show these by name. */
  isShownByName(node: number): boolean {
    return this.#shownByName.has(node)
  }

  isScheme(node: number): boolean {
    return this.#schemes.has(node)
  }

  isBlank(node: number): boolean {
    return this.#blanks.has(node)
  }

  get concepts(): number {
    return this.#concepts.count
  }

  /** All resources that are typed skos:ConceptScheme. */
  *schemes(): Generator<number> {
    for (let node = 0; node < this.size; node++) if (this.isScheme(node)) yield node
  }

  /** Some resources with their statements. Reads each part of the spool once. */
  *describeAll(nodes: Iterable<number>): Generator<Description> {
    const byPart = new Map<number, Set<number>>()
    for (const node of nodes) addToSet(byPart, Math.floor(node / SUBJECTS_IN_PART), node)
    for (const [part, wanted] of byPart) {
      for (const description of this.#describePart(part)) if (wanted.has(description.node)) yield description
    }
  }

  /** The statements about one resource. Reads a part of the spool, so use it for a few resources only. */
  describe(node: number): Description {
    return this.#describePart(Math.floor(node / SUBJECTS_IN_PART)).find((description) => description.node === node)!
  }

  /** All resources in the order of their numbers, with their statements. */
  *descriptions(): Generator<Description> {
    for (let part = 0; part * SUBJECTS_IN_PART < this.size; part++) yield* this.#describePart(part)
  }

  /** The literal forms of SKOS-XL labels: the label's number and the literal in N-Triples. */
  *literalForms(): Generator<[label: number, literal: string]> {
    for (const chunk of this.#literalForms.chunks(0)) {
      for (const line of chunk.toString('utf8').split('\n')) {
        const space = line.indexOf(' ')
        if (space > 0) yield [Number(line.slice(0, space)), line.slice(space + 1)]
      }
    }
  }

  close(): void {
    this.#spool.close()
    this.#literalForms.close()
    this.#nestedRecords.close()
  }

  #describePart(part: number): Description[] {
    const first = part * SUBJECTS_IN_PART
    const count = Math.min(SUBJECTS_IN_PART, this.size - first)
    const descriptions = Array.from({ length: count }, (_, at): Description => ({ node: first + at, statements: [] }))
    const text = this.#spool.read(part)
    for (const line = new NTriplesLine(text); line.next();) {
      const { predicate } = line
      const graphAt = predicate.indexOf('@')
      descriptions[Number(line.subject) - first]!.statements.push({
        predicate: this.#predicateNames[Number(graphAt < 0 ? predicate : predicate.slice(0, graphAt))]!,
        object: line.rest,
        ...(graphAt < 0 ? {} : { graph: Number(predicate.slice(graphAt + 1)) }),
      })
    }
    for (const node of this.#leftOut) {
      const description = descriptions[node - first]
      if (description) description.statements = description.statements.filter((statement) => !isConceptType(statement))
    }
    return descriptions
  }

  #append(node: number, key: string, object: string): void {
    this.#spool.append(Math.floor(node / SUBJECTS_IN_PART), `${node} ${key} ${object}\n`)
  }

  /** The number of a resource; undefined for what is no IRI. */
  #nodeOf({ termType, value }: Term): number | undefined {
    if (termType === 'NamedNode') {
      const iri = this.#withoutDotSegments(value)
      return this.#iris.find(iri) ?? (isRightIri(iri) ? this.#iris.intern(iri) : undefined)
    }
    if (termType !== 'BlankNode') throw new InputError('triple terms (RDF 1.2) are not supported.')
    const before = this.size
    const node = this.#iris.intern(`_:${this.#files} ${value}`)
    if (node === before) this.#blanks.set(node)
    return node
  }

  /** The number of a predicate; undefined for what is no IRI. */
  #predicateOf(iri: string): number | undefined {
    const noted = this.#predicates.get(iri)
    if (noted !== undefined) return noted
    if (iri.startsWith(BOOKKEEPING)) return this.#bookkeeping
    const plain = this.#withoutDotSegments(iri)
    if (plain !== iri) return this.#predicateOf(plain)
    if (!isRightIri(iri)) return undefined
    const number = this.#predicateNames.push(copyOfText(iri)) - 1
    this.#predicates.set(this.#predicateNames[number]!, number)
    return number
  }

  #writeIri(term: Term): string | undefined {
    if (term.termType !== 'NamedNode') throw new InputError('triple terms (RDF 1.2) are not supported.')
    const iri = this.#withoutDotSegments(term.value)
    return isRightIri(iri) ? `<${iri}>` : undefined
  }

  #withoutDotSegments(value: string): string {
    const iri = value.includes(':') ? withoutDotSegments(value) : value
    if (iri !== value) this.#count(NO_DOTS)
    return iri
  }

  #count(change: TermChange | ImpliedChange): void {
    this.changes.set(change, (this.changes.get(change) ?? 0) + 1)
  }
}

const SUB_PROPERTY = `${RDFS}subPropertyOf`

/** Links that are collected while reading; links with a kind imply others. */
const LINK_BY_IRI = new Map(
  Object.entries(LINKS)
    .filter(([link]) => !(link in KINDS_OF_LINKS))
    .map(([link, iri]) => [iri as string, link as LinkName]),
)

const CONCEPT_OBJECT = `<${CONCEPT}>`

function isConceptType({ predicate, object }: SubjectStatement): boolean {
  return predicate === RDF_TYPE && object === CONCEPT_OBJECT
}
