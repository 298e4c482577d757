import { FNV_START, fnv1a } from '../../base/files/fnv.ts'
import { Spool } from '../../base/files/spool.ts'
import { BOOKKEEPING, XSD } from '../../base/namespaces.ts'
import { splitLiteral, writeString } from '../../graph/sparql/statements.ts'
import { linesOf, NTriplesLine, objectIn, unescapeNTriples } from '../../graph/sparql/ntriples.ts'
import { digestOf } from './log/digest.ts'
import { addToList } from '../../base/groups.ts'

/** A resource with a URI and all statements of a graph about it. */
interface Resource {
  uri: string
  /**
   * N-Triples in their canonical form, sorted: predicate and object of the resource's own triples, and whole
   * triples of the blank nodes that these lead to, whose labels follow from their content.
   */
  statements: string[]
}

/** A resource with its lines as they are written: predicate, object and full stop. */
export interface WrittenResource extends Resource {
  lines: readonly string[]
}

/** The maximum number of characters of a graph that is not divided. */
const SMALL = 4 << 20
/** The parts of a larger graph, one of which is in memory at a time. */
const PARTS = 1024
/** The maximum text of all blank nodes, which are in memory; if there is more, their content does not count. */
const MOST_BLANK_TEXT = 64 << 20
/**
 * Limit on descriptions of cyclic blank nodes. Beyond it, only one step is followed: 14 nodes that all link to each
 * other have billions of paths.
 */
const MOST_CYCLIC = 20_000

/** Takes a share from 0 to 1. */
type OnProgress = (share: number) => void

/** The facts about a graph that its resources do not show. */
export interface GraphSummary {
  /** Triples without bookkeeping. */
  triples: number
  /** True if blank nodes have statements that belong to no resource. */
  hasLooseNodes: boolean
  /** The resources that have bookkeeping. */
  marked: string[]
}

/**
 * The resources of a graph, each as a whole, whatever the order of its triples and the labels of its blank nodes.
 * Leaves out the bookkeeping of the service. Memory holds one part of the graph, and the blank nodes; the rest is in a
 * temporary file.
 *
 * @param nTriples in chunks of any size.
 * @param onEnd called after the last resource.
 * @param onProgress receives the share of the resources so far, if the graph is large.
 */
export async function* resourcesOf(
  nTriples: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  {
    onEnd,
    onProgress,
  }: { onEnd?: ((summary: GraphSummary) => void) | undefined; onProgress?: OnProgress | undefined } = {},
): AsyncGenerator<WrittenResource> {
  const divided = await DividedGraph.read(nTriples)
  try {
    if (divided.isSmall) yield* divided.resources()
    else {
      for (let part = 0; part < PARTS; part++) {
        onProgress?.(part / PARTS)
        yield* divided.resources(part)
      }
    }
    onEnd?.(divided.summary())
  } finally {
    divided.close()
  }
}

/** A resource that is not the same in two graphs; undefined: the graph does not have it. */
export interface ChangedResource {
  uri: string
  before: string[] | undefined
  after: string[] | undefined
}

/**
 * The resources that are not the same in two graphs. Memory holds one part of each graph, and the blank nodes.
 *
 * @param onProgress receives the share of the resources so far, if the graphs are large.
 */
export async function* changedResources(
  before: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  after: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  onProgress?: OnProgress,
): AsyncGenerator<ChangedResource> {
  const old = await DividedGraph.read(before)
  try {
    const young = await DividedGraph.read(after)
    try {
      if (old.isSmall && young.isSmall) yield* changedIn(old, young)
      else {
        for (let part = 0; part < PARTS; part++) {
          onProgress?.(part / PARTS)
          yield* changedIn(old, young, part)
        }
      }
    } finally {
      young.close()
    }
  } finally {
    old.close()
  }
}

function* changedIn(old: DividedGraph, young: DividedGraph, part?: number): Generator<ChangedResource> {
  const before = old.lines(part)
  for (const [subject, lines] of young.lines(part)) {
    const oldLines = before.get(subject)
    before.delete(subject)
    // Most resources are as they were, and written in the same way.
    if (oldLines && isSameText(oldLines, lines)) continue
    const [was, is] = [oldLines && old.resource(subject, oldLines), young.resource(subject, lines)]
    const isChanged = was?.statements.join('\n') !== is?.statements.join('\n')
    if (isChanged) yield { uri: (was ?? is)!.uri, before: was?.statements, after: is?.statements }
  }
  for (const [subject, lines] of before) {
    const was = old.resource(subject, lines)
    if (was) yield { uri: was.uri, before: was.statements, after: undefined }
  }
}

