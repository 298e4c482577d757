import type { RequestHandler } from 'express'
import { DataFactory, type BlankNode, type NamedNode, type Quad, type Quad_Object, type Quad_Subject } from 'n3'
import { sendWhole } from '../../interface/http/send.ts'
import { DCAT, DCT, FOAF, W3C_FORMATS, RDF, SPDX, VOID, XSD } from '../../base/namespaces.ts'
import { turtle } from '../../interface/representations/quad-writers.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { isLanguageTag } from '../../graph/sparql/terms.ts'
import { askEndpoint } from '../../routes.ts'
import type { Dump } from '../export/dumps.ts'
import type { ExportDependencies } from '../export/endpoints.ts'
import { publicUrl, type PageDependencies } from './page-request.ts'
import { vocabularyFiles } from './facts.tsx'
import { notes, type ConceptScheme, type Item } from './records.ts'

/** The names of formats at w3.org/ns/formats. */
const FORMAT_NAMES: Readonly<Record<string, string>> = {
  'text/turtle': 'Turtle',
  'application/n-triples': 'N-Triples',
  'application/ld+json': 'JSON-LD',
  'application/rdf+xml': 'RDF_XML',
}

const node = (uri: string): NamedNode => DataFactory.namedNode(uri)
const literal = (value: string | number, language?: string | NamedNode) => DataFactory.literal(value, language)

const MEDIA_TYPE = 'text/turtle'

/**
 * GET /.well-known/void: a description of the data in Turtle (Describing Linked Datasets with the VoID Vocabulary,
 * section 7; Data Catalog Vocabulary 3; DCAT-AP 3.0).
 */
export function voidDescription(dependencies: VoidDependencies): RequestHandler {
  return async (request, response) => {
    await sendWhole(request, response, dependencies, async (signal) => {
      const { records } = await askEndpoint({ dependencies, signal }, '/voc')
      const vocabularies = await dependencies.registry.list()
      const figures = await Promise.all(
        records.map(async ({ uri }): Promise<DatasetFigures> => {
          const vocabulary = vocabularies.find((candidate) => candidate.uri === uri)
          if (!vocabulary) return { count: undefined, dumps: new Map() }
          const { statistics, dumps } = dependencies
          return { count: await statistics.concepts(vocabulary), dumps: dumps?.made(vocabulary) ?? new Map() }
        }),
      )
      response.setHeader('Content-Type', `${MEDIA_TYPE}; charset=utf-8`)
      const text = describe(dependencies, records, figures)
      if (figures.some(({ count }) => count === undefined)) return { unfinished: text }
      // Files of downloads come without a change of the store.
      return dependencies.dumps ? { changing: text } : text
    })
  }
}

interface VoidDependencies extends PageDependencies, Pick<ExportDependencies, 'dumps'> {}

/** What is counted and measured of a vocabulary. */
interface DatasetFigures {
  /** Its concepts; undefined if they are not counted yet. */
  count: number | undefined
  /** The files of its downloads that are made, by media type. */
  dumps: ReadonlyMap<string, Dump>
}

/** The quads of the description, and how to add to them; an undefined object adds nothing. */
class VoidDescription {
  readonly quads: Quad[] = []
  #blankNodes = 0

  /** A new blank node, whose label depends on the description alone: the same text has the same ETag. */
  blankNode(): BlankNode {
    return DataFactory.blankNode(`b${++this.#blankNodes}`)
  }

  add(subject: string | Quad_Subject, predicate: string, object: Quad_Object | undefined): void {
    const about = typeof subject === 'string' ? node(subject) : subject
    if (object) this.quads.push(DataFactory.quad(about, node(predicate), object))
  }

  /** Adds a resource with its class, because DCAT-AP has classes for whatever datasets refer to. */
  refer(subject: string | Quad_Subject, predicate: string, object: Quad_Subject | undefined, type: string): void {
    this.add(subject, predicate, object)
    if (object) this.add(object, `${RDF}type`, node(type))
  }

