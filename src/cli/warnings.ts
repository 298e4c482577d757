import type { Finding } from '../loading/shacl.ts'

/** Focus nodes that are named for one rule on a terminal; `--json` has them all. */
const SHOWN = 5

/**
 * What a check has found, a line for every rule with some of its focus nodes.
 *
 * @param nameOf what a finding is called; its severity unless given.
 */
export function describeFindings(findings: readonly Finding[], nameOf?: string): string[] {
  return findings.map(({ severity, rule, message, count, focusNodes }) => {
    const more = count > SHOWN ? `, and ${count - SHOWN} more` : ''
    return `${nameOf ?? severity}: ${rule}: ${message} (${count} times: ${focusNodes.slice(0, SHOWN).join(', ')}${more})`
  })
}
