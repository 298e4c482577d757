import type { Request } from 'express'
import { isCompoundFile, isZip } from '../../base/files/text.ts'
import { checkMaximum, MAXIMA } from '../../interface/http/maxima.ts'
import { quoted } from '../../base/unicode.ts'
import {
  acceptedLanguages,
  languageOfTexts,
  malformed,
  queryOf,
  readLanguages,
  readParameters,
  type Parameters,
} from '../../interface/http/parameters.ts'
import { MESSAGE_LANGUAGES, type MessageLanguage } from '../../writing/checking/rules.ts'
import { RECORD_TYPES, TEXT_FORMATS, type RecordType, type TextFormat } from './report.ts'

/** A text to check, with the parameters of the request. */
export interface Submission {
  data: Buffer
  format: TextFormat | undefined
  type: RecordType | undefined
  unknownFields: boolean
  knownSchemes: boolean
  /** The language of messages: that of `lang`, else of Accept-Language. */
  language: MessageLanguage
}

const FORM = 'application/x-www-form-urlencoded'
/** The limit of a form body: percent-encoding can triple a text. */
export const MOST_FORM_BYTES = 3 * MAXIMA.validateText.most

const OPTIONS = ['lang', 'format', 'type', 'unknownFields', 'knownSchemes']
/** A body that begins like this is a form; any other is a text, because curl labels every body as a form. */
const FIELDS = /^(data|lang|format|type|unknownFields|knownSchemes)=/

/**
 * Reads a request to check a text, which is the body or the field `data` of a form.
 *
 * @param request with a Buffer as its body.
 * @throws ApiError MalformedRequestError naming the wrong parameter, PayloadTooLargeError.
 */
export function readSubmission(request: Request): Submission {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const isForm = request.is(FORM) !== false && FIELDS.test(body.toString('latin1', 0, 20))
  const fields = isForm ? readParameters(body.toString(), ['data', ...OPTIONS]) : undefined
  const data = fields ? Buffer.from(fields.get('data') ?? '') : body
  checkMaximum(MAXIMA.validateText, data.length)
  if (data.length === 0) throw malformed('body: expected a text to check, got nothing')
  if (data[0] === 0x1f && data[1] === 0x8b) throw malformed('body: expected text, got gzip without Content-Encoding')
  const parameters = new Map([...(fields ?? []), ...readParameters(queryOf(request), OPTIONS)])
  const format = readFormat(parameters) ?? formatOfMediaType(request)
  const tags = [...(readLanguages(parameters, 'lang') ?? []), ...acceptedLanguages(request)]
  return {
    data,
    format: format ?? (isZip(data) || isCompoundFile(data) ? 'xlsx' : undefined),
    type: readType(parameters),
    unknownFields: readFlag(parameters, 'unknownFields'),
    knownSchemes: readFlag(parameters, 'knownSchemes'),
    language: languageOfTexts(tags, MESSAGE_LANGUAGES),
  }
}

const FORMATS = Object.entries(TEXT_FORMATS) as [
  TextFormat,
  { formats: readonly string[]; mediaTypes: readonly string[] },
][]

function readFormat(parameters: Parameters): TextFormat | undefined {
  const value = parameters.get('format')
  if (value === undefined) return undefined
  // The "+" of a media type in a query string has become a space.
  const name = value.toLowerCase().replaceAll(' ', '+')
  const entry = FORMATS.find(([, { formats, mediaTypes }]) => formats.includes(name) || mediaTypes.includes(name))
  if (entry) return entry[0]
  throw malformed(`format: expected one of ${Object.keys(TEXT_FORMATS).join(', ')}, got ${quoted(value)}`)
}

/** The format that Content-Type names, if it names one. */
function formatOfMediaType(request: Request): TextFormat | undefined {
  const mediaType = (request.get('Content-Type') ?? '').split(';')[0]!.trim().toLowerCase()
  return FORMATS.find(([, { mediaTypes }]) => mediaTypes.includes(mediaType))?.[0]
}

function readType(parameters: Parameters): RecordType | undefined {
  const value = parameters.get('type')
  const recordType = RECORD_TYPES.find((type) => type === value)
  if (value === undefined || recordType) return recordType
  throw malformed(`type: expected one of ${RECORD_TYPES.join(', ')}, got ${quoted(value)}`)
}

function readFlag(parameters: Parameters, name: string): boolean {
  const value = parameters.get(name)?.toLowerCase()
  if (value === undefined || ['false', '0', 'no'].includes(value)) return false
  if (['true', '1', 'yes', 'on'].includes(value)) return true
  throw malformed(`${name}: expected true or false, got ${quoted(value)}`)
}
