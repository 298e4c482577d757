import { COMMON_PARAMETERS } from '../../interface/read/parameters.ts'
import { askEndpoint } from '../../routes.ts'
import type { PageRequest } from './page-request.ts'
import { inLanguage } from './records.ts'

/** The parts of the OpenAPI document (OpenAPI 3.1) that the page shows. */
interface OpenapiDocument {
  info: { description: string; version: string }
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  components: {
    parameters: Readonly<Record<string, ParameterObject>>
    responses: Readonly<Record<string, ResponseObject>>
    schemas: Readonly<Record<string, SchemaObject>>
  }
}

type ReferenceObject = { $ref: string }

interface OperationObject {
  operationId: string
  tags: readonly string[]
  summary: string
  description?: string
  deprecated?: boolean
  parameters?: readonly (ParameterObject | ReferenceObject)[]
  requestBody?: ContentObject
  responses: Readonly<Record<string, ResponseObject | ReferenceObject>>
}

export interface ParameterObject {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: SchemaObject
}

export interface ResponseObject extends ContentObject {
  description: string
}

/** The media types of an answer or a body; a request must ask for those in `x-other-content`. */
export interface ContentObject {
  content?: MediaTypeObjects
  'x-other-content'?: MediaTypeObjects
}

type MediaTypeObjects = Readonly<Record<string, { schema: SchemaObject }>>

export interface SchemaObject {
  $ref?: string
  type?: string | readonly string[]
  description?: string
  properties?: Readonly<Record<string, SchemaObject>>
  required?: readonly string[]
  items?: SchemaObject
  anyOf?: readonly SchemaObject[]
  allOf?: readonly SchemaObject[]
  const?: unknown
  enum?: readonly unknown[]
  default?: string | number | boolean
  examples?: readonly unknown[]
}

/** An operation with its path and its parameters. */
export interface DocumentedEndpoint {
  /** Values of the vocabularies here, by those of the demo. */
  localExamples: ReadonlyMap<string, string>
  path: string
  method: string
  operation: OperationObject
  parameters: readonly ParameterObject[]
  /** Names of the parameters that the page describes once for all operations. */
  common: readonly string[]
  /** Parameter values that give an interesting answer, by name; undefined if a link cannot try the operation. */
  example: ReadonlyMap<string, string> | undefined
}

/** The OpenAPI document that /openapi.json sends. */
export function documentOf({ dependencies }: PageRequest): OpenapiDocument {
  return dependencies.openapi as OpenapiDocument
}

/** The status that operations give to a shared answer. */
export function statusOf({ paths }: OpenapiDocument, name: string): string {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const response = operations
    .flatMap(({ responses }) => Object.entries(responses))
    .find(([, answer]) => '$ref' in answer && answer.$ref.endsWith(`/${name}`))
  return response?.[0] ?? ''
}

/** An operation of the OpenAPI document as the page shows it; without the parameters that many operations share. */
export function toEndpoint(
  request: PageRequest,
  path: string,
  method: string,
  operation: OperationObject,
  localExamples: ReadonlyMap<string, string>,
): DocumentedEndpoint {
  const { components } = documentOf(request)
  const allParameters = (operation.parameters ?? []).map((parameterOrRef) =>
    '$ref' in parameterOrRef ? named(components.parameters, parameterOrRef) : parameterOrRef,
  )
  const isCommon = (parameter: ParameterObject) => commonOf(request).includes(parameter)
  const parameters = allParameters.filter((parameter) => !isCommon(parameter))
  const common = allParameters.filter(isCommon).map(({ name }) => name)
  const isThere = path !== '/sparql' || request.dependencies.askSparql !== undefined
  const example = method === 'get' && isThere ? exampleOf(operation, parameters, localExamples) : undefined
  return { localExamples, path, method, operation, parameters, common, example }
}

/** The parameters of most lists, which the page describes only once. */
export function commonOf(request: PageRequest): readonly ParameterObject[] {
  return COMMON.map((name) => documentOf(request).components.parameters[name]!)
}

const COMMON = Object.keys(COMMON_PARAMETERS)

