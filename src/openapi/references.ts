/** References to the components of the OpenAPI document by their names (OpenAPI 3.1, section 4.8.7). */

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
