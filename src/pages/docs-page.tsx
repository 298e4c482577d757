import type { ComponentChild } from 'preact'
import { withQuery } from '../http/addresses.ts'
import { COMMON_PARAMETERS } from '../read/parameters.ts'
import { readDocuments } from './documents.ts'
import { joined } from './format.tsx'
import { askEndpoint, link, publicUrl, type PageRequest } from './page-request.ts'
import type { HtmlPage } from './page.tsx'
import { decoded, inLanguage } from './records.ts'

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

interface ParameterObject {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: SchemaObject
}

interface ResponseObject extends ContentObject {
  description: string
}

/** The media types of an answer or a body; a request must ask for those in `x-other-content`. */
interface ContentObject {
  content?: MediaTypeObjects
  'x-other-content'?: MediaTypeObjects
}

type MediaTypeObjects = Readonly<Record<string, { schema: SchemaObject }>>

interface SchemaObject {
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
interface DocumentedEndpoint {
  request: PageRequest
  path: string
  method: string
  operation: OperationObject
  parameters: readonly ParameterObject[]
  /** Names of the parameters that the page describes once for all operations. */
  common: readonly string[]
  /** Parameter values that give an interesting answer, by name; undefined if a link cannot try the operation. */
  example: ReadonlyMap<string, string> | undefined
}

/** GET /docs: the OpenAPI document as a page, to read and to try out. */
export async function docsPage(request: PageRequest): Promise<HtmlPage> {
  const { texts, root } = request
  const document = documentOf(request)
  const localExamples = await examplesHere(request)
  const documents = await readDocuments()
  const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => toEndpoint(request, path, method, operation, localExamples)),
  )
  return {
    title: texts.interface,
    description: texts.docs.about,
    canonical: { path: 'docs' },
    alternates: [{ mediaType: 'application/json', href: publicUrl(request, 'openapi.json') }],
    current: 'docs',
    body: (
      <div class="docs">
        <h1>{texts.interface}</h1>
        <p class="lead">
          {texts.docs.about} <a href={`${root}openapi.json`}>OpenAPI</a>
        </p>
        <nav class="chips" aria-label={texts.docs.contents}>
          {document.tags.map(({ name }) => (
            <a href={`#${name}`} lang="en">
              {name}
            </a>
          ))}
          <a href="#documents">{texts.docs.documents}</a>
          <a href="#common">{texts.docs.common}</a>
          <a href="#responses">{texts.docs.responses}</a>
          <a href="#schemas">{texts.docs.schemas}</a>
        </nav>
        <div class="prose" lang="en">
          <Prose text={document.info.description} />
        </div>
        <section id="documents">
          <h2>{texts.docs.documents}</h2>
          <ul class="bullets" lang="en">
            {[...documents.values()].map(({ name, title }) => (
              <li>
                <a href={link(request, `docs/${name}`)}>{title}</a>
              </li>
            ))}
          </ul>
        </section>
        {document.tags.map(({ name, description }) => (
          <section id={name}>
            <h2>
              <span lang="en">{name}</span>
            </h2>
            <p class="small" lang="en">
              {description}
            </p>
            {endpoints
              .filter(({ operation }) => operation.tags[0] === name)
              .map((endpoint) => (
                <EndpointSection {...endpoint} />
              ))}
          </section>
        ))}
        <section id="common">
          <h2>{texts.docs.common}</h2>
          <ParameterList request={request} parameters={commonOf(request)} />
        </section>
        <section id="responses">
          <h2>{texts.docs.responses}</h2>
          <dl class="answers">
            {Object.entries(document.components.responses).map(([name, answer]) => (
              <AnswerLine status={statusOf(document, name)} answer={answer} />
            ))}
          </dl>
        </section>
        <section id="schemas">
          <h2>{texts.docs.schemas}</h2>
          {Object.entries(document.components.schemas).map(([name, schema]) => (
            <SchemaSection request={request} name={name} schema={schema} />
          ))}
        </section>
      </div>
    ),
  }
}

function documentOf({ dependencies }: PageRequest): OpenapiDocument {
  return dependencies.openapi as OpenapiDocument
}

/** The status that operations give to a shared answer. */
function statusOf({ paths }: OpenapiDocument, name: string): string {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const response = operations
    .flatMap(({ responses }) => Object.entries(responses))
    .find(([, answer]) => '$ref' in answer && answer.$ref.endsWith(`/${name}`))
  return response?.[0] ?? ''
}

