import type { VocabularyDifference } from './compare.ts'
import type { Finding } from '../checking/finding.ts'
import type { Changes, NormalisedVocabulary } from './normalise.ts'

/** The report of a load. */
export interface LoadReport extends VocabularyDifference {
  /** True: there was nothing to do, so nothing was read, and `changes`, `dangling` and `warnings` are empty. */
  isUnchanged?: boolean
  /** Concepts in the vocabulary's graph. */
  concepts: number
  /** Triples in it. */
  triples: number
  /** Statements in the files, including duplicates. */
  read: number
  subsets: { uri: string; ids: string[]; members: number }[]
  changes: Changes
  /** Links to resources that are not concepts of the graph; they stay. */
  dangling: NormalisedVocabulary['dangling']
  /** The findings of the check. */
  warnings: Finding[]
  milliseconds: number
}

/** The part of a report that the files alone determine. */
export type FilesReport = Pick<LoadReport, 'concepts' | 'read' | 'subsets' | 'changes' | 'dangling' | 'warnings'>

/** What a load would do, as far as it is certain before the store has written anything. */
export type LoadForecast = Omit<LoadReport, 'isUnchanged' | 'triples' | 'milliseconds'>
