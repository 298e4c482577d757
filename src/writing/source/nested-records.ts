import { Spool } from '../../base/files/spool.ts'
import type { AnyRecord } from '../../graph/jskos/record.ts'
import { Bits } from './bits.ts'
import type { Reference } from './jskos.ts'

/** The parts of the spool: members of `concepts`, then all other references. */
const [MEMBERS, NESTED] = [0, 1]
/** References are compared with this many earlier ones before they are kept. */
const LAST_REFERENCES = 1000

/** The resources of the files, as far as nested records depend on them. */
interface Resources {
  /** The number of a resource. */
  intern(uri: string): number
  /** True if the files have statements about a resource. */
  isDescribed(node: number): boolean
  /** Called if a reference loses its rank. */
  onDroppedRank(): void
}

/** JSKOS records within others. They count if the files do not describe their resources, which the end shows. */
export class NestedRecords {
  /** References as lines of JSON. */
  readonly #spool = new Spool()
  /** The last ones, because most records name the same vocabularies and publishers. */
  readonly #last = new Set<string>()
  readonly #resources: Resources

  constructor(resources: Resources) {
    this.#resources = resources
  }

  /** Keeps a reference until all files are read. @param isDescribed true if its resource has a record already. */
  keep({ record, isMember }: Reference, isDescribed: boolean): void {
    if (isDescribed) {
      this.#dropRank(record)
      return
    }
    const line = `${JSON.stringify(record)}\n`
    if (this.#last.has(line)) return
    if (this.#last.size === LAST_REFERENCES) this.#last.clear()
    this.#last.add(line)
    this.#spool.append(isMember ? MEMBERS : NESTED, line)
  }

  /**
   * Gives the references to resources that the files do not describe: the members of `concepts`, and for resources that
   * are no members the other references.
   */
  *undescribed(): Generator<AnyRecord> {
    const members = new Bits()
    const ranks = new Map<string, unknown>()
    for (const part of [MEMBERS, NESTED]) {
      for (const chunk of this.#spool.chunks(part)) {
        for (const line of chunk.toString('utf8').split('\n')) {
          if (line === '') continue
          const record = JSON.parse(line) as AnyRecord & { uri: string }
          const node = this.#resources.intern(record.uri)
          if (this.#resources.isDescribed(node) || (part === NESTED && members.has(node))) {
            this.#dropRank(record)
            continue
          }
          if (part === MEMBERS) members.set(node)
          const rank = ranks.get(record.uri) ?? record['rank']
          if (rank !== record['rank']) this.#dropRank(record)
          else if (rank !== undefined) ranks.set(record.uri, rank)
          yield record
        }
      }
    }
    this.#last.clear()
    this.close()
  }

  /** Deletes the temporary file. */
  close(): void {
    this.#spool.close()
  }

  /** Drops the rank of a reference whose resource has a record or another rank: in RDF a resource has one rank. */
  #dropRank(record: AnyRecord): void {
    if (record['rank'] === undefined) return
    delete record['rank']
    this.#resources.onDroppedRank()
  }
}
