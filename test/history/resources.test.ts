import { expect, test } from '@jest/globals'
import { resourcesOf } from '../../src/history/resources.ts'

test.each([
  ['an empty line at the end', '<x:a> <x:p> "1" .\n\n'],
  ['an empty line between', '<x:a> <x:p> "1" .\n\n<x:a> <x:p> "1" .'],
  ['comments', '#\n# of triples\n<x:a> <x:p> "1" .\n#'],
  ['the same triple twice', '<x:a> <x:p> "1" .\n<x:a> <x:p> "1" .\n'],
])('resources of N-Triples with %s', async (_, nTriples) => {
  const resources = []
  for await (const resource of resourcesOf([Buffer.from(nTriples)])) resources.push(resource)
  expect(resources).toEqual([{ uri: 'x:a', statements: ['<x:p> "1"'] }])
})
