import { RDF, STRING, XSD } from '../namespaces.ts'
import type { ObjectTerm } from '../sparql/ntriples.ts'
import { shorten } from '../unicode.ts'
import { formatNumber, joined } from './format.tsx'
import { ConceptLink, ForeignLanguage, ItemLink, Label, Text } from './label.tsx'
import type { PageRequest } from './page-request.ts'
import { nameWithoutLabel } from './records.ts'
import type { Statement, Value } from './statements.ts'
import { knownVocabulary, VocabularyLink } from './vocabulary-heading.tsx'

/** Longer texts are cut; the data has them as a whole. */
const MOST_CHARACTERS = 2000

/** Datatypes that say no more than the text itself. */
const PLAIN: ReadonlySet<string> = new Set([
  '',
  STRING,
  `${RDF}langString`,
  ...['boolean', 'integer', 'int', 'decimal', 'double', 'float', 'date', 'dateTime', 'gYear', 'anyURI'].map(
    (name) => XSD + name,
  ),
])

/**
 * All that the graph says and the rest of the page does not show; nothing if there is nothing.
 *
 * @param all the address of a file with all statements.
 */
export function MoreStatements({
  asked,
  statements,
  all,
}: {
  asked: PageRequest
  statements: readonly Statement[]
  all: string
}) {
  if (statements.length === 0) return null
  return (
    <section>
      <h2>{asked.texts.moreStatements}</h2>
      <dl class="statements">
        {statements.map((statement) => (
          <div>
            <dt title={statement.prefixed ?? statement.property.uri}>
              <Label asked={asked} item={statement.property} />
            </dt>
            {statement.values.map((value) => (
              <dd>
                <StatementValue asked={asked} value={value} />
              </dd>
            ))}
            {statement.count > statement.values.length ? (
              <dd>
                <a href={all}>{asked.texts.andMore(formatNumber(asked, statement.count - statement.values.length))}</a>
              </dd>
            ) : null}
          </div>
        ))}
      </dl>
    </section>
  )
}

function StatementValue({ asked, value }: { asked: PageRequest; value: Value }) {
  if ('literal' in value) return <Literal asked={asked} literal={value.literal} />
  if ('item' in value) {
    const { item, isConcept } = value
    if (isConcept) return <ConceptLink asked={asked} concept={item} />
    const known = knownVocabulary(asked, item.uri)
    return known ? <VocabularyLink asked={asked} item={known} /> : <ItemLink asked={asked} item={item} />
  }
  return (
    <ul class="inner">
      {value.statements.map(({ property, prefixed, values, count }) => (
        <li>
          <span class="quiet" title={prefixed ?? property.uri}>
            <Label asked={asked} item={property} />
          </span>{' '}
          {joined(values.map((one) => <StatementValue asked={asked} value={one} />))}
          {count > values.length ? ' …' : null}
        </li>
      ))}
    </ul>
  )
}

function Literal({ asked, literal: { value, language, datatype } }: { asked: PageRequest; literal: ObjectTerm }) {
  const text = shorten(value, MOST_CHARACTERS)
  if (datatype === `${XSD}anyURI`) return <ItemLink asked={asked} item={{ uri: value }} />
  return (
    <>
      <Text language={language || 'und'}>{text}</Text>{' '}
      {language ? <ForeignLanguage asked={asked} language={language} /> : null}
      {PLAIN.has(datatype) ? null : (
        <abbr class="tag" title={datatype}>
          {nameWithoutLabel({ uri: datatype })}
        </abbr>
      )}
    </>
  )
}
