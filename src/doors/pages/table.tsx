import type { ComponentChild } from 'preact'
import { formatNumber } from './format.tsx'
import { useRequest } from './page-request.ts'
import { languageName } from './language.ts'
import type { VocabularyStatistics } from './vocabulary-statistics.ts'

/** A table of numbers; the first cell of a row names it. */
export function Table({ head, rows }: { head: readonly string[]; rows: readonly (readonly ComponentChild[])[] }) {
  const request = useRequest()
  return (
    <table class={head.length > 5 ? 'numbers many' : 'numbers'}>
      <thead>
        <tr>
          {head.map((name, index) => (
            <th scope="col" class={typeof rows[0]?.[index] === 'number' ? 'number' : undefined}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, ...cells]) => (
          <tr>
            <th scope="row">{name}</th>
            {cells.map((cell, index) =>
              typeof cell === 'number' ? (
                <td class="number" data-name={head.length > 5 ? head[index + 1] : undefined}>
                  {formatNumber(request, cell)}
                </td>
              ) : (
                <td>{cell}</td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** How many labels of each kind there are in each language; nothing if there are none. */
export function LabelsByLanguage({ labels }: { labels: VocabularyStatistics['labels'] }) {
  const { texts, reading } = useRequest()
  if (labels.length === 0) return null
  return (
    <section>
      <h2>{texts.labelsByLanguage}</h2>
      <Table
        head={[texts.language, texts.preferred, texts.alternative, texts.hiddenLabel]}
        rows={labels.map(({ language, prefLabel, altLabel, hiddenLabel }) => [
          languageName(language, reading.page),
          prefLabel,
          altLabel,
          hiddenLabel,
        ])}
      />
    </section>
  )
}
