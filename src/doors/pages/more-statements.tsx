import { RDF, STRING, XSD } from '../../base/namespaces.ts'
import type { ObjectTerm } from '../../graph/sparql/ntriples.ts'
import { shorten } from '../../base/unicode.ts'
import { formatNumber, joinedItems } from './format.tsx'
import { ConceptLink, ForeignLanguage, ItemLink, Label, Text } from './label.tsx'
import type { PageRequest } from './page-request.ts'
import { nameWithoutLabel } from './records.ts'
import type { PageStatement, ShownValue } from './statements.ts'
import { localVocabulary, VocabularyLink } from './vocabulary-heading.tsx'

/** Longer texts are cut; the data has them as a whole. */
const MOST_CHARACTERS = 2000

/** Datatypes that are not shown, because the text alone is clear. */
const PLAIN: ReadonlySet<string> = new Set([
  '',
  STRING,
  `${RDF}langString`,
  ...['boolean', 'integer', 'int', 'decimal', 'double', 'float', 'date', 'dateTime', 'gYear', 'anyURI'].map(
    (name) => XSD + name,
  ),
])

/**
 * The statements of the graph that the rest of the page does not show; nothing if there are none.
 *
 * @param all the address of a file with all statements.
 */
export function MoreStatements({
  request,
  statements,
  fileAddress,
}: {
  request: PageRequest
  statements: readonly PageStatement[]
  fileAddress: string
}) {
  if (statements.length === 0) return null
  return (
    <section>
      <h2>{request.texts.moreStatements}</h2>
      <dl class="statements">
        {statements.map((statement) => (
          <div>
            <dt title={statement.prefixed ?? statement.property.uri}>
              <Label request={request} item={statement.property} />
            </dt>
            {statement.values.map((value) => (
              <dd>
                <StatementValue request={request} value={value} />
              </dd>
            ))}
            {statement.count > statement.values.length ? (
              <dd>
                <a href={fileAddress}>
                  {request.texts.andMore(formatNumber(request, statement.count - statement.values.length))}
                </a>
              </dd>
            ) : null}
          </div>
        ))}
      </dl>
    </section>
  )
}

function StatementValue({ request, value }: { request: PageRequest; value: ShownValue }) {
  if ('literal' in value) return <Literal request={request} literal={value.literal} />
  if (!('item' in value)) return <InnerStatements request={request} statements={value.statements} />
  const { item, isConcept, statements } = value
  const vocabulary = isConcept ? undefined : localVocabulary(request, item.uri)
  return (
    <>
      {isConcept ? (
        <ConceptLink request={request} concept={item} />
      ) : vocabulary ? (
        <VocabularyLink request={request} item={vocabulary} />
      ) : (
        <ItemLink request={request} item={item} />
      )}
      {statements.length > 0 ? <InnerStatements request={request} statements={statements} /> : null}
    </>
  )
}

/** The statements of a value. */
function InnerStatements({ request, statements }: { request: PageRequest; statements: readonly PageStatement[] }) {
  return (
    <ul class="inner">
      {statements.map(({ property, prefixed, values, count }) => (
        <li>
          <span class="quiet" title={prefixed ?? property.uri}>
            <Label request={request} item={property} />
          </span>{' '}
          {joinedItems(values.map((innerValue) => <StatementValue request={request} value={innerValue} />))}
          {count > values.length ? ' …' : null}
        </li>
      ))}
    </ul>
  )
}

function Literal({ request, literal: { value, language, datatype } }: { request: PageRequest; literal: ObjectTerm }) {
  const text = shorten(value, MOST_CHARACTERS)
  if (datatype === `${XSD}anyURI`) return <ItemLink request={request} item={{ uri: value }} />
  return (
    <>
      <Text language={language || 'und'}>{text}</Text>{' '}
      {language ? <ForeignLanguage request={request} language={language} /> : null}
      {PLAIN.has(datatype) ? null : (
        <abbr class="tag" title={datatype}>
          {nameWithoutLabel({ uri: datatype })}
        </abbr>
      )}
    </>
  )
}
