import { NARROWER_KIND, type Statement } from './statements.ts'

/** A link from a concept to a narrower one, by their URIs. */
export type NarrowerLink = [parent: string, child: string]

/** The changes of a graph to the statements that the index has. */
export interface IndexDifference {
  /**
   * All statements about each new or changed resource, but for its links to narrower concepts; none if the resource has
   * gone.
   */
  resources: ReadonlyMap<string, readonly Statement[]>
  linked: readonly NarrowerLink[]
  unlinked: readonly NarrowerLink[]
}

/** The difference that new concepts make. @param statements all statements about each of them. */
export function additionOf(statements: readonly Statement[]): IndexDifference {
  const resources = new Map<string, Statement[]>()
  const linked: NarrowerLink[] = []
  for (const statement of statements) {
    const [uri, kind, , text] = statement
    const described = resources.get(uri) ?? []
    resources.set(uri, described)
    if (kind === NARROWER_KIND) linked.push([uri, text])
    else described.push(statement)
  }
  return { resources, linked, unlinked: [] }
}

/** The difference that the end of concepts makes, whose links from other concepts stay. */
export function removalOf(uris: readonly string[]): IndexDifference {
  return { resources: new Map(uris.map((uri) => [uri, []])), linked: [], unlinked: [] }
}
