import { ApiError } from '../../base/errors.ts'
import type { VocabularyRegistry } from '../../graph/vocabularies/registry.ts'
import { findVocabulary, vocabularyKey, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import type { Account } from './accounts.ts'
import type { CheckedConcept } from './concepts.ts'
import { invalid } from './request.ts'

/**
 * The vocabulary for the concepts of a request: that of the account, which every concept must name (docs/ingest.md,
 * "Ingest").
 *
 * @param objects the concepts of each request object.
 * @throws ApiError InvalidBodyError if request objects name different vocabularies, ForbiddenAccessError if a concept
 *   names another vocabulary than that of the account, or if that of the account is gone.
 */
export async function authorise(
  objects: readonly (readonly CheckedConcept[])[],
  account: Account,
  registry: VocabularyRegistry,
): Promise<Vocabulary> {
  const vocabulary = await registry.find(account.voc)
  const allowed = vocabularyKey(account.voc)
  const identifiers = await identifiersOf(vocabulary, registry)
  const keyOf = (uri: string) => (identifiers.has(vocabularyKey(uri)) ? allowed : vocabularyKey(uri))
  const named = objects.map((concepts) => new Set(concepts.flatMap(({ inScheme }) => inScheme.map(keyOf))))
  const [first, ...further] = named
  const strangers = further.flatMap((keys, at) => ([...keys].some((key) => first!.has(key)) ? [] : [at + 1]))
  if (strangers.length > 0) {
    throw invalid(
      strangers.map((at) => ({
        path: `${at}.data`,
        message: 'expected the vocabulary of the first object in inScheme',
      })),
    )
  }
  for (const [object, concepts] of objects.entries()) {
    for (const [at, { inScheme }] of concepts.entries()) {
      if (inScheme.every((uri) => keyOf(uri) === allowed)) continue
      const message = `${object}.data.${at}.inScheme: this account may only ingest into its own vocabulary.`
      throw new ApiError('ForbiddenAccessError', message)
    }
  }
  if (vocabulary) return vocabulary
  throw new ApiError('ForbiddenAccessError', 'The vocabulary of this account no longer exists.')
}

/** The keys of the identifiers of a vocabulary, such as its URI in a registry, without those of other vocabularies. */
async function identifiersOf(
  vocabulary: Vocabulary | undefined,
  registry: VocabularyRegistry,
): Promise<ReadonlySet<string>> {
  const vocabularies = await registry.list()
  const identifiers = vocabulary?.identifiers.filter((name) => findVocabulary(vocabularies, name) === undefined)
  return new Set(identifiers?.map(vocabularyKey))
}