/**
 * True if the lines about a resource are the same without bookkeeping and name no blank nodes, whose labels mean
 * nothing.
 */
function isSameText(some: readonly string[], other: readonly string[]): boolean {
  const withoutMarks = (lines: readonly string[]) => new Set(lines.filter((line) => !isBookkeeping(line)))
  const [before, after] = [withoutMarks(some), withoutMarks(other)]
  if (before.size !== after.size) return false
  for (const line of after) if (!before.has(line) || line.includes('> _:')) return false
  return true
}

/** Consecutive lines with the same subject. */
type Run = [subject: string, lines: string]

/** The triples of a graph by subject: as a whole while they are few, else in parts in a spool. */
class DividedGraph {
  readonly #spool = new Spool()
  readonly #blankNodes = new BlankNodes()
  /** While they are few. */
  #small: Run[] | undefined = []
  /** Of the resources that were given so far. */
  #triples = 0
  readonly #marked: string[] = []

  static async read(nTriples: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<DividedGraph> {
    const graph = new DividedGraph()
    try {
      let length = 0
      for await (const lines of linesOf(nTriples)) {
        const text = lines === '' || lines.endsWith('\n') ? lines : `${lines}\n`
        for (const [subject, run] of runsOf(text)) graph.#add(subject, run)
        length += text.length
        if (length > SMALL) graph.#divide()
      }
      return graph
    } catch (error) {
      graph.close()
      throw error
    }
  }

  /** True if the graph is not divided. */
  get isSmall(): boolean {
    return this.#small !== undefined
  }

  /**
   * Predicate and object of each line, by subject.
   *
   * @param part undefined: of the whole graph, which is small. A small graph is divided if this names a part.
   */
  lines(part?: number): Map<string, string[]> {
    if (part === undefined) return linesBySubject((this.#small ?? []).map(([, text]) => text).join(''))
    this.#divide()
    return linesBySubject(this.#spool.read(part))
  }

  /** A resource by its lines; undefined if nothing is left without the bookkeeping. */
  resource(subject: string, lines: readonly string[]): Resource | undefined {
    const statements = canonicalStatements(lines, this.#blankNodes)
    return statements.length > 0 ? { uri: unescapeNTriples(subject.slice(1, -1)), statements } : undefined
  }

  *resources(part?: number): Generator<WrittenResource> {
    for (const [subject, lines] of this.lines(part)) {
      const distinct = new Set(lines)
      const marks = lines.some(isBookkeeping) ? [...distinct].filter(isBookkeeping).length : 0
      this.#triples += distinct.size - marks
      if (marks > 0) this.#marked.push(unescapeNTriples(subject.slice(1, -1)))
      const resource = this.resource(subject, lines)
      if (resource) yield { ...resource, lines }
    }
  }

  /** Call this after the last resource. */
  summary(): GraphSummary {
    const { triples, isWhole } = this.#blankNodes.summary()
    return { triples: this.#triples + triples, hasLooseNodes: !isWhole, marked: this.#marked }
  }

  close(): void {
    this.#spool.close()
  }

  #add(subject: string, run: string): void {
    if (isBlank(subject)) this.#blankNodes.add(subject, run)
    else if (this.#small) this.#small.push([subject, run])
    else this.#spool.append(partOf(subject), run)
  }

  #divide(): void {
    const small = this.#small ?? []
    this.#small = undefined
    for (const [subject, run] of small) this.#spool.append(partOf(subject), run)
  }
}

/** The triples of a resource as N-Triples. */
export function toNTriples({ uri, statements }: { uri: string; statements: readonly string[] }): string {
  return statements.map((line) => `${line.startsWith('_:') ? '' : `<${uri}> `}${line} .\n`).join('')
}

/** The lines of a text; consecutive lines with the same subject come together. */
export function* runsOf(text: string): Generator<Run> {
  let subject = ''
  let start = 0
  let end = 0
  for (const line = new NTriplesLine(text); line.next(); end = line.end) {
    if (line.subject === subject) continue
    if (subject !== '') yield [subject, text.slice(start, end)]
    subject = line.subject
    start = line.start
  }
  if (subject !== '') yield [subject, text.slice(start, end)]
}

function partOf(subject: string): number {
  let digest = FNV_START
  for (let at = 0; at < subject.length; at++) digest = fnv1a(digest, subject.charCodeAt(at))
  return (digest >>> 8) % PARTS
}

/** Predicate and object of each line, by subject. Comments may stand between them (RDF 1.1 N-Triples, section 2). */
function linesBySubject(text: string): Map<string, string[]> {
  const bySubject = new Map<string, string[]>()
  for (const line = new NTriplesLine(text); line.next();) {
    if (line.isComment) continue
    const { subject, statement } = line
    addToList(bySubject, subject, statement)
  }
  return bySubject
}

function canonicalStatements(lines: readonly string[], blankNodes: BlankNodes): string[] {
  const statements = new Set<string>()
  for (const line of lines) {
    if (isBookkeeping(line)) continue
    const [statement, blank] = canonicalStatement(line, (label) => blankNodes.name(label))
    statements.add(statement)
    if (blank !== undefined) blankNodes.collect(blank, statements)
  }
  return [...statements].sort()
}

const isBookkeeping = (line: string) => line.startsWith(`<${BOOKKEEPING}`)

function predicateAndObject(line: string): [predicate: string, object: string] {
  const afterPredicate = line.indexOf('>') + 1
  const rest = line.slice(afterPredicate).trimStart()
  return [line.slice(0, afterPredicate), objectIn(rest) ?? rest]
}

const isBlank = (term: string) => term.startsWith('_:')

/** Predicate and object in the same form for every writer, and the label of the object if it is a blank node. */
function canonicalStatement(line: string, nameOf: (label: string) => string): [statement: string, blank?: string] {
  const [predicate, object] = predicateAndObject(line)
  if (isBlank(object)) return [`${predicate} ${nameOf(object)}`, object]
  if (object.startsWith('<')) return [`${predicate} ${unescapeNTriples(object)}`]
  return [`${predicate} ${canonicalLiteral(object)}`]
}

// Stores differ in the control characters that they escape.
// oxlint-disable-next-line no-control-regex
const ESCAPE_OR_CONTROL = /[\\\u0000-\u001f\u007f]/
const UPPER_CASE_TAG = /@[a-z0-9-]*[A-Z][A-Za-z0-9-]*$/

function canonicalLiteral(object: string): string {
  const isAsIs = !ESCAPE_OR_CONTROL.test(object)
  if (isAsIs && !object.endsWith('>') && !UPPER_CASE_TAG.test(object)) return object
  const { lexical, suffix } = splitLiteral(object)!
  const value = isAsIs ? lexical : unescapeNTriples(lexical)
  // Upper and lower case make no difference in language tags, and Fuseki chooses it (RDF 1.1 Concepts, section 3.3).
  if (suffix.startsWith('@')) return `${writeString(value)}${suffix.toLowerCase()}`
  if (!suffix.startsWith(`^^<${XSD}`)) return `${writeString(value)}${suffix}`
  const type = suffix.slice(`^^<${XSD}`.length, -1)
  if (type === 'string') return writeString(value)
  if (INTEGERS.has(type) && /^[+-]?\d+$/.test(value)) {
    return `"${BigInt(value.replace(/^\+/, '')).toString()}"^^<${XSD}integer>`
  }
  // oxigraph keeps no more of the type.
  const kept = type === 'dateTimeStamp' ? `^^<${XSD}dateTime>` : suffix
  return `${writeString(canonicalValue(type, value))}${kept}`
}

const INTEGERS = new Set(
  'integer int long short byte nonNegativeInteger positiveInteger nonPositiveInteger negativeInteger unsignedInt unsignedLong unsignedShort unsignedByte'.split(
    ' ',
  ),
)

function withoutLastZeros(digits: string): string {
  return digits.replace(/(?<!0)0+$/, '')
}

/** One lexical form for each value, because stores keep only the value of numbers and dates. */
function canonicalValue(type: string, value: string): string {
  switch (type) {
    case 'decimal': {
      const [, sign, whole, digitsAfter = ''] = /^([+-]?)(\d*)(?:\.(\d*))?$/.exec(value) ?? []
      if (whole === undefined) return value
      const fraction = withoutLastZeros(digitsAfter)
      const digits = `${whole.replace(/^0+/, '') || '0'}${fraction && `.${fraction}`}`
      return sign === '-' && digits !== '0' ? `-${digits}` : digits
    }
    case 'double':
    case 'float':
      return canonicalFloat(type, value)
    case 'boolean':
      return value === '1' ? 'true' : value === '0' ? 'false' : value
    case 'dateTime':
    case 'dateTimeStamp':
    case 'time':
      return value
        .replace(/\.\d+(?=$|[Z+-])/, withoutLastZeros)
        .replace(/\.(?=$|[Z+-])/, '')
        .replace(/[+-]00:00$/, 'Z')
    case 'date':
      return value.replace(/[+-]00:00$/, 'Z')
    default:
      return value
  }
}

/**
 * The shortest form of the number that a `float` (32 bits) or `double` (64 bits) has (XML Schema Part 2, sections 3.3.4
 * and 3.3.5).
 */
function canonicalFloat(type: 'float' | 'double', value: string): string {
  if (value === '+INF') return 'INF'
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(value)) return value
  const number = type === 'float' ? Math.fround(Number(value)) : Number(value)
  if (!Number.isFinite(number)) return number > 0 ? 'INF' : '-INF'
  if (type === 'double') return String(number)
  let digits = 1
  while (Math.fround(Number(number.toPrecision(digits))) !== number) digits++
  return String(Number(number.toPrecision(digits)))
}

/** A blank node by its content. */
interface BlankNode {
  name: string
  statements: string[]
  /** The labels of the blank nodes that it leads to. */
  blanks: string[]
}

/** A blank node whose content has no name yet. */
interface OpenNode {
  label: string
  lines: string[]
  blanks: string[]
  /** The names of the first of them, in their order. */
  names: Map<string, string>
}

/** The name of a node that leads back to one above it. */
const CYCLE = '_:cycle'

/** The blank nodes of a graph, named by their content. */
class BlankNodes {
  #texts = new Map<string, string>()
  #length = 0
  #cyclic = 0
  /** The labels of nodes that belong to resources. */
  readonly #collected = new Set<string>()
  readonly #described = new Map<string, BlankNode>()

  add(label: string, text: string): void {
    this.#length += text.length
    if (this.#length > MOST_BLANK_TEXT) this.#texts.clear()
    else this.#texts.set(label, (this.#texts.get(label) ?? '') + text)
  }

  /** The number of triples of all nodes, and whether all nodes belong to resources. */
  summary(): { triples: number; isWhole: boolean } {
    let triples = 0
    let isWhole = this.#length <= MOST_BLANK_TEXT
    for (const [label, text] of this.#texts) {
      triples += text.split('\n').length - 1
      isWhole &&= this.#collected.has(label)
    }
    return { triples, isWhole }
  }

  /** The label that follows from the content. */
  name(label: string): string {
    return this.#describe(label).name
  }

  /** Adds the triples of a blank node and of the blank nodes that it leads to. */
  collect(label: string, into: Set<string>): void {
    const open = [label]
    const seen = new Set(open)
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      this.#collected.add(next)
      const { name, statements, blanks } = this.#describe(next)
      for (const statement of statements) into.add(`${name} ${statement}`)
      for (const blank of blanks) {
        if (!seen.has(blank)) open.push(blank)
        seen.add(blank)
      }
    }
  }

  /**
   * A node by its content. Within it, a node that leads back to one above it always has the same name. The nodes of a
   * long list lead to each other, so this does not call itself.
   */
  #describe(label: string): BlankNode {
    const remembered = this.#described.get(label)
    if (remembered) return remembered
    /** The nodes that lead to the last of them. */
    const path = [this.#open(label)]
    const above = new Set([label])
    for (;;) {
      const node = path.at(-1)!
      const blank = node.blanks[node.names.size]
      if (blank !== undefined) {
        const isCut = above.has(blank) || above.size > this.#mostDepth
        const name = this.#described.get(blank)?.name ?? (isCut ? CYCLE : undefined)
        if (name !== undefined) node.names.set(blank, name)
        else {
          path.push(this.#open(blank))
          above.add(blank)
        }
        continue
      }
      const described = this.#close(node)
      path.pop()
      above.delete(node.label)
      if (path.length === 0) return described
      path.at(-1)!.names.set(node.label, described.name)
    }
  }

  get #mostDepth(): number {
    return this.#cyclic > MOST_CYCLIC ? 1 : Infinity
  }

  #open(label: string): OpenNode {
    const lines = [...linesBySubject(this.#texts.get(label) ?? '').values()].flat()
    const blanks = lines.map((line) => predicateAndObject(line)[1]).filter(isBlank)
    return { label, lines, blanks: [...new Set(blanks)], names: new Map() }
  }

  #close({ label, lines, blanks, names }: OpenNode): BlankNode {
    const statements = lines.map((line) => canonicalStatement(line, (blank) => names.get(blank)!)[0]).sort()
    const described = { name: `_:${digestOf(statements).toString('hex')}`, statements, blanks }
    if ([...names.values()].includes(CYCLE)) this.#cyclic++
    else this.#described.set(label, described)
    return described
  }
}
