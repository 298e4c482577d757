import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { count, type SparqlTerm } from './terms.ts'
import { fromRoot } from '../../base/root.ts'
import type { TemplateName } from './template-names.ts'
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { messageOf } from '../../base/thrown.ts'

/**
 * A template is SPARQL that runs as it stands. Comments mark the places that a request may change:
 *
 * - `#@ name` at the end of a line: the terms between `{ }` of its VALUES, or between `( )` of its IN, are sample
 *   values, which those of the request replace. The same mark stands behind the IRI after GRAPH, which takes one term,
 *   and behind a triple of constants, which takes triples.
 * - `#? name` and `#.` on lines of their own: the lines between them stay only if the request includes `name` or gives
 *   terms of that name. Blocks may be nested.
 * - `#+ summary: text` gives the purpose of the query, `#+ description: text` further advice for users of its endpoint.
 * - The requested page replaces `LIMIT n` and `OFFSET n` on lines of their own, also within a subselect.
 */
export interface Bindings {
  /** Terms by slot name, for every slot that is not left out. */
  terms?: Terms
  /** Names of further optional blocks to keep; blocks named like terms stay anyway. */
  include?: Iterable<string>
  limit?: number | undefined
  offset?: number | undefined
  /** A bound SELECT that replaces the VALUES block of this slot. */
  subselect?: { slot: string; select: BoundSelect }
}

/** Terms by slot name; undefined counts as absent. */
export type Terms = Readonly<Record<string, readonly SparqlTerm[] | undefined>>

/** A query or an update to send, and the name that the log and the metrics give to it. */
export interface BoundTemplate {
  readonly name: string
  readonly text: string
}

/** A bound SELECT for use inside another query, which then gets its prefixes. */
export interface BoundSelect {
  prefixes: readonly string[]
  text: string
}

type TemplatePart =
  | { kind: 'text'; text: string }
  | { kind: 'slot'; name: string; before: string; open: string; sample: string; close: string; after: string }
  | { kind: 'block'; name: string; segments: TemplatePart[] }
  | { kind: 'page'; word: 'LIMIT' | 'OFFSET'; sample: string }

