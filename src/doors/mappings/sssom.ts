import { conceptsOf, typeOf, type MappedConcept, type Mapping } from '../../graph/jskos/mapping.ts'
import { inLanguage } from '../../graph/jskos/names.ts'
import { SEMAPV, SKOS, SSSOM } from '../../base/namespaces.ts'
import { tsvLine } from '../../graph/tables/table-writer.ts'
import type { Namespace } from '../../graph/vocabularies/namespaces.ts'
import type { MappingTable } from './mapping-table.ts'

/** Prefixes that a file of SSSOM need not declare. */
export const BUILT_IN = { skos: SKOS, semapv: SEMAPV, sssom: SSSOM }

/** The statements of an SSSOM file about its mappings as a whole (SSSOM 1.0, MappingSet). */
export interface MappingSet {
  /** A URI. */
  id: string
  title?: string | undefined
  /** The URI of a licence; undefined: not known. */
  license?: string | undefined
  /** The namespaces of vocabularies. */
  spaces: readonly Namespace[]
}

/** The value of SSSOM for a licence that is not known. */
const UNSPECIFIED_LICENSE = `${SSSOM}license/unspecified`

const COLUMNS = [
  'subject_id',
  'subject_label',
  'predicate_id',
  'object_id',
  'object_label',
  'mapping_justification',
  'author_id',
  'author_label',
  'subject_source',
  'object_source',
  'mapping_date',
  'confidence',
] as const

/**
 * Mappings as SSSOM/TSV with the metadata and the prefixes before the table
 * (https://mapping-commons.github.io/sssom/). SSSOM allows at most one concept on each side. Other mappings are left
 * out, and so are mappings with a concept without a URI; the comment before the table has their number.
 */
export class SssomTable implements MappingTable {
  readonly #set: MappingSet
  readonly #prefixes: SssomPrefixes
  #leftOut = 0

  constructor(set: MappingSet) {
    this.#set = set
    this.#prefixes = new SssomPrefixes(set.spaces)
  }

  collect(mapping: Mapping): void {
    if (this.row(mapping) === '') this.#leftOut++
  }

