import { BOOKKEEPING } from '../../base/namespaces.ts'
import { derivePlainLabels } from '../source/labels.ts'
import { leaveOutMappingTargets } from '../source/mapping-targets.ts'
import { readSource, type LoadProgress, type TableDefaults } from '../source/read-files.ts'
import { candidateSchemes, findSubsets, nodesOf } from '../source/scheme.ts'
import type { Description, SourceGraph } from '../source/source-graph.ts'
import { newChecker } from './checker.ts'
import type { Finding } from './finding.ts'
import type { MessageLanguage } from '../../base/message-languages.ts'

interface CheckReport {
  concepts: number
  /** True if a load of the files needs `--scheme`: they have no concept scheme or several. */
  needsScheme: boolean
  findings: Finding[]
}

/**
 * Checks files against the shapes and the other rules (docs/checks.md). Loads nothing.
 *
 * @param language that of messages.
 * @throws InputError if a file cannot be read or is broken.
 */
export async function checkFiles(
  files: readonly string[],
  onProgress?: LoadProgress,
  tables?: TableDefaults,
  language?: MessageLanguage,
): Promise<CheckReport> {
  const source = await readSource(files, onProgress, tables)
  try {
    const checked = await checkSource(source, language, onProgress)
    // The check leaves out concepts of other vocabularies.
    return { concepts: source.concepts, ...checked }
  } finally {
    source.close()
  }
}

/** The number of resources to check between two reports of the progress. */
const DESCRIPTIONS_PER_REPORT = 4096

/** Reports, now and then, the share of a source that is checked. @param description the next to be checked. */
export function reportChecked(source: SourceGraph, { node }: Description, onProgress: LoadProgress | undefined): void {
  if (node % DESCRIPTIONS_PER_REPORT === 0) onProgress?.('check', node / source.size)
}

/** The name of the vocabulary of concepts without a scheme. */
const UNNAMED = `${BOOKKEEPING}unnamed`

/** The findings about a source. Each scheme is a vocabulary; without a scheme, all concepts are of one vocabulary. */
async function checkSource(
  source: SourceGraph,
  language?: MessageLanguage,
  onProgress?: LoadProgress,
): Promise<Omit<CheckReport, 'concepts'>> {
  onProgress?.('check', 0)
  const subsets = findSubsets(source)
  const schemes = candidateSchemes(source, subsets)
  const described = schemes.filter((node) => source.isScheme(node))
  const needsScheme = schemes.length !== 1 && !(schemes.length === 0 && subsets.length === 1)
  if (schemes.length === 0) schemes.push(source.intern(UNNAMED))
  leaveOutMappingTargets(source, schemes, nodesOf(subsets))
  const checker = await newChecker(source, language)
  derivePlainLabels(source)
  for (const description of source.descriptions()) {
    reportChecked(source, description, onProgress)
    checker.add(description)
  }
  const findings = await checker.findings({ schemes, described, subsets: nodesOf(subsets) })
  return { needsScheme, findings }
}
