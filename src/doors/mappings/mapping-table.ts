import { setImmediate } from 'node:timers/promises'
import { Spool } from '../../base/files/spool.ts'
import type { Representation } from '../../interface/http/send.ts'
import type { Mapping } from '../../graph/jskos/mapping.ts'

/** A table of mappings. The lines before its rows follow from all of them. */
export interface MappingTable {
  /** Called with every mapping before the rest. */
  collect(mapping: Mapping): void
  /** The text before the rows. */
  head(): string
  /** The row of a mapping; empty if the format cannot express it. */
  row(mapping: Mapping): string
}

/** Mappings that are written at a time. */
const PIECE = 200

/**
 * A format that writes a table. The mappings wait on disk until all of them are known.
 *
 * @param open begins one answer.
 */
export function tableFormat(
  format: Pick<Representation, 'mediaType' | 'extension' | 'formats'>,
  open: () => MappingTable,
): Representation {
  return {
    ...format,
    open: () => ({
      write: (records) => records.map((record) => `${JSON.stringify(record)}\n`).join(''),
      end: () => '',
    }),
    convert: (texts) => tableOf(texts, open()),
  }
}

/** The table of the mappings of texts, one on each line. */
async function* tableOf(texts: AsyncIterable<string>, table: MappingTable): AsyncGenerator<Uint8Array> {
  const spool = new Spool()
  try {
    for await (const text of texts) {
      for (const mapping of mappingsOf(text)) table.collect(mapping)
      spool.append(0, text)
    }
    yield Buffer.from(table.head())
    for (const chunk of spool.chunks(0)) {
      let rows = ''
      let number = 0
      for (const mapping of mappingsOf(chunk.toString())) {
        rows += table.row(mapping)
        if (++number % PIECE > 0) continue
        if (rows !== '') yield Buffer.from(rows)
        rows = ''
        await setImmediate()
      }
      if (rows !== '') yield Buffer.from(rows)
    }
  } finally {
    spool.close()
  }
}

function* mappingsOf(lines: string): Generator<Mapping> {
  for (const line of lines.split('\n')) if (line !== '') yield JSON.parse(line) as Mapping
}
