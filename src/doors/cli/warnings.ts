import { focusNodeWithCell, TABLE_RULE, type Finding } from '../../writing/checking/finding.ts'

/** Focus nodes to show for each rule; `--json` has more of them. */
const SHOWN = 5

/**
 * The findings of a check: a line for every rule, with some of its focus nodes.
 *
 * @param nameOf the word for a finding; by default its severity.
 */
export function describeFindings(findings: readonly Finding[], nameOf?: string): string[] {
  return findings.map((finding) => {
    const { severity, rule, message, count, focusNodes } = finding
    // The message has the cell.
    if (rule === TABLE_RULE && count === 1) return `${nameOf ?? severity}: ${message}`
    const more = count > SHOWN ? `, and ${count - SHOWN} more` : ''
    const shown = focusNodes.slice(0, SHOWN).map((node) => focusNodeWithCell(finding, node))
    return `${nameOf ?? severity}: ${rule}: ${message} (${timesOf(count)}: ${shown.join(', ')}${more})`
  })
}

/** How often something is so, in words. @example timesOf(1) // 'once' */
export function timesOf(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}
