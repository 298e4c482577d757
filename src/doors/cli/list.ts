import { Command } from 'commander'
import { inLanguage } from '../../graph/jskos/names.ts'
import { NO_DEADLINE } from '../../graph/sparql/client.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { readVocabularies, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import type { CliContext } from './context.ts'

/** `vocab list`: the vocabularies and subsets in the store. */
export function listCommand({ client, print }: CliContext): Command {
  return new Command('list').option('--json', 'print JSON').action(async ({ json }: { json?: boolean }) => {
    const store = await client()
    const vocabularies = await readVocabularies(store)
    const graphs = (isSubset: boolean) =>
      vocabularies.filter((vocabulary) => vocabulary.isSubset === isSubset).map(({ uri }) => iri(uri))
    const query = queryTemplate('vocab/counts').bind({ terms: { vocabulary: graphs(false), subset: graphs(true) } })
    const rows = await store.select(query, NO_DEADLINE)
    const counts = new Map(rows.map(({ graph, count }) => [graph?.value, Number(count!.value)]))
    const entries = vocabularies.map((vocabulary) => {
      return { ...inJson(vocabulary), concepts: counts.get(vocabulary.uri) ?? 0 }
    })
    const lines = entries.map(({ ids, uri, concepts, prefLabel }) =>
      [ids.join(','), uri, concepts, labelForOperator(prefLabel)].join('\t'),
    )
    print(json, entries, lines.length > 0 ? lines : 'There are no vocabularies.')
  })
}

/** A vocabulary or subset as `--json` shows it; `partOf` is the vocabulary of a subset. */
export function inJson({ uri, ids, prefLabel, isSubset, partOf }: Vocabulary) {
  return { uri, ids, prefLabel, ...(isSubset ? { partOf: partOf[0] } : {}) }
}

/** The label to show to an operator, from labels by language tag. */
export function labelForOperator(labels: Record<string, string>): string {
  return inLanguage(labels, ['de', 'en'])?.value ?? ''
}
