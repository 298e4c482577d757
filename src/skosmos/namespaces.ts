import { namespacesOf } from '../vocabularies/namespaces.ts'
import type { Vocabulary } from '../vocabularies/vocabulary.ts'

/** The rest of a URI after the namespace of a vocabulary; undefined if it is not in it. */
export function localName(uri: string, vocabulary: Vocabulary): string | undefined {
  const start = namespacesOf(vocabulary).find((namespace) => uri.startsWith(namespace))
  return start === undefined ? undefined : uri.slice(start.length)
}
