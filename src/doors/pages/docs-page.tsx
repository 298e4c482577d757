import type { ComponentChild } from 'preact'
import { withQuery } from '../../interface/http/addresses.ts'
import { readDocuments } from './documents.ts'
import { EnglishNotice } from './format.tsx'
import { markdownReader } from './markdown.ts'
import { joinedItems } from './format.tsx'
import { link, publicUrl, type PageRequest, useRequest } from './page-request.ts'
import type { HtmlPage } from './page.tsx'
import { decoded } from './records.ts'
import { TEXTS } from './texts.ts'
import {
  commonOf,
  documentOf,
  examplesHere,
  statusOf,
  toEndpoint,
  type ContentObject,
  type DocumentedEndpoint,
  type ParameterObject,
  type ResponseObject,
  type SchemaObject,
  examplePath,
} from './docs-document.ts'

/** GET /docs: the OpenAPI document as a page, to read and to try out. */
export async function docsPage(request: PageRequest): Promise<HtmlPage> {
  const { texts, root } = request
  // The descriptions are in English, and so is everything around them.
  const { interface: heading, docs } = TEXTS.en
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
      <>
        <EnglishNotice />
        <div class="docs" lang="en">
          <h1>{heading}</h1>
          <p class="lead">
            {docs.about} <a href={`${root}openapi.json`}>OpenAPI</a>
          </p>
          <nav class="chips" aria-label="Contents">
            {document.tags.map(({ name }) => (
              <a href={`#${name}`}>{name}</a>
            ))}
            <a href="#documents">{docs.documents}</a>
            <a href="#common">Common parameters</a>
            <a href="#responses">Errors</a>
            <a href="#schemas">Schemas</a>
          </nav>
          <div class="prose">
            <Prose text={document.info.description} />
          </div>
          <section id="documents">
            <h2>{docs.documents}</h2>
            <ul class="bullets">
              {[...documents.values()].map(({ name, title }) => (
                <li>
                  <a href={link(request, `docs/${name}`)}>{title}</a>
                </li>
              ))}
            </ul>
          </section>
          {document.tags.map(({ name, description }) => (
            <section id={name}>
              <h2>{name}</h2>
              <p class="small">{description}</p>
              {endpoints
                .filter(({ operation }) => operation.tags[0] === name)
                .map((endpoint) => (
                  <EndpointSection {...endpoint} />
                ))}
            </section>
          ))}
          <section id="common">
            <h2>Common parameters</h2>
            <ParameterList parameters={commonOf(request)} localExamples={localExamples} />
          </section>
          <section id="responses">
            <h2>Errors</h2>
            <dl class="answers">
              {Object.entries(document.components.responses).map(([name, answer]) => (
                <AnswerLine status={statusOf(document, name)} answer={answer} />
              ))}
            </dl>
          </section>
          <section id="schemas">
            <h2>Schemas</h2>
            {Object.entries(document.components.schemas).map(([name, schema]) => (
              <SchemaSection name={name} schema={schema} />
            ))}
          </section>
        </div>
      </>
    ),
  }
}

