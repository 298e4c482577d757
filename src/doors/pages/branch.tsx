import { formatNumber } from './format.tsx'
import { conceptHref, Name } from './label.tsx'
import { link, type PageRequest, useRequest } from './page-request.ts'
import { ProposedMark } from './proposed.tsx'
import type { Item } from './records.ts'

/** A part of a level of a hierarchy, as the tree beside a page shows it. */
export interface TreeBranch {
  nodes: readonly BranchNode[]
  /** How many nodes the level has. */
  total: number
  /** The address of the next nodes, and their number; undefined if there are none. */
  more?: { href: string; count: number } | undefined
}

/** Nodes of a level that the tree beside a page shows at a time. */
export const NODES_ON_PAGE = 100

/**
 * The nodes of a part of a level, with a link to the next part.
 *
 * @param path of the page that answers with parts.
 * @param level the URI above its nodes, their number, and the number before this part.
 */
export function toBranch(
  request: PageRequest,
  path: string,
  { parent, total, offset }: { parent?: string; total: number; offset: number },
  nodes: readonly BranchNode[],
): TreeBranch {
  const next = offset + NODES_ON_PAGE
  const isPart = next < total
  const href = link(request, path, { uri: parent, offset: String(next) })
  return {
    nodes,
    total: isPart || offset > 0 ? total : nodes.length,
    ...(isPart && { more: { href, count: total - next } }),
  }
}

/** A concept or collection in a branch. */
export interface BranchNode {
  item: Item & { uri: string }
  /** A collection among concepts, or a collection that divides the narrower concepts of a concept. */
  isGroup?: boolean
  isProposed?: boolean
  /** Something is below it. */
  isParent: boolean
  /** The part that is shown of it; undefined if it is closed. */
  below?: TreeBranch | undefined
}

/** Names in the tree beside a page are cut to this number of characters, so that a part of it is never large. */
export const LONGEST_NODE_NAME = 120

/**
 * A branch as the tree of a navigation (ARIA Authoring Practices Guide, "Navigation Treeview"); the island `column`
 * opens and closes it.
 *
 * @param name of the whole tree; undefined for a part below something.
 */
export function BranchList({ branch, name }: { branch: TreeBranch; name?: string }) {
  const request = useRequest()
  const { nodes, total, more } = branch
  const isPart = nodes.length < total
  return (
    <ul role={name === undefined ? 'group' : 'tree'} aria-label={name}>
      {nodes.map(({ item, isGroup, isProposed, isParent, below }) => (
        <li role="none" class={isGroup ? 'group' : undefined}>
          <a
            role="treeitem"
            href={conceptHref(request, item.uri)}
            aria-expanded={isParent ? (below ? 'true' : 'false') : undefined}
            aria-setsize={isPart ? total : undefined}
          >
            <Name of={item} />
            {isProposed ? <ProposedMark /> : null}
          </a>
          {isParent ? <i aria-hidden="true" /> : null}
          {below ? <BranchList branch={below} /> : null}
        </li>
      ))}
      {more ? (
        <li role="none">
          <a role="treeitem" class="more" href={more.href}>
            {request.texts.moreBelow(formatNumber(request, more.count))}
          </a>
        </li>
      ) : null}
    </ul>
  )
}
