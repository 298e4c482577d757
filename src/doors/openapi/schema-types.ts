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
