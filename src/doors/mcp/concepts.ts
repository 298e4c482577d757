import { z } from 'zod'
import { withoutUndefined } from '../../base/json.ts'
import { withQuery } from '../../interface/http/addresses.ts'
import { inLanguage, nameOf, nameWithoutLabel, type Link } from '../../graph/jskos/names.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import { matchedLabel, type SoughtWords } from '../../interface/search/matched-label.ts'
import { shorten } from '../../base/unicode.ts'
import { isSameVocabulary, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'

/** A concept in few words, with all that a citation needs. */
export const CONCEPT_SHAPE = {
  uri: z.string().describe('Identifies the concept: cite it exactly as it is'),
  notation: z.string().optional(),
  label: z.string().describe('Its name'),
  labelLanguage: z.string().optional().describe('The language of the name, if it is not the one asked for'),
  matched: z.string().optional().describe('Another name, by which it was found'),
  vocabulary: z.string().optional().describe('The name of its vocabulary'),
  path: z.string().optional().describe('What is above it, from the top'),
  description: z.string().optional().describe('Its definition or scope note, cut short'),
  deprecated: z.boolean().optional().describe('True: do not use it any more'),
}
type CompactConcept = z.infer<z.ZodObject<typeof CONCEPT_SHAPE>>

/** The page of a concept, in answers that are no lists. */
export const PAGE_SHAPE = { page: z.string().describe('A page about it for people') }

/** The address of the page of a concept. */
export const pageOf = (uri: string, { baseUrl }: NamingOptions) => baseUrl + withQuery('entity', { uri })

/** The fields that a concept in few words is made of. */
export const COMPACT_FIELDS = 'prefLabel,notation,inScheme,ancestors,definition,scopeNote,deprecated'
/** The same of a hit, with all labels by which a search may have found it. */
export const HIT_FIELDS = `${COMPACT_FIELDS},altLabel`

/** Letters of a name or a description. */
const MOST_LETTERS = 300

/** A name or a description in an answer, cut short. */
export const brief = (text: string) => shorten(text, MOST_LETTERS)

/** How to name things: the languages wanted, best first, the vocabulary asked for, and where the pages are. */
export interface NamingOptions {
  preferred: readonly string[]
  within?: Vocabulary | undefined
  baseUrl: string
}

/**
 * A record with `COMPACT_FIELDS` in few words.
 *
 * @param words of the search that has found it; then the record has `HIT_FIELDS`.
 */
export function compactConcept(
  record: JskosRecord,
  { preferred, within }: NamingOptions,
  words?: SoughtWords,
): CompactConcept {
  const { uri, notation, inScheme = [], ancestors = [], definition, scopeNote } = record
  const chosen = inLanguage(record.prefLabel, preferred)
  const isOther = chosen !== undefined && preferred.length > 0 && !isOf(chosen.language, preferred[0]!)
  const path = ancestors.map((above) => brief(nameOf(above, preferred))).reverse()
  const [note] = inLanguage(definition, preferred)?.value ?? inLanguage(scopeNote, preferred)?.value ?? []
  const name = chosen?.value ?? nameWithoutLabel(record) ?? uri
  const asked = within ? [within.uri, ...within.partOf] : []
  const isAsked = (scheme: Link) => asked.some((vocabulary) => isSameVocabulary(vocabulary, scheme.uri))
  const scheme = inScheme.find(isAsked) ?? inScheme[0]
  const matched = words && matchedLabel(record, name, words)
  return withoutUndefined({
    uri,
    notation: notation?.[0],
    label: brief(name),
    labelLanguage: isOther ? chosen.language : undefined,
    matched: matched && brief(matched.text),
    vocabulary: scheme && brief(nameOf(scheme, preferred)),
    path: path.length > 0 ? path.join(' › ') : undefined,
    description: typeof note === 'string' ? brief(note) : undefined,
    deprecated: record.deprecated === true ? true : undefined,
  })
}

const isOf = (tag: string, language: string) => tag.split('-', 1)[0] === language.split('-', 1)[0]
