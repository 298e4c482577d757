import { column } from '../../durable/sqlite.ts'
import { compressed, NO_BLOCK, textOfChange } from './blocks.ts'
import { NOTHING } from './digest.ts'
import type { LogFile, Transaction } from './file.ts'

/** The last change of a resource before a date. */
export interface StateBefore {
  /** The statements that this change removed. */
  removed: readonly string[]
  /** The statements after this change; undefined if the log does not have them. */
  state: readonly string[] | undefined
}

const RESOURCES_IN_TRANSACTION = 1000

const CHANGES_OF = { resource: column.number('c.resource'), changes: column.number('count(*)') }
const LAST = { changeset: column.number('c.changeset'), kind: column.text('c.kind'), before: column.bytes('c.before') }
const COUNT = { count: column.number('count(*)') }
const NEXT_BLOCK = { number: column.number('coalesce(max(number), -1) + 1') }

/**
 * Forgets changes before a date, except for the last one of each resource, which becomes an `Add` of its whole state, or stays a
 * `Delete`. Positions stay as they are.
 *
 * @param before YYYY-MM-DD
 * @param stateBefore reads the last change of a resource before this date.
 * @returns number of changes that are forgotten.
 */
export async function prune(
  file: LogFile,
  before: string,
  stateBefore: (resource: number) => Promise<StateBefore>,
): Promise<number> {
  let pruned = 0
  for (let from = 0; ;) {
    const rows = await file.select(
      CHANGES_OF,
      `FROM change c JOIN changeset s ON s.id = c.changeset
      WHERE s.start >= 0 AND s.time < ? AND c.resource > ? GROUP BY c.resource ORDER BY c.resource LIMIT ${RESOURCES_IN_TRANSACTION}`,
      before,
      from,
    )
    const last = rows.at(-1)
    if (!last) break
    const states = new Map<number, StateBefore>()
    for (const { resource, changes } of rows) if (changes > 1) states.set(resource, await stateBefore(resource))
    await file.write(async (transaction) => {
      for (const [resource, state] of states) pruned += await pruneResource(transaction, resource, before, state)
    })
    from = last.resource
  }
  await file.write(({ run }) =>
    run(
      'DELETE FROM block WHERE NOT EXISTS (SELECT 1 FROM change c WHERE c.changeset = block.changeset AND c.block = block.number)',
    ),
  )
  return pruned
}

async function pruneResource(
  { run, first }: Transaction,
  resource: number,
  before: string,
  { removed, state }: StateBefore,
): Promise<number> {
  const last = (await first(
    LAST,
    `FROM change c JOIN changeset s ON s.id = c.changeset
    WHERE c.resource = ? AND s.start >= 0 AND s.time < ? ORDER BY c.changeset DESC LIMIT 1`,
    resource,
    before,
  ))!
  const { changeset } = last
  const older = (await first(COUNT, 'FROM change WHERE resource = ? AND changeset < ?', resource, changeset))!.count
  await run('DELETE FROM change WHERE resource = ? AND changeset < ?', resource, changeset)
  const isEnd = last.kind === 'Delete'
  if (isEnd && state?.length === 0) return older
  // After a `Delete`, statements that do not describe the resource may remain.
  const text = textOfChange({ removed: isEnd ? removed : [], added: state ?? [] })
  const block = state ? (await first(NEXT_BLOCK, 'FROM block WHERE changeset = ?', changeset))!.number : NO_BLOCK
  if (state) await run('INSERT INTO block VALUES (?, ?, ?)', changeset, block, compressed(text))
  await run(
    'UPDATE change SET kind = ?, before = ?, block = ?, at = 0, length = ? WHERE resource = ? AND changeset = ?',
    isEnd ? 'Delete' : 'Add',
    isEnd ? last.before : NOTHING,
    block,
    text.length,
    resource,
    changeset,
  )
  return older
}
