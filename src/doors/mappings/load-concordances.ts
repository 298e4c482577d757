import { basename } from 'node:path'
import { fileNames, InputError, MistakeList } from '../../base/files/input-error.ts'
import { readRecords } from '../../base/files/json-records.ts'
import { readText } from '../../base/files/text.ts'
import type { SparqlClient } from '../../graph/sparql/client.ts'
import { readGraphs, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { isRdf } from '../../writing/source/parse.ts'
import { mistakeInConcordance } from './check.ts'
import type { ConcordanceRecord } from './concordance.ts'
import { unknownSchemes } from './load.ts'
import {
  keepMappings,
  prepareGraph,
  refuseForeignMappings,
  spoolMappings,
  writeGraph,
  type GivenUris,
  type MappingWriting,
  type PreparedMappings,
} from './mapping-graph.ts'
import { readRdfMappings, type RdfEntry } from './read-rdf.ts'
import { placeOf } from './read-table.ts'

/** The report on loaded concordances. */
interface ConcordanceReport {
  /** Their URIs, with the numbers of mappings that files of RDF have given them. */
  loaded: { uri: string; mappings?: number }[]
  /** Statements of RDF files that belong to no correspondence. */
  warnings: string[]
  /** Properties of RDF that are not kept. */
  ignoredProperties: string[]
  /** Vocabularies that mappings name and that are not in the store. */
  unknownSchemes: string[]
}

/** A concordance of a file, unchecked. */
interface ConcordanceEntry {
  place: string
  record: unknown
  /** Undefined: the mappings that it has stay. */
  mappings?: readonly RdfEntry[]
}

/**
 * Loads concordances: records of JSKOS, whose mappings stay, and correspondences of XKOS in RDF, whose associations
 * replace the mappings.
 *
 * @throws InputError naming file and line or resource of what is wrong, AggregateError with all that is wrong; then
 *   nothing has changed.
 */
export async function loadConcordances(
  client: SparqlClient,
  files: readonly string[],
  writing: MappingWriting,
): Promise<ConcordanceReport> {
  const { vocabularies, concordances } = await readGraphs(client)
  const report: ConcordanceReport = { loaded: [], warnings: [], ignoredProperties: [], unknownSchemes: [] }
  const mistakes = new MistakeList()
  const entries = new Map<string, ConcordanceEntry & { record: ConcordanceRecord['record'] }>()
  for (const file of files) {
    for await (const { place, record, mappings } of readEntries(file, vocabularies, mistakes, report)) {
      const mistake = mistakeInConcordance(record)
      if (mistake !== undefined) {
        mistakes.add(`${place}: ${mistake}`)
        continue
      }
      const concordance = record as ConcordanceRecord['record']
      const { uri } = concordance
      const isVocabulary = vocabularies.some((vocabulary) => vocabulary.uri === uri)
      if (isVocabulary || entries.has(uri)) {
        mistakes.add(`${place}: <${uri}> is ${isVocabulary ? 'a vocabulary' : 'there twice'}`)
      }
      entries.set(uri, { place, record: concordance, ...(mappings && { mappings }) })
    }
  }
  if (entries.size === 0 && mistakes.isEmpty) throw new InputError('found no concordances.', fileNames(files))
  const isReplaced = (uri: string) => entries.get(uri)?.mappings !== undefined
  const otherGraphs = concordances.flatMap(({ uri }) => (isReplaced(uri) ? [] : [uri]))
  const check = (given: GivenUris) => refuseForeignMappings(client, given, otherGraphs)
  const [schemes, taken] = [new Set<string>(), new Set<string>()]
  const prepared: PreparedMappings[] = []
  try {
    for (const [uri, { record, mappings }] of entries) {
      const isStored = concordances.some((concordance) => concordance.uri === uri)
      const graph = await prepareGraph(uri, JSON.stringify(record), async (spool) => {
        if (!mappings) return isStored ? keepMappings(client, uri, spool) : 0
        return spoolMappings(spool, mappings, { graph: uri, concordance: record, schemes, check, mistakes, taken })
      })
      prepared.push(graph)
      report.loaded.push(mappings ? { uri, mappings: graph.mappings } : { uri })
    }
    mistakes.refuse()
    for (const graph of prepared) await writeGraph(client, graph, writing)
  } finally {
    for (const { spool } of prepared) spool.close()
  }
  report.unknownSchemes = unknownSchemes(schemes, vocabularies)
  return report
}

/** The concordances of a file. */
async function* readEntries(
  file: string,
  vocabularies: readonly Vocabulary[],
  mistakes: MistakeList,
  report: ConcordanceReport,
): AsyncGenerator<ConcordanceEntry> {
  if (!(await isRdf(file))) {
    for await (const { value, line } of readRecords(readText(file), file)) {
      yield { place: placeOf(file, line), record: value }
    }
    return
  }
  const read = await readRdfMappings(file, vocabularies)
  for (const { place, mistake } of read.mistakes) mistakes.add(`${place}: ${mistake}`)
  if (read.correspondences.length === 0) {
    mistakes.add(`${basename(file)}: expected an xkos:Correspondence; "vocab mappings load" takes mappings without one`)
  } else if (read.unassigned.length > 0) {
    report.warnings.push(`${basename(file)}: ${read.unassigned.length} mappings belong to no correspondence`)
  }
  report.ignoredProperties = [...new Set([...report.ignoredProperties, ...read.ignored])].sort()
  for (const { place, record, mappings } of read.correspondences) {
    yield { place, record, ...(mappings.length > 0 && { mappings }) }
  }
}
