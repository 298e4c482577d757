import { Command, InvalidArgumentError } from 'commander'
import { decideProposals, readReason, removeProposals } from '../../writing/proposals/decide.ts'
import {
  isProposalState,
  listProposals,
  PROPOSAL_STATES,
  type ListedProposal,
  type ProposalState,
} from '../../writing/proposals/list.ts'
import type { Decision } from '../../writing/history/log/change.ts'
import { readVocabularies, requireVocabulary } from '../../graph/vocabularies/vocabulary.ts'
import type { CliContext } from './context.ts'
import { labelForOperator } from './list.ts'
import { REPORT_WORDS } from './report-words.ts'

/**
 * `vocab proposals`: the concepts that came by ingest, and the decisions about them (docs/ingest.md, "Proposals").
 */
export function proposalsCommand({ client, writingClient, history, index, print }: CliContext): Command {
  const command = new Command('proposals')
    .enablePositionalOptions()
    .argument('[id]', 'id or URI of a vocabulary; default: all')
    .option(
      '--status <status>',
      'open, accepted (with the day of the decision and the reason; no file has them yet), or refused',
      readState,
      'open',
    )
    .option('--json', 'print JSON')
    .action(async (id: string | undefined, { status, json }: { status: ProposalState; json?: boolean }) => {
      const store = await client()
      const stored = await readVocabularies(store)
      const chosen = id === undefined ? stored : [requireVocabulary(stored, id)]
      const opened = await history()
      const entries = []
      for (const { uri: graph, ids, isSubset } of chosen) {
        const proposals = isSubset ? [] : await listProposals(store, opened, graph, status)
        for (const proposal of proposals) entries.push({ ...toEntry(proposal), voc: ids[0] ?? graph })
      }
      const lines = entries.map(({ label, account, date, uri, decision }) =>
        [
          label,
          account ?? '-',
          date ?? '-',
          uri,
          ...(status === 'open'
            ? []
            : [decision?.date.slice(0, 10) ?? '-', decision?.reason?.replace(/\s+/g, ' ') ?? '-']),
        ].join('\t'),
      )
      const kind = status === 'open' ? '' : `${status} `
      print(json, entries, lines.length > 0 ? lines : `There are no ${kind}proposals.`)
    })
  for (const [name, decision, description] of DECIDING) {
    command
      .command(name)
      .description(description)
      .argument('<uri...>', 'URIs of open proposals, as "vocab proposals" shows them')
      .option('--reason <text>', 'for the proposer and for readers')
      .option('--json', 'print JSON')
      .action(async (named: string[], options: { reason?: string; json?: boolean }) => {
        const uris = [...new Set(named)]
        const reason = readReason(options.reason)
        const dependencies = { client: await writingClient(), history: await history(), index: index() }
        await decideProposals(dependencies, uris, { decision, reason })
        print(options.json, { [decision]: uris }, `${decision}: ${REPORT_WORDS.en.proposals(uris.length)}`)
      })
  }
  command
    .command('remove')
    .description('remove proposals, open and accepted ones, all of them or none')
    .argument('<uri...>', 'URIs of proposals, as "vocab proposals" shows them')
    .option('--json', 'print JSON')
    .action(async (named: string[], { json }: { json?: boolean }) => {
      const uris = [...new Set(named)]
      await removeProposals(await writingClient(), uris, await history(), index())
      print(json, { removed: uris }, `removed: ${REPORT_WORDS.en.proposals(uris.length)}`)
    })
  return command
}

const DECIDING: readonly [name: string, decision: Decision, description: string][] = [
  ['accept', 'accepted', 'accept proposals, all of them or none: they are concepts like any other from now on'],
  [
    'refuse',
    'refused',
    'refuse proposals, all of them or none: they leave the vocabulary, and their URIs give the reason',
  ],
]

/** A proposal for the operator. */
function toEntry({ uri, prefLabel, account, created, decision }: ListedProposal) {
  const entry = { uri, label: labelForOperator(prefLabel), account: account ?? null, date: created ?? null }
  if (!decision) return { ...entry, decision: undefined }
  const { time, reason, account: editor } = decision
  return { ...entry, decision: { date: time, account: editor ?? null, reason: reason ?? null } }
}

function readState(text: string): ProposalState {
  if (isProposalState(text)) return text
  throw new InvalidArgumentError(`expected ${PROPOSAL_STATES.join(', ')}.`)
}
