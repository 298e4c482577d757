import { VOID } from '../namespaces.ts'
import type { Vocabulary } from '../vocabularies/vocabulary.ts'

/** How the URIs of the concepts of a vocabulary begin; none of a subset, whose concepts stand elsewhere. */
export const namespacesOf = ({ values, isSubset }: Vocabulary): readonly string[] =>
  isSubset ? [] : (values.get(`${VOID}uriSpace`) ?? [])

/** The rest of a URI after the namespace of a vocabulary; undefined if it is not in it. */
export function localName(uri: string, vocabulary: Vocabulary): string | undefined {
  const start = namespacesOf(vocabulary).find((one) => uri.startsWith(one))
  return start === undefined ? undefined : uri.slice(start.length)
}
