import { z } from 'zod'
import { withoutUndefined } from '../../base/json.ts'
import { findChanges } from '../../writing/history/changes.ts'
import { MAXIMA } from '../../interface/http/maxima.ts'
import { soughtWords } from '../../interface/search/matched-label.ts'
import { givenParameters } from '../../interface/http/parameters.ts'
import { nameOf } from '../../graph/jskos/names.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import type { Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { askEndpoint } from '../../routes.ts'
import {
  brief,
  COMPACT_FIELDS,
  compactConcept,
  CONCEPT_SHAPE,
  HIT_FIELDS,
  PAGE_SHAPE,
  pageOf,
  type NamingOptions,
} from './concepts.ts'
import {
  MOST_LIMIT,
  listOf,
  namingOf,
  requireConcept,
  vocabularyOfTool,
  type Tool,
  type ToolCall,
  listedConcepts,
  itemPage,
} from './tool.ts'
import { getConcepts, getNarrower } from './get-concepts.ts'
import { findMappingsTool } from './find-mappings.ts'
import { matchTerms } from './match-terms.ts'

const MOST_TERMS = MAXIMA.mcpTerms.most

const MOST_URIS = MAXIMA.mcpUris.most

const CONCEPT = z.object(CONCEPT_SHAPE)

const vocabulary = z
  .string()
  .min(1)
  .max(2000)
  .describe('The id, URI or name of a vocabulary, as list_vocabularies gives it')

const language = z
  .string()
  .regex(/^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$/)
  .max(35)
  .optional()
  .describe('A language tag such as de or en, for names; without it, the languages of the service')

const limit = z.number().int().min(1).max(MOST_LIMIT).default(20).describe('How many at most')

const cursor = z
  .string()
  .regex(/^\d{1,9}$/)
  .optional()
  .describe('The nextCursor of the answer before, to go on')

const uri = z.string().min(1).max(2000).describe('The URI of a concept')

const LIST = {
  total: z.number().int().describe('How many there are in all'),
  nextCursor: z.string().optional().describe('There are more: pass this as cursor to get them'),
  note: z.string().optional().describe('How to go on, or what to try if there are none'),
}

/** Makes a tool whose `run` knows the types of its arguments. */
function tool<Input extends z.ZodRawShape>(
  definition: Omit<Tool, 'run' | 'input'> & {
    input: Input
    run: (call: ToolCall, input: z.infer<z.ZodObject<Input>>) => Promise<Record<string, unknown>>
  },
): Tool {
  return definition as unknown as Tool
}

