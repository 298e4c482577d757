import { FORMATS } from '../../interface/representations/formats.ts'
import { shorten } from '../../base/unicode.ts'

/** The answer of POST /validate for a text in any format (docs/endpoints.md, "Validation"). */
export interface ValidationReport {
  /** True if there is no violation among the results. */
  valid: boolean
  /** The format that the service took the text for. */
  format: TextFormat
  /** Records of JSKOS, or concepts of RDF. */
  checked: number
  /** Violations first. */
  results: ValidationResult[]
  /** The number of further results. */
  more: number
}

/** One mistake of one resource. */
export interface ValidationResult {
  severity: 'violation' | 'warning'
  message: string
  /** The resource, if it has a URI; `_:` and a label if it is a blank node. */
  uri?: string
  /** RDF: the name of the shape in `shapes/`, or of the rule (docs/checks.md). */
  shape?: string
  /**
   * JSKOS: the place, with the number of the record from 0: `3.prefLabel.de`; tables: sheet and cell: `Concepts!E14`.
   */
  path?: string
  /** JSKOS: the line on which the record begins. */
  line?: number
}

/** The kinds of JSKOS objects, as jskos-validate names them. */
export const RECORD_TYPES = [
  'resource',
  'item',
  'concept',
  'scheme',
  'mapping',
  'concordance',
  'registry',
  'distribution',
  'service',
  'dataset',
  'occurrence',
  'bundle',
  'annotation',
] as const

export type RecordType = (typeof RECORD_TYPES)[number]

interface Form {
  /** Values of the `format` parameter, the usual one first. */
  formats: readonly string[]
  mediaTypes: readonly string[]
  /** The file extension by which the loader knows the format. */
  extension: string
}

/** Stands for the file name in messages of the loader, because the client sent no file name. */
export const FILE_NAME = 'text'

/** The formats of texts that the service can check. */
export const TEXT_FORMATS = {
  jskos: { formats: ['jskos'], mediaTypes: [], extension: 'json' },
  json: textFormat(FORMATS.json),
  ndjson: textFormat(FORMATS.ndjson, 'application/ndjson'),
  jsonld: textFormat(FORMATS.jsonld),
  turtle: textFormat(FORMATS.turtle),
  ntriples: textFormat(FORMATS.ntriples),
  nquads: { formats: ['nquads', 'n-quads', 'nq'], mediaTypes: ['application/n-quads'], extension: 'nq' },
  trig: { formats: ['trig'], mediaTypes: ['application/trig'], extension: 'trig' },
  rdfxml: textFormat(FORMATS.rdfxml),
  csv: textFormat(FORMATS.csv),
  tsv: { formats: ['tsv'], mediaTypes: ['text/tab-separated-values'], extension: 'tsv' },
  xlsx: textFormat(FORMATS.xlsx),
  ods: { formats: ['ods'], mediaTypes: ['application/vnd.oasis.opendocument.spreadsheet'], extension: 'ods' },
} satisfies Record<string, Form>

export type TextFormat = keyof typeof TEXT_FORMATS

function textFormat(
  { mediaType, ...more }: (typeof FORMATS)[keyof typeof FORMATS],
  ...otherMediaTypes: string[]
): Form {
  return { ...more, mediaTypes: [mediaType, ...otherMediaTypes] }
}

/** A report lists at most this many results. */
const MOST_RESULTS = 100
/** Cuts messages, because they may quote the text. */
const MOST_CHARACTERS = 500

/** Collects results up to the maximum and counts the rest. */
export class Results {
  readonly #violations: ValidationResult[] = []
  readonly #warnings: ValidationResult[] = []
  #violationCount = 0
  #count = 0

  add(result: ValidationResult): void {
    this.count(result.severity, 1)
    const list = result.severity === 'violation' ? this.#violations : this.#warnings
    if (list.length < MOST_RESULTS) list.push({ ...result, message: shorten(result.message, MOST_CHARACTERS) })
  }

  /** Counts results without listing them. */
  count(severity: ValidationResult['severity'], count: number): void {
    this.#count += count
    if (severity === 'violation') this.#violationCount += count
  }

  report(format: TextFormat, checked: number): ValidationReport {
    const results = [...this.#violations, ...this.#warnings].slice(0, MOST_RESULTS)
    return { valid: this.#violationCount === 0, format, checked, results, more: this.#count - results.length }
  }
}
