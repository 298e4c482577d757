import { readdir } from 'node:fs/promises'
import { describe, expect, test } from '@jest/globals'
import { forgetUnfinishedDemo, noteUnfinishedDemo, readUnfinishedDemo } from '../../src/demo/unfinished.ts'
import { temporaryFolder } from '../folder.ts'

describe('the demo after an interrupted first start', () => {
  const folder = temporaryFolder()
  const config = () => ({ dataDir: folder.path('') })

  test('is remembered until it is forgotten', async () => {
    expect(await readUnfinishedDemo(config())).toEqual([])
    await noteUnfinishedDemo(config(), ['a.ttl', 'b.ttl'])
    await noteUnfinishedDemo(config(), ['b.ttl'])
    expect(await readUnfinishedDemo(config())).toEqual(['b.ttl'])
    expect(await readdir(folder.path(''))).toEqual(['demo-unfinished.json'])
    await forgetUnfinishedDemo(config())
    await forgetUnfinishedDemo(config())
    expect(await readUnfinishedDemo(config())).toEqual([])
  })

  test.each(['', 'null', '{}', '[null]', '["a.ttl",1]', '["a.ttl"', 'garbage'])(
    '%j: refused by name',
    async (content) => {
      const file = await folder.write('demo-unfinished.json', content)
      await expect(readUnfinishedDemo(config())).rejects.toThrow(
        `${file} is damaged: expected a JSON array of files of the demo`,
      )
    },
  )
})
