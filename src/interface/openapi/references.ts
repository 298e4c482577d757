/**
 * Parts of the OpenAPI document: references to its components by their names (OpenAPI 3.1, section 4.8.7), and objects.
 */

/** A reference to a parameter in `PARAMETERS`. */
export const parameter = (name: string) => ({ $ref: `#/components/parameters/${name}` })

/** A reference to a schema in `SCHEMAS`. */
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** An object with any members. */
export const anyObject = (description?: string) => ({
  type: 'object',
  additionalProperties: true,
  ...(description ? { description } : {}),
})

/**
 * An object with these properties; those whose names end in `?` may be absent.
 *
 * @param more further members of its schema.
 * @example object({ uri: text('Its URI'), 'notation?': strings('Notations') }, { description: 'A vocabulary' })
 */
export const object = (properties: Readonly<Record<string, object>>, more: object = {}) => ({
  type: 'object',
  ...more,
  required: Object.keys(properties).filter((name) => !name.endsWith('?')),
  properties: Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name.replace(/\?$/, ''), schema])),
})

/** The types of members in JSON Schema (2020-12), with their descriptions. */

/** A list. @param items their schema. */
export const array = (items: object, description?: string) => ({
  type: 'array',
  items,
  ...(description ? { description } : {}),
})
/** A list of texts. */
export const strings = (description: string) => array({ type: 'string' }, description)
/** An IRI. */
export const uri = (description: string) => ({ type: 'string', format: 'iri', description })
/** A text. */
export const text = (description: string) => ({ type: 'string', description })
/** A whole number that is not negative. */
export const number = (description: string) => ({ type: 'integer', minimum: 0, description })
/** One text alone. */
export const constant = (value: string) => ({ type: 'string', const: value })
