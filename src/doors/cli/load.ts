import { Command, InvalidArgumentError, Option } from 'commander'
import type { MessageLanguage } from '../../base/message-languages.ts'
import { CHOSEN_ORDERS, type ChosenOrder } from '../../graph/jskos/order.ts'
import { refuseRemoval, type VocabularyDifference } from '../../writing/loading/compare.ts'
import { foretellLoad, loadVocabulary } from '../../writing/loading/load-vocabulary.ts'
import { loadOffline, type OfflineReport } from '../../writing/loading/offline.ts'
import type { FilesReport, LoadForecast, LoadReport } from '../../writing/loading/report.ts'
import { isStrictLanguageTag } from '../../graph/sparql/grammar.ts'
import type { LoadProgress } from '../../writing/source/read-files.ts'
import type { NormalisingChange } from '../../writing/loading/normalise.ts'
import type { CliContext } from './context.ts'
import { showProgress } from './progress.ts'
import { REPORT_WORDS } from './report-words.ts'
import { describeFindings, messageLanguage } from './warnings.ts'

interface Options {
  scheme?: string
  order?: ChosenOrder
  language?: string
  lang: MessageLanguage
  id?: string[]
  record?: string
  strict?: boolean
  dryRun?: boolean
  forbidRemoval?: boolean
  dropProposals?: boolean
  offline?: string
  json?: boolean
}

/**
 * About how many triples the memory of the embedded store has room for, which ends at 4 GB (docs/scaling.md, "Size").
 * It takes 0.46 kB for a triple of a vocabulary.
 */
const MOST_TRIPLES = 9_000_000

/** `vocab load`: loads one vocabulary, or replaces it as a whole (docs/commands.md, "Commands"). */
export function loadCommand({
  config,
  clientOfForecast,
  writingClient,
  history,
  offlineHistory,
  index,
  storeGone,
  files: readable,
  write,
  print,
}: CliContext): Command {
  return new Command('load')
    .argument(
      '<file...>',
      'Turtle, N-Triples, N-Quads, TriG, RDF/XML, JSON-LD, JSKOS (.json, .ndjson) or a table (.csv, .tsv), each also as .gz, or a workbook (.xlsx, .ods); all together are one vocabulary; - is standard input',
    )
    .option('--scheme <uri>', 'the concept scheme; needed if the files have none or several')
    .option(
      '--id <id>',
      'id of the vocabulary (may be repeated); default: its notations, otherwise the end of its URI',
      collect,
    )
    .option('--language <tag>', 'the language of texts in tables that name none', languageTag)
    .addOption(
      new Option(
        '--order <order>',
        'the order of concepts: natural (7.9 before 7.10) or code-point; remembered; default: natural if all notations are whole numbers',
      ).choices(CHOSEN_ORDERS),
    )
    .option('--record <file>', 'metadata of the concept scheme, in RDF or JSKOS')
    .option('--strict', 'refuse files with violations that "vocab check" reports, instead of warning')
    .option('--dry-run', 'write nothing; report new, changed, deprecated and vanishing concepts, and all warnings')
    .option('--forbid-removal', 'refuse to load if URIs of concepts would vanish')
    .option('--drop-proposals', 'remove the proposals that the files lack, instead of keeping them')
    .addOption(
      new Option(
        '--offline <folder>',
        'write the graph of a new vocabulary into a new folder, for "fuseki/run load FOLDER" while Fuseki does not run',
      ).conflicts(['dryRun', 'forbidRemoval', 'dropProposals']),
    )
    .addOption(messageLanguage())
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nA replaced vocabulary keeps its ids unless --id gives others, and the concepts that were proposed through the interface.\nLarge files need space in the folder for temporary files (TMPDIR): about\n2.3 times the size of their statements as N-Triples, however they are written.',
    )
    .action(async (given: string[], options: Options) => {
      const files = await readable(given)
      const { scheme, order, language, lang, id, record, strict, dryRun, forbidRemoval, dropProposals, json } = options
      const ofFiles = { scheme, order, language, ids: id, record, strict, messageLanguage: lang }
      const progress = showProgress(json ? undefined : write)
      if (options.offline !== undefined) {
        const recording = { onProgress: progress.show, history: await offlineHistory() }
        const report = await loadOffline(files, options.offline, { ...ofFiles, ...recording }).finally(progress.end)
        print(json, report, describeOffline(report, lang))
        return
      }
      const opened = await (dryRun ? clientOfForecast() : writingClient())
      const onProgress: LoadProgress = (step, done) => {
        storeGone.throwIfAborted()
        progress.show(step, done)
      }
      const mostStatements = config.store ? undefined : MOST_TRIPLES
      const common = { ...ofFiles, dropProposals, mostStatements, onProgress }
      if (dryRun) {
        const forecast = await foretellLoad(opened, files, common).finally(progress.end)
        print(json, forecast, foretell(forecast, lang))
        if (forbidRemoval) refuseRemoval(forecast.uri, forecast)
        return
      }
      const recording = { history: await history(), index: index(), forbidRemoval, onlyChanged: true }
      const report = await loadVocabulary(opened, files, { ...common, ...recording }).finally(progress.end)
      print(json, report, describe(report, lang))
    })
}

