import { expect, test } from '@jest/globals'
import { RDF } from '../../../src/base/namespaces.ts'
import { resourcesOf } from '../../../src/writing/history/resources.ts'

test.each([
  ['an empty line at the end', '<x:a> <x:p> "1" .\n\n'],
  ['an empty line between', '<x:a> <x:p> "1" .\n\n<x:a> <x:p> "1" .'],
  ['comments', '#\n# of triples\n<x:a> <x:p> "1" .\n#'],
  ['the same triple twice', '<x:a> <x:p> "1" .\n<x:a> <x:p> "1" .\n'],
])('resources of N-Triples with %s', async (_, nTriples) => {
  const resources = []
  for await (const { uri, statements } of resourcesOf([Buffer.from(nTriples)])) resources.push({ uri, statements })
  expect(resources).toEqual([{ uri: 'x:a', statements: ['<x:p> "1"'] }])
})

test('blank nodes that all name each other come to an end, the same each time', async () => {
  const names = Array.from({ length: 14 }, (_, at) => `_:b${at}`)
  const lines = names.flatMap((from) => [
    `${from} <x:label> "${from}" .`,
    ...names.filter((to) => to !== from).map((to) => `${from} <x:p> ${to} .`),
  ])
  const nTriples = [`<x:a> <x:p> _:b0 .`, ...lines].join('\n')
  const read = async () => {
    const resources = []
    for await (const resource of resourcesOf([Buffer.from(nTriples)])) resources.push(resource)
    return resources
  }
  const [resource, ...rest] = await read()
  expect(rest).toEqual([])
  for (const name of names) expect(resource!.statements.join('\n')).toContain(`<x:label> "${name}"`)
  expect(await read()).toEqual([resource])
})

test('a list of any length is one of its resource, in its order', async () => {
  const members = Array.from({ length: 5000 }, (_, at) => `<x:m${at}>`)
  const namesOf = async (list: readonly string[]) => {
    const cells = list.map((member, at) => {
      const rest = at + 1 < list.length ? `_:c${at + 1}` : `<${RDF}nil>`
      return `_:c${at} <${RDF}first> ${member} .\n_:c${at} <${RDF}rest> ${rest} .`
    })
    const resources = []
    for await (const resource of resourcesOf([Buffer.from(['<x:a> <x:list> _:c0 .', ...cells].join('\n'))])) {
      resources.push(resource)
    }
    expect(resources.map(({ uri, statements }) => [uri, statements.length])).toEqual([['x:a', 2 * list.length + 1]])
    return resources[0]!.statements
  }
  const inOrder = await namesOf(members)
  expect(await namesOf(members)).toEqual(inOrder)
  const [last, beforeLast, ...others] = members.toReversed()
  const exchanged = [...others.toReversed(), last!, beforeLast!]
  expect(await namesOf(exchanged)).not.toEqual(inOrder)
})
