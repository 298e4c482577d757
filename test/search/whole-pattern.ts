import { beginningPattern } from '../../src/search/patterns.ts'

/** Matches labels that equal this text, whatever their case, accents and spelling of umlauts. */
export const wholePattern = (text: string): string => `${beginningPattern(text)}$`