  /** Adds an agent with its names. @param agent a blank node if it has no URI. */
  publisher(subject: string, { uri, prefLabel = {}, url }: Partial<Item>, otherwise: string): void {
    const agent = iriNode(uri) ?? this.blankNode()
    this.refer(subject, `${DCT}publisher`, agent, `${FOAF}Agent`)
    const names = Object.entries(prefLabel)
    for (const [language, name] of names) this.add(agent, `${FOAF}name`, text(name, language))
    if (names.length === 0) this.add(agent, `${FOAF}name`, literal(uri ?? otherwise))
    this.add(agent, `${FOAF}homepage`, iriNode(url))
  }
}

/**
 * The description: a catalogue as DCAT-AP 3.0 asks for it (sections "Catalogue", "Dataset", "Distribution", "Data
 * Service"), whose datasets are those of VoID, too.
 */
function describe(
  dependencies: PageDependencies,
  records: readonly ConceptScheme[],
  figures: readonly DatasetFigures[],
): string {
  const { config, sparqlUrl } = dependencies
  const { name } = config.site
  const description = new VoidDescription()
  const address = publicUrl({ dependencies }, '.well-known/void')
  description.add(address, `${RDF}type`, node(`${VOID}DatasetDescription`))
  description.add(address, `${RDF}type`, node(`${DCAT}Catalog`))
  description.add(address, `${DCT}title`, literal(name))
  description.add(address, `${DCT}description`, literal(`The vocabularies of ${name}, in SKOS`, 'en'))
  description.publisher(address, {}, name)
  description.refer(address, `${FOAF}homepage`, node(config.baseUrl), `${FOAF}Document`)
  const datasets = records.map((record, index) => {
    // The URI of the vocabulary already names the scheme and its graph; the dataset needs another.
    const dataset = `${address}#${encodeURIComponent(record.notation?.[0] ?? String(index))}`
    description.add(address, `${FOAF}topic`, node(dataset))
    description.add(address, `${DCAT}dataset`, node(dataset))
    describeDataset(dependencies, description, dataset, record, figures[index]!)
    return dataset
  })
  const services = [
    { id: 'interface', title: 'REST interface', endpoint: config.baseUrl, document: `${config.baseUrl}openapi.json` },
    ...(sparqlUrl === undefined ? [] : [{ id: 'sparql', title: 'SPARQL', endpoint: sparqlUrl, document: undefined }]),
  ]
  for (const { id, title, endpoint, document } of services) {
    // A vocabulary may have the same id as a service.
    const service = `${address}#service:${id}`
    description.refer(address, `${DCAT}service`, node(service), `${DCAT}DataService`)
    description.add(service, `${DCT}title`, literal(`${name}: ${title}`, 'en'))
    description.add(service, `${DCAT}endpointURL`, node(endpoint))
    description.add(service, `${DCAT}endpointDescription`, iriNode(document))
    for (const dataset of datasets) description.add(service, `${DCAT}servesDataset`, node(dataset))
  }
  const writer = turtle({ void: VOID, dcat: DCAT, dct: DCT, foaf: FOAF, spdx: SPDX, xsd: XSD })
  return writer.write(description.quads) + writer.end()
}