function EndpointSection(endpoint: DocumentedEndpoint) {
  const { localExamples, path, method, operation, parameters, common, example } = endpoint
  const { root } = useRequest()
  const isInQuery = ({ in: where }: ParameterObject) => where === 'query'
  const query = Object.fromEntries(
    parameters.filter(isInQuery).flatMap(({ name }) => (example?.has(name) ? [[name, example.get(name)]] : [])),
  )
  const address = example && withQuery(examplePath(path, example), query)
  return (
    <section class="operation" id={operation.operationId}>
      <h3>
        <span class="method">{method.toUpperCase()}</span> <code>{path}</code>
      </h3>
      <p>
        <Prose text={`${operation.summary}.`} isInline />{' '}
        {operation.description ? <Prose text={operation.description} isInline /> : null}
        {operation.deprecated ? <em> Deprecated.</em> : null}
      </p>
      {address === undefined ? null : (
        <p class="example">
          Example: <a href={root + address}>/{decoded(address)}</a>
        </p>
      )}
      <details>
        <summary>
          {parameters.length + common.length > 0 ? 'Parameters and answers' : 'Answers'}
          <span class="hidden">
            : {method.toUpperCase()} {path}
          </span>
        </summary>
        {parameters.length === 0 ? null : example && parameters.some(isInQuery) ? (
          <form class="parameters" action={root + examplePath(path, example)}>
            {parameters.filter(isInQuery).map((parameter) => (
              <ParameterField endpoint={endpoint} parameter={parameter} />
            ))}
            <p>
              <button type="submit" class="action">
                Send
                <span class="hidden"> GET {path}</span>
              </button>
            </p>
          </form>
        ) : (
          <ParameterList parameters={parameters} localExamples={localExamples} />
        )}
        {common.length > 0 ? (
          <p class="small">
            <a href="#common">Common parameters</a>: {joinedItems(common.map((name) => <code>{name}</code>))}
          </p>
        ) : null}
        {operation.requestBody ? (
          <dl class="answers">
            <div>
              <dt>Body</dt>
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
          <a href="#responses">Otherwise</a>:{' '}
          {Object.entries(operation.responses).flatMap(([status, response]) =>
            '$ref' in response && status !== 'default' ? `${status} ` : [],
          )}
        </p>
      </details>
    </section>
  )
}

function ParameterList({ parameters, localExamples }: Pick<DocumentedEndpoint, 'parameters' | 'localExamples'>) {
  return (
    <dl class="parameters">
      {parameters.map((parameter) => (
        <div>
          <dt>
            <code>{parameter.name}</code> {parameter.required ? <small>required</small> : null}
          </dt>
          <dd>
            <ParameterText parameter={parameter} localExamples={localExamples} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** A form field for one parameter; an empty one counts as absent (docs/endpoints.md, "Parameters"). */
function ParameterField({
  endpoint: { operation, example, localExamples },
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
        <code>{name}</code> {required ? <small>required</small> : null}
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
      <p id={`${id}-text`}>
        <ParameterText parameter={parameter} localExamples={localExamples} />
      </p>
    </div>
  )
}

function ParameterText({
  parameter: { description = '', schema },
  localExamples,
}: { parameter: ParameterObject } & Pick<DocumentedEndpoint, 'localExamples'>) {
  const sentence = /[.!?]$/.test(description) ? description : `${description}.`
  const examples = schema.examples?.map((value) => localExamples.get(String(value)) ?? value)
  const values = (schema.enum ?? examples ?? []).map((value) => `\`${String(value)}\``).join(', ')
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
        <Prose text={answer.description} isInline /> <ContentTypes contents={answer} />
      </dd>
    </div>
  )
}

function ContentTypes({ contents: { content = {}, 'x-other-content': other = {} } }: { contents: ContentObject }) {
  return (
    <>
      {joinedItems(
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

function SchemaSection({ name, schema }: { name: string; schema: SchemaObject }) {
  const properties = Object.entries(schema.properties ?? {})
  return (
    <section class="operation" id={`schema-${name}`}>
      <h3>
        <code>{name}</code>
      </h3>
      {schema.description ? (
        <p>
          <Prose text={schema.description} isInline />
        </p>
      ) : null}
      {properties.length === 0 ? null : (
        <details>
          <summary>
            Properties
            <span class="hidden">: {name}</span>
          </summary>
          <dl class="parameters">
            {properties.map(([property, propertySchema]) => (
              <div>
                <dt>
                  <code>{property}</code> {schema.required?.includes(property) ? <small>required</small> : null}
                </dt>
                <dd>
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
    return joinedItems(
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

const markdown = markdownReader()

/** A description in CommonMark (OpenAPI 3.1, "Rich Text Formatting"). */
function Prose({ text, isInline = false }: { text: string; isInline?: boolean }) {
  if (isInline) return <span dangerouslySetInnerHTML={{ __html: markdown.renderInline(text) }} />
  return <div dangerouslySetInnerHTML={{ __html: markdown.render(text) }} />
}
