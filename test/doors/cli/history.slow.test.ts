/** `vocab` and the history: dry runs, and loads that may not remove anything. */
import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { runCommand } from '../../command.ts'
import { temporaryFolder } from '../../folder.ts'
import { stored } from '../../writing/history/agreement.ts'
import { newDirectory, storeEnv } from '../../process.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const BRIDGES = 'http://example.org/bridges/'
const turtle = (...concepts: string[]) => `
  @prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix : <${BRIDGES}> .
  <${BRIDGES}> a skos:ConceptScheme ; skos:prefLabel "Bridges"@en . ${concepts.join(' ')}`
const ARCH = ':arch a skos:Concept ; skos:prefLabel "Arch"@en ; skos:exactMatch <http://example.org/x> .'
const BEAM = ':beam a skos:Concept ; skos:prefLabel "Beam"@en .'
const ROPE = ':rope a skos:Concept ; skos:prefLabel "Rope"@en ; skos:broader :arch .'
const LATER = `:arch a skos:Concept ; skos:prefLabel "Arch"@en ; owl:deprecated true . ${ROPE}`

describeOver(EMBEDDED, 'vocab and the history', (store) => {
  const { write } = temporaryFolder()
  let running: Awaited<ReturnType<typeof store.start>>
  let env: NodeJS.ProcessEnv
  let first: string
  let second: string

  beforeAll(async () => {
    running = await store.start()
    env = { DATA_DIR: await newDirectory(), ...storeEnv(running.endpoint) }
    first = await write('first.ttl', turtle(ARCH, BEAM))
    second = await write('second.ttl', turtle(LATER))
  }, 60_000)
  afterAll(async () => {
    await running.stop()
    await rm(env['DATA_DIR']!, { recursive: true })
  })

  const vocab = (args: string[], more: NodeJS.ProcessEnv = {}) => runCommand(args, { ...env, ...more })
  const inStore = () => stored(new SparqlClient({ endpoint: running.endpoint, timeoutMs: 60_000 }), BRIDGES)
  const load = (file: string, ...options: string[]) => vocab(['load', file, '--id', 'bridges', ...options])

  test('load --dry-run of a new vocabulary', async () => {
    const { stdout, stderr } = await load(first, '--dry-run', '--forbid-removal')
    expect([stderr, stdout]).toEqual([
      '',
      expect.stringContaining(
        `would load ${BRIDGES} as bridges: 2 concepts\n3 created, 0 changed, 0 deprecated, 0 gone\n`,
      ),
    ])
    expect((await vocab(['list', '--json'])).stdout).not.toContain(BRIDGES)
  })

  test('load --dry-run prints and gives all that a load does, with what the check finds', async () => {
    const text = `${turtle(ARCH, BEAM)} :cable a skos:Concept ; skos:prefLabel " Cable"@en ; skos:related "text", :gone .`
    const file = await write('odd.ttl', text.replaceAll('bridges/', 'odd/'))
    const odd = (...options: string[]) => vocab(['load', file, '--id', 'odd', ...options])
    const [dry, dryJson] = [await odd('--dry-run'), JSON.parse((await odd('--dry-run', '--json')).stdout) as object]
    const lines = (stdout: string) =>
      stdout.split('\n').slice(stdout.split('\n').findIndex((line) => / created, /.test(line)))
    for (const finding of [
      'related-link: skos:related has text',
      'label-space: ',
      'no-such-concept: ',
      'kept: 1 skos:related',
    ]) {
      expect(dry.stdout).toContain(finding)
    }
    expect((await odd('--dry-run', '--strict')).stderr).toMatch(/^error: related-link: /)
    const german = [await odd('--dry-run', '--lang', 'de'), await vocab(['check', file, '--lang', 'de'])]
    for (const { stdout } of german) {
      expect(stdout).toContain(`label-space: eine Bezeichnung beginnt`)
      expect(stdout).toContain(`(1-mal: <http://example.org/odd/cable>)`)
    }
    expect(german[0]!.stdout).toMatch(/^würde laden: \S+ als odd: 3 Begriffe\n\d neu, 0 geändert, /m)
    expect(german[0]!.stdout).toMatch(/^geändert: 1 x Sprache des Vokabulars aus den Bezeichnungen$/m)
    expect(german[0]!.stdout).toMatch(
      /^behalten: 1 skos:related zu Ressourcen, die keine Begriffe des Vokabulars sind$/m,
    )
    expect(german[1]!.stdout).toMatch(/^3 Begriffe geprüft$/m)
    expect((await odd('--dry-run', '--strict', '--lang', 'de')).stderr).toMatch(/"vocab check" nennt alle\.$/m)
    const done = await odd()
    expect(lines(dry.stdout)).toEqual(lines(done.stdout))
    await vocab(['remove', 'odd'])
    expect(JSON.parse((await odd('--json')).stdout)).toMatchObject(dryJson)
    expect(Object.keys(dryJson)).toEqual(
      expect.arrayContaining(['warnings', 'changes', 'dangling', 'subsets', 'concepts']),
    )
  })

  test('load --forbid-removal refuses to remove URIs, and changes nothing then', async () => {
    expect((await load(first, '--forbid-removal')).stderr).toBe('')
    const before = await inStore()
    expect([...before.keys()]).toContain(`${BRIDGES}beam`)
    const dry = await load(second, '--dry-run')
    expect(dry.stderr).toBe('')
    for (const line of [
      `would replace ${BRIDGES} as bridges: 2 concepts\n1 created, 1 changed, 1 deprecated, 1 gone\n`,
      'lost: 1 top concepts\n',
      'lost: 1 mappings\n',
      `warning: 1 URIs will vanish, which breaks links to them:\n  ${BRIDGES}beam\n`,
    ])
      expect(dry.stdout).toContain(line)
    const json = JSON.parse((await load(second, '--dry-run', '--json')).stdout) as object
    expect(json).toMatchObject({ created: 1, changed: 1, deprecated: 1, gone: 1, vanishing: [`${BRIDGES}beam`] })
    const refused = `error: --forbid-removal: 1 URIs of <${BRIDGES}> would vanish: ${BRIDGES}beam\n`
    expect((await load(second, '--dry-run', '--forbid-removal')).stderr).toBe(refused)
    expect((await load(second, '--forbid-removal')).stderr).toBe(refused)
    expect(await inStore()).toEqual(before)
    // Without a history of the service as well: the store has what would vanish.
    expect((await vocab(['load', second, '--forbid-removal'], { HISTORY: 'off' })).stderr).toBe(refused)
    expect(await inStore()).toEqual(before)
    expect((await load(await write('third.ttl', turtle(ARCH, BEAM, ROPE)), '--forbid-removal')).stderr).toBe('')
    expect((await load(second)).stderr).toBe('')
    expect([...(await inStore()).keys()]).not.toContain(`${BRIDGES}beam`)
  })
})
