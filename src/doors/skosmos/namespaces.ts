import { ISOTHES, SKOS } from '../../base/namespaces.ts'
import { compareCodePoints } from '../../graph/jskos/order.ts'
import { namespacesOf } from '../../graph/vocabularies/namespaces.ts'
import type { Vocabulary } from '../../graph/vocabularies/vocabulary.ts'

/** The rest of a URI after the namespace of a vocabulary; undefined if it is not in it. */
export function localName(uri: string, vocabulary: Vocabulary): string | undefined {
  const start = namespacesOf(vocabulary).find((namespace) => uri.startsWith(namespace))
  return start === undefined ? undefined : uri.slice(start.length)
}

/** Sorts classes, the classes of SKOS first. */
export function skosFirst(classes: readonly string[]): string[] {
  const isOther = (uri: string) => Number(!uri.startsWith(SKOS))
  return [...classes].sort((a, b) => isOther(a) - isOther(b) || compareCodePoints(a, b))
}

/** A class of SKOS or ISO 25964 as Skosmos writes it. */
export function shortType(uri: string): string {
  if (uri.startsWith(SKOS)) return `skos:${uri.slice(SKOS.length)}`
  return uri.startsWith(ISOTHES) ? `isothes:${uri.slice(ISOTHES.length)}` : uri
}
