/** `vocab mappings` and `vocab concordances`, while the service runs. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { SKOS } from '../../../src/base/namespaces.ts'
import { runCommand } from '../../command.ts'
import { temporaryFolder } from '../../folder.ts'
import { newDirectory, startService, storeEnv, type ServiceProcess } from '../../process.ts'
import { describeOver, EMBEDDED, testOf } from '../../stores.ts'

const { write } = temporaryFolder()
const A = 'http://example.org/a/'
const B = 'http://example.org/b/'
const CONCORDANCE = { uri: 'http://example.org/concordance/ab', notation: ['ab'], prefLabel: { en: 'A to B' } }
const bundle = (uri: string) => ({ memberSet: [{ uri }] })
const RECORD = {
  uri: 'http://example.org/mapping/1',
  from: bundle(`${A}1`),
  to: bundle(`${B}1`),
  type: [`${SKOS}exactMatch`],
}
const SSSOM = `#curie_map:
#  a: ${A}
#  b: ${B}
subject_id\tpredicate_id\tobject_id\tmapping_justification
a:2\tskos:closeMatch\tb:2\tsemapv:ManualMappingCuration
a:3\tskos:closeMatch\tb:3\tsemapv:ManualMappingCuration
`
const CSV = `from,to,type\n${A}4,${B}4,broad\n`

describeOver(EMBEDDED, 'vocab mappings', (store) => {
  let service: ServiceProcess
  let env: NodeJS.ProcessEnv
  let running: Awaited<ReturnType<typeof store.start>> | undefined
  const vocab = (...args: string[]) => runCommand(args, env)
  const done = async (...args: string[]) => {
    const { code, stdout, stderr } = await vocab(...args)
    expect([args, code, stderr]).toEqual([args, 0, ''])
    return stdout
  }
  const total = async (query = '') => {
    const response = await fetch(`${service.url}/mappings?limit=1${query}`)
    await response.arrayBuffer()
    return Number(response.headers.get('x-total-count'))
  }

  beforeAll(async () => {
    if (store.name !== 'embedded') running = await store.start()
    env = { DATA_DIR: await newDirectory(), DEMO: 'false', ...(running ? storeEnv(running.endpoint) : {}) }
    service = await startService(env)
  })
  afterAll(async () => {
    await service?.stop()
    await running?.stop()
  })

  test('loads, lists and removes, and each change shows at once', async () => {
    const shown = async () => (await fetch(`${service.url}/concordances`)).json()
    expect(await done('concordances', 'list')).toBe('There are no concordances.\n')
    expect(await shown()).toEqual([])
    await done('concordances', 'load', await write('ab.json', JSON.stringify(CONCORDANCE)))
    expect(await shown()).toMatchObject([{ uri: CONCORDANCE.uri }])
    expect(await done('concordances', 'list')).toBe(`ab\t${CONCORDANCE.uri}\t0 mappings\n`)
    const files = [
      await write('records.ndjson', `${JSON.stringify(RECORD)}\n`),
      await write('set.sssom.tsv', SSSOM),
      await write('table.csv', CSV),
    ]
    await done('mappings', 'load', ...files, '--concordance', 'ab')
    expect(await total()).toBe(4)
    expect(await total(`&from=${A}2`)).toBe(1)
    expect(await total(`&from=${B}2&direction=backward&partOf=${CONCORDANCE.uri}`)).toBe(1)
    expect(await done('concordances', 'list')).toBe(`ab\t${CONCORDANCE.uri}\t4 mappings\n`)
    expect(JSON.parse(await done('concordances', 'list', '--json'))).toMatchObject([CONCORDANCE])

    const own = await write('own.csv', `from,to,type\n${A}5,${B}5,exact\n`)
    expect(await done('mappings', 'load', own)).toBe('loaded 1 mappings without a concordance.\n')
    expect(await total()).toBe(5)
    expect(await done('mappings', 'load', own)).toBe('loaded 1 mappings without a concordance, in place of 1.\n')
    expect(await total('&partOf=none')).toBe(1)
    expect(await done('mappings', 'list')).toContain('ab')
    await done('mappings', 'remove', RECORD.uri)
    expect(await total()).toBe(4)
    expect(await total(`&partOf=${CONCORDANCE.uri}&from=${A}2`)).toBe(1)
    expect(await done('concordances', 'list')).toBe(`ab\t${CONCORDANCE.uri}\t3 mappings\n`)
    await done('mappings', 'remove', '--all')
    expect(await total('&partOf=none')).toBe(0)
    await done('concordances', 'remove', 'ab')
    expect(await total()).toBe(0)
    expect(await done('concordances', 'list')).toBe('There are no concordances.\n')
  })

  testOf(store)('changes nothing if something is wrong, and says it in one line', async () => {
    await done('mappings', 'load', await write('own.csv', CSV))
    const wrong: [RegExp, ...string[]][] = [
      [
        /wrong\.csv, line 3: type: expected one of exactMatch/,
        'mappings',
        'load',
        await write('wrong.csv', `${CSV}${A}6,${B}6,same\n`),
      ],
      [/wrong\.json/, 'mappings', 'load', await write('wrong.json', '[{"to":')],
      [/huge\.csv.*line/, 'mappings', 'load', await write('huge.csv', `from,to,type\nA,${'b'.repeat(17 << 20)},exact`)],
      [/nowhere/, 'mappings', 'load', await write('more.csv', CSV), '--concordance', 'nowhere'],
      [/nowhere/, 'mappings', 'remove', 'nowhere'],
      [/nowhere/, 'concordances', 'remove', 'nowhere'],
    ]
    for (const [message, ...args] of wrong) {
      const { code, stderr } = await vocab(...args)
      expect([args, code, stderr]).toEqual([args, 1, expect.stringMatching(message)])
      expect(stderr.trimEnd()).not.toContain('\n')
    }
    const bad = await write('bad.csv', `${CSV}${A}6,${B}6,same\n${A}7,${B}7,like\n`)
    const { code, stderr } = await vocab('mappings', 'load', bad)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error: bad\.csv, line 3: type: .*\nerror: bad\.csv, line 4: type: .*\n$/)
    expect(await total()).toBe(1)
  })
})

describe('the commands', () => {
  test.each(['mappings', 'concordances'])('%s --help names the subcommands', async (name) => {
    const { code, stdout } = await runCommand([name, '--help'], { DATA_DIR: await newDirectory() })
    expect(code).toBe(0)
    for (const command of ['load', 'list', 'remove']) expect(stdout).toMatch(new RegExp(`^  ${command}\\b`, 'm'))
  })
})
