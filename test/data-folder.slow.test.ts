/** The data folder has a version: an earlier one is taken over, a later one is refused unchanged. */
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { softwareVersion } from '../src/base/root.ts'
import { GRAPH_FORMAT, SKOS } from '../src/base/namespaces.ts'
import { SparqlClient } from '../src/graph/sparql/client.ts'
import { runCommand } from './command.ts'
import { newDirectory, runToEnd, startService, storeEnv } from './process.ts'
import { storeOf } from './stores.ts'

/** Each has the folder of a release: a vocabulary loaded twice, an account, a proposal, and the mail about it. */
const KEPT = join(import.meta.dirname, 'data-folders')
/** The token of the account in each of them. */
const TOKEN = 'MMDDekUaQTUoR71412RJLsHiY80dsNmXb6IxOw8eaqA'
const RIVERS = 'http://example.org/vocabulary/rivers/'
const LATER = '{"format":2,"version":"9.1.0"}\n'
const current = { format: 1, version: softwareVersion(), store: 'embedded' }
const noted = async (folder: string) => JSON.parse(await readFile(join(folder, 'version.json'), 'utf8')) as unknown

describe('the data folder', () => {
  test('is taken over without a note and with that of an earlier version', async () => {
    const folder = await newDirectory()
    const { code } = await runCommand(['mappings', 'remove', '--all'], { DATA_DIR: folder })
    expect(code).toBe(0)
    expect(await noted(folder)).toEqual(current)
    for (const before of [undefined, '{"format":1,"version":"1.0.0-rc.1"}']) {
      if (before !== undefined) await writeFile(join(folder, 'version.json'), before)
      const service = await startService({ DATA_DIR: folder, DEMO: 'false' })
      expect(await service.stop()).toBe(0)
      expect(await noted(folder)).toEqual(current)
    }
  })

  test.each([
    [
      'a later version',
      LATER,
      /^DATA_DIR: version 9\.1\.0 has converted .* to format 2; .* Nothing was changed\.\n$/,
      /version 9\.1\.0/,
    ],
    [
      'something else',
      'no version',
      /^DATA_DIR: .*version\.json: expected \{"format":1,"version":"1\.0\.0"\}/,
      /version\.json/,
    ],
  ])('is refused with one line if %s has written it', async (_who, note, message, ofCommand) => {
    const folder = await newDirectory()
    await writeFile(join(folder, 'version.json'), note)
    const service = await runToEnd('dist/main.js', [], { DATA_DIR: folder, PORT: '0' })
    expect([service.code, service.stderr]).toEqual([78, expect.stringMatching(message)])
    const command = await runCommand(['list'], { DATA_DIR: folder })
    expect(command.code).not.toBe(0)
    expect(command.stderr).toMatch(ofCommand)
    expect(await readdir(folder)).toEqual(['version.json'])
    expect(await readFile(join(folder, 'version.json'), 'utf8')).toBe(note)
  })

  test.each(readdirSync(KEPT))('of a release is taken over with all that it has: %s', async (archive) => {
    const folder = await newDirectory()
    execFileSync('tar', ['-xzf', join(KEPT, archive), '-C', folder])
    const service = await startService({ DATA_DIR: folder })
    // A release has another search index, which the service reads anew: 503 until then.
    const get = async (path: string): Promise<unknown> => {
      const response = await fetch(service.url + path)
      if (response.status !== 503) return response.json()
      await sleep(100)
      return get(path)
    }
    expect(await get(`/data?uri=${RIVERS}brook`)).toMatchObject([{ altLabel: { en: ['beck'] } }])
    expect(await get('/search?search=weir')).toMatchObject([{ prefLabel: { de: 'Wehr', en: 'weir' } }])
    const changed = (await get('/voc/rivers/changes')) as object[]
    expect(changed).toEqual(
      expect.arrayContaining([expect.objectContaining({ prefLabel: { de: 'Wehr', en: 'weir' } })]),
    )
    expect(service.log).toContainEqual(expect.objectContaining({ waiting: 1 }))
    const data = JSON.stringify([{ inScheme: [{ uri: RIVERS }], prefLabel: { de: 'Schleuse', en: 'lock' } }])
    const body = JSON.stringify([{ username: 'ada', token: TOKEN, data }])
    const { status } = await fetch(`${service.url}/ingest`, { method: 'POST', body })
    expect(status).toBe(201)
    expect(await service.stop()).toBe(0)
    expect(await noted(folder)).toEqual(current)
  })
})

const fuseki = storeOf('fuseki')
const describeFuseki = fuseki.skip ? describe.skip : describe

describeFuseki(`the graphs of a store${fuseki.skip ? `, skipped: ${fuseki.skip}` : ''}`, () => {
  test('have a format, and are refused with one line if a later version has written them', async () => {
    const running = await fuseki.start()
    try {
      const client = new SparqlClient({ endpoint: running.endpoint, timeoutMs: 60_000 })
      const env = { DATA_DIR: await newDirectory(), ...storeEnv(running.endpoint) }
      const file = join(env.DATA_DIR, 'rivers.ttl')
      const type = '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>'
      await writeFile(file, `<${RIVERS}> ${type} <${SKOS}ConceptScheme> .\n<${RIVERS}a> ${type} <${SKOS}Concept> .\n`)
      expect(await runCommand(['load', file, '--id', 'rivers'], env)).toMatchObject({ code: 0 })
      const formats = () => client.select(`SELECT ?s ?f WHERE { ?s <${GRAPH_FORMAT}> ?f }`)
      expect((await formats()).map(({ s, f }) => [s!.value, f!.value])).toEqual([[RIVERS, '1']])

      const later = `DELETE DATA { GRAPH <${RIVERS}> { <${RIVERS}> <${GRAPH_FORMAT}> "1" } } ;
        INSERT DATA { GRAPH <${RIVERS}> { <${RIVERS}> <${GRAPH_FORMAT}> "2" } }`
      await client.update(later, RIVERS)
      const line = /SPARQL_QUERY_URL: a later version has written <.*rivers\/> in format 2; .* Nothing was changed\.\n$/
      for (const [program, args] of [
        ['dist/main.js', []],
        ['dist/cli/main.js', ['remove', 'rivers']],
      ] as const) {
        const { code, stderr } = await runToEnd(program, [...args], { ...env, PORT: '0' })
        expect([program, code, stderr]).toEqual([program, 78, expect.stringMatching(line)])
      }
      expect((await formats()).map(({ s, f }) => [s!.value, f!.value])).toEqual([[RIVERS, '2']])
    } finally {
      await running.stop()
    }
  })
})
