import type { Representation } from '../../interface/http/send.ts'
import {
  conceptsOf,
  DEFAULT_MAPPING_TYPE,
  typeOf,
  type MappedConcept,
  type Mapping,
} from '../../graph/jskos/mapping.ts'
import { SKOS } from '../../base/namespaces.ts'
import { FORMATS } from '../../interface/representations/formats.ts'
import { JSON_FORMATS, type Representations } from '../../interface/representations/representations.ts'
import { csvLine } from '../../graph/tables/table-writer.ts'
import { tableFormat, type MappingTable } from './mapping-table.ts'
import { englishLabel, SssomTable, type MappingSet } from './sssom.ts'

/**
 * The table that jskos-tools makes of mappings, with URIs and labels, so that it can be loaded again. It has as many
 * columns for each side as the mapping with the most concepts needs.
 */
class NotationTable implements MappingTable {
  #most = { from: 1, to: 1 }

  collect({ from, to }: Mapping): void {
    this.#most.from = Math.max(this.#most.from, conceptsOf(from).length)
    this.#most.to = Math.max(this.#most.to, conceptsOf(to).length)
  }

  head(): string {
    const columns = (side: 'from' | 'to') => [
      `${side}Scheme`,
      `${side}SchemeUri`,
      ...Array.from({ length: this.#most[side] }, (_, nth) => (nth > 0 ? nth + 1 : '')).flatMap((number) =>
        ['Notation', 'Uri', 'Label'].map((name) => `${side}${name}${number}`),
      ),
    ]
    return csvLine([...columns('from'), ...columns('to'), 'type'])
  }

  row(mapping: Mapping): string {
    const cells = (side: 'from' | 'to') => {
      const scheme = mapping[`${side}Scheme`]
      const concepts = conceptsOf(mapping[side])
      return [
        notationOf(scheme),
        scheme?.uri ?? '',
        ...Array.from({ length: this.#most[side] }, (_, nth) => concepts[nth]).flatMap((concept) =>
          concept ? [notationOf(concept), concept.uri ?? '', englishLabel(concept)] : ['', '', ''],
        ),
      ]
    }
    const type = typeOf(mapping)
    const shortType = type === DEFAULT_MAPPING_TYPE ? '' : type.replace(SKOS, '').replace(/Match$/, '')
    return csvLine([...cells('from'), ...cells('to'), shortType])
  }
}

function notationOf(concept: MappedConcept | null | undefined): string {
  return concept?.notation?.[0] ?? ''
}

const CSV = tableFormat(FORMATS.csv, () => new NotationTable())

const SSSOM = { mediaType: 'text/tab-separated-values', extension: 'sssom.tsv', formats: ['sssom', 'tsv'] }

/** SSSOM/TSV of a set of mappings. */
export function sssom(set: MappingSet): Representation {
  return tableFormat(SSSOM, () => new SssomTable(set))
}

/**
 * The formats of mappings (docs/mappings.md), the default first. What SSSOM says about the set depends on the request.
 */
export const MAPPING_FORMATS: Representations = [...JSON_FORMATS, CSV, sssom({ id: 'urn:x-mappings', spaces: [] })]

/** True for the formats that are tables. */
export function isTable(representation: Representation): boolean {
  return representation === CSV || isSssom(representation)
}

/** True if a format needs to know which set the mappings are. */
export function isSssom({ extension }: Representation): boolean {
  return extension === SSSOM.extension
}
