import { MOST_MISTAKES } from '../../base/files/input-error.ts'
import type { MessageLanguage } from '../../base/message-languages.ts'
import { MISTAKES } from '../../graph/tables/mistakes.ts'
import type { Description, SourceGraph } from '../source/source-graph.ts'
import { compareFindings, TABLE_RULE, type Finding } from './finding.ts'
import type { SchemesOfSource } from './conditions.ts'
import { GraphConditions } from './graph-conditions.ts'
import { LabelConditions } from './label-conditions.ts'
import { LinkConditions } from './link-conditions.ts'
import { findingOf } from './rules.ts'

/** The check of a source against the shapes and the conditions on the whole graph. */
interface Checker {
  /** Adds a resource. */
  add(description: Description): void
  findings(vocabularies: SchemesOfSource): Promise<Finding[]>
}

/** Begins the check of a source, with messages in a language; the shapes take a second to load. */
export async function newChecker(source: SourceGraph, language: MessageLanguage = 'en'): Promise<Checker> {
  const { ShapeChecker } = await import('./shacl.ts')
  const shapes = new ShapeChecker(source, language)
  const conditions = [new GraphConditions(source), new LabelConditions(source), new LinkConditions(source)]
  return {
    add(description) {
      shapes.add(description)
      for (const condition of conditions) condition.add(description)
    },
    async findings(vocabularies) {
      const breaches = conditions.flatMap((condition) => condition.breaches(vocabularies))
      const findings = breaches.flatMap((breach) => findingOf(source, breach, language))
      const ofResources = [...(await shapes.findings()), ...findings].map((finding) => withCells(finding, source))
      return [...ofResources, ...tableFindings(source, language)].sort(compareFindings)
    },
  }
}

/** A finding with the cells of its focus nodes. */
function withCells(finding: Finding, { cells }: SourceGraph): Finding {
  const placed = finding.focusNodes.flatMap((node): [string, string][] => {
    const cell = cells.get(node.slice(1, -1))
    return cell === undefined ? [] : [[node, cell]]
  })
  return placed.length === 0 ? finding : { ...finding, cells: Object.fromEntries(placed) }
}

/** The first mistakes in cells one by one, and the number of the others. */
function tableFindings({ mistakes }: SourceGraph, language: MessageLanguage): Finding[] {
  const listed = mistakes.slice(0, MOST_MISTAKES)
  const findings = listed.map(({ severity, cell, message }): Finding => {
    return { rule: TABLE_RULE, severity, message: message[language], count: 1, focusNodes: [cell] }
  })
  for (const severity of ['violation', 'warning'] as const) {
    const unlisted = mistakes.slice(MOST_MISTAKES).filter((mistake) => mistake.severity === severity)
    if (unlisted.length === 0) continue
    const message = MISTAKES.moreCells[language]
    findings.push({
      rule: TABLE_RULE,
      severity,
      message,
      count: unlisted.length,
      focusNodes: unlisted.map(({ cell }) => cell),
    })
  }
  return findings
}
