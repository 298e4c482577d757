import type { RequestHandler } from 'express'
import { DataFactory, type NamedNode, type Quad, type Quad_Object, type Quad_Subject } from 'n3'
import { sendWhole } from '../../interface/http/send.ts'
import { DCAT, DCT, FOAF, FORMATS, RDF, VOID, XSD } from '../../base/namespaces.ts'
import { turtle } from '../../interface/representations/quad-writers.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { isLanguageTag } from '../../graph/sparql/terms.ts'
import { askEndpoint } from '../../routes.ts'
import { publicUrl, type PageDependencies } from './page-request.ts'
import { vocabularyFiles } from './facts.tsx'
import { notes, type ConceptScheme } from './records.ts'

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
 * section 7; Data Catalog Vocabulary 3).
 */
export function voidDescription(dependencies: PageDependencies): RequestHandler {
  return async (request, response) => {
    await sendWhole(request, response, dependencies, async (signal) => {
      const { records } = await askEndpoint({ dependencies, signal }, '/voc')
      const vocabularies = await dependencies.registry.list()
      const counts = await Promise.all(
        records.map(async ({ uri }) => {
          const vocabulary = vocabularies.find((candidate) => candidate.uri === uri)
          return vocabulary && (await dependencies.statistics.concepts(vocabulary))
        }),
      )
      response.setHeader('Content-Type', `${MEDIA_TYPE}; charset=utf-8`)
      const text = describe(dependencies, records, counts)
      return counts.includes(undefined) ? { unfinished: text } : text
    })
  }
}

function describe(
  dependencies: PageDependencies,
  records: readonly ConceptScheme[],
  counts: readonly (number | undefined)[],
): string {
  const { config, sparqlUrl } = dependencies
  const quads: Quad[] = []
  const add = (subject: string | Quad_Subject, predicate: string, object: Quad_Object | undefined) => {
    const about = typeof subject === 'string' ? node(subject) : subject
    if (object) quads.push(DataFactory.quad(about, node(predicate), object))
  }
  const named = (uri: string | undefined) => (uri !== undefined && isAbsoluteIri(uri) ? node(uri) : undefined)
  const address = publicUrl({ dependencies }, '.well-known/void')
  add(address, `${RDF}type`, node(`${VOID}DatasetDescription`))
  add(address, `${RDF}type`, node(`${DCAT}Catalog`))
  add(address, `${DCT}title`, literal(config.site.name))
  add(address, `${FOAF}homepage`, node(config.baseUrl))
  for (const [index, record] of records.entries()) {
    // The URI of the vocabulary already names the scheme and its graph; the dataset needs another.
    const dataset = `${address}#${encodeURIComponent(record.notation?.[0] ?? String(index))}`
    const count = counts[index]
    add(address, `${FOAF}topic`, node(dataset))
    add(address, `${DCAT}dataset`, node(dataset))
    add(dataset, `${RDF}type`, node(`${VOID}Dataset`))
    add(dataset, `${RDF}type`, node(`${DCAT}Dataset`))
    for (const [language, name] of Object.entries(record.prefLabel ?? {})) {
      add(dataset, `${DCT}title`, text(name, language))
    }
    for (const [language, definitions] of Object.entries(notes(record, 'definition'))) {
      for (const definition of definitions) add(dataset, `${DCT}description`, text(definition, language))
    }
    add(dataset, `${DCT}subject`, named(record.uri))
    for (const { uri } of record.license ?? []) add(dataset, `${DCT}license`, named(uri))
    for (const { uri } of record.publisher ?? []) add(dataset, `${DCT}publisher`, named(uri))
    if (record.modified) add(dataset, `${DCT}modified`, literal(record.modified, dateType(record.modified)))
    add(dataset, `${VOID}uriSpace`, record.namespace === undefined ? undefined : literal(record.namespace))
    add(dataset, `${VOID}entities`, count === undefined ? undefined : literal(count))
    const id = record.notation?.[0] ?? record.uri
    const page = publicUrl({ dependencies }, `voc/${encodeURIComponent(id)}`)
    add(dataset, `${FOAF}homepage`, node(page))
    add(dataset, `${DCAT}landingPage`, node(page))
    add(dataset, `${VOID}sparqlEndpoint`, sparqlUrl === undefined ? undefined : node(sparqlUrl))
    for (const { mediaType, href: dump } of vocabularyFiles(config.baseUrl, id)) {
      const distribution = DataFactory.blankNode()
      const name = FORMAT_NAMES[mediaType]
      if (name !== undefined) {
        add(dataset, `${VOID}dataDump`, node(dump))
        add(dataset, `${VOID}feature`, node(FORMATS + name))
      }
      add(dataset, `${DCAT}distribution`, distribution)
      add(distribution, `${RDF}type`, node(`${DCAT}Distribution`))
      add(distribution, `${DCAT}downloadURL`, node(dump))
      add(distribution, `${DCAT}mediaType`, node(`https://www.iana.org/assignments/media-types/${mediaType}`))
    }
  }
  const writer = turtle({ void: VOID, dcat: DCAT, dct: DCT, foaf: FOAF, xsd: XSD })
  return writer.write(quads) + writer.end()
}

function text(value: string, language: string) {
  return literal(value, language !== 'und' && isLanguageTag(language) ? language : undefined)
}

function dateType(date: string) {
  return node(XSD + (date.length > 7 ? 'date' : date.length > 4 ? 'gYearMonth' : 'gYear'))
}
