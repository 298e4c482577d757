/** The characters of an id (docs/specification.md, "The specification"). */
const ID = /^-*[a-z0-9][a-z0-9-]*$/
/** Endpoints below `/voc/`: a vocabulary with such an id could not be reached. */
const VOC_ENDPOINTS: ReadonlySet<string> = new Set(['top', 'concepts', 'search', 'suggest'])

/** True for what can be the id of a vocabulary: digits, lower case letters and the minus sign. */
export function isVocabularyId(notation: string): boolean {
  return ID.test(notation) && !VOC_ENDPOINTS.has(notation)
}

/** True for what can be the notation of a subset: `subset_` and an id. */
export function isSubsetNotation(notation: string): boolean {
  return notation.startsWith('subset_') && ID.test(notation.slice('subset_'.length))
}
