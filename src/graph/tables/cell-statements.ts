import { DataFactory } from 'n3'
import type { Quad, Quad_Object } from '@rdfjs/types'
import { SKOS } from '../../base/namespaces.ts'
import { cellText } from './cell-text.ts'
import { expand, iriNamed, PREF_LABEL, withoutRemark, type PropertyColumn } from './heading.ts'
import { MISTAKES } from './mistakes.ts'
import { readValues, type ColumnSettings, type Value } from './row-values.ts'
import type { CellValue } from './sheet.ts'
import type { TableContext } from './table-context.ts'
import { statusOfVocExcel } from './voc-excel.ts'
import { editDistance } from '../../base/edit-distance.ts'
import { comparisonKey } from './words.ts'

const MEMBER = `${SKOS}member`
/** Names to compare with all others, which takes long in a large table. */
const MOST_PROPOSALS = 100

const named = (iri: string) => DataFactory.namedNode(iri)

/** A cell that names a concept which may come later. */
interface Pending {
  cell: string
  subject: string
  column: PropertyColumn
  name: string
}

/** Turns cells into statements. Cells that name concepts are resolved at the end, when all concepts are there. */
export class CellStatements {
  /** Concepts by what cells call them. */
  readonly references = new References()
  /** Collections by what cells call them. */
  readonly collections = new References()
  readonly #context: TableContext
  readonly #pending: Pending[] = []
  #blanks = 0

  constructor(context: TableContext) {
    this.#context = context
  }

  /** The values of a cell. */
  valuesOf(value: CellValue, column: PropertyColumn, settings: ColumnSettings): Value[] {
    if (this.#context.isVocExcel && column.field?.name === 'status') {
      const status = cellText(value).trim()
      return [{ term: named(expand(status, this.#context.prefixes) ?? statusOfVocExcel(status)) }]
    }
    return readValues(value, column, settings)
  }

  /** Adds the statement of a value. A value that names another concept waits for `finish`. */
  add(quads: Quad[], subject: string, column: PropertyColumn, value: Value, cell: string): void {
    if ('term' in value) this.#link(quads, subject, column, value.term)
    else if ('name' in value) this.#pending.push({ cell, subject, column, name: value.name })
    else if ('thing' in value) {
      const thing = DataFactory.blankNode(`#cell${this.#blanks++}`)
      quads.push(DataFactory.quad(thing, named(PREF_LABEL), value.thing))
      this.#link(quads, subject, column, thing)
    } else this.#context.mistake('violation', cell, value.wrong)
  }

  /** Adds a statement, or its inverse. */
  #link(quads: Quad[], subject: string, { property, isInverse }: PropertyColumn, object: Quad_Object): void {
    const [from, to] = isInverse ? [object, named(subject)] : [named(subject), object]
    if (from.termType === 'Literal') return
    quads.push(DataFactory.quad(from, named(property), to))
  }

  /** The statements of cells that name concepts, when all are known. */
  finish(): Quad[] {
    const quads: Quad[] = []
    let proposals = 0
    for (const { cell, subject, column, name } of this.#pending) {
      const isOfCollection = column.isInverse && column.property === MEMBER
      const references = isOfCollection ? this.collections : this.references
      const resolved = this.#resolve(name, references)
      if (resolved.length > 0 && resolved.every((uris) => uris.length === 1)) {
        for (const [uri] of resolved) this.#link(quads, subject, column, named(uri!))
        continue
      }
      const word = column.property === MEMBER ? 'member' : column.field?.name
      const several = resolved.find((uris) => uris.length > 1)
      if (several) {
        this.#context.mistake('violation', cell, MISTAKES.severalConcepts(name, several.length))
        continue
      }
      const similar = proposals++ < MOST_PROPOSALS ? references.similar(name) : undefined
      this.#context.mistake(
        'violation',
        cell,
        isOfCollection ? MISTAKES.noCollection(name, similar) : MISTAKES.noConcept(name, String(word), similar),
      )
    }
    return quads
  }

  /** The concepts that a cell names: one name, or several with commas between them. */
  #resolve(name: string, references: References): string[][] {
    const whole = references.find(name)
    if (whole.length > 0) return [whole]
    const names = separated(name)
    const urisByName = names.map((part) => {
      const iri = iriNamed(part, this.#context.prefixes)
      if (iri !== undefined) return [iri]
      const exact = references.find(part)
      return exact.length > 0 ? exact : references.find(withoutRemark(part))
    })
    if (names.length === 1) return urisByName
    return urisByName.every((uris) => uris.length > 0) ? urisByName : [[]]
  }
}

/** The concepts of a table by what other cells call them: notation, id or label. */
class References {
  readonly #byName = new Map<string, string | Set<string>>()
  readonly #byKey = new Map<string, string | Set<string>>()

  /** Adds a name of a concept. */
  add(name: string, uri: string): void {
    add(this.#byName, name, uri)
    add(this.#byKey, comparisonKey(name), uri)
  }

  /**
   * The concepts with a name: several if they share it. Case and signs count only if they make a difference.
   */
  find(name: string): string[] {
    const uris = this.#byName.get(name) ?? this.#byKey.get(comparisonKey(name))
    return uris === undefined ? [] : typeof uris === 'string' ? [uris] : [...uris]
  }

  /** The name that resembles another the most; undefined if none does. */
  similar(name: string): string | undefined {
    const most = name.length < 4 ? 1 : name.length < 9 ? 2 : 3
    const wanted = name.toLowerCase()
    let best: string | undefined
    let least = most + 1
    for (const candidate of this.#byName.keys()) {
      if (Math.abs(candidate.length - name.length) >= least) continue
      const edits = editDistance(wanted, candidate.toLowerCase(), least - 1)
      if (edits !== undefined && edits < least) [best, least] = [candidate, edits]
    }
    return best
  }
}

/** The names in a text with commas or semicolons between them; within brackets these separate nothing. */
function separated(text: string): string[] {
  const names: string[] = []
  let [begin, depth] = [0, 0]
  for (let at = 0; at <= text.length; at++) {
    if (text[at] === '(') depth++
    else if (text[at] === ')') depth = Math.max(0, depth - 1)
    else if (at < text.length && (depth > 0 || (text[at] !== ',' && text[at] !== ';'))) continue
    else {
      names.push(text.slice(begin, at).trim())
      begin = at + 1
    }
  }
  return names.filter((name) => name !== '')
}

function add(names: Map<string, string | Set<string>>, name: string, uri: string): void {
  const uris = names.get(name)
  if (uris === undefined) names.set(name, uri)
  else if (typeof uris !== 'string') uris.add(uri)
  else if (uris !== uri) names.set(name, new Set([uris, uri]))
}