/** THE table of the tools. */
export const TOOLS: readonly Tool[] = [
  tool({
    name: 'list_vocabularies',
    title: 'List vocabularies',
    description:
      'Lists the controlled vocabularies (thesauri, classifications, authority files) of this service with id, name, languages, ' +
      'subjects and size. Call it first if you do not know which vocabulary to use.',
    input: { query: z.string().max(1000).optional().describe('Words of the name'), language, limit, cursor },
    output: {
      vocabularies: z.array(
        z.object({
          id: z.string().describe('Names the vocabulary in other tools'),
          uri: z.string(),
          name: z.string(),
          languages: z.array(z.string()).optional(),
          subjects: z.array(z.string()).optional(),
          concepts: z.number().int().optional().describe('How many concepts it has'),
        }),
      ),
      ...LIST,
    },
    run: async (call, { query, language, limit, cursor }) => {
      const path = query === undefined ? '/voc' : '/voc/search'
      const parameters = {
        search: query,
        language,
        limit: String(limit),
        offset: cursor,
        properties: 'prefLabel,languages,subject',
      }
      const { total, records } = await askEndpoint(call, path, parameters)
      const vocabularyByUri = new Map(
        (await call.dependencies.registry.list()).map((registered) => [registered.uri, registered]),
      )
      const naming = namingOf(call, language)
      const vocabularies = await Promise.all(
        records.map(async (record) => {
          const registered = vocabularyByUri.get(record.uri)
          const lengths = registered && (await call.dependencies.index.lengths(registered))
          return toVocabulary(record, { registered, concepts: lengths?.concepts }, naming)
        }),
      )
      const advice =
        query === undefined
          ? 'This service has no vocabularies yet.'
          : 'No name has these words. Call it without query for all vocabularies.'
      return itemPage('vocabularies', vocabularies, { total, cursor, advice })
    },
  }),
  tool({
    name: 'search_concepts',
    title: 'Search concepts',
    description:
      'Finds concepts by words of their labels, parts of them or by notation, the best first; forgives typing errors. Use it whenever you need the ' +
      'URI of a concept: never invent one. Compare description and path before you choose.',
    input: {
      query: z
        .string()
        .min(1)
        .max(1000)
        .describe('Words, parts of words, or a notation; * stands for any letters of a word'),
      vocabulary: vocabulary.optional(),
      language,
      type: z.string().max(2000).optional().describe('The URI of a class that the concepts must have'),
      limit,
      cursor,
    },
    output: {
      concepts: z.array(CONCEPT),
      replaced: z
        .record(z.string(), z.array(z.string()))
        .optional()
        .describe('Words that no label has, with those looked for instead; *word*: also looked for inside of words'),
      ...LIST,
    },
    run: async (call, { query, vocabulary, type, language, limit, cursor }) => {
      const within = vocabulary === undefined ? undefined : await vocabularyOfTool(call, vocabulary)
      const voc = within?.uri
      const parameters = { search: query, voc, type, ...listOf({ language, limit, cursor }), properties: HIT_FIELDS }
      const list = await askEndpoint(call, '/search', parameters)
      const replaced = list.replaced && Object.fromEntries(list.replaced)
      const words = soughtWords(query, list.replaced)
      const advice = searchAdvice(voc !== undefined, type !== undefined)
      return {
        ...listedConcepts(call, list, { language, within, cursor, words, advice }),
        ...(replaced && { replaced }),
      }
    },
  }),
  tool({
    name: 'get_concepts',
    title: 'Get concepts',
    description:
      'Gives concepts by URI, or by notation within a vocabulary: labels, notes, place in the hierarchy, number of narrower concepts, ' +
      'mappings. Use it to check a concept before you cite it.',
    input: {
      uris: z
        .array(z.string().min(1).max(2000))
        .min(1)
        .max(MOST_URIS)
        .describe('URIs; or notations, if vocabulary is given'),
      vocabulary: vocabulary.optional().describe('Needed for notations'),
      language,
    },
    output: {
      concepts: z.array(
        CONCEPT.extend({
          ...PAGE_SHAPE,
          labels: z.record(z.string(), z.string()).optional().describe('Its preferred labels by language'),
          alternative: z.array(z.string()).optional().describe('Other names in this language'),
          notes: z.array(z.string()).optional(),
          broader: z.array(z.object({ uri: z.string(), label: z.string() })).optional(),
          related: z.array(z.object({ uri: z.string(), label: z.string() })).optional(),
          narrowerCount: z.number().int(),
          mappings: z.array(z.object({ relation: z.string(), uri: z.string() })).optional(),
        }),
      ),
      missing: z.array(z.string()).describe('Those that are not here'),
      note: z.string().optional(),
    },
    run: getConcepts,
  }),
  tool({
    name: 'get_narrower',
    title: 'Get narrower concepts',
    description:
      'Gives the concepts directly below a concept, or the top concepts of a vocabulary. Use it to find the most specific concept that ' +
      'fits, and to see what a vocabulary is about.',
    input: {
      uri: uri.optional(),
      vocabulary: vocabulary.optional().describe('Without uri: its top concepts. With uri: only what it has'),
      language,
      limit,
      cursor,
    },
    output: { concepts: z.array(CONCEPT), ...LIST },
    run: getNarrower,
  }),
  tool({
    name: 'get_ancestors',
    title: 'Get broader concepts up to the top',
    description:
      'Gives all concepts above a concept, the nearest first. Use it to understand in which sense a concept is meant.',
    input: { uri, language, cursor },
    output: { concepts: z.array(CONCEPT), ...LIST },
    run: async (call, { uri, language, cursor }) => {
      await requireConcept(call, uri)
      const list = await askEndpoint(call, '/ancestors', { uri, language, offset: cursor, properties: COMPACT_FIELDS })
      const advice = 'Nothing is above this concept: it is at the top.'
      return listedConcepts(call, list, { language, cursor, advice })
    },
  }),
  tool({
    name: 'match_terms',
    title: 'Match terms with concepts',
    description:
      `Finds concepts for up to ${MOST_TERMS} words or phrases at once, with scores from 0 to 100. "match" is present only if it is ` +
      'safe to take it without a check; otherwise choose among the candidates, or none.',
    input: {
      terms: z.array(z.string().min(1).max(500)).min(1).max(MOST_TERMS),
      vocabulary: vocabulary.optional(),
      language,
      limit: z.number().int().min(1).max(10).default(3).describe('Candidates for each term at most'),
    },
    output: {
      results: z.array(
        z.object({
          term: z.string(),
          match: z.string().optional().describe('The URI of the concept that the term surely means'),
          candidates: z.array(CONCEPT.extend({ score: z.number() })),
        }),
      ),
      note: z.string().optional(),
    },
    run: matchTerms,
  }),
  tool({
    name: 'find_mappings',
    title: 'Find mappings to other vocabularies',
    description:
      'Gives the concepts of other vocabularies that a concept is mapped to, or that are mapped to it: the same (exactMatch), nearly the ' +
      'same, broader, narrower or related ones.',
    input: { uri, vocabulary: vocabulary.optional().describe('Only mappings to this vocabulary'), language },
    output: {
      mappings: z.array(
        z.object({
          relation: z.enum([
            'exactMatch',
            'closeMatch',
            'broadMatch',
            'narrowMatch',
            'relatedMatch',
            'mappingRelation',
          ]),
          uri: z.string().describe('The other concept'),
          concept: CONCEPT.optional().describe('The same, if it is in this service'),
        }),
      ),
      total: z.number().int(),
      note: z.string().optional(),
    },
    run: findMappingsTool,
  }),
  tool({
    name: 'describe_changes',
    title: 'Describe changes',
    description:
      'Tells which concepts of a vocabulary are new, changed, deprecated or gone since a date, the last change first.',
    input: {
      vocabulary,
      since: z.string().max(40).optional().describe('A date or time such as 2026-01-31'),
      language,
      limit,
      cursor,
    },
    output: { changes: z.array(z.object({ kind: z.string(), time: z.string(), concept: CONCEPT })), ...LIST },
    run: async (call, { vocabulary, since, language, limit, cursor }) => {
      const { dependencies, signal } = call
      const within = await vocabularyOfTool(call, vocabulary)
      const parameters = givenParameters({ since, ...listOf({ language, limit, cursor }) })
      const result = await findChanges(dependencies, within.uri, parameters, signal)
      const naming = namingOf(call, language, within)
      const changes: { kind: string; time: string; concept: ReturnType<typeof compactConcept> }[] = []
      for await (const piece of result.records) {
        for (const record of piece) {
          const { kind, time } = result.changes[changes.length]!
          changes.push({ kind, time, concept: compactConcept(record, naming) })
        }
      }
      const advice =
        since === undefined ? 'No changes are recorded.' : 'Nothing has changed since: try an earlier date.'
      return itemPage('changes', changes, { total: result.total, cursor, advice })
    },
  }),
]

