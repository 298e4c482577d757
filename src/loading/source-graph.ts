import type { Literal, Quad, Term } from '@rdfjs/types'
import {
  BOOKKEEPING,
  COLLECTIONS,
  CONCEPT,
  CONCEPT_SCHEME,
  DCT,
  NOTATION,
  OWL,
  RDF_TYPE,
  SKOS,
  SKOSXL,
  STATUS,
  STRING,
  UNDER_DEVELOPMENT,
  XSD,
} from '../namespaces.ts'
import { normaliseText } from '../unicode.ts'
import { isAbsoluteIri, isStrictLanguageTag, withoutDotSegments } from '../sparql/grammar.ts'
import { Edges } from './edges.ts'
import { IriTable } from './iri-table.ts'
import { NO_BASE } from './terms.ts'
import { recordQuads, type JskosListener, type Reference } from './jskos.ts'
import { LINKS, type Link } from './links.ts'
import { Spool } from '../files/spool.ts'
import { InputError } from '../files/input-error.ts'
import { NTriplesLine } from '../sparql/ntriples.ts'
import { isLiteral, writeLiteral, writeString } from '../sparql/statements.ts'
import type { Mistake, TableListener, UriOrigin } from '../tables/sheet.ts'
import { looksMinted } from '../vocabularies/proposals.ts'
import { copyOfText } from '../unicode.ts'
import type { AnyRecord } from '../jskos/record.ts'

/** The changes to single terms, in the words of the report. */
export type TermChange =
  | 'untagged text marked und'
  | 'language tag in lower case'
  | 'ill-formed language tag cut'
  | 'text in NFC'
  | 'empty label dropped'
  | 'number as notation made text'
  | 'owl:deprecated made a boolean'
  | 'dot segments removed from an IRI'
  | 'statement with a wrong IRI left out'
  | 'concept of another vocabulary that is only mapped to left out'
  | `URI of a concept made from ${UriOrigin}`
  | `JSKOS field ${string} dropped`

const NO_DOTS: TermChange = 'dot segments removed from an IRI'

/** The resources that a vocabulary consists of: one with a wrong IRI cannot be left out. */
const RECORDS: readonly string[] = [CONCEPT, CONCEPT_SCHEME, ...COLLECTIONS]

export const LABELS = ['prefLabel', 'altLabel', 'hiddenLabel'] as const
const NOTES = ['note', 'scopeNote', 'definition', 'example', 'historyNote', 'editorialNote', 'changeNote']

const LABEL_IRIS = new Set(LABELS.map((name) => SKOS + name))
const TEXT_IRIS = new Set([...LABEL_IRIS, ...NOTES.map((name) => SKOS + name)])

/** Subjects in one part of the spool: enough for large reads, few enough for memory. */
const SUBJECTS_IN_PART = 1 << 11
/** The parts of the spool of references. */
const [MEMBERS, NESTED] = [0, 1]
/** So many references are compared before they are kept. */
const LAST_REFERENCES = 1000
const LITERAL_FORM = `${SKOSXL}literalForm`
const DEPRECATED = `${OWL}deprecated`
/** The properties by which a concept may name a proposal that it takes over. */
const SAME = [`${SKOS}exactMatch`, `${DCT}identifier`]
/** The lexical forms of true (XML Schema Part 2, section 3.3.2). */
const TRUE = ['true', '1']
const WRITTEN_TRUE = writeLiteral('true', { datatype: `${XSD}boolean` })
const CANONICAL_INTEGER = /^(0|-?[1-9]\d{0,15})$/
const HAS_UPPER_CASE = /[A-Z]/
const BLANK_TEXT = /^\s*$/
// oxlint-disable-next-line no-control-regex
const ASCII = /^[\u0000-\u007f]*$/

/** Prefix of the predicate of a statement that follows from others. */
export const DERIVED = 'derived:'

/** One statement about a subject: predicate and object in N-Triples. */
export interface Statement {
  predicate: string
  object: string
  /** The number of its named graph; absent for the default graph. */
  graph?: number
}

/** A subject with its statements in the files. */
export interface Description {
  node: number
  statements: Statement[]
}

/**
 * The statements from the files of one vocabulary, grouped by subject in a spool. Memory only holds the links, and a
 * number for every resource that is a subject or the end of a link. 1.4 million concepts need about 200 MB.
 *
 * Terms are normalised one by one on the way in (docs/interface.md, "Loading").
 */
