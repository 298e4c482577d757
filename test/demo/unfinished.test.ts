import { readdir } from 'node:fs/promises'
import { describe, expect, test } from '@jest/globals'
import { forgetDemoRest, noteDemoRest, readDemoRest } from '../../src/demo/unfinished.ts'
import { temporaryFolder } from '../folder.ts'

describe('what a first start has left of the demo', () => {
  const folder = temporaryFolder()
  const config = () => ({ dataDir: folder.path('') })

  test('is remembered until it is forgotten', async () => {
    expect(await readDemoRest(config())).toEqual([])
    await noteDemoRest(config(), ['a.ttl', 'b.ttl'])
    await noteDemoRest(config(), ['b.ttl'])
    expect(await readDemoRest(config())).toEqual(['b.ttl'])
    expect(await readdir(folder.path(''))).toEqual(['demo-rest.json'])
    await forgetDemoRest(config())
    await forgetDemoRest(config())
    expect(await readDemoRest(config())).toEqual([])
  })

  test.each(['', 'null', '{}', '[null]', '["a.ttl",1]', '["a.ttl"', 'garbage'])(
    '%j: refused by name',
    async (content) => {
      const file = await folder.write('demo-rest.json', content)
      await expect(readDemoRest(config())).rejects.toThrow(
        `${file} is damaged: expected a JSON array of files of the demo`,
      )
    },
  )
})