  head(): string {
    const { id, title, license = UNSPECIFIED_LICENSE } = this.#set
    const comment = this.#leftOut > 0 && `SSSOM cannot say ${this.#leftOut} of these mappings.`
    const fields = Object.entries({
      mapping_set_id: id,
      ...(title !== undefined && { mapping_set_title: title }),
      license,
      ...(comment && { comment }),
    }).map(([name, value]) => `#${name}: ${yaml(value)}\n`)
    const prefixes = [...this.#prefixes].map(([prefix, space]) => `#  ${prefix}: ${yaml(space)}\n`)
    return [...fields, '#curie_map:\n', ...prefixes, tsvLine(COLUMNS)].join('')
  }

  row(mapping: Mapping): string {
    const { fromScheme, toScheme, mappingRelevance } = mapping
    const [from, ...moreSources] = conceptsOf(mapping.from)
    const [to, ...moreTargets] = conceptsOf(mapping.to)
    const isWithoutUri = [from, to].some((concept) => concept && concept.uri === undefined)
    if (moreSources.length + moreTargets.length > 0 || isWithoutUri || (!from && !to)) return ''
    const term = (uri: string | undefined, name?: string) => (uri === undefined ? '' : this.#prefixes.curie(uri, name))
    const creators = (mapping.creator ?? []).filter((creator) => creator !== null) as MappedConcept[]
    const isAnonymous = creators.some(({ uri }) => uri === undefined)
    const time = mapping.created ?? mapping.modified ?? ''
    const row: Record<(typeof COLUMNS)[number], string> = {
      subject_id: from ? term(from.uri, fromScheme?.notation?.[0]) : term(`${SSSOM}NoTermFound`),
      subject_label: from ? englishLabel(from) : '',
      predicate_id: term(typeOf(mapping)),
      object_id: to ? term(to.uri, toScheme?.notation?.[0]) : term(`${SSSOM}NoTermFound`),
      object_label: to ? englishLabel(to) : '',
      mapping_justification: term(justificationOf(mapping)),
      author_id: list(creators.map(({ uri }) => term(uri))),
      // With a label for each, there are more labels than ids if one has no id: readers do not take them for pairs.
      author_label: list(creators.map((creator) => englishLabel(creator) || (isAnonymous ? (creator.uri ?? '') : ''))),
      subject_source: term(fromScheme?.uri),
      object_source: term(toScheme?.uri),
      mapping_date: /^\d{4}-\d\d-\d\d/.exec(time)?.[0] ?? '',
      confidence: mappingRelevance === undefined ? '' : String(mappingRelevance),
    }
    return tsvLine(COLUMNS.map((column) => row[column]))
  }
}

/**
 * A text as YAML, in which no spreadsheet program finds a formula, whatever it takes for a separator. JSON texts are
 * YAML, too.
 */
function yaml(text: string): string {
  return JSON.stringify(text).replace(
    /(?<=[,;|])[=+\-@＝＋－＠]/gu,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** How a mapping came about; without a word on that it is unspecified, which SSSOM wants said. */
function justificationOf({ justification }: Mapping): string {
  return typeof justification === 'string' && /^[a-z][a-z0-9+.-]*:\S+$/i.test(justification)
    ? justification
    : `${SEMAPV}UnspecifiedMatching`
}

/** The label in English, else in any language. */
export function englishLabel({ prefLabel }: MappedConcept): string {
  const label = inLanguage(prefLabel as Record<string, unknown> | undefined, ['en'])?.value
  return typeof label === 'string' ? label.replace(/\s+/g, ' ').trim() : ''
}

/** Several values of a cell (SSSOM/TSV, "Multi-valued slots"). */
function list(values: readonly string[]): string {
  return values
    .filter((value) => value !== '')
    .map((value) => value.replaceAll('|', '\\|'))
    .join('|')
}

/** The most namespaces that follow from single URIs; those of further URIs are their hosts. */
const MOST_NAMESPACES = 1000

/** The prefixes of a file, as its URIs come. */
class SssomPrefixes implements Iterable<[prefix: string, space: string]> {
  readonly #spaces: readonly string[]
  readonly #prefixes = new Map<string, string>()
  readonly #taken = new Set<string>()

  constructor(spaces: readonly Namespace[]) {
    // The longest one is that of a URI.
    this.#spaces = spaces.map(([start]) => start).sort((a, b) => b.length - a.length)
    for (const [prefix, space] of Object.entries(BUILT_IN)) this.#add(space, prefix)
  }

  *[Symbol.iterator](): Generator<[string, string]> {
    for (const [space, prefix] of this.#prefixes) yield [prefix, space]
  }

  /** @param name what to call the namespace, if it is not known yet and the name will do. */
  curie(uri: string, name?: string): string {
    const space = this.#spaceOf(uri)
    // The URI of a host alone has no namespace of its own.
    const prefix = this.#prefixes.get(space) ?? this.#add(space, space.endsWith('://') ? undefined : name)
    return `${prefix}:${uri.slice(space.length)}`
  }

  #spaceOf(uri: string): string {
    const last = /^.*[/#:=](?=[^/#:=]+[/#]?$)/s.exec(uri)?.[0] ?? ''
    if (this.#prefixes.has(last)) return last
    const namespace = this.#spaces.find((space) => uri.startsWith(space) && uri.length > space.length)
    if (namespace !== undefined) return namespace
    const host = /^[^:]*:(?:\/\/[^/]*\/)?/.exec(uri)![0]
    return last === '' || this.#prefixes.size > MOST_NAMESPACES ? host : last
  }

  #add(space: string, name: string | undefined): string {
    let prefix = name !== undefined && /^[A-Za-z][\w-]*$/.test(name) ? name : `ns${this.#prefixes.size}`
    for (let nth = this.#prefixes.size; this.#taken.has(prefix); nth++) prefix = `ns${nth}`
    this.#prefixes.set(space, prefix)
    this.#taken.add(prefix)
    return prefix
  }
}
