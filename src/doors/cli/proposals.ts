import { Command } from 'commander'
import type { History } from '../../writing/history/history.ts'
import { readProposals } from '../../graph/vocabularies/proposals.ts'
import { removeProposals } from '../../writing/commands/remove-proposals.ts'
import { readVocabularies, requireVocabulary } from '../../graph/vocabularies/vocabulary.ts'
import type { CliContext } from './context.ts'
import { labelForOperator } from './list.ts'
import { proposalsInWords } from './load.ts'

/**
 * `vocab proposals`: the concepts that came by ingest and that nobody has accepted yet (docs/interface.md,
 * "Proposals").
 */
export function proposalsCommand({ client, writingClient, history, index, print }: CliContext): Command {
  const command = new Command('proposals')
    .description('show the concepts that were proposed: label, account, date, URI')
    .enablePositionalOptions()
    .argument('[id]', 'id or URI of a vocabulary; default: all')
    .option('--json', 'print JSON')
    .action(async (id: string | undefined, { json }: { json?: boolean }) => {
      const store = await client()
      const stored = await readVocabularies(store)
      const chosen = id === undefined ? stored : [requireVocabulary(stored, id)]
      const opened = await history()
      const entries = []
      for (const { uri: graph, ids, isSubset } of chosen) {
        const proposals = isSubset ? [] : await readProposals(store, graph)
        const accounts = proposals.length > 0 ? await accountsOf(opened, graph) : new Map<string, string>()
        for (const { uri, prefLabel, created } of proposals) {
          const account = accounts.get(uri) ?? null
          entries.push({
            uri,
            label: labelForOperator(prefLabel),
            account,
            date: created ?? null,
            voc: ids[0] ?? graph,
          })
        }
      }
      const lines = entries.map(({ label, account, date, uri }) => [label, account ?? '-', date ?? '-', uri].join('\t'))
      print(json, entries, lines.length > 0 ? lines : 'There are no proposals.')
    })
  command
    .command('remove')
    .description('remove proposals, all of them or none')
    .argument('<uri...>', 'URIs of proposals, as "vocab proposals" shows them')
    .option('--json', 'print JSON')
    .action(async (named: string[], { json }: { json?: boolean }) => {
      const uris = [...new Set(named)]
      await removeProposals(await writingClient(), uris, await history(), index())
      print(json, { removed: uris }, `removed: ${proposalsInWords(uris.length)}`)
    })
  return command
}

/** The accounts by URI; only the history has them, because their names are secret. */
async function accountsOf(history: History | undefined, graph: string): Promise<ReadonlyMap<string, string>> {
  const logged = await history?.followGraph(graph)
  return logged ? history!.log.accounts(logged) : new Map()
}
