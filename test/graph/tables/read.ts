import { writeXlsx, type WriteSheet } from 'hucre/xlsx'
import type { Quad } from '@rdfjs/types'
import { parseFile } from '../../../src/writing/source/parse.ts'
import type { Mistake } from '../../../src/graph/tables/mistakes.ts'
import type { TableOptions } from '../../../src/graph/tables/sheet.ts'
import { RDF_TYPE, SKOS } from '../../../src/base/namespaces.ts'

/** The result of reading a table. */
export interface ReadTable {
  quads: Quad[]
  mistakes: (Omit<Mistake, 'message'> & { message: string })[]
  /** How URIs were made, one for each. */
  minted: string[]
}

export async function readTable(file: string, options: TableOptions = {}): Promise<ReadTable> {
  const [quads, mistakes, minted]: [Quad[], ReadTable['mistakes'], string[]] = [[], [], []]
  const listener = {
    onMistake: ({ message, ...mistake }: Mistake) => mistakes.push({ ...mistake, message: message.en }),
    onMinted: (origin: string) => minted.push(origin),
    onResource: () => {},
  }
  for await (const batch of parseFile(file, { tables: { ...options, listener } })) quads.push(...batch)
  return { quads, mistakes, minted }
}

/**
 * The statements with properties of SKOS, and types, sorted: `subject property object@language`, without the given
 * namespace.
 */
export function said({ quads }: ReadTable, namespace = ''): string[] {
  const short = (iri: string) =>
    namespace ? iri.replace(SKOS, 'skos:').replace(namespace, ':') : iri.replace(SKOS, 'skos:')
  const lines = quads.flatMap(({ subject, predicate, object }) => {
    if (predicate.value !== RDF_TYPE && !predicate.value.startsWith(SKOS)) return []
    const tag = object.termType === 'Literal' && object.language ? `@${object.language}` : ''
    const name = predicate.value === RDF_TYPE ? 'a' : short(predicate.value).replace('skos:', '')
    return [`${short(subject.value)} ${name} ${short(object.value)}${tag}`]
  })
  return [...new Set(lines)].sort()
}

/** The lines about one property. */
export function saidOf(read: ReadTable, property: string, namespace = ''): string[] {
  return said(read, namespace).filter((line) => line.split(' ')[1] === property)
}

export const workbook = (...sheets: WriteSheet[]): Promise<Uint8Array> => writeXlsx({ sheets })
