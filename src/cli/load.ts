import { Command, Option } from 'commander'
import { loadAllSchemes, loadVocabulary, type LoadReport } from '../loading/load-vocabulary.ts'
import type { CliContext } from './context.ts'
import { showProgress } from './progress.ts'
import { describeFindings } from './warnings.ts'

interface Options {
  scheme?: string
  id?: string[]
  record?: string
  allSchemes?: boolean
  strict?: boolean
  json?: boolean
}

/** `vocab load`: loads one vocabulary, or replaces it as a whole (docs/interface.md, "Commands"). */
export function loadCommand({ client, write }: CliContext): Command {
  return new Command('load')
    .description('load a vocabulary, or replace it as a whole if it is there')
    .argument(
      '<file...>',
      'Turtle, N-Triples, N-Quads, TriG, RDF/XML, JSON-LD or JSKOS (.json, .ndjson), each also as .gz; all together are one vocabulary',
    )
    .option('--scheme <uri>', 'the concept scheme; needed if the files have none or several')
    .addOption(
      new Option('--all-schemes', 'load every concept scheme of the files as a vocabulary of its own').conflicts([
        'scheme',
        'id',
        'record',
      ]),
    )
    .option(
      '--id <id>',
      'id of the vocabulary (may be repeated); default: its own notations, else the end of its URI',
      collect,
    )
    .option('--record <file>', 'metadata of the concept scheme, in RDF or JSKOS')
    .option('--strict', 'refuse what "vocab check" calls a violation, instead of a warning')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nA vocabulary that is replaced keeps its ids unless --id gives others. Large files need room in the folder for\ntemporary files (TMPDIR): about three times their size unpacked.',
    )
    .action(async (files: string[], { scheme, allSchemes, id, record, strict, json }: Options) => {
      const progress = showProgress(json ? undefined : write)
      const options = { scheme, ids: id, record, strict, onProgress: progress.show }
      const load = allSchemes ? loadAllSchemes : loadVocabulary
      const report = await load(await client(), files, options).finally(progress.end)
      write(json ? `${JSON.stringify(report)}\n` : [report].flat().map(describe).join(''))
    })
}

export function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}

function describe(report: LoadReport): string {
  const { uri, ids, replaced, concepts, triples, changes, dangling, subsets, warnings, milliseconds } = report
  const lines = [
    `${replaced ? 'replaced' : 'loaded'} ${uri} as ${ids.join(', ')}: ${concepts} concepts, ${triples} triples, ${(milliseconds / 1000).toFixed(1)} s`,
    ...subsets.map((subset) => `subset ${subset.ids.join(', ')}: ${subset.members} members`),
    ...describeChanges(changes),
    ...Object.entries(dangling)
      .filter(([, times]) => times > 0)
      .map(([kind, times]) => `kept: ${times} skos:${kind} to what is no concept of the vocabulary`),
    ...describeFindings(warnings, 'warning'),
  ]
  return `${lines.join('\n')}\n`
}

/** The changes of normalising, one a line. */
export function describeChanges(changes: LoadReport['changes']): string[] {
  const entries = Object.entries(changes)
  return entries.length === 0 ? ['changed: nothing'] : entries.map(([change, times]) => `changed: ${times} x ${change}`)
}