export class SourceGraph {
  readonly links: Record<Link, Edges>
  readonly changes = new Map<TermChange, number>()
  /** Ill-formed language tags, with the resources that have them. */
  readonly illFormedTags = new Map<string, Set<number>>()
  /** What stands in the place of an IRI and is none, with the resources about which statements were therefore left out. */
  readonly wrongIris = new Map<string, Set<string>>()
  /** Where the files have the first of them. */
  readonly placesOfWrongIris = new Map<string, string>()
  /** The mistakes in cells of tables. */
  readonly mistakes: Mistake[] = []
  /** Takes what readers of tables tell. */
  readonly listener: TableListener = {
    onMistake: (mistake) => this.mistakes.push(mistake),
    onMinted: (origin) => this.#count(`URI of a concept made from ${origin}`),
  }
  /** Takes what readers leave out because it is no IRI; `about` is a resource in N-Triples. */
  readonly onWrongIri = (iri: string, about: string): void => {
    this.#count('statement with a wrong IRI left out')
    const resources = this.wrongIris.get(iri)
    if (resources) resources.add(about)
    else this.wrongIris.set(iri, new Set([about]))
  }
  /** Takes what readers of JSKOS leave out, and the copies of records within others. */
  readonly jskosListener: JskosListener = {
    onDropped: (field) => this.#count(`JSKOS field ${field} dropped`),
    onReference: (reference) => this.#keepReference(reference),
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
  /** From resources to those that they name as the same by a URI that an ingest may have minted. */
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
  /** Well-formed language tags by those of the files. */
  readonly #tags = new Map<string, string>()
  #predicates = new Map<string, number>()
  #predicateNames: string[] = []
  /** Stands for predicates of the service's bookkeeping, which do not belong to a vocabulary. */
  readonly #bookkeeping = -1
  /** The resources with statements that are not those of a reference. */
  #described = new Bits()
  #addsReferences = false
  /** References as lines of JSON: members of `concepts`, then the others. */
  #references = new Spool()
  /** The last references, because most records name the same vocabularies and publishers. */
  #lastReferences = new Set<string>()
  #spool = new Spool()
  #literalForms = new Spool()

  constructor() {
    this.links = Object.fromEntries(Object.keys(LINKS).map((link) => [link, new Edges()])) as Record<Link, Edges>
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
    const isRecord = wrong === subject && predicate.value === RDF_TYPE && RECORDS.includes(object.value)
    // A relative IRI shows that the file lacks its base.
    if (isRecord || isAbsoluteIri(wrong.value)) throw new InputError(mistakeOf(wrong.value))
    this.onWrongIri(
      withoutBase(wrong.value),
      subject.termType === 'BlankNode' ? '_:' : `<${withoutBase(subject.value)}>`,
    )
  }

  /** True if there are statements with this subject, other than those of references. */
  describes(iri: string): boolean {
    const node = this.find(iri)
    return node !== undefined && this.#described.has(node)
  }

  /**
   * Adds the references to resources that the files do not describe: the members of `concepts`, and for what is no member either
   * the other references.
   */
  addReferences(): void {
    const members = new Bits()
    this.#addsReferences = true
    for (const part of [MEMBERS, NESTED]) {
      for (const chunk of this.#references.chunks(part)) {
        for (const line of chunk.toString('utf8').split('\n')) {
          if (line === '') continue
          const record = JSON.parse(line) as AnyRecord & { uri: string }
          const node = this.intern(record.uri)
          if (this.#described.has(node) || (part === NESTED && members.has(node))) continue
          if (part === MEMBERS) members.set(node)
          for (const quad of recordQuads(record, this.jskosListener)) this.add(quad)
        }
      }
    }
    this.#addsReferences = false
    this.#references.close()
    this.#lastReferences.clear()
  }

  /** Keeps a reference until all files are read, because they may yet describe the resource. */
  #keepReference({ uri, record, isMember }: Reference): void {
    if (this.describes(uri)) return
    const line = `${JSON.stringify(record)}\n`
    if (this.#lastReferences.has(line)) return
    if (this.#lastReferences.size === LAST_REFERENCES) this.#lastReferences.clear()
    this.#lastReferences.add(line)
    this.#references.append(isMember ? MEMBERS : NESTED, line)
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
      written = this.#literal(node, predicate.value, object)
      if (written === undefined) return undefined
      if (predicate.value === NOTATION && object.value.startsWith('subset_')) this.subsetNodes.add(node)
      if (predicate.value === DEPRECATED && TRUE.includes(object.value)) this.#deprecated.set(node)
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
      }
    }
    this.#append(node, `${key}${where}`, written)
    return undefined
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

  iri(node: number): string {
    return this.#iris.iri(node)
  }

  /** Compares two resources by their IRIs, by code points. */
  compareIris(a: number, b: number): number {
    return this.#iris.compare(a, b)
  }

  find(iri: string): number | undefined {
    return this.#iris.find(withoutDotSegments(iri))
  }

  /** The number of an IRI, a new one if it has none yet. */
  intern(iri: string): number {
    return this.#iris.intern(withoutDotSegments(iri))
  }

  /**
   * True for a concept: a resource with a URI that the files type as skos:Concept. Links alone do not make a concept, or every
   * mentioned resource would be one.
   */
  isConcept(node: number): boolean {
    return this.#concepts.has(node)
  }

  /** Makes resources no concepts: they lose this type, and keep their other statements. */
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
    for (const node of nodes) {
      const part = Math.floor(node / SUBJECTS_IN_PART)
      const known = byPart.get(part)
      if (known) known.add(node)
      else byPart.set(part, new Set([node]))
    }
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
    this.#references.close()
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
      if (description) description.statements = description.statements.filter((one) => !isConceptType(one))
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
    const known = this.#predicates.get(iri)
    if (known !== undefined) return known
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

  /** A literal in N-Triples, normalised; undefined if it is dropped. */
  #literal(node: number, predicate: string, literal: Quad['object'] & { termType: 'Literal' }): string | undefined {
    if ((literal as { direction?: string }).direction) {
      throw new InputError('text with a base direction (RDF 1.2) is not supported.')
    }
    const isText = TEXT_IRIS.has(predicate)
    const { language } = literal
    const isPlain = !language && literal.datatype.value === STRING
    if (predicate === NOTATION && isRewrittenByStores(literal)) {
      this.#count('number as notation made text')
      return writeString(literal.value)
    }
    if (predicate === DEPRECATED && TRUE.includes(literal.value)) {
      if (writeLiteral(literal.value, { language, datatype: literal.datatype.value }) !== WRITTEN_TRUE) {
        this.#count('owl:deprecated made a boolean')
      }
      return WRITTEN_TRUE
    }
    if (!language && !(isText && isPlain)) {
      return writeLiteral(literal.value, { datatype: this.#withoutDotSegments(literal.datatype.value) })
    }
    if (LABEL_IRIS.has(predicate) && BLANK_TEXT.test(literal.value)) {
      this.#count('empty label dropped')
      return undefined
    }
    let tag = language
    if (isPlain) {
      tag = 'und'
      this.#count('untagged text marked und')
    } else {
      if (HAS_UPPER_CASE.test(tag)) {
        tag = tag.toLowerCase()
        this.#count('language tag in lower case')
      }
      tag = this.#wellFormed(tag, node)
    }
    let text = literal.value
    if (predicate !== NOTATION && !ASCII.test(text)) {
      text = normaliseText(text)
      if (text !== literal.value) this.#count('text in NFC')
    }
    return writeLiteral(text, { language: tag })
  }

  /** A language tag without the subtags that make it ill-formed (RFC 5646, section 2.1), which stores refuse; `und` if nothing remains. */
  #wellFormed(tag: string, node: number): string {
    let known = this.#tags.get(tag)
    if (known === undefined) {
      known = tag
      while (known !== '' && !isStrictLanguageTag(known)) known = known.slice(0, Math.max(0, known.lastIndexOf('-')))
      this.#tags.set(tag, (known ||= 'und'))
    }
    if (known !== tag) {
      this.#count('ill-formed language tag cut')
      const nodes = this.illFormedTags.get(tag)
      if (nodes) nodes.add(node)
      else this.illFormedTags.set(tag, new Set([node]))
    }
    return known
  }

  #count(change: TermChange): void {
    this.changes.set(change, (this.changes.get(change) ?? 0) + 1)
  }
}

const LINK_BY_IRI = new Map(Object.entries(LINKS).map(([link, iri]) => [iri as string, link as Link]))

/** True for an absolute IRI, as a file has it: one below `NO_BASE` was relative. */
function isRightIri(iri: string): boolean {
  return isAbsoluteIri(iri) && !iri.startsWith(NO_BASE)
}

function withoutBase(iri: string): string {
  return iri.startsWith(NO_BASE) ? iri.slice(NO_BASE.length) : iri
}

/** Turtle 1.1, section 6.5, IRIREF. */
const NOT_IN_IRIS = /["<>{}|^`\\]/

/** Says what is wrong with an IRI. */
function mistakeOf(iri: string): string {
  const written = withoutBase(iri)
  if (/\s/.test(written)) return `the IRI <${written}> has a space, which an IRI cannot have (write %20).`
  const [wrong] = NOT_IN_IRIS.exec(written) ?? []
  if (wrong) return `the IRI <${written}> has the character ${wrong}, which an IRI cannot have.`
  if (written !== iri) return `expected absolute IRIs or a base, found the relative IRI <${written}>.`
  return `expected an absolute IRI, found <${iri}>.`
}

/** True for numbers and dates that stores rewrite: they keep only the value, so that 1.50 comes back as 1.5. */
function isRewrittenByStores({ language, datatype, value }: Literal): boolean {
  if (language || !datatype.value.startsWith(XSD) || datatype.value === STRING) return false
  return !(datatype.value === `${XSD}integer` && CANONICAL_INTEGER.test(value))
}

const CONCEPT_OBJECT = `<${CONCEPT}>`

function isConceptType({ predicate, object }: Statement): boolean {
  return predicate === RDF_TYPE && object === CONCEPT_OBJECT
}

/** A set of numbers, one bit each. */
class Bits {
  #bytes = new Uint8Array(1024)
  count = 0

  set(at: number): void {
    while (at >>> 3 >= this.#bytes.length) {
      const larger = new Uint8Array(this.#bytes.length * 2)
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    if (!this.has(at)) this.count++
    this.#bytes[at >>> 3]! |= 1 << (at & 7)
  }

  delete(at: number): void {
    if (!this.has(at)) return
    this.count--
    this.#bytes[at >>> 3]! &= ~(1 << (at & 7))
  }

  has(at: number): boolean {
    return ((this.#bytes[at >>> 3] ?? 0) & (1 << (at & 7))) !== 0
  }
}
