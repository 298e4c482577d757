import type { Config } from '../../config.ts'
import { readShape } from '../../graph/shapes/read.ts'

/** A term of the context: a property of a record and its meaning in RDF (JSON-LD 1.1, section 9.15.1). */
export interface FormatTerm {
  name: string
  iri: string
  /** Type coercion; undefined: a JSON value stands for a literal. */
  type: '@id' | '@json' | undefined
  /** Always an array (`@container: @set`), whatever the number of its values. */
  isArray: boolean
  /** The terms within objects that are values of this one; undefined if there are none. */
  terms: FormatTerms | undefined
}

/** Terms by name, in the order of the context (docs/endpoints.md, "Format records"). */
export type FormatTerms = ReadonlyMap<string, FormatTerm>

type Definition = string | { '@id': string; '@type'?: '@id' | '@json'; '@container'?: '@set'; '@context'?: Definitions }
interface Definitions {
  [name: string]: Definition | number
}

/** The JSON-LD context of format records. */
export const FORMAT_CONTEXT = readShape<{ '@context': Definitions }>('format.context.json')

const SCHEMA = readShape<{ properties: Record<string, object> }>('format.schema.json')

/** The terms of the context that are stored: all but `$schema`, which is the same for every record. */
export const TERMS = readTerms(FORMAT_CONTEXT['@context'])

function readTerms(definitions: Definitions): FormatTerms {
  const terms = new Map<string, FormatTerm>()
  for (const [name, definition] of Object.entries(definitions)) {
    if (typeof definition === 'number' || name === '$schema') continue
    const expanded = typeof definition === 'string' ? { '@id': definition } : definition
    const nested = expanded['@context']
    terms.set(name, {
      name,
      iri: expanded['@id'],
      type: expanded['@type'],
      isArray: expanded['@container'] === '@set',
      terms: nested && readTerms(nested),
    })
  }
  return terms
}

/** The properties that are the same in every record. */
export interface FormatConstants {
  '@context': string
  $schema: string
}

/** The `@context` and `$schema` of every record (FORMAT_CONTEXT_URL, FORMAT_SCHEMA_URL). */
export function formatConstants(config: Pick<Config, 'formatContextUrl' | 'formatSchemaUrl'>): FormatConstants {
  return { '@context': config.formatContextUrl, $schema: config.formatSchemaUrl }
}

/** The JSON Schema (draft-07) of format records with these constants. */
export function formatSchema(constants: FormatConstants): object {
  const constant = (name: keyof FormatConstants) => ({ const: constants[name], description: constants[name] })
  return {
    ...SCHEMA,
    $id: constants.$schema.replace(/#.*$/s, ''),
    properties: { ...SCHEMA.properties, '@context': constant('@context'), $schema: constant('$schema') },
  }
}
