import { MAXIMA } from '../../interface/http/maxima.ts'

/**
 * Maximum depth of nested elements in RDF/XML, and of nested arrays and objects in JSON-LD: the time of the parsers
 * grows at least with the square of the depth.
 */
export const MOST_LEVELS = MAXIMA.levels.most

export const TOO_DEEP = `the text is nested too deeply: expected at most ${MOST_LEVELS} levels.`
