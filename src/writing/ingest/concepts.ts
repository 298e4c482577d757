import type { DefinedError, ValidateFunction } from 'ajv'
import type { Violation } from '../../base/errors.ts'
import { isObject } from '../../base/json.ts'
import { isStrictIri, isStrictLanguageTag, withoutDotSegments } from '../../graph/sparql/grammar.ts'
import { isJskosContext } from '../../graph/jskos/context.ts'
import { FIELDS, type Field, type IngestValues, type NoteName } from '../../graph/jskos/fields.ts'
import { unique } from '../../graph/jskos/languages.ts'
import { hasBidiControls, hasTooManyMarks, normaliseText } from '../../base/unicode.ts'
import { SCHEMA_OPTIONS, toViolations } from '../../graph/shapes/violations.ts'
import { invalid, type IngestRequest } from './request.ts'

/** A concept as shapes/ingest-concept.schema.json allows it. */
type SentConcept = IngestValues & Required<Pick<IngestValues, 'prefLabel' | 'inScheme'>>

/** Fields with a list of texts for each language. */
const TEXT_LISTS = FIELDS.filter(
  (field): field is Field & { name: NoteName | 'altLabel' | 'hiddenLabel' } =>
    field.ingest === true && (field.kind === 'labels' || field.kind === 'note'),
)

/** A concept that has passed every check: texts in NFC, language tags in lower case, no duplicates. */
export type CheckedConcept = {
  inScheme: string[]
  type: string[]
  notation: string[]
  identifier: string[]
  prefLabel: Record<string, string>
  /** The other texts, by field and language. */
  texts: Record<string, Record<string, string[]>>
}

/** The compiled schemas of an ingest. */
export interface IngestShapes {
  request: ValidateFunction
  concept: ValidateFunction<SentConcept>
}

/**
 * Compiles shapes/ingest-request.schema.json and shapes/ingest-concept.schema.json.
 *
 * @param contextUrl the `@context` of records; a concept may have it, or the published one.
 */
export async function compileShapes(request: object, concept: object, contextUrl: string): Promise<IngestShapes> {
  const { Ajv } = await import('ajv')
  const ajv = new Ajv(SCHEMA_OPTIONS)
  ajv.addFormat('iri', isStrictIri)
  ajv.addFormat('language-tag', isStrictLanguageTag)
  ajv.addFormat(
    'label',
    (text: string) => isText(text) && !/[\p{Cc}\u2028\u2029]/u.test(text) && !hasBidiControls(text),
  )
  ajv.addFormat('note', (text: string) => isText(text.replace(/[\t\n\r]/g, ' ')))
  ajv.addFormat('jskos-context', (url: string) => url === contextUrl || isJskosContext(url))
  return { request: ajv.compile(request), concept: ajv.compile<SentConcept>(concept) }
}

/** True for a text with a visible character that every store and every format can hold. */
function isText(text: string): boolean {
  const isLegal = !/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u.test(text)
  return isLegal && /[^\p{Z}\p{C}]/u.test(text) && !hasTooManyMarks(text)
}

/**
 * Checks all concepts of a request.
 *
 * @throws ApiError InvalidBodyError with every violation.
 */
export function checkConcepts({ objects }: IngestRequest, { concept: validate }: IngestShapes): CheckedConcept[][] {
  const violations: Violation[] = []
  const checked = objects.map(({ concepts }, object) =>
    (JSON.parse(concepts) as unknown[]).map((concept, at) => {
      const prefix = `${object}.data.${at}`
      violations.push(...repetitions(concept, prefix))
      if (validate(concept)) return normalise(concept)
      violations.push(...toViolations(validate.errors as DefinedError[], prefix))
      return undefined
    }),
  )
  if (violations.length > 0) throw invalid(violations)
  return checked as CheckedConcept[][]
}

/** The violations that a JSON Schema cannot find: languages and vocabularies that a concept names twice. */
function repetitions(concept: unknown, prefix: string): Violation[] {
  if (!isObject(concept)) return []
  const { prefLabel, inScheme } = concept
  const violations: Violation[] = []
  const languages = new Set<string>()
  for (const tag of isObject(prefLabel) ? Object.keys(prefLabel) : []) {
    const language = tag.toLowerCase()
    if (languages.has(language)) {
      violations.push({ path: `${prefix}.prefLabel.${tag}`, message: 'expected one label for each language' })
    }
    languages.add(language)
  }
  const schemes: unknown[] = Array.isArray(inScheme) ? inScheme : []
  const uris = schemes.flatMap((scheme) => (isObject(scheme) && typeof scheme['uri'] === 'string' ? scheme['uri'] : []))
  if (new Set(uris).size < uris.length)
    violations.push({ path: `${prefix}.inScheme`, message: 'expected different uris' })
  return violations
}

function normalise(concept: SentConcept): CheckedConcept {
  const texts = (sent: readonly string[] = []) => unique(sent.map((text) => normaliseText(text)))
  const prefLabel: Record<string, string> = {}
  for (const [tag, label] of Object.entries(concept.prefLabel)) prefLabel[tag.toLowerCase()] = normaliseText(label)
  const checked: CheckedConcept = {
    inScheme: concept.inScheme.map(({ uri }) => uri),
    // As loading does.
    type: unique((concept.type ?? []).map(withoutDotSegments)),
    notation: texts(concept.notation),
    identifier: texts(concept.identifier),
    prefLabel,
    texts: {},
  }
  for (const { name } of TEXT_LISTS) {
    const map = normaliseList(concept[name] ?? {})
    if (name === 'altLabel') {
      // Like loading, drops an altLabel that equals the prefLabel.
      for (const [tag, labels] of Object.entries(map)) map[tag] = labels.filter((label) => label !== prefLabel[tag])
    }
    const filled = Object.entries(map).filter(([, list]) => list.length > 0)
    if (filled.length > 0) checked.texts[name] = Object.fromEntries(filled)
  }
  return checked
}

function normaliseList(map: Record<string, string[]>): Record<string, string[]> {
  const lists: Record<string, string[]> = {}
  for (const [tag, list] of Object.entries(map)) {
    const language = tag.toLowerCase()
    const before = Object.hasOwn(lists, language) ? lists[language]! : []
    lists[language] = unique([...before, ...list.map((text) => normaliseText(text))])
  }
  return lists
}