function describeOffline(report: OfflineReport, language: MessageLanguage): string[] {
  const { folder } = report
  const { wrote, into, notInStore } = REPORT_WORDS[language]
  return [
    `${wrote} ${named(report, language)} ${into} ${folder}: ${figuresOf(report, language)}`,
    ...describeFiles(report, language),
    `${notInStore}: fuseki/run load ${folder}`,
  ]
}

function foretell(forecast: LoadForecast, language: MessageLanguage): string[] {
  const { wouldReplace, wouldLoad, concepts } = REPORT_WORDS[language]
  const would = forecast.replaced ? wouldReplace : wouldLoad
  return [
    `${would} ${named(forecast, language)}: ${concepts(forecast.concepts)}`,
    ...describeDifference(forecast, 'willVanish', language),
    ...describeFiles(forecast, language),
  ]
}

/** A vocabulary with its ids. */
function named({ uri, ids }: Pick<LoadReport, 'uri' | 'ids'>, language: MessageLanguage): string {
  return `${uri} ${REPORT_WORDS[language].as} ${ids.join(', ')}`
}

/** The size of a vocabulary and the duration of its load. */
function figuresOf(
  { concepts, triples, milliseconds }: Pick<LoadReport, 'concepts' | 'triples' | 'milliseconds'>,
  language: MessageLanguage,
): string {
  const words = REPORT_WORDS[language]
  return `${words.concepts(concepts)}, ${words.triples(triples)}, ${(milliseconds / 1000).toFixed(1)} s`
}

/** The changes of a load, one a line: the figures first. @param vanish what URIs do. */
function describeDifference(
  difference: VocabularyDifference,
  vanish: 'haveVanished' | 'willVanish',
  language: MessageLanguage,
): string[] {
  const { created, changed, deprecated, gone, topConceptsLost, mappingsLost, vanishing, proposals } = difference
  const { kept, takenOver, dropped } = proposals
  const words = REPORT_WORDS[language]
  return [
    words.differences(created, changed, deprecated, gone),
    ...(kept > 0 ? [`${words.kept}: ${words.proposals(kept)}`] : []),
    ...(takenOver > 0 ? [`${words.takenOver}: ${words.proposals(takenOver)}`] : []),
    ...(dropped > 0 ? [`${words.dropped}: ${words.proposals(dropped)}`] : []),
    ...(topConceptsLost > 0 ? [`${words.lost}: ${words.topConcepts(topConceptsLost)}`] : []),
    ...(mappingsLost > 0 ? [`${words.lost}: ${words.mappings(mappingsLost)}`] : []),
    ...(gone > 0 ? [`${words.warning}: ${words[vanish](gone)}:`, ...vanishing.map((goneUri) => `  ${goneUri}`)] : []),
    ...(gone > vanishing.length ? ['  ...'] : []),
  ]
}

/** Reads the language of tables. @throws InvalidArgumentError unless it is a language tag (RFC 5646). */
export function languageTag(value: string): string {
  if (!isStrictLanguageTag(value)) throw new InvalidArgumentError('expected a language tag such as de.')
  return value
}

/** Collects the values of an option that may appear several times. */
function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}

function describe(report: LoadReport, language: MessageLanguage): string[] {
  const words = REPORT_WORDS[language]
  if (report.isUnchanged) {
    const { kept } = report.proposals
    return [
      `${words.nothingToDo(named(report, language))}: ${figuresOf(report, language)}`,
      ...(kept > 0 ? [`${words.kept}: ${words.proposals(kept)}`] : []),
    ]
  }
  return [
    `${report.replaced ? words.replaced : words.loaded} ${named(report, language)}: ${figuresOf(report, language)}`,
    ...describeDifference(report, 'haveVanished', language),
    ...describeFiles(report, language),
  ]
}

/** The changes that loading makes to the content of the files, and the findings of the check. */
function describeFiles({ subsets, changes, dangling, warnings }: FilesReport, language: MessageLanguage): string[] {
  const words = REPORT_WORDS[language]
  return [
    ...subsets.map(({ ids, members }) => words.subset(ids.join(', '), members)),
    ...describeChanges(changes, language),
    ...Object.entries(dangling)
      .filter(([, times]) => times > 0)
      .map(([kind, times]) => `${words.kept}: ${words.dangling(times, `skos:${kind}`)}`),
    ...describeFindings(warnings, language, 'warning'),
  ]
}

/** The changes of normalising, one a line. */
export function describeChanges(changes: LoadReport['changes'], language: MessageLanguage = 'en'): string[] {
  const words = REPORT_WORDS[language]
  const entries = Object.entries(changes) as [NormalisingChange, number][]
  if (entries.length === 0) return [`${words.changed}: ${words.nothing}`]
  return entries.map(([change, times]) => `${words.changed}: ${times} x ${words.change(change)}`)
}
