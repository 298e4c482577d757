import { ApiError } from '../../base/errors.ts'
import { idOf } from '../../graph/vocabularies/vocabulary.ts'
import { askEndpoint } from '../../routes.ts'
import { listedConcepts, listOf, requireConcept, vocabularyOfTool, type ToolCall } from './tool.ts'

/** The concepts directly below a concept, or the top concepts of a vocabulary. */
export async function getNarrower(
  call: ToolCall,
  {
    uri,
    vocabulary,
    ...part
  }: {
    uri?: string | undefined
    vocabulary?: string | undefined
    language?: string | undefined
    limit: number
    cursor?: string | undefined
  },
): Promise<Record<string, unknown>> {
  const { language, limit, cursor } = part
  const page = listOf({ language, limit, cursor })
  const within = vocabulary === undefined ? undefined : await vocabularyOfTool(call, vocabulary)
  if (uri !== undefined) {
    await requireConcept(call, uri, ' For the top concepts of a vocabulary, name it as vocabulary, without uri.')
    const list = await askEndpoint(call, '/narrower', { uri, voc: within?.uri, ...page })
    const advice = within
      ? 'This vocabulary has nothing below this concept. Leave vocabulary out to look everywhere.'
      : 'Nothing is below this concept: it is as specific as its vocabulary gets.'
    return listedConcepts(call, list, { language, cursor, advice })
  }
  if (!within) {
    const expected = 'uri, vocabulary: expected the URI of a concept, or a vocabulary for its top concepts.'
    throw new ApiError('MalformedRequestError', expected)
  }
  const vocid = idOf(within)
  const voc = within.isSubset ? vocid : undefined
  const list = await askEndpoint({ ...call, vocid }, '/voc/:vocid/top', { voc, ...page })
  const advice = 'This vocabulary has no top concepts. Use search_concepts.'
  return listedConcepts(call, list, { language, cursor, advice })
}
