import type { Literal, Quad, Term } from '@rdfjs/types'
import { DataFactory, Store } from 'n3'
import { BOOKKEEPING, RDF_TYPE, SH, SKOS } from '../../base/namespaces.ts'
import { readShapeGraph } from '../../graph/shapes/read.ts'
import { Edges } from '../source/edges.ts'
import { compareFindings, MOST_FOCUS_NODES, type Finding } from './finding.ts'
import type { MessageLanguage } from '../../base/message-languages.ts'
import { DERIVED, type Description, type SourceGraph, type SubjectStatement } from '../source/source-graph.ts'
import { memoize } from '../../graph/jskos/memoize.ts'
import { unescapeNTriples } from '../../graph/sparql/ntriples.ts'
import { splitLiteral } from '../../graph/sparql/statements.ts'
import { copyOfText } from '../../base/unicode.ts'
import { addToList } from '../../base/groups.ts'

const RULE = `${BOOKKEEPING}rule:`
/** Parameters that name the properties of a constraint. */
const PROPERTY_PARAMETERS = ['path', 'disjoint', 'equals', 'lessThan', 'targetSubjectsOf'].map((name) => SH + name)
/** The constraints that the abstraction below can distinguish; it refuses shapes with others. */
const UNDERSTOOD = new Set(
  [
    ...['path', 'disjoint', 'targetSubjectsOf', 'targetClass', 'property', 'not', 'class', 'nodeKind', 'datatype'],
    ...['minCount', 'uniqueLang', 'pattern', 'severity', 'message', 'or'],
  ].map((name) => SH + name),
)

/**
 * Checks a vocabulary against `shapes/skos.shacl.ttl` and `shapes/skos-links.shacl.ttl` with rdf-validate-shacl.
 *
 * The engine needs about a millisecond for each concept and all data in memory, too much for a million concepts. The
 * shapes in skos.shacl.ttl depend only on the statements of a resource itself, and on a few features of their objects:
 * kind, datatype, the patterns that match, whether it is one of the IRIs that the shapes name, whether it is the object
 * of several properties, whether another text of the property has its language, and whether there are none, one or
 * several of a sort. Of the resources with equal features the engine checks one, and its findings hold for all of them.
 * Reading the shapes refuses other constraints.
 *
 * The engine does not check the conditions across resources, S27 and S46-inverse: it follows the paths of a shape from
 * every resource through everything above it, so that 130 concepts above each other keep it busy for minutes. This
 * class does, and a test compares it with the engine.
 */
export class ShapeChecker {
  readonly #source: SourceGraph
  readonly #language: MessageLanguage
  readonly #predicates: ReadonlySet<string>
  readonly #constants: ReadonlySet<string>
  readonly #patterns: RegExp[]
  readonly #sorts = new Map<string, number>()
  readonly #representatives: { node: number; statements: SubjectStatement[] }[] = []
  readonly #members = new Edges()
  /** From a resource to the resources of the vocabulary that have it as an exactMatch. */
  readonly #exactMatchOf = new Map<number, number[]>()

  /** @throws Error if a shape uses a constraint that the abstraction does not distinguish. */
  constructor(source: SourceGraph, language: MessageLanguage = 'en') {
    this.#source = source
    this.#language = language
    const shapes = readShapeGraph('skos.shacl.ttl')
    for (const { predicate } of shapes) {
      if (predicate.value.startsWith(SH) && !UNDERSTOOD.has(predicate.value)) {
        throw new Error(`shapes/skos.shacl.ttl: ${predicate.value} cannot be checked by representatives`)
      }
    }
    const objects = (names: string[]) =>
      shapes.filter(({ predicate }) => names.includes(predicate.value)).map(({ object }) => object.value)
    this.#predicates = new Set([...objects(PROPERTY_PARAMETERS), RDF_TYPE])
    this.#constants = new Set(objects([`${SH}class`, `${SH}targetClass`]).map((iri) => `<${iri}>`))
    this.#patterns = [...new Set(objects([`${SH}pattern`]))].map((pattern) => new RegExp(pattern))
  }

