import { languageName } from './language.ts'
import type { PageRequest } from './page-request.ts'
import { Table } from './table.tsx'
import type { VocabularyStatistics } from './vocabulary-statistics.ts'

/** How many labels of each kind there are in each language; nothing if there are none. */
export function LabelsByLanguage({
  request,
  labels,
}: {
  request: PageRequest
  labels: VocabularyStatistics['labels']
}) {
  const { texts, reading } = request
  if (labels.length === 0) return null
  return (
    <section>
      <h2>{texts.labelsByLanguage}</h2>
      <Table
        request={request}
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
