import type { Literal, Quad_Object, Quad_Subject } from '@rdfjs/types'
import { ApiError } from '../../base/errors.ts'
import { charactersNotInXml, escapeXml } from '../http/xml.ts'
import { FIELDS } from '../../graph/jskos/fields.ts'
import { PREFIXES, RDF, XSD } from '../../base/namespaces.ts'
import type { QuadWriter } from './quad-writers.ts'

// Namespaces in XML 1.0, section 3: the characters of an NCName, and its possible first characters.
const FIRST =
  'A-Z_a-z\\u{c0}-\\u{d6}\\u{d8}-\\u{f6}\\u{f8}-\\u{2ff}\\u{370}-\\u{37d}\\u{37f}-\\u{1fff}\\u{200c}\\u{200d}\\u{2070}-\\u{218f}\\u{2c00}-\\u{2fef}\\u{3001}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{fffd}\\u{10000}-\\u{effff}'
const ALL = `${FIRST}\\-.0-9\\u{b7}\\u{300}-\\u{36f}\\u{203f}\\u{2040}`
// The ranges have characters that combine with others; each stands for itself here.
const END_OF_IRI = new RegExp(`^(.*[^${ALL}])([${ALL}]+)$`, 'su')
const FIRST_OF_NAME = new RegExp(`[${FIRST}]`, 'u')

/** Names that are no property elements (RDF 1.1 XML Syntax, section 5.1), or mean another property (`li`). */
const NO_PROPERTIES = new Set(
  ['RDF', 'ID', 'about', 'parseType', 'resource', 'nodeID', 'datatype', 'Description', 'li']
    .concat(['aboutEach', 'aboutEachPrefix', 'bagID'])
    .map((name) => RDF + name),
)
/** No prefix may stand for it (Namespaces in XML 1.0, section 3). */
const RESERVED = 'http://www.w3.org/2000/xmlns/'

/**
 * The element of a property: its prefixed name, and the declaration of the prefix unless the document begins with it.
 */
interface PropertyElement {
  name: string
  declaration: string
}

/** The prefixes that the document begins with, by namespace. */
const DECLARED = new Map<string, string>(
  Object.entries(PREFIXES).flatMap(([prefix, namespace]) => (namespace === XSD ? [] : [[namespace, prefix]])),
)
for (const { property } of FIELDS) {
  const { namespace } = (property && divideProperty(property)) || {}
  if (namespace !== undefined && !DECLARED.has(namespace)) DECLARED.set(namespace, `ns${DECLARED.size}`)
}

const BEGIN = `<?xml version="1.0" encoding="UTF-8"?>\n<rdf:RDF${[...DECLARED]
  .map(([namespace, prefix]) => `\n  xmlns:${prefix}="${namespace}"`)
  .join('')}>\n`
const END = '</rdf:RDF>\n'

/**
 * RDF 1.1 XML: one node element for every run of triples with the same subject, one property element per triple. Blank
 * nodes get names that XML allows, different ones for different labels.
 *
 * XML 1.0 cannot write most control characters, so texts lose them; a comment at the end of the document gives their
 * number.
 *
 * `write` throws an ApiError as `requireXmlName` does.
 */
export function rdfXml(): QuadWriter {
  let begin = BEGIN
  let lost = 0
  /** The attribute that names the subject of the open node element. */
  let subject: string | undefined
  const take = (text: string) => {
    const taken = begin + text
    begin = ''
    return taken
  }
  const close = () => (subject === undefined ? '' : '</rdf:Description>\n')
  return {
    write(quads) {
      let text = ''
      for (const quad of quads) {
        const about = resource(quad.subject, 'about')
        if (about !== subject) {
          text += `${close()}<rdf:Description${about}>\n`
          subject = about
        }
        text += `  ${propertyElement(elementOf(quad.predicate.value), quad.object)}\n`
        if (quad.object.termType === 'Literal') lost += charactersNotInXml(quad.object.value)
      }
      return take(text)
    },
    end: () =>
      take(
        `${close()}${lost > 0 ? `<!-- ${lost} characters that XML cannot write are missing from texts -->\n` : ''}${END}`,
      ),
  }
}

/** @throws ApiError MalformedRequestError for a property that RDF/XML has no name for. */
export function requireXmlName(property: string): void {
  elementOf(property)
}

function propertyElement({ name, declaration }: PropertyElement, object: Quad_Object): string {
  if (object.termType !== 'Literal') return `<${name}${declaration}${resource(object, 'resource')}/>`
  return `<${name}${declaration}${typeAttribute(object)}>${escapeXml(object.value)}</${name}>`
}

function elementOf(property: string): PropertyElement {
  const { namespace, local } = divideProperty(property) ?? {}
  if (namespace === undefined) {
    const message = `format: RDF/XML cannot name the property <${property}>; ask for another format`
    throw new ApiError('MalformedRequestError', message)
  }
  const prefix = DECLARED.get(namespace)
  if (prefix !== undefined) return { name: `${prefix}:${local}`, declaration: '' }
  return { name: `ns:${local}`, declaration: ` xmlns:ns="${escapeXml(namespace)}"` }
}

/** A property divided into a namespace and a name; undefined if that is not possible. */
function divideProperty(property: string): { namespace: string; local: string } | undefined {
  const [, before = '', end = ''] = END_OF_IRI.exec(property) ?? []
  const nameStart = end.search(FIRST_OF_NAME)
  const namespace = before + end.slice(0, nameStart)
  if (nameStart < 0 || NO_PROPERTIES.has(property) || namespace === RESERVED) return undefined
  return { namespace, local: end.slice(nameStart) }
}

function typeAttribute({ language, datatype }: Literal): string {
  if (language !== '') return ` xml:lang="${language}"`
  return datatype.value === `${XSD}string` ? '' : attribute('datatype', datatype.value)
}

function resource(term: Quad_Subject | Quad_Object, role: 'about' | 'resource'): string {
  if (term.termType !== 'BlankNode') return attribute(role, term.value)
  // Labels may begin with a digit, and have characters that names do not have.
  const name = term.value.replace(/[^A-Za-z0-9-]/gu, (character) => `_${character.codePointAt(0)!.toString(16)}_`)
  return attribute('nodeID', `b${name}`)
}

function attribute(name: string, value: string): string {
  return ` rdf:${name}="${escapeXml(value)}"`
}