function toEndpoint(
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
  return { request, path, method, operation, parameters, common, example }
}

/** The parameters of most lists, which the page describes only once. */
function commonOf(request: PageRequest): readonly ParameterObject[] {
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
async function examplesHere(request: PageRequest): Promise<ReadonlyMap<string, string>> {
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

/** The demo's values in the examples of the document. */
const DEMO = {
  vocabulary: 'http://example.org/vocabulary/crafts/',
  id: 'crafts',
  concept: 'http://example.org/vocabulary/crafts/bookbinding',
  word: 'buchb',
  label: 'Bookbinding',
}

/** The path with the values of an example. */
function filled(path: string, example: ReadonlyMap<string, string>): string {
  return path.slice(1).replace(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(example.get(name)!))
}

function EndpointSection(endpoint: DocumentedEndpoint) {
  const { request, path, method, operation, parameters, common, example } = endpoint
  const { texts, root } = request
  const isInQuery = ({ in: where }: ParameterObject) => where === 'query'
  const query = Object.fromEntries(
    parameters.filter(isInQuery).flatMap(({ name }) => (example?.has(name) ? [[name, example.get(name)]] : [])),
  )
  const address = example && withQuery(filled(path, example), query)
  return (
    <section class="operation" id={operation.operationId}>
      <h3>
        <span class="method">{method.toUpperCase()}</span> <code>{path}</code>
      </h3>
      <p lang="en">
        <Prose text={`${operation.summary}.`} isInline />{' '}
        {operation.description ? <Prose text={operation.description} isInline /> : null}
        {operation.deprecated ? <em> Deprecated.</em> : null}
      </p>
      {address === undefined ? null : (
        <p class="example">
          {texts.docs.example}: <a href={root + address}>/{decoded(address)}</a>
        </p>
      )}
      <details>
        <summary>
          {parameters.length + common.length > 0 ? texts.docs.parametersAndAnswers : texts.docs.answers}
          <span class="hidden">
            : {method.toUpperCase()} {path}
          </span>
        </summary>
        {parameters.length === 0 ? null : example && parameters.some(isInQuery) ? (
          <form class="parameters" action={root + filled(path, example)}>
            {parameters.filter(isInQuery).map((parameter) => (
              <Field endpoint={endpoint} parameter={parameter} />
            ))}
            <p>
              <button type="submit" class="action">
                {texts.docs.send}
                <span class="hidden"> GET {path}</span>
              </button>
            </p>
          </form>
        ) : (
          <ParameterList request={request} parameters={parameters} />
        )}
        {common.length > 0 ? (
          <p class="small">
            <a href="#common">{texts.docs.common}</a>: {joined(common.map((name) => <code>{name}</code>))}
          </p>
        ) : null}
        {operation.requestBody ? (
          <dl class="answers">
            <div>
              <dt>{texts.docs.body}</dt>
              <dd>
                <ContentTypes contents={operation.requestBody} />
              </dd>
            </div>
          </dl>
        ) : null}
        <dl class="answers">
          {Object.entries(operation.responses).map(([status, response]) =>
            '$ref' in response ? null : <AnswerLine status={status} answer={response} />,
          )}
        </dl>
        <p class="small">
          <a href="#responses">{texts.docs.otherwise}</a>:{' '}
          {Object.entries(operation.responses).flatMap(([status, response]) =>
            '$ref' in response && status !== 'default' ? `${status} ` : [],
          )}
        </p>
      </details>
    </section>
  )
}

function ParameterList({ request, parameters }: { request: PageRequest; parameters: readonly ParameterObject[] }) {
  return (
    <dl class="parameters">
      {parameters.map((parameter) => (
        <div>
          <dt>
            <code>{parameter.name}</code> {parameter.required ? <small>{request.texts.docs.required}</small> : null}
          </dt>
          <dd lang="en">
            <ParameterText parameter={parameter} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** A form field for one parameter; an empty one counts as absent (docs/interface.md, "Parameters"). */
function Field({
  endpoint: { request, operation, example },
  parameter,
}: {
  endpoint: DocumentedEndpoint
  parameter: ParameterObject
}) {
  const { name, required } = parameter
  const id = `${operation.operationId}-${name}`
  return (
    <div>
      <label for={id}>
        <code>{name}</code> {required ? <small>{request.texts.docs.required}</small> : null}
      </label>
      <input
        id={id}
        type="text"
        name={name}
        value={example?.get(name)}
        required={required ?? false}
        autocomplete="off"
        spellcheck={false}
        aria-describedby={`${id}-text`}
      />
      <p id={`${id}-text`} lang="en">
        <ParameterText parameter={parameter} />
      </p>
    </div>
  )
}

function ParameterText({ parameter: { description = '', schema } }: { parameter: ParameterObject }) {
  const sentence = /[.!?]$/.test(description) ? description : `${description}.`
  const values = (schema.enum ?? schema.examples ?? []).map((value) => `\`${String(value)}\``).join(', ')
  const sentences = [
    sentence,
    schema.default === undefined ? '' : `Default: \`${schema.default}\`.`,
    values === '' ? '' : `${schema.enum ? 'One of' : 'For example'} ${values}.`,
  ]
  return <Prose text={sentences.filter((text) => text !== '').join(' ')} isInline />
}

function AnswerLine({ status, answer }: { status: string; answer: ResponseObject }) {
  return (
    <div>
      <dt>{status}</dt>
      <dd>
        <span lang="en">
          <Prose text={answer.description} isInline />
        </span>{' '}
        <ContentTypes contents={answer} />
      </dd>
    </div>
  )
}

function ContentTypes({ contents: { content = {}, 'x-other-content': other = {} } }: { contents: ContentObject }) {
  return (
    <>
      {joined(
        [...Object.entries(content), ...Object.entries(other)].map(([mediaType, { schema }]) => (
          <>
            <code>{mediaType}</code>
            {schema.$ref || schema.allOf || schema.items?.$ref ? (
              <>
                {' '}
                (<TypeText schema={schema.allOf?.[0] ?? schema} />)
              </>
            ) : null}
          </>
        )),
      )}
    </>
  )
}

function SchemaSection({ request, name, schema }: { request: PageRequest; name: string; schema: SchemaObject }) {
  const properties = Object.entries(schema.properties ?? {})
  return (
    <section class="operation" id={`schema-${name}`}>
      <h3>
        <code>{name}</code>
      </h3>
      {schema.description ? (
        <p lang="en">
          <Prose text={schema.description} isInline />
        </p>
      ) : null}
      {properties.length === 0 ? null : (
        <details>
          <summary>
            {request.texts.docs.properties}
            <span class="hidden">: {name}</span>
          </summary>
          <dl class="parameters">
            {properties.map(([property, propertySchema]) => (
              <div>
                <dt>
                  <code>{property}</code>{' '}
                  {schema.required?.includes(property) ? <small>{request.texts.docs.required}</small> : null}
                </dt>
                <dd lang="en">
                  <span class="quiet">
                    <TypeText schema={propertySchema} />
                  </span>{' '}
                  {propertySchema.description ? <Prose text={propertySchema.description} isInline /> : null}
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </section>
  )
}

/** The type of a value in a few words. */
function TypeText({ schema }: { schema: SchemaObject }): ComponentChild {
  if (schema.$ref) {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
    return <a href={`#schema-${name}`}>{name}</a>
  }
  if (schema.const !== undefined) return <code>{JSON.stringify(schema.const)}</code>
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.anyOf) {
    return joined(
      schema.anyOf.map((alternative) => <TypeText schema={alternative} />),
      ' or ',
    )
  }
  if (schema.items) {
    return (
      <>
        array of <TypeText schema={schema.items} />
      </>
    )
  }
  return schema.type === undefined ? 'any' : [schema.type].flat().join(' or ')
}

/** Renders the CommonMark that the document uses: paragraphs, lists, and code within them. */
function Prose({ text, isInline = false }: { text: string; isInline?: boolean }) {
  if (isInline) {
    return <>{text.split(/`([^`]*)`/).map((part, index) => (index % 2 === 0 ? part : <code>{part}</code>))}</>
  }
  return (
    <>
      {text.split('\n\n').map((part) =>
        part.startsWith('- ') ? (
          <ul class="bullets">
            {part
              .split(/^- /m)
              .slice(1)
              .map((item) => (
                <li>
                  <Prose text={item.trim()} isInline />
                </li>
              ))}
          </ul>
        ) : (
          <p>
            <Prose text={part} isInline />
          </p>
        ),
      )}
    </>
  )
}