/** The value that a reference points to. */
function named<Value>(values: Readonly<Record<string, Value>>, { $ref }: ReferenceObject): Value {
  return values[$ref.slice($ref.lastIndexOf('/') + 1)]!
}

/** Parameters without which an answer is empty; the example of an operation has the first that it supports. */
const TELLING = ['uri', 'search', 'queries', 'query', 'prefix', 'id']

function exampleOf(
  { tags }: OperationObject,
  parameters: readonly ParameterObject[],
  localExamples: ReadonlyMap<string, string>,
): Map<string, string> | undefined {
  const needed = parameters.filter(({ required }) => required)
  const isList = tags[0] === 'Vocabularies'
  const telling = parameters.find(({ name, in: where, schema }) => {
    return where === 'query' && TELLING.includes(name) && schema.examples && !(isList && name === 'uri')
  })
  const isComplete = !telling || needed.some(({ in: where }) => where === 'query')
  const shown = isComplete ? needed : [...needed, telling]
  const values = shown.map(({ name, schema }) => {
    const value = schema.examples?.[0]
    // The demo has things that the vocabulary here need not have, such as collections.
    if (
      typeof value !== 'string' ||
      (localExamples.size > 0 && !localExamples.has(value) && value.startsWith(DEMO.vocabulary))
    )
      return undefined
    return [name, localExamples.get(value) ?? value] as const
  })
  return values.every((value) => value !== undefined) ? new Map(values) : undefined
}

/** The document's examples come from the demo; this replaces them with examples from a loaded vocabulary. */
export async function examplesHere(request: PageRequest): Promise<ReadonlyMap<string, string>> {
  const { registry, statistics } = request.dependencies
  const vocabularies = await registry.list().catch(() => [])
  if (vocabularies.some(({ uri }) => uri === DEMO.vocabulary)) return new Map()
  const vocabulary = vocabularies.find(({ isSubset, ids }) => !isSubset && ids.length > 0)
  if (!vocabulary) return new Map()
  const example = await statistics.remember('example', vocabulary, async (signal) => {
    const of = { ...request, vocid: vocabulary.ids[0], signal }
    const { records } = await askEndpoint(of, '/voc/:vocid/top', { limit: '1', properties: 'prefLabel' })
    return { concept: records[0] }
  })
  const concept = example?.concept
  const label = inLanguage(concept?.prefLabel, request.reading.preferred)?.value
  return new Map(
    Object.entries({
      [DEMO.vocabulary]: vocabulary.uri,
      [DEMO.id]: vocabulary.ids[0]!,
      ...(concept ? { [DEMO.concept]: concept.uri } : {}),
      ...(label ? { [DEMO.word]: label.split(/\s/, 1)[0]!.slice(0, 5), [DEMO.label]: label } : {}),
    }),
  )
}

/**
 * A document of `docs/` with the address of this service, and with a vocabulary that it has in the requests to it.
 *
 * @param html in which quotation marks are entities.
 */
export async function withExamplesHere(request: PageRequest, html: string): Promise<string> {
  const localExamples = await examplesHere(request)
  const { baseUrl } = request.dependencies.config
  const local = (value: string) => localExamples.get(value) ?? value
  // In a query, or in a command, these signs have a meaning of their own.
  const concept = local(DEMO.concept).replace(/[#%&'+]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
  return html
    .replace(/(?<=voc\/|voc=|vocabulary=&quot;)crafts\b/g, () => local(DEMO.id))
    .replaceAll(`uri=${DEMO.concept}`, () => `uri=${concept}`)
    .replace(SERVICE, () => baseUrl.replace(/\/$/, '').replaceAll('&', '&amp;'))
}

/** The addresses that stand for that of the service in the documents. */
const SERVICE = /http:\/\/localhost:3000\b|https:\/\/vocabularies\.example\.org\b/g

/** The demo's values in the examples of the document. */
const DEMO = {
  vocabulary: 'http://example.org/vocabulary/crafts/',
  id: 'crafts',
  concept: 'http://example.org/vocabulary/crafts/bookbinding',
  word: 'buchb',
  label: 'Bookbinding',
}

/** The path with the values of an example. */
export function examplePath(path: string, example: ReadonlyMap<string, string>): string {
  return path.slice(1).replace(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(example.get(name)!))
}
