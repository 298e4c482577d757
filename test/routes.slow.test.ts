import { execFileSync } from 'node:child_process'
import { cp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { CRAFTS } from './app.ts'
import { newDirectory, ROOT, startService, type ServiceProcess } from './process.ts'

/** A new list, of related concepts: a template and a line of the table. */
const LINE = `  { path: '/related', template: 'related', parameters: ['requiredUri'] },`
const toRelated = (narrower: string) =>
  narrower
    .replace(/^#\+ summary: .*$/m, '#+ summary: The related concepts')
    .replace('?uri skos:narrower ?c', '?uri skos:related ?c')

let copy: string
let service: ServiceProcess | undefined

beforeAll(async () => {
  copy = await newDirectory()
  for (const name of ['src', 'queries', 'shapes', 'docs', 'package.json', 'build.mjs']) {
    await cp(join(ROOT, name), join(copy, name), { recursive: true })
  }
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  const narrower = await readFile(join(copy, 'queries/narrower.rq'), 'utf8')
  await writeFile(join(copy, 'queries/related.rq'), toRelated(narrower))
  const table = join(copy, 'src/routes.ts')
  const line = /^.*path: '\/broader'.*$/m
  await writeFile(table, (await readFile(table, 'utf8')).replace(line, `$&\n${LINE}`))
  execFileSync(process.execPath, ['build.mjs'], { cwd: copy })
  service = await startService({}, copy)
}, 60_000)
afterAll(async () => {
  await service?.stop()
  await rm(copy, { recursive: true, force: true })
})

const ask = (path: string) => fetch(service!.url + path)
const read = async (path: string): Promise<any> => (await ask(path)).json()

test('a template and a line of the table make an endpoint', async () => {
  const bookbinding = `uri=${CRAFTS}bookbinding`
  const answer = await ask(`/related?${bookbinding}&limit=2&properties=notation`)
  expect(answer.headers.get('x-total-count')).toBe('4')
  const body = (await answer.json()) as { uri: string }[]
  expect(body.map(({ uri }) => uri)).toEqual([`${CRAFTS}papermaking`, `${CRAFTS}decorated-paper`])
  expect(await read(`/related?${bookbinding}&voc=materials`)).toEqual([])
  expect(await read('/related')).toMatchObject({ status: 400, message: expect.stringMatching(/^uri: /) })
  expect((await ask(`/related?${bookbinding}&offset=x`)).status).toBe(400)
})

test('and the OpenAPI document describes it', async () => {
  const { paths } = await read('/openapi.json')
  expect(paths['/related'].get).toMatchObject({ operationId: 'getRelated', summary: 'The related concepts' })
  expect(paths['/related'].get.parameters).toEqual(paths['/narrower'].get.parameters)
  expect(paths['/related'].get.responses).toEqual(paths['/narrower'].get.responses)
})
