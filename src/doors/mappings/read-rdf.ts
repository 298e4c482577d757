import { basename } from 'node:path'
import { IN_SCHEME, RDF_TYPE, SKOS, VOID, XKOS } from '../../base/namespaces.ts'
import { BY_CODE_POINTS } from '../../graph/jskos/order.ts'
import { ALL_FIELDS } from '../../graph/jskos/fields.ts'
import { withoutUndefined } from '../../base/json.ts'
import { frameNodes } from '../../graph/jskos/frame.ts'
import { MAPPING_TYPES, statedMapping, type MappedScheme, type Mapping } from '../../graph/jskos/mapping.ts'
import { readProperties } from '../../graph/jskos/properties.ts'
import { itemOf, type RecordOptions } from '../../graph/jskos/field-values.ts'
import { readNTriples, type Graph } from '../../graph/sparql/ntriples.ts'
import { spacesOf, type Namespace } from '../../graph/vocabularies/namespaces.ts'
import { isSameVocabulary, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { readSource } from '../../writing/source/read-files.ts'
import { namesFromTitles, TITLES } from '../../writing/source/scheme.ts'
import type { SourceGraph } from '../../writing/source/source-graph.ts'
import type { ConcordanceRecord } from './concordance.ts'
import { schemeOf } from './record.ts'
import { MAPPING_PROPERTIES } from './statements.ts'

const COMPARES = `${XKOS}compares`
const MADE_OF = `${XKOS}madeOf`
const CORRESPONDENCE = `${XKOS}Correspondence`
const ASSOCIATION = `${XKOS}ConceptAssociation`
const PREF_LABEL = `${SKOS}prefLabel`

/** The properties of correspondences and associations that their records keep. */
const KEPT: ReadonlySet<string> = new Set([
  ...ALL_FIELDS.flatMap(({ property }) => property ?? []),
  ...[COMPARES, MADE_OF, ...Object.values(MAPPING_PROPERTIES)],
])

/** A mapping of RDF, unchecked, or what is wrong with it. */
export type RdfEntry = { place: string } & ({ value: Mapping } | { mistake: string })

/** A correspondence of XKOS as a concordance of JSKOS, unchecked, with its mappings. */
interface Correspondence {
  /** Such as `isic-nace.ttl, <http://example.org/isic-nace>`. */
  place: string
  record: ConcordanceRecord['record']
  mappings: readonly RdfEntry[]
}

/** The mappings of a file of RDF. */
interface RdfMappings {
  correspondences: readonly Correspondence[]
  /** The mappings that belong to no correspondence of the file. */
  unassigned: readonly RdfEntry[]
  /** The mistakes of the file that are not about a mapping. */
  mistakes: readonly { place: string; mistake: string }[]
  /** The properties of correspondences and associations that JSKOS has no field for. */
  ignored: ReadonlySet<string>
}

/**
 * The mappings of a file of RDF: correspondences and associations of XKOS, and statements with the mapping properties
 * of SKOS. All concepts of an association are in one mapping, as sets. If it has one on each side, statements between
 * these are its types. Other statements belong to the correspondence if the file has exactly one.
 *
 * @param vocabularies those of the store, whose namespaces tell the vocabularies of concepts.
 * @throws InputError naming the file if it is broken.
 */
export async function readRdfMappings(file: string, vocabularies: readonly Vocabulary[]): Promise<RdfMappings> {
  const source = await readSource([file])
  try {
    return new RdfReader(basename(file), source, vocabularies).read()
  } finally {
    source.close()
  }
}

/** The concepts of an association. */
interface Association {
  source: readonly string[]
  target: readonly string[]
}

class RdfReader {
  readonly #file: string
  readonly #source: SourceGraph
  readonly #vocabularies: readonly Vocabulary[]
  readonly #spaces: readonly Namespace[]
  /** The statements of the file, without those by the mapping properties of SKOS. */
  readonly #graph: Graph = new Map()
  /** The mapping properties by the resources that they lead from and to. */
  readonly #types = new Map<string, Map<string, Set<string>>>()
  readonly #correspondences = new Set<string>()
  readonly #associations = new Map<string, Association>()
  readonly #ignored = new Set<string>()
  /** The records of correspondences and associations. */
  readonly #recordOf: (subject: string) => Record<string, unknown>

  constructor(file: string, source: SourceGraph, vocabularies: readonly Vocabulary[]) {
    this.#file = file
    this.#source = source
    this.#vocabularies = vocabularies
    this.#spaces = spacesOf(vocabularies)
    this.#readGraph()
    const framed = frameNodes(this.#graph, this.#graph)
    this.#recordOf = (subject) => {
      const node = framed(subject)
      const { uri, ...record } = node ? itemOf(node, OPTIONS) : {}
      return isBlank(subject) ? record : { uri, ...record }
    }
  }

  #readGraph(): void {
    for (const { node, statements } of this.#source.descriptions()) {
      const subject = this.#source.name(node)
      const lines = statements.flatMap(({ predicate, object }) => {
        if (!MAPPING_TYPES.includes(predicate)) return `${subject} <${predicate}> ${object} .\n`
        const targets = this.#types.get(graphName(subject)) ?? new Map<string, Set<string>>()
        this.#types.set(graphName(subject), targets)
        targets.set(graphName(object), (targets.get(graphName(object)) ?? new Set<string>()).add(predicate))
        return []
      })
      const properties = new Set(statements.map(({ predicate }) => predicate))
      const hasClass = (name: string) =>
        statements.some(({ predicate, object }) => predicate === RDF_TYPE && object === `<${name}>`)
      const isCorrespondence = hasClass(CORRESPONDENCE) || properties.has(MADE_OF) || properties.has(COMPARES)
      const isAssociation =
        hasClass(ASSOCIATION) || properties.has(MAPPING_PROPERTIES.from) || properties.has(MAPPING_PROPERTIES.to)
      if (isCorrespondence) this.#correspondences.add(graphName(subject))
      const isUntitled = (isCorrespondence || this.#source.isShownByName(node)) && !properties.has(PREF_LABEL)
      if (isUntitled) lines.push(...namesFromTitles(statements).map((name) => `${subject} <${PREF_LABEL}> ${name} .\n`))
      readNTriples(lines.join(''), this.#graph)
      if (isAssociation) {
        const [source, target] = [MAPPING_PROPERTIES.from, MAPPING_PROPERTIES.to].map((property) =>
          this.#objects(graphName(subject), property),
        )
        this.#associations.set(graphName(subject), { source: source!, target: target! })
      }
      if (!isCorrespondence && !isAssociation) continue
      for (const property of properties) {
        if (!KEPT.has(property) && !(isUntitled && TITLES.includes(property))) this.#ignored.add(property)
      }
    }
  }

  read(): RdfMappings {
    const mistakes = [...this.#source.wrongIris.keys()].map((iri) => {
      const place = this.#source.placesOfWrongIris.get(iri) ?? this.#file
      return { place, mistake: `expected an absolute IRI, found <${iri}>` }
    })
    const correspondences: (Correspondence & { mappings: RdfEntry[] })[] = []
    const taken = new Set<string>()
    for (const uri of this.#correspondences) {
      if (isBlank(uri)) {
        mistakes.push({ place: this.#file, mistake: 'expected a correspondence with a URI, found a blank node' })
        continue
      }
      const place = `${this.#file}, <${uri}>`
      const schemes = this.#objects(uri, COMPARES)
      if (schemes.length > 2) {
        mistakes.push({ place, mistake: `xkos:compares: expected two vocabularies, found ${schemes.length}` })
      }
      const members = this.#objects(uri, MADE_OF)
      for (const member of members) taken.add(member)
      const record = this.#concordanceOf(uri, schemes, members)
      const { fromScheme, toScheme } = record
      const common = withoutUndefined({ fromScheme, toScheme })
      const mappings = members.map((member) => {
        const entry = this.#association(member, place)
        return 'value' in entry ? { place: entry.place, value: { ...common, ...entry.value } } : entry
      })
      correspondences.push({ place, record, mappings })
    }
    const unassigned = [...this.#associations.keys()].flatMap((subject) =>
      taken.has(subject) ? [] : [this.#association(subject, this.#file)],
    )
    const rest = correspondences.length === 1 && unassigned.length === 0 ? correspondences[0]!.mappings : unassigned
    rest.push(...this.#statements())
    return { correspondences, unassigned, mistakes, ignored: this.#ignored }
  }

  /** The record of a concordance with the vocabularies that its correspondence compares, the one of sources first. */
  #concordanceOf(uri: string, schemes: readonly string[], members: readonly string[]): ConcordanceRecord['record'] {
    const { type = [], ...record } = this.#recordOf(uri) as { type?: string[] }
    const [first, second] = this.#inDirection(schemes, members)
    return {
      ...record,
      uri,
      type: [...new Set([`${VOID}Linkset`, ...type])],
      ...(first !== undefined && { fromScheme: schemeOf(first, this.#vocabularies) }),
      ...(second !== undefined && { toScheme: schemeOf(second, this.#vocabularies) }),
    }
  }

  /**
   * Two vocabularies in the direction of most associations. `xkos:compares` has none, so their order in the file counts
   * only where the vocabularies of the concepts are not known.
   */
  #inDirection(schemes: readonly string[], members: readonly string[]): readonly string[] {
    const [first, second] = schemes
    if (first === undefined || second === undefined) return schemes
    let forward = 0
    for (const member of members) {
      const { source = [], target = [] } = this.#associations.get(member) ?? {}
      const [from, to] = [source, target].map((concepts) => this.#schemeOfAll(concepts, schemes))
      if (from === first || to === second) forward++
      if (from === second || to === first) forward--
    }
    return forward < 0 ? [second, first] : schemes
  }

  /** @param place of what names the association. */
  #association(subject: string, place: string): RdfEntry {
    const association = this.#associations.get(subject)
    if (!association) return { place, mistake: `xkos:madeOf: the file does not describe <${subject}>` }
    const { source, target } = association
    const where = isBlank(subject) ? place : `${this.#file}, <${subject}>`
    if (source.length + target.length === 0)
      return { place: where, mistake: 'expected an association with xkos:sourceConcept or xkos:targetConcept' }
    if (source.length > 1 || target.length > 1 || source.length + target.length < 2)
      return { place: where, value: this.#mapping(subject, source, target, []) }
    return { place: where, value: this.#mapping(subject, source, target, this.#take(source[0]!, target[0]!)) }
  }

  #mapping(subject: string, source: readonly string[], target: readonly string[], types: readonly string[]): Mapping {
    const memberOf = (name: string) => (isBlank(name) ? this.#recordOf(name) : { uri: name })
    const [from, to] = [source, target].map((concepts) => ({ memberSet: concepts.map(memberOf) }))
    const { type: classes = [], ...record } = this.#recordOf(subject) as { type?: string[] }
    // The types of mappings are properties, in JSKOS also as classes; an association has other classes, too.
    const type = types.length > 0 ? types : MAPPING_TYPES.filter((name) => classes.includes(name))
    const [confidence] = this.#objects(subject, MAPPING_PROPERTIES.mappingRelevance)
    return withoutUndefined<Mapping>({
      ...record,
      ...this.#namedSchemes(subject),
      ...this.#schemes(source, target),
      from: from!,
      to: to!,
      type: type.length > 0 ? [...type] : undefined,
      justification: this.#objects(subject, MAPPING_PROPERTIES.justification)[0],
      mappingRelevance: confidence === undefined ? undefined : Number(confidence),
    })
  }

  /** The statements that are no types of associations. */
  *#statements(): Generator<RdfEntry> {
    for (const [source, targets] of this.#types) {
      for (const [target, types] of targets) {
        const place = `${this.#file}, <${source}>`
        for (const type of types) {
          yield { place, value: { ...statedMapping(source, type, target), ...this.#schemes([source], [target]) } }
        }
      }
    }
  }

  /** The mapping properties from one concept to another; then they are taken. */
  #take(source: string, target: string): string[] {
    const targets = this.#types.get(source)
    const types = targets?.get(target)
    targets?.delete(target)
    return MAPPING_TYPES.filter((type) => types?.has(type))
  }

  /** The vocabularies that an association names itself. */
  #namedSchemes(subject: string): { fromScheme?: MappedScheme; toScheme?: MappedScheme } {
    const [fromScheme, toScheme] = [MAPPING_PROPERTIES.fromScheme, MAPPING_PROPERTIES.toScheme].map((property) => {
      const [scheme] = this.#objects(subject, property)
      return scheme === undefined ? undefined : schemeOf(scheme, this.#vocabularies)
    })
    return withoutUndefined({ fromScheme, toScheme })
  }

  #schemes(
    source: readonly string[],
    target: readonly string[],
  ): { fromScheme?: MappedScheme; toScheme?: MappedScheme } {
    const [from, to] = [source, target].map((concepts) => this.#schemeOfAll(concepts, []))
    return {
      ...(from !== undefined && { fromScheme: schemeOf(from, this.#vocabularies) }),
      ...(to !== undefined && { toScheme: schemeOf(to, this.#vocabularies) }),
    }
  }

  /**
   * The vocabulary of concepts. The file names it; else their URIs begin with its namespace, or with the URI of one of
   * the compared vocabularies. Undefined if there is none, or several.
   */
  #schemeOfAll(concepts: readonly string[], compared: readonly string[]): string | undefined {
    const schemes = concepts.map((concept) => this.#schemeOf(concept, compared))
    return schemes.every((scheme) => scheme === schemes[0]) ? schemes[0] : undefined
  }

  #schemeOf(concept: string, compared: readonly string[]): string | undefined {
    const longest = (spaces: readonly Namespace[]) =>
      spaces
        .filter(([start]) => concept.startsWith(start))
        .sort(([a], [b]) => b.length - a.length)
        .map(([, scheme]) => scheme)[0]
    const scheme =
      this.#objects(concept, IN_SCHEME)[0] ?? longest(this.#spaces) ?? longest(compared.map((uri) => [uri, uri]))
    return scheme === undefined ? undefined : (compared.find((uri) => isSameVocabulary(uri, scheme)) ?? scheme)
  }

  /** The values of a property of a resource. A text among them is no URI; the check of the records reports it. */
  #objects(subject: string, property: string): string[] {
    return (this.#graph.get(subject)?.get(property) ?? []).map(({ value }) => value)
  }
}

function isBlank(subject: string): boolean {
  return subject.startsWith('_:')
}

/** Records of a file have all fields, texts and languages. */
const OPTIONS: RecordOptions = {
  properties: readProperties('*', []),
  languages: undefined,
  preferred: [],
  order: BY_CODE_POINTS,
  contextUrl: '',
}

/** A resource in N-Triples as graphs name it. */
function graphName(term: string): string {
  return term.startsWith('<') ? term.slice(1, -1) : term
}