const SLOTS = [
  String.raw`(\bVALUES\s+\?\w+\s*\{|\bIN\s*\()([^(){}]*)([})])`,
  String.raw`(\bGRAPH\s+)(<[^<>]*>)()`,
  String.raw`()(<[^<>]*> <[^<>]*> .* \.)()`,
]
const SLOT_LINES = SLOTS.map((slot) => new RegExp(String.raw`^(.*?)${slot}(.*?)\s*#@\s*(\w+)\s*$`))
const BLOCK_START = /^#\?\s*(\w+)\s*$/
const BLOCK_END = /^#\.\s*$/
const PAGE_LINE = /^(LIMIT|OFFSET)\s+(\d+)\s*$/
const HEADER = { summary: /^#\+ summary: (.+)$/m, description: /^#\+ description: (.+)$/m }
const PROLOGUE_LINE = /^\s*PREFIX\s/i
const ENDING = /\.r[qu]$/

/** A query or an update of `queries/`, cut at its marks; see `loadTemplates`. */
export class Template {
  /** The path of the file below `queries/`, and the same without its ending. */
  readonly file: string
  readonly name: string
  /** The file as it is, a query that runs by itself. */
  readonly text: string
  /** Names of all slots, including those in optional blocks. */
  readonly slots: readonly string[]
  /** Names of the slots that are not in an optional block. */
  readonly required: readonly string[]
  /** Names of all optional blocks. */
  readonly blocks: readonly string[]
  /** The text of its `#+ summary:`, and of its `#+ description:` if it has one. */
  readonly summary: string
  readonly description: string | undefined
  readonly #prefixes: readonly string[]
  readonly #segments: TemplatePart[]

  /** @throws Error naming the file and the line of an unreadable mark. */
  constructor(file: string, text: string) {
    this.file = file
    this.name = file.replace(ENDING, '')
    this.text = text
    const lines = text.split('\n')
    this.#prefixes = lines.filter((line) => PROLOGUE_LINE.test(line))
    this.#segments = readSegments(file, lines)
    this.slots = [...names(this.#segments, 'slot')]
    this.required = this.#segments.flatMap((segment) => (segment.kind === 'slot' ? segment.name : []))
    this.blocks = [...names(this.#segments, 'block')]
    this.summary = HEADER.summary.exec(text)?.[1] ?? ''
    this.description = HEADER.description.exec(text)?.[1]
  }

  /** The query with its sample values and none of the optional blocks. */
  get withoutBlocks(): string {
    return this.#write({ sample: true })
  }

  /**
   * The query for one request. One pass over the template fills all places, so a value cannot reach the place of
   * another.
   *
   * @throws Error if a slot that is not left out gets no terms, or if the template does not have a name.
   */
  bind(bindings: Bindings = {}): BoundTemplate {
    this.#check(bindings)
    return { name: this.name, text: this.#write(bindings) }
  }

  /** The bound query as a sub-select for another template; throws the errors of `bind`. */
  bindSubselect(bindings: Bindings): BoundSelect {
    this.#check(bindings)
    return { prefixes: this.#prefixes, text: this.#writeBody(bindings) }
  }

  #check({ terms = {}, include = [] }: Bindings): void {
    for (const name of [...givenNames(terms), ...include]) {
      if (!this.slots.includes(name) && !this.blocks.includes(name)) throw new Error(`${this.file}: no "${name}" in it`)
    }
  }

  #write(bindings: Bindings & { sample?: boolean }): string {
    const prefixes = new Set([...this.#prefixes, ...(bindings.subselect?.select.prefixes ?? [])])
    return `${[...prefixes].join('\n')}\n${this.#writeBody(bindings)}`
  }

  #writeBody(bindings: Bindings & { sample?: boolean }): string {
    const include = new Set([...givenNames(bindings.terms ?? {}), ...(bindings.include ?? [])])
    const write = (segments: TemplatePart[]): string =>
      segments
        .map((segment) => {
          if (segment.kind === 'text') return segment.text
          if (segment.kind === 'block') return include.has(segment.name) ? write(segment.segments) : ''
          if (segment.kind === 'page') {
            const value = segment.word === 'LIMIT' ? bindings.limit : bindings.offset
            return `${segment.word} ${value === undefined ? segment.sample : count(value)}\n`
          }
          if (bindings.sample)
            return `${segment.before}${segment.open}${segment.sample}${segment.close}${segment.after}\n`
          if (bindings.subselect?.slot === segment.name) {
            return `${segment.before}{ ${bindings.subselect.select.text} }${segment.after}\n`
          }
          const terms = bindings.terms?.[segment.name]
          if (!terms) throw new Error(`${this.file}: no terms for "${segment.name}"`)
          if (segment.open !== '' && segment.close === '' && terms.length !== 1)
            throw new Error(`${this.file}: "${segment.name}" takes one term`)
          const separator = segment.close === ')' ? ', ' : ' '
          return `${segment.before}${segment.open} ${terms.join(separator)} ${segment.close}${segment.after}\n`
        })
        .join('')
    return write(this.#segments)
  }
}

function givenNames(terms: Terms): string[] {
  return Object.keys(terms).filter((name) => terms[name] !== undefined)
}

function* names(segments: TemplatePart[], kind: 'slot' | 'block'): Generator<string> {
  for (const segment of segments) {
    if (segment.kind === kind) yield segment.name
    if (segment.kind === 'block') yield* names(segment.segments, kind)
  }
}

function readSegments(file: string, lines: string[]): TemplatePart[] {
  const root: TemplatePart[] = []
  const open: { segments: TemplatePart[]; line: number }[] = [{ segments: root, line: 0 }]
  lines.forEach((indented, index) => {
    // Indentation is for readers of the file, and a store takes time for every character.
    const line = indented.trimStart()
    const segments = open.at(-1)!.segments
    const at = `${file}, line ${index + 1}`
    let match: RegExpExecArray | null
    if (PROLOGUE_LINE.test(line)) return
    if ((match = BLOCK_START.exec(line))) {
      const block: TemplatePart = { kind: 'block', name: match[1]!, segments: [] }
      segments.push(block)
      open.push({ segments: block.segments, line: index + 1 })
    } else if (BLOCK_END.test(line)) {
      if (open.length === 1) throw new Error(`${at}: "#." without "#?"`)
      open.pop()
    } else if ((match = SLOT_LINES.map((pattern) => pattern.exec(line)).find((result) => result !== null) ?? null)) {
      const [, before, opening, sample, close, after, slot] = match
      const expected = opening!.endsWith('{') ? '}' : opening!.endsWith('(') ? ')' : ''
      if (expected !== close) throw new Error(`${at}: cannot tell what "#@ ${slot}" marks`)
      segments.push({
        kind: 'slot',
        name: slot!,
        before: before!,
        open: opening!,
        sample: sample!,
        close,
        after: after!,
      })
    } else if ((match = PAGE_LINE.exec(line))) {
      segments.push({ kind: 'page', word: match[1] as 'LIMIT' | 'OFFSET', sample: match[2]! })
    } else if (/#[@?.]/.test(line.replace(/<[^<>]*>/g, '')) && !line.startsWith('#+')) {
      throw new Error(`${at}: cannot read the mark: ${line.trimEnd()}`)
    } else {
      // Other comments are for readers of the file and not sent to the store.
      if (!line.startsWith('#')) segments.push({ kind: 'text', text: `${line}\n` })
    }
  })
  if (open.length > 1) throw new Error(`${file}, line ${open.at(-1)!.line}: "#?" without "#."`)
  return root
}

/**
 * All templates of a folder, by path without its ending: `.rq` queries and `.ru` updates.
 *
 * @throws Error naming the file and line of the first unreadable mark.
 */
export function loadTemplates(directory: string): Map<string, Template> {
  const templates = new Map<string, Template>()
  for (const file of readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!ENDING.test(file)) continue
    const template = new Template(file, readFileSync(join(directory, file), 'utf8'))
    templates.set(template.name, template)
  }
  return templates
}

let templates: ReadonlyMap<string, Template> | undefined

/**
 * Reads all templates of `queries/`. Without this call, the first use of a template reads them.
 *
 * @throws Error naming the file and line of the first unreadable mark.
 */
export function loadQueries(): ReadonlyMap<string, Template> {
  return (templates ??= loadTemplates(fromRoot('queries')))
}

/**
 * The template `queries/{name}`.
 *
 * @throws Error if the folder lacks it, and the errors of `loadQueries`.
 * @example client.select(queryTemplate('describe/home').bind({ terms: { c: [iri(uri)] } }), { signal })
 */
export function queryTemplate(name: TemplateName): Template {
  const template = loadQueries().get(name)
  if (!template) throw new Error(`no template ${name}`)
  return template
}

/** Has the digest of the templates whose syntax was last found to be right. */
const CHECKED = fromRoot('dist/checked-templates')

/**
 * Parses templates as they stand and without their optional blocks. To load and run the parser takes most of the time
 * in which the service starts, so templates that were right at an earlier start are not parsed again. Commands do not
 * call this.
 *
 * @throws Error naming the file and the line of a syntax error.
 */
export async function checkTemplates(templates: Iterable<Template>, checked = CHECKED): Promise<void> {
  const all = [...templates]
  const digest = createHash('sha256')
  for (const { file, text, withoutBlocks } of all) digest.update(JSON.stringify([file, text, withoutBlocks]))
  const hex = digest.digest('hex')
  const before = await readFile(checked, 'utf8').catch(() => '')
  if (before === hex) return
  const { Parser } = await import('@traqula/parser-sparql-1-1')
  // One parser for all, because building the grammar takes longer than parsing every template.
  const parser = new Parser()
  const parse = (file: string, text: string): void => {
    try {
      parser.parse(text)
    } catch (cause) {
      throw new Error(`${file}: ${messageOf(cause)}`, { cause })
    }
  }
  for (const { file, text, withoutBlocks } of all) {
    parse(file, text)
    parse(`${file} (without optional blocks)`, withoutBlocks)
  }
  // The folder may be read-only; then the next start parses them again.
  await writeFile(checked, hex).catch(() => undefined)
}
