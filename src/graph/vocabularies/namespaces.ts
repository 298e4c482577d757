import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { VOID } from '../../base/namespaces.ts'
import { readShape } from '../shapes/read.ts'
import { isObject, parseJsonText } from '../../base/json.ts'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import { codeOf } from '../../base/thrown.ts'
import type { Vocabulary } from './vocabulary.ts'
import { vocabularyKey } from '../jskos/names.ts'

/** How the URIs of the concepts of a vocabulary begin, and the URI of the vocabulary. */
export type Namespace = [start: string, scheme: string]

/** The file of an operator with further namespaces, in DATA_DIR. */
export const NAMESPACES_FILE = 'namespaces.json'

/**
 * The namespaces of vocabularies that are elsewhere: well-known ones by their URIs in BARTOC, then those of the
 * operator.
 *
 * @throws Error naming the file if it is not an object of URIs.
 */
export function readNamespaces(dataDir: string): Namespace[] {
  const file = join(dataDir, NAMESPACES_FILE)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    return Object.entries(readShape<Record<string, string>>('namespaces.json'))
  }
  const configured = parseJsonText(text)
  if (
    !isObject(configured) ||
    !Object.values(configured).every((uri) => typeof uri === 'string' && isAbsoluteIri(uri))
  ) {
    throw new Error(`${file}: expected a JSON object with the URI of a vocabulary for each beginning of URIs`)
  }
  return Object.entries({
    ...readShape<Record<string, string>>('namespaces.json'),
    ...(configured as Record<string, string>),
  })
}

/** How the URIs of the concepts of a vocabulary begin; none of a subset, whose concepts stand elsewhere. */
export function namespacesOf({ values, isSubset }: Vocabulary): readonly string[] {
  return isSubset ? [] : (values.get(`${VOID}uriSpace`) ?? [])
}

/** The namespaces of the vocabularies of the store, and of others, each with http and https. Those of the store win. */
export function spacesOf(vocabularies: readonly Vocabulary[], configured: readonly Namespace[] = []): Namespace[] {
  const stored = vocabularies.flatMap((vocabulary) =>
    namespacesOf(vocabulary).map((start): Namespace => [start, vocabulary.uri]),
  )
  const present = new Map(
    vocabularies.flatMap(({ uri, identifiers }) => identifiers.map((identifier) => [vocabularyKey(identifier), uri])),
  )
  const all = new Map<string, string>()
  for (const [start, scheme] of [...configured, ...stored]) {
    for (const protocol of ['http:', 'https:']) {
      all.set(start.replace(/^https?:/, protocol), present.get(vocabularyKey(scheme)) ?? scheme)
    }
  }
  return [...all].sort(([a], [b]) => (a < b ? -1 : 1))
}
