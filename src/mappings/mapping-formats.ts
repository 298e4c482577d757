import type { Representation } from '../http/send.ts'
import { conceptsOf, DEFAULT_MAPPING_TYPE, typeOf, type MappedConcept, type Mapping } from '../jskos/mapping.ts'
import { SKOS } from '../namespaces.ts'
import { FORMATS } from '../representations/formats.ts'
import { JSON_FORMATS, type Representations } from '../representations/representations.ts'
import { csvLine } from '../tables/write-files.ts'
import { tableFormat, type MappingTable } from './mapping-table.ts'
import { SssomTable, type MappingSet } from './sssom.ts'

/**
 * The table that jskos-tools makes of mappings, with as many columns for each side as the mapping with the most concepts needs. A
 * concept or vocabulary without a notation has its URI there.
 */
class NotationTable implements MappingTable {
  #most = { from: 1, to: 1 }

  note({ from, to }: Mapping): void {
    this.#most.from = Math.max(this.#most.from, conceptsOf(from).length)
    this.#most.to = Math.max(this.#most.to, conceptsOf(to).length)
  }

  head(): string {
    const columns = (side: 'from' | 'to') =>
      Array.from({ length: this.#most[side] }, (_, nth) => `${side}Notation${nth > 0 ? nth + 1 : ''}`)
    return csvLine(['fromScheme', ...columns('from'), 'toScheme', ...columns('to'), 'type'])
  }

  row(mapping: Mapping): string {
    const cells = (side: 'from' | 'to') => {
      const concepts = conceptsOf(mapping[side])
      return Array.from({ length: this.#most[side] }, (_, nth) => nameOf(concepts[nth]))
    }
    const type = typeOf(mapping)
    const shortType = type === DEFAULT_MAPPING_TYPE ? '' : type.replace(SKOS, '').replace(/Match$/, '')
    return csvLine([nameOf(mapping.fromScheme), ...cells('from'), nameOf(mapping.toScheme), ...cells('to'), shortType])
  }
}

function nameOf(one: MappedConcept | null | undefined): string {
  return one?.notation?.[0] ?? one?.uri ?? ''
}

const CSV = tableFormat(FORMATS.csv, () => new NotationTable())

const SSSOM = { mediaType: 'text/tab-separated-values', extension: 'sssom.tsv', formats: ['sssom', 'tsv'] }

/** SSSOM/TSV of a set of mappings. */
export function sssom(set: MappingSet): Representation {
  return tableFormat(SSSOM, () => new SssomTable(set))
}

/** The formats of mappings (docs/mappings.md), the default first. What SSSOM says about the set depends on the request. */
export const MAPPING_FORMATS: Representations = [...JSON_FORMATS, CSV, sssom({ id: 'urn:x-mappings', spaces: [] })]

/** True if a format needs to know which set the mappings are. */
export function isSssom({ extension }: Representation): boolean {
  return extension === SSSOM.extension
}
