import { extname } from 'node:path'
import type { Request } from 'express'
import { isCompoundFile, isZip } from '../../base/files/text.ts'
import { checkMaximum, MAXIMA } from '../../interface/http/maxima.ts'
import { quoted } from '../../base/unicode.ts'
import {
  acceptedLanguages,
  languageOfTexts,
  malformed,
  queryOf,
  readChoice,
  readLanguages,
  readParameters,
  type Parameters,
} from '../../interface/http/parameters.ts'
import { MESSAGE_LANGUAGES, type MessageLanguage } from '../../base/message-languages.ts'
import { RECORD_TYPES, TEXT_FORMATS, type RecordType, type TextFormat } from './report.ts'

/** A text to check, with the parameters of the request. */
export interface Submission {
  data: Buffer
  /** True for a file of a form. */
  isFile: boolean
  format: TextFormat | undefined
  type: RecordType | undefined
  unknownFields: boolean
  knownSchemes: boolean
  /** The language of messages: that of `lang`, else of Accept-Language. */
  language: MessageLanguage
}

const FORM = 'application/x-www-form-urlencoded'
/** Forms with files (RFC 7578). */
const FORM_WITH_FILES = 'multipart/form-data'
/** The limit of a form body: percent-encoding can triple a text. */
export const MOST_FORM_BYTES = 3 * MAXIMA.validateText.most

const OPTIONS = ['lang', 'format', 'type', 'unknownFields', 'knownSchemes']
/** A body that begins like this is a form; any other is a text, because curl labels every body as a form. */
const FIELDS = /^(data|lang|format|type|unknownFields|knownSchemes)=/

/**
 * Reads a request to check a text, which is the body, or the field `file` or `data` of a form. With a file, `data` does
 * not count.
 *
 * @param request with a Buffer as its body.
 * @throws ApiError MalformedRequestError naming the wrong parameter, PayloadTooLargeError.
 */
export async function readSubmission(request: Request): Promise<Submission> {
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const form = isOfType(request, FORM_WITH_FILES) ? await readForm(request, body) : undefined
  const isForm = isOfType(request, FORM) && FIELDS.test(body.toString('latin1', 0, 20))
  const text = form?.text ?? (isForm ? body.toString() : undefined)
  const fields = text === undefined ? undefined : readParameters(text, ['data', ...OPTIONS])
  const data = form?.file?.data ?? (fields ? Buffer.from(fields.get('data') ?? '') : body)
  checkMaximum(MAXIMA.validateText, data.length)
  if (data.length === 0) throw malformed('body: expected a text to check, got nothing')
  if (data[0] === 0x1f && data[1] === 0x8b) throw malformed('body: expected text, got gzip without Content-Encoding')
  const parameters = new Map([...(fields ?? []), ...readParameters(queryOf(request), OPTIONS)])
  const format =
    readFormat(parameters) ??
    (form?.file ? formatOfFile(form.file) : formatOfMediaType(request.get('Content-Type') ?? ''))
  const tags = [...(readLanguages(parameters, 'lang') ?? []), ...acceptedLanguages(request)]
  return {
    data,
    isFile: form?.file !== undefined,
    format: format ?? (isZip(data) || isCompoundFile(data) ? 'xlsx' : undefined),
    type: readChoice(parameters, 'type', RECORD_TYPES),
    unknownFields: readFlag(parameters, 'unknownFields'),
    knownSchemes: readFlag(parameters, 'knownSchemes'),
    language: languageOfTexts(tags, MESSAGE_LANGUAGES),
  }
}

const FORMATS = Object.entries(TEXT_FORMATS) as [
  TextFormat,
  { formats: readonly string[]; mediaTypes: readonly string[]; extension: string },
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

/** A file of a form. */
interface FormFile {
  name: string
  /** Its Content-Type, or an empty text. */
  mediaType: string
  data: Buffer
}

/** True for a request with a body of a media type. */
function isOfType(request: Request, mediaType: string): boolean {
  return Boolean(request.is(mediaType))
}

/**
 * The fields of a form with files, as a form without files has them, and the file if somebody has chosen one.
 *
 * @throws ApiError MalformedRequestError if the body is no such form, or has several files.
 */
async function readForm(request: Request, body: Buffer): Promise<{ text: string; file: FormFile | undefined }> {
  let form: FormData
  try {
    form = await new Response(new Uint8Array(body), {
      headers: { 'Content-Type': request.get('Content-Type')! },
    }).formData()
  } catch {
    throw malformed(`body: expected ${FORM_WITH_FILES} as Content-Type says`)
  }
  const texts = new URLSearchParams()
  const files: File[] = []
  for (const [name, value] of form) {
    if (typeof value === 'string') texts.append(name, value)
    // Browsers send a file without a name for none.
    else if (name === 'file' && (value.name !== '' || value.size > 0)) files.push(value)
  }
  const [file, ...more] = files
  if (more.length > 0) throw malformed('file: expected once, got several')
  return {
    text: texts.toString(),
    file: file && { name: file.name, mediaType: file.type, data: Buffer.from(await file.arrayBuffer()) },
  }
}

/** The format that the name of a file gives, else its media type. */
function formatOfFile({ name, mediaType }: FormFile): TextFormat | undefined {
  const extension = extname(name).slice(1).toLowerCase()
  // JSON may be JSKOS or JSON-LD.
  if (extension === 'json') return 'json'
  return FORMATS.find(([, form]) => form.extension === extension)?.[0] ?? formatOfMediaType(mediaType)
}

/** The format of a media type, if it names one. */
function formatOfMediaType(contentType: string): TextFormat | undefined {
  const mediaType = contentType.split(';')[0]!.trim().toLowerCase()
  return FORMATS.find(([, { mediaTypes }]) => mediaTypes.includes(mediaType))?.[0]
}

function readFlag(parameters: Parameters, name: string): boolean {
  const value = parameters.get(name)?.toLowerCase()
  if (value === undefined || ['false', '0', 'no'].includes(value)) return false
  if (['true', '1', 'yes', 'on'].includes(value)) return true
  throw malformed(`${name}: expected true or false, got ${quoted(value)}`)
}
