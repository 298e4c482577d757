interface Contents {
  content?: Record<string, { schema: object }>
  'x-other-content'?: Record<string, { schema: object }>
}

/**
 * The OpenAPI document with `x-other-content` in `content`, where programs look that check all answers of the service.
 */
export function wholeDocument<Document>(document: Document): Document {
  const whole = structuredClone(document)
  addOtherContent(whole)
  return whole
}

function addOtherContent(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const inner of Object.values(value)) addOtherContent(inner)
  const { content = {}, 'x-other-content': other } = value as Contents
  if (!other) return
  for (const [mediaType, { schema }] of Object.entries(other)) {
    const usual = content[mediaType]?.schema
    content[mediaType] = { schema: usual ? { anyOf: [usual, schema] } : schema }
  }
  delete (value as Contents)['x-other-content']
  ;(value as Contents).content = content
}
