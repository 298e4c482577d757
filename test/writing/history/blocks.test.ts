import { expect, test } from '@jest/globals'
import { BlockReader, BlockWriter } from '../../../src/writing/history/log/blocks.ts'
import { openLogFile } from '../../../src/writing/history/log/file.ts'
import { temporaryFolder } from '../../folder.ts'

const { path } = temporaryFolder()
/** About as large as a block. */
const text = (changeset: number) => `<urn:s> <urn:p> "${changeset} ${'x'.repeat(70_000)}" .`

test('the texts of several versions are read from the file once; the memory for them has a bound', async () => {
  const file = await openLogFile(path('log.sqlite'))
  const reader = new BlockReader(file)
  const read = async (changeset: number) =>
    (await reader.read(changeset, { block: 0, at: 0, length: text(changeset).length + 2 }))?.added[0]
  const write = (changeset: number) =>
    file.write(async (transaction) => {
      const writer = new BlockWriter(changeset)
      writer.add({ removed: [], added: [text(changeset)] })
      await writer.write(transaction)
    })
  for (let changeset = 1; changeset <= 3; changeset++) {
    await write(changeset)
    expect(await read(changeset)).toBe(text(changeset))
  }
  await file.write(({ run }) => run('DELETE FROM block'))
  for (const changeset of [1, 2, 3, 1]) expect(await read(changeset)).toBe(text(changeset))
  const bound = 32 << 20
  for (let changeset = 4; changeset * 70_000 < bound + 700_000; changeset++) {
    await write(changeset)
    await read(changeset)
  }
  await expect(read(1)).rejects.toThrow('block 0 of changeset 1 is missing')
  await file.close()
})
