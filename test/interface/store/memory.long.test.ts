/** Queries of the public that would take all memory: each gets its error, nobody else notices. */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { startService } from '../../process.ts'
import { LONG } from '../../long.ts'

/** The default takes longer to fill, so it is tested with TEST_LONG=1. */
const STORE_MEMORY_MB = LONG ? 1024 : 384
/** The default also has room for the rest of the service. */
const BOUND = Math.max(1024, STORE_MEMORY_MB) * 2 ** 20

const doubled = (times: number, shown: string) => {
  const steps = Array.from({ length: times }, (_, i) => `BIND(CONCAT(?x${i}, ?x${i}) AS ?x${i + 1})`)
  return `SELECT ${shown} { BIND("aaaaaaaaaaaaaaaa" AS ?x0) ${steps.join(' ')} }`
}
const PRODUCT = '{ ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }'

/** Work that grows slowly may come to its deadline first. */
const ATTACKS: [what: string, query: string, ends: number[]][] = [
  ['doubles a text 27 times', doubled(27, '*'), [502]],
  ['doubles a text until its answer is too large', doubled(23, '?x23'), [502]],
  ['sorts a cross product', `SELECT * ${PRODUCT} ORDER BY ?c ?f ?i`, [502, 504]],
  ['makes a graph of a cross product', `CONSTRUCT { ?a ?e ?i } ${PRODUCT}`, [502, 504]],
]

/** The most memory that a process has ever had, in bytes; Linux alone tells. */
function peakOf(pid: number): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024
}

const testOnLinux = process.platform === 'linux' ? test : test.skip

testOnLinux(
  'no query of /sparql takes more than the memory of the store',
  async () => {
    const service = await startService({ SPARQL_TIMEOUT_MS: '30000', STORE_MEMORY_MB: String(STORE_MEMORY_MB) })
    const ask = (query: string) =>
      fetch(`${service.url}/sparql`, { method: 'POST', body: new URLSearchParams({ query }) })
    const read = () => fetch(`${service.url}/data?notation=B1`)
    for (const [what, attack, ends] of LONG ? ATTACKS : ATTACKS.slice(0, 3)) {
      let isAttacked = true
      const attacked = ask(attack).finally(() => (isAttacked = false))
      const readings: number[] = []
      do {
        readings.push((await read()).status)
        // One after the other without a pause would take the processor from the attack.
        await sleep(50)
      } while (isAttacked)
      expect({ what, reading: [...new Set(readings)] }).toEqual({ what, reading: [200] })
      expect(ends).toContain((await attacked).status)
      expect({ what, next: (await ask('ASK {}')).status }).toEqual({ what, next: 200 })
      expect(peakOf(service.pid)).toBeLessThan(BOUND)
    }
    expect(await service.stop()).toBe(0)
  },
  240_000,
)
