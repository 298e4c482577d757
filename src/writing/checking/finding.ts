/** A finding about a vocabulary: a rule and the resources that break it. */
export interface Finding {
  /** The local name of the shape, for instance `S14`, or of the condition on the whole graph, for instance `cycle`. */
  rule: string
  severity: 'violation' | 'warning'
  message: string
  /** Number of resources that break the rule. */
  count: number
  /** The first of these resources, at most `MOST_FOCUS_NODES`. */
  focusNodes: string[]
  /** The cells of focus nodes that are rows of tables. */
  cells?: Readonly<Record<string, string>>
}

/** A focus node with its cell, if it has one: `<http://example.org/1> in Concepts!A3`. */
export function focusNodeWithCell({ cells }: Finding, focusNode: string): string {
  const cell = cells?.[focusNode]
  return cell === undefined ? focusNode : `${focusNode} in ${cell}`
}

/** A finding has at most this many focus nodes. */
export const MOST_FOCUS_NODES = 10_000

/** The rule of mistakes in the cells of tables; their messages name the cell. */
export const TABLE_RULE = 'table'

/** The order of findings: violations first, then by the name of the rule; those of one rule stay in their order. */
export function compareFindings(a: Finding, b: Finding): number {
  const rank = ({ severity }: Finding) => (severity === 'violation' ? 0 : 1)
  return rank(a) - rank(b) || (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0)
}
