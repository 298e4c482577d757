/** Whole vocabularies as files, which downloads get: lengths, ranges, revisions, and the disk. */
import { createHash } from 'node:crypto'
import { readdir, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Parser, Store, type Term } from 'n3'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { DCAT, DCT, SKOS, SPDX } from '../../../src/base/namespaces.ts'
import { outputOf } from '../../command.ts'
import { temporaryFolder } from '../../folder.ts'
import { newDirectory, startService, storeEnv, type ServiceProcess } from '../../process.ts'
import { describeOver, EMBEDDED, testOf } from '../../stores.ts'

const { write } = temporaryFolder()
const SMALL = 'http://example.org/small/'
const LARGE = 'http://example.org/large/'
/** More than a request waits for. */
const CONCEPTS = 7000

/** A vocabulary with three triples for each concept. */
function vocabulary(uri: string, notation: string, labels: readonly string[]): string {
  const concepts = labels.map(
    (label, at) => `<${uri}${at}> a skos:Concept ; skos:inScheme <${uri}> ; skos:prefLabel "${label}"@en .`,
  )
  return `@prefix skos: <${SKOS}> .\n<${uri}> a skos:ConceptScheme ; skos:notation "${notation}" .\n${concepts.join('\n')}`
}

const digest = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')

describeOver(EMBEDDED, 'downloads as files', (store) => {
  let running: Awaited<ReturnType<typeof store.start>> | undefined
  let env: NodeJS.ProcessEnv
  let service: ServiceProcess
  const start = async (settings: NodeJS.ProcessEnv = {}) => {
    await service?.stop()
    service = await startService({ ...env, ...settings })
  }
  const load = async (uri: string, notation: string, labels: readonly string[]) => {
    await outputOf(['load', await write(`${notation}.ttl`, vocabulary(uri, notation, labels))], env)
  }
  const get = async (id: string, format: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${service.url}/voc/${id}/export?format=${format}`, {
      headers: { 'accept-encoding': 'identity', ...headers },
    })
    return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
  }
  const files = async () => (await readdir(join(env['DATA_DIR']!, 'dumps'))).sort()
  /** Downloads until the file is there; the time limit of the test ends the waiting. */
  const fromFile = async (id: string, format: string) => {
    for (;;) {
      const answer = await get(id, format)
      expect(answer.status).toBe(200)
      if (answer.headers.has('accept-ranges')) return answer
      await sleep(100)
    }
  }

  /** What does not depend on the store. */
  const testHere = testOf(store)

  beforeAll(async () => {
    running = store.name === 'embedded' ? undefined : await store.start()
    env = {
      ...(running && { ...storeEnv(running.endpoint), SPARQL_EXCLUSIVE: 'true' }),
      DATA_DIR: await newDirectory(),
      DEMO: 'false',
      // The port changes with each start.
      BASE_URL: 'http://vocabularies.example/',
    }
    await start()
    await load(SMALL, 'small', ['One', 'Two'])
    await load(
      LARGE,
      'large',
      Array.from({ length: CONCEPTS }, (_, at) => `Concept ${at}`),
    )
  })
  afterAll(async () => {
    await service?.stop()
    await running?.stop()
  })

  const EVERY = ['turtle', 'ntriples', 'jsonld', 'rdfxml', 'ndjson', 'csv', 'xlsx']
  test.each(EVERY)('a small vocabulary as %s has its file at once', async (format) => {
    const { headers, bytes } = await get('small', format)
    expect(headers.get('accept-ranges')).toBe('bytes')
    expect(headers.get('content-length')).toBe(String(bytes.length))
    expect(headers.get('etag')).toMatch(/^"[0-9a-f]{40}"$/)
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename=small\./)
    if (format !== 'xlsx') expect(bytes.toString()).toContain('Two')
    const unchanged = await get('small', format, { 'if-none-match': headers.get('etag')! })
    expect([unchanged.status, unchanged.bytes.length]).toEqual([304, 0])
  })

  testHere('files of one concept are made for each request', async () => {
    const { headers, status } = await fetch(`${service.url}/voc/small/export?uri=${SMALL}1`)
    expect([status, headers.get('accept-ranges')]).toEqual([200, null])
  })

  testHere('a download that broke off goes on, in either encoding', async () => {
    const whole = await get('small', 'ntriples')
    const zipped = await get('small', 'ntriples', { 'accept-encoding': 'gzip' })
    expect([zipped.headers.get('content-encoding'), zipped.bytes]).toEqual(['gzip', whole.bytes])
    const ranges = { range: 'bytes=20-', 'if-range': whole.headers.get('etag')! }
    const rest = await get('small', 'ntriples', ranges)
    expect(rest.status).toBe(206)
    expect(rest.headers.get('content-range')).toBe(`bytes 20-${whole.bytes.length - 1}/${whole.bytes.length}`)
    expect(rest.bytes).toEqual(whole.bytes.subarray(20))
    // The ETag of another encoding, or of a former file, gets the whole; so does a weak one.
    const etag = whole.headers.get('etag')!
    for (const condition of [zipped.headers.get('etag')!, `W/${etag}`, `"other", ${etag}`, new Date().toUTCString()]) {
      const other = await get('small', 'ntriples', { ...ranges, 'if-range': condition })
      expect([condition, other.status, other.bytes]).toEqual([condition, 200, whole.bytes])
    }
    const beyond = await get('small', 'ntriples', { range: `bytes=${whole.bytes.length}-` })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${whole.bytes.length}`])
    expect(JSON.parse(beyond.bytes.toString())).toMatchObject({ error: 'RangeNotSatisfiableError', status: 416 })
  })

  testHere('the last bytes of a shorter file are the whole file', async () => {
    const whole = await get('small', 'ntriples')
    const size = whole.bytes.length
    const last = await get('small', 'ntriples', { range: `bytes=-${size + 1}` })
    expect([last.status, last.headers.get('content-range')]).toEqual([206, `bytes 0-${size - 1}/${size}`])
    expect(last.bytes).toEqual(whole.bytes)
  })

  testHere('If-Match with the ETag of another file is 412', async () => {
    const whole = await get('small', 'ntriples')
    const same = await get('small', 'ntriples', { 'if-match': whole.headers.get('etag')! })
    expect(same.status).toBe(200)
    const other = await get('small', 'ntriples', { 'if-match': '"other"', range: 'bytes=5-' })
    expect(other.status).toBe(412)
    expect(JSON.parse(other.bytes.toString())).toMatchObject({ error: 'PreconditionFailedError', status: 412 })
  })

  testHere('HEAD has the headers alone', async () => {
    const { bytes } = await get('small', 'turtle')
    const head = await fetch(`${service.url}/voc/small/export`, { method: 'HEAD', headers: { 'accept-encoding': '' } })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)])
  })

  test.each(['turtle', 'ntriples', 'ndjson'])(
    'a large vocabulary as %s is streamed until its file is there, which is the same',
    async (format) => {
      const streamed = await get('large', format)
      expect([streamed.status, streamed.headers.get('accept-ranges')]).toEqual([200, null])
      const { bytes } = await fromFile('large', format)
      const sorted = (text: Buffer) => text.toString().split('\n').sort().join('\n')
      // A store may give the statements of a graph in another order each time.
      expect(sorted(bytes)).toBe(sorted(streamed.bytes))
    },
  )

  testHere('a restart keeps the files that are whole', async () => {
    const before = await files()
    expect(before.filter((name) => name.endsWith('.gz'))).toHaveLength(EVERY.length + 3)
    await start()
    expect((await get('large', 'ndjson')).headers.get('accept-ranges')).toBe('bytes')
    expect(await files()).toEqual(before)
  })

  testHere('the files are gzip of each other', async () => {
    const { bytes } = await get('large', 'ndjson')
    const answer = await fetch(`${service.url}/voc/large/export?format=ndjson`, {
      headers: { 'accept-encoding': 'gzip', range: 'bytes=0-' },
    })
    expect([answer.status, answer.headers.get('content-encoding')]).toEqual([206, 'gzip'])
    expect(digest(Buffer.from(await answer.arrayBuffer()))).toBe(digest(bytes))
  })

  testHere('VoID and DCAT name size, date and checksum of the files that are there', async () => {
    const { bytes } = await get('small', 'ntriples')
    const text = await (await fetch(`${service.url}/.well-known/void`)).text()
    const quads = new Store(new Parser().parse(text))
    const address = `http://vocabularies.example/voc/small/export?format=ntriples`
    const [distribution] = quads.getSubjects(`${DCAT}downloadURL`, address, null)
    const value = (subject: Term | undefined, property: string) => quads.getObjects(subject!, property, null)[0]
    expect(value(distribution, `${DCAT}byteSize`)?.value).toBe(String(bytes.length))
    expect(Date.parse(value(distribution, `${DCT}modified`)!.value)).toBeLessThanOrEqual(Date.now())
    const checksum = value(distribution, `${SPDX}checksum`)
    expect(value(checksum, `${SPDX}checksumValue`)?.value).toBe(digest(bytes))
    // Nobody has asked for this one.
    const unasked = address.replace('small', 'large').replace('ntriples', 'csv')
    const [other] = quads.getSubjects(`${DCAT}downloadURL`, unasked, null)
    expect([other === undefined, value(other, `${DCAT}byteSize`)]).toEqual([false, undefined])
  })

  test('a new revision has a new file, and the former one goes', async () => {
    const before = await get('small', 'ntriples')
    await load(SMALL, 'small', ['One', 'Two', 'Three'])
    let after = await get('small', 'ntriples', { 'if-none-match': before.headers.get('etag')! })
    while (after.status === 304) {
      await sleep(100)
      after = await get('small', 'ntriples', { 'if-none-match': before.headers.get('etag')! })
    }
    expect([after.status, after.bytes.toString().includes('Three')]).toEqual([200, true])
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
    while ((await files()).filter((name) => /^small-\w+\.nt$/.test(name)).length > 1) await sleep(100)
  })

  testHere('what was left unfinished, or is shorter than it was, is not sent', async () => {
    const folder = join(env['DATA_DIR']!, 'dumps')
    await service.stop()
    const [cut] = (await files()).filter((name) => /^small-\w+\.nt$/.test(name))
    await truncate(join(folder, cut!), 10)
    await writeFile(join(folder, 'large-0.ttl'), 'unfinished')
    await start()
    expect((await files()).filter((name) => name === cut || name === 'large-0.ttl')).toEqual([])
    expect((await get('small', 'ntriples')).bytes.toString()).toContain('Three')
  })

  testHere('takes at most DUMPS_BYTES, and drops what was not used for the longest time', async () => {
    const sizes = async () => {
      const names = (await files()).filter((name) => !name.endsWith('.json'))
      const all = await Promise.all(names.map((name) => stat(join(env['DATA_DIR']!, 'dumps', name))))
      return all.reduce((sum, { size }) => sum + size, 0)
    }
    const most = (await fromFile('large', 'ntriples')).bytes.length * 3
    await start({ DUMPS_BYTES: String(most) })
    await fromFile('large', 'ntriples')
    await fromFile('large', 'turtle')
    await fromFile('small', 'turtle')
    await fromFile('large', 'ndjson')
    expect(await sizes()).toBeLessThanOrEqual(most)
    await start({ DUMPS_BYTES: '1000' })
    expect((await get('large', 'ndjson')).status).toBe(200)
    expect((await get('small', 'turtle')).status).toBe(200)
  })

  testHere('DUMPS=off streams everything and leaves no files', async () => {
    await start({ DUMPS: 'off' })
    const { status, headers } = await get('small', 'turtle')
    expect([status, headers.get('accept-ranges')]).toEqual([200, null])
    await expect(files()).rejects.toThrow('ENOENT')
  })
})
