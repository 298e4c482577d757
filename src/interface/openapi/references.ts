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
