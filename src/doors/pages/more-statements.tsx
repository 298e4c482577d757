import { RDF, STRING, XSD } from '../../base/namespaces.ts'
import type { ObjectTerm } from '../../graph/sparql/ntriples.ts'
import { shorten } from '../../base/unicode.ts'
import { formatNumber, joinedItems } from './format.tsx'
import { ConceptLink, ForeignLanguage, ItemLink, Label, Text } from './label.tsx'
import { useRequest } from './page-request.ts'
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
  statements,
  fileAddress,
}: {
  statements: readonly PageStatement[]
  fileAddress: string
}) {
  const request = useRequest()
  if (statements.length === 0) return null
  return (
    <section>
      <h2>{request.texts.moreStatements}</h2>
      <dl class="statements">
        {statements.map((statement) => (
          <div>
            <dt title={statement.prefixed ?? statement.property.uri}>
              <Label item={statement.property} />
            </dt>
            {statement.values.map((value) => (
              <dd>
                <StatementValue value={value} />
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

function StatementValue({ value }: { value: ShownValue }) {
  const request = useRequest()
  if ('literal' in value) return <Literal literal={value.literal} />
  if (!('item' in value)) return <InnerStatements statements={value.statements} />
  const { item, isConcept, statements } = value
  const vocabulary = isConcept ? undefined : localVocabulary(request, item.uri)
  return (
    <>
      {isConcept ? (
        <ConceptLink concept={item} />
      ) : vocabulary ? (
        <VocabularyLink item={vocabulary} />
      ) : (
        <ItemLink item={item} />
      )}
      {statements.length > 0 ? <InnerStatements statements={statements} /> : null}
    </>
  )
}

/** The statements of a value. */
function InnerStatements({ statements }: { statements: readonly PageStatement[] }) {
  return (
    <ul class="inner">
      {statements.map(({ property, prefixed, values, count }) => (
        <li>
          <span class="quiet" title={prefixed ?? property.uri}>
            <Label item={property} />
          </span>{' '}
          {joinedItems(values.map((innerValue) => <StatementValue value={innerValue} />))}
          {count > values.length ? ' …' : null}
        </li>
      ))}
    </ul>
  )
}

function Literal({ literal: { value, language, datatype } }: { literal: ObjectTerm }) {
  const text = shorten(value, MOST_CHARACTERS)
  if (datatype === `${XSD}anyURI`) return <ItemLink item={{ uri: value }} />
  return (
    <>
      <Text language={language || 'und'}>{text}</Text> {language ? <ForeignLanguage language={language} /> : null}
      {PLAIN.has(datatype) ? null : (
        <abbr class="tag" title={datatype}>
          {nameWithoutLabel({ uri: datatype })}
        </abbr>
      )}
    </>
  )
}