  /** Adds a resource. */
  add({ node, statements }: Description): void {
    const relevant: SubjectStatement[] = []
    const predicatesOf = new Map<string, string[]>()
    for (const { predicate, object } of statements) {
      const plain = predicate.startsWith(DERIVED) ? predicate.slice(DERIVED.length) : predicate
      if (this.#predicates.has(plain)) {
        const predicates = predicatesOf.get(object)
        if (predicates?.includes(plain)) continue
        if (predicates) predicates.push(plain)
        else predicatesOf.set(object, [plain])
        relevant.push({ predicate: plain, object })
      }
      if (plain === EXACT_MATCH && object.startsWith('<')) {
        const other = this.#source.find(object.slice(1, -1))
        if (other === undefined) continue
        addToList(this.#exactMatchOf, other, node)
      }
    }
    if (relevant.length === 0) return
    const key = this.#sortOf(node, relevant, predicatesOf)
    let sort = this.#sorts.get(key)
    if (sort === undefined) {
      // The statements are views of a part of the spool, which they would keep in memory.
      const copied = relevant.map(({ predicate, object }) => ({ predicate, object: copyOfText(object) }))
      sort = this.#representatives.push({ node, statements: copied }) - 1
      this.#sorts.set(key, sort)
    }
    this.#members.push(sort, node)
  }

  /** The findings, violations first. */
  async findings(): Promise<Finding[]> {
    const all = new Findings()
    const members = this.#members.bySource(this.#representatives.length)
    const sortOf = new Map(this.#representatives.map(({ node }, sort) => [this.#source.name(node), sort]))
    const data = new Store()
    for (const { node, statements } of this.#representatives) {
      for (const statement of statements) data.addQuad(quadOf(this.#source.name(node), statement))
    }
    for (const result of await validate('skos.shacl.ttl', data, this.#language)) {
      for (const node of members.of(sortOf.get(result.focusNode)!)) all.add(result, this.#source.name(node))
    }
    const across = { S27: this.#relatedAbove(), 'S46-inverse': this.#inverseMatches() }
    for (const [rule, nodes] of Object.entries(across)) {
      const result = ruleAcross(rule, this.#language)
      for (const node of nodes) all.add(result, this.#source.name(node))
    }
    return all.list()
  }

  /**
   * The features of a resource that the shapes distinguish, as a text.
   *
   * @param predicatesOf the predicates of each object.
   */
  #sortOf(
    node: number,
    statements: readonly SubjectStatement[],
    predicatesOf: ReadonlyMap<string, readonly string[]>,
  ): string {
    const languages = statements.map(({ predicate, object }) => {
      const language = languageOf(object)
      return language && predicate + language
    })
    const texts = new Map<string, number>()
    for (const language of languages) if (language) texts.set(language, (texts.get(language) ?? 0) + 1)
    const tokens = statements.map(({ predicate, object }, at) => {
      const language = languages[at]
      // No constraint names a language: `sh:uniqueLang` compares those of a property.
      const mark = language === undefined ? '' : texts.get(language) === 1 ? '@' : '@@'
      const token = `${predicate} ${this.#abstract(object)}${mark}`
      const predicates = predicatesOf.get(object)!
      if (predicates.length === 1) return token
      return [token, ...predicates.filter((other) => other !== predicate)].join(' = ')
    })
    tokens.sort()
    // No constraint distinguishes higher numbers than "several".
    const several = tokens.filter((token, at) => at < 2 || token !== tokens[at - 2])
    return `${this.#source.isBlank(node) ? '_' : ''}${several.join('\n')}`
  }

  #abstract(object: string): string {
    if (this.#constants.has(object)) return object
    const literal = splitLiteral(object)
    if (literal === undefined) return object.startsWith('<') ? '<>' : '_:'
    const text = unescapeNTriples(literal.lexical)
    const datatype = literal.suffix.startsWith('@') ? '' : literal.suffix
    return `"${this.#patterns.map((pattern) => (pattern.test(text) ? 1 : 0)).join('')}"${datatype}`
  }

  /** The resources that are related to a resource above or below them (S27), each at least once. */
  *#relatedAbove(): Generator<number> {
    const { size, links } = this.#source
    const up = new Edges()
    for (const link of ['broader', 'broaderTransitive'] as const) links[link].forEach((from, to) => up.push(from, to))
    for (const link of ['narrower', 'narrowerTransitive'] as const) links[link].forEach((from, to) => up.push(to, from))
    const above = up.bySource(size)
    const related = links.related.bySource(size)
    const relatedTo = links.related.byTarget(size)
    const seen = new Int32Array(size).fill(-1)
    /** Marks all nodes above a node, including itself in a cycle. */
    const climb = (start: number) => {
      const open = [start]
      for (let node = open.pop(); node !== undefined; node = open.pop()) {
        for (const next of above.of(node)) {
          if (seen[next] === start) continue
          seen[next] = start
          open.push(next)
        }
      }
    }
    for (let node = 0; node < size; node++) {
      const [to, from] = [related.of(node), relatedTo.of(node)]
      if (to.length + from.length === 0) continue
      climb(node)
      const isAbove = (other: number) => seen[other] === node
      if (to.some(isAbove)) yield node
      yield* from.filter(isAbove)
    }
  }

  /** The resources that are the exactMatch of a resource that they have as another match (S46-inverse). */
  *#inverseMatches(): Generator<number> {
    for (const [node, matching] of this.#exactMatchOf) {
      const further = new Set<string>()
      for (const { predicate, object } of this.#source.describe(node).statements) {
        if (OTHER_MATCHES.has(predicate)) further.add(object)
      }
      if (matching.some((other) => further.has(this.#source.name(other)))) yield node
    }
  }
}

/** The language tag of a text in lower case, with its `@`; undefined without one. */
function languageOf(object: string): string | undefined {
  const suffix = splitLiteral(object)?.suffix
  return suffix?.startsWith('@') ? suffix.toLowerCase() : undefined
}

const EXACT_MATCH = `${SKOS}exactMatch`
const OTHER_MATCHES = new Set(['broadMatch', 'narrowMatch', 'relatedMatch'].map((name) => SKOS + name))

/** One result of the engine. */
interface ShapeResult {
  rule: string
  severity: Finding['severity']
  message: string
  /** The resource in N-Triples. */
  focusNode: string
}

/**
 * Runs the engine on a graph.
 *
 * @returns one result for each rule and resource, regardless of the number of wrong values.
 */
export async function validate(
  shapesFile: string,
  data: Store,
  language: MessageLanguage = 'en',
): Promise<ShapeResult[]> {
  const { shapes, validator } = await engineOf(shapesFile)
  const report = await validator.validate(data)
  const results = new Map<string, ShapeResult>()
  for (const { focusNode, sourceShape, severity } of report.results) {
    const rule = ruleOf(shapes, sourceShape)
    const result: ShapeResult = {
      rule: rule.slice(RULE.length),
      severity: severity.value === `${SH}Violation` ? 'violation' : 'warning',
      message: shapeMessage(shapes, rule, language),
      focusNode: focusNode.termType === 'BlankNode' ? `_:${focusNode.value}` : `<${focusNode.value}>`,
    }
    results.set(`${rule} ${result.focusNode}`, result)
  }
  // The engine would keep the data until the next check.
  await validator.validate(new Store())
  return [...results.values()]
}

/** The engine of a file of shapes, made once: that takes longer than to check a small vocabulary. */
const engineOf = memoize(async (shapesFile: string) => {
  const { default: Validator } = await import('rdf-validate-shacl')
  const shapes = new Store([...readShapeGraph(shapesFile)])
  return { shapes, validator: new Validator(shapes) }
}, new Map())

/** The results of a rule across resources. */
function ruleAcross(rule: string, language: MessageLanguage): Omit<ShapeResult, 'focusNode'> {
  const shapes = new Store([...readShapeGraph('skos-links.shacl.ttl')])
  const [severity] = shapes.getObjects(RULE + rule, `${SH}severity`, null)
  return {
    rule,
    severity: severity?.value === `${SH}Warning` ? 'warning' : 'violation',
    message: shapeMessage(shapes, RULE + rule, language),
  }
}

/** The message of a named shape in a language (SHACL, section 2.1.5). */
function shapeMessage(shapes: Store, shape: string, language: MessageLanguage): string {
  const messages = shapes.getObjects(shape, `${SH}message`, null) as Literal[]
  return messages.find((message) => message.language === language)?.value ?? ''
}

/** The named shape of a shape: itself, or the named shape that it belongs to. */
function ruleOf(shapes: Store, shape: Term): string {
  if (shape.value.startsWith(RULE)) return shape.value
  const [owner] = shapes.getSubjects(null, shape, null)
  if (owner === undefined) throw new Error('a shape without a name')
  return ruleOf(shapes, owner)
}

function quadOf(subject: string, { predicate, object }: SubjectStatement): Quad {
  return DataFactory.quad(termOf(subject) as never, DataFactory.namedNode(predicate), termOf(object) as never)
}

function termOf(written: string): Term {
  const literal = splitLiteral(written)
  if (literal === undefined) {
    return written.startsWith('<')
      ? DataFactory.namedNode(written.slice(1, -1))
      : DataFactory.blankNode(written.slice(2))
  }
  const { suffix } = literal
  const type = suffix.startsWith('@')
    ? suffix.slice(1)
    : suffix
      ? DataFactory.namedNode(suffix.slice(3, -1))
      : undefined
  return DataFactory.literal(unescapeNTriples(literal.lexical), type)
}

class Findings {
  readonly #byRule = new Map<string, { result: Omit<ShapeResult, 'focusNode'>; nodes: Set<string> }>()

  add(result: Omit<ShapeResult, 'focusNode'>, focusNode: string): void {
    const entry = this.#byRule.get(result.rule)
    if (entry) entry.nodes.add(focusNode)
    else this.#byRule.set(result.rule, { result, nodes: new Set([focusNode]) })
  }

  list(): Finding[] {
    const findings = [...this.#byRule.values()].map(({ result: { rule, severity, message }, nodes }) => {
      return { rule, severity, message, count: nodes.size, focusNodes: [...nodes].slice(0, MOST_FOCUS_NODES) }
    })
    return findings.sort(compareFindings)
  }
}