function describeDataset(
  dependencies: PageDependencies,
  description: VoidDescription,
  dataset: string,
  record: ConceptScheme,
  { count, dumps }: DatasetFigures,
): void {
  const { config, sparqlUrl } = dependencies
  const id = record.notation?.[0] ?? record.uri
  const licenses = (record.license ?? []).flatMap(({ uri }) => iriNode(uri) ?? [])
  const add = (predicate: string, object: Quad_Object | undefined) => description.add(dataset, predicate, object)
  add(`${RDF}type`, node(`${VOID}Dataset`))
  add(`${RDF}type`, node(`${DCAT}Dataset`))
  const titles = Object.entries(record.prefLabel ?? {})
  for (const [language, title] of titles) add(`${DCT}title`, text(title, language))
  if (titles.length === 0) add(`${DCT}title`, literal(id))
  const definitions = Object.entries(notes(record, 'definition'))
  for (const [language, values] of definitions) {
    for (const value of values) add(`${DCT}description`, text(value, language))
  }
  if (definitions.length === 0) {
    add(`${DCT}description`, literal(`A controlled vocabulary in SKOS: ${titles[0]?.[1] ?? id}`, 'en'))
  }
  add(`${DCT}identifier`, literal(record.uri))
  add(`${DCT}subject`, iriNode(record.uri))
  for (const license of licenses) description.refer(dataset, `${DCT}license`, license, `${DCT}LicenseDocument`)
  // A dataset has at most one.
  const [publisher] = record.publisher ?? []
  if (publisher) description.publisher(dataset, publisher, id)
  if (record.modified) add(`${DCT}modified`, literal(record.modified, dateType(record.modified)))
  add(`${VOID}uriSpace`, record.namespace === undefined ? undefined : literal(record.namespace))
  add(`${VOID}entities`, count === undefined ? undefined : literal(count))
  const page = node(publicUrl({ dependencies }, `voc/${encodeURIComponent(id)}`))
  add(`${FOAF}homepage`, page)
  description.refer(dataset, `${DCAT}landingPage`, page, `${FOAF}Document`)
  add(`${VOID}sparqlEndpoint`, sparqlUrl === undefined ? undefined : node(sparqlUrl))
  for (const { mediaType, title, href } of vocabularyFiles(config.baseUrl, id)) {
    const distribution = description.blankNode()
    const name = FORMAT_NAMES[mediaType]
    if (name !== undefined) {
      add(`${VOID}dataDump`, node(href))
      add(`${VOID}feature`, node(W3C_FORMATS + name))
    }
    description.refer(dataset, `${DCAT}distribution`, distribution, `${DCAT}Distribution`)
    description.add(distribution, `${DCT}title`, literal(title))
    description.add(distribution, `${DCAT}accessURL`, node(href))
    description.add(distribution, `${DCAT}downloadURL`, node(href))
    const type = node(`https://www.iana.org/assignments/media-types/${mediaType}`)
    description.refer(distribution, `${DCAT}mediaType`, type, `${DCT}MediaType`)
    description.add(distribution, `${DCT}license`, licenses[0])
    const dump = dumps.get(mediaType)
    if (dump) describeDump(description, distribution, dump)
  }
}

/** Adds size, date and checksum of a file. */
function describeDump(
  description: VoidDescription,
  distribution: Quad_Subject,
  { bytes, created, sha256 }: Dump,
): void {
  const checksum = description.blankNode()
  description.add(distribution, `${DCAT}byteSize`, literal(String(bytes), node(`${XSD}nonNegativeInteger`)))
  description.add(distribution, `${DCT}modified`, literal(created, node(`${XSD}dateTime`)))
  description.refer(distribution, `${SPDX}checksum`, checksum, `${SPDX}Checksum`)
  description.refer(checksum, `${SPDX}algorithm`, node(`${SPDX}checksumAlgorithm_sha256`), `${SPDX}ChecksumAlgorithm`)
  description.add(checksum, `${SPDX}checksumValue`, literal(sha256, node(`${XSD}hexBinary`)))
}

function iriNode(uri: string | undefined): NamedNode | undefined {
  return uri !== undefined && isAbsoluteIri(uri) ? node(uri) : undefined
}

function text(value: string, language: string) {
  return literal(value, language !== 'und' && isLanguageTag(language) ? language : undefined)
}

function dateType(date: string) {
  const { length } = date
  return node(XSD + (length > 10 ? 'dateTime' : length > 7 ? 'date' : length > 4 ? 'gYearMonth' : 'gYear'))
}
