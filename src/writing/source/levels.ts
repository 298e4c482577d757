import { MAXIMA } from '../../interface/http/maxima.ts'

/**
 * The most elements within each other in RDF/XML, and arrays and objects in JSON-LD: the time of their parsers grows
 * with the square of the levels and faster.
 */
export const MOST_LEVELS = MAXIMA.levels.most

export const TOO_DEEP = `the text is nested too deeply: expected at most ${MOST_LEVELS} levels.`
