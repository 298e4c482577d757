import type { Literal, Quad, Quad_Object } from '@rdfjs/types'
import { escapeXml } from '../http/xml.ts'
import { FIELDS } from '../jskos/fields.ts'
import { DCT, OWL, RDF, SKOS, VOID, XSD } from '../namespaces.ts'

/** The usual prefixes; other namespaces of properties get numbered ones. */
const USUAL: Readonly<Record<string, string>> = {
  [RDF]: 'rdf',
  [SKOS]: 'skos',
  [DCT]: 'dct',
  [OWL]: 'owl',
  [VOID]: 'void',
}

/** An element name for the IRI of every property that a record can have. */
const NAMES = new Map<string, string>()
const NAMESPACES = new Map<string, string>([[RDF, 'rdf']])
for (const { property } of FIELDS) {
  if (!property) continue
  const [, namespace, name] = /^(.*[/#])([A-Za-z_][\w.-]*)$/.exec(property)!
  const prefix = NAMESPACES.get(namespace!) ?? USUAL[namespace!] ?? `ns${NAMESPACES.size}`
  NAMESPACES.set(namespace!, prefix)
  NAMES.set(property, `${prefix}:${name}`)
}

/** The beginning of a document (RDF 1.1 XML Syntax, section 2.6). */
export const RDF_XML_BEGIN = `<?xml version="1.0" encoding="UTF-8"?>\n<rdf:RDF${[...NAMESPACES]
  .map(([namespace, prefix]) => `\n  xmlns:${prefix}="${namespace}"`)
  .join('')}>\n`
export const RDF_XML_END = '</rdf:RDF>\n'

/**
 * Triples as RDF 1.1 XML: one node element for every run of triples with the same subject, one property element per triple.
 * All properties come from the table of fields.
 *
 * XML 1.0 cannot write most control characters, so texts lose them.
 */
export function toRdfXml(quads: readonly Quad[]): string {
  let text = ''
  let subject = ''
  for (const quad of quads) {
    const about = attribute(quad.subject.termType === 'BlankNode' ? 'nodeID' : 'about', quad.subject.value)
    if (about !== subject) {
      text += `${subject === '' ? '' : '</rdf:Description>\n'}<rdf:Description${about}>\n`
      subject = about
    }
    text += `  ${propertyElement(NAMES.get(quad.predicate.value)!, quad.object)}\n`
  }
  return subject === '' ? '' : `${text}</rdf:Description>\n`
}

function propertyElement(name: string, object: Quad_Object): string {
  if (object.termType === 'BlankNode') return `<${name}${attribute('nodeID', object.value)}/>`
  if (object.termType !== 'Literal') return `<${name}${attribute('resource', object.value)}/>`
  return `<${name}${typeOf(object)}>${escapeXml(object.value)}</${name}>`
}

function typeOf({ language, datatype }: Literal): string {
  if (language !== '') return ` xml:lang="${language}"`
  return datatype.value === `${XSD}string` ? '' : attribute('datatype', datatype.value)
}

function attribute(name: string, value: string): string {
  return ` rdf:${name}="${escapeXml(value)}"`
}