const texts = (of: string) =>
  z.record(z.string().max(35), z.string().min(1).max(2000)).describe(`${of}, by language tag`)

/** The only tool that writes, if the operator wants it. */
export const PROPOSE_TOOL: Tool = tool({
  name: 'propose_concept',
  title: 'Propose a concept',
  description:
    'Proposes a new concept for a vocabulary. It is marked as a proposal, the editors get a mail, and a person decides about it. Use it ' +
    'only if the user asks for it, and after search_concepts and match_terms have found nothing that fits.',
  writes: true,
  input: {
    vocabulary,
    prefLabel: texts('The name, in German (de) at least'),
    altLabel: texts('Another name').optional(),
    definition: texts('The meaning').optional(),
  },
  output: { concept: CONCEPT.extend(PAGE_SHAPE) },
  run: async (call, { vocabulary, prefLabel, altLabel, definition }) => {
    const { uri } = await vocabularyOfTool(call, vocabulary)
    const listed = (some: Record<string, string> | undefined) =>
      some && Object.fromEntries(Object.entries(some).map(([tag, text]) => [tag, [text]]))
    const concept = withoutUndefined({
      inScheme: [{ uri }],
      prefLabel,
      altLabel: listed(altLabel),
      definition: listed(definition),
    })
    // Editors put it into its place in the hierarchy.
    const [record] = await call.propose!(concept)
    const naming = namingOf(call, Object.keys(prefLabel)[0])
    return { concept: { ...compactConcept(record!, naming), page: pageOf(record!.uri, naming) } }
  },
})

function searchAdvice(isInVocabulary: boolean, isOfType: boolean): string {
  const less = [...(isInVocabulary ? ['vocabulary'] : []), ...(isOfType ? ['type'] : [])].join(' and ')
  const wider = less === '' ? '' : ` Leave ${less} out to search everywhere.`
  return `Nothing was found. Try one word alone, the singular, a synonym, a broader word or another language.${wider}`
}

function toVocabulary(
  record: JskosRecord,
  { registered, concepts }: { registered: Vocabulary | undefined; concepts: number | undefined },
  { preferred }: NamingOptions,
): object {
  const id = registered?.ids[0] ?? registered?.notations[0] ?? record.uri
  return withoutUndefined({
    id,
    uri: record.uri,
    name: brief(nameOf(record, preferred)),
    languages: record.languages,
    subjects: record.subject?.map((subject) => nameOf(subject, preferred)),
    concepts,
  })
}
