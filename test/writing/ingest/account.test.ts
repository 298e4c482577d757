import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { lockFile } from '../../../src/base/durable/file-lock.ts'
import { CRAFTS, MATERIALS, putDemo } from '../../app.ts'
import { outputOf, runCommand } from '../../command.ts'
import { storeEnv } from '../../process.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { concept, startIngest, type IngestService } from './service.ts'

const TWICE = JSON.stringify({ username: 'a', tokenHash: '0'.repeat(64), voc: 'x:y', emails: [] })

describeOver(EMBEDDED, 'vocab account', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let service: IngestService
  let file: string

  /** Runs a command as `npm run vocab -- account ...` does; gives what it prints. */
  const account = (...words: string[]) => outputOf(['account', ...words], environment())
  const environment = () => ({
    ...storeEnv(running.endpoint),
    DATA_DIR: service.dataDir,
    ACCOUNTS_FILE: file,
  })
  const add = async (username: string, ...words: string[]) =>
    JSON.parse(await account('add', '--username', username, '--voc', 'crafts', ...words, '--json'))

  beforeAll(async () => {
    running = await store.start()
    service = await startIngest(running.endpoint)
    file = service.config.accountsFile
    await putDemo(service)
  })
  beforeEach(() => rmSync(file, { force: true }))
  afterAll(async () => {
    await service.close()
    await running.stop()
  })

  test('add prints the token once; only its hash is kept, in a file for the owner alone', async () => {
    const { token, ...shown } = await add(
      'anna',
      '--email',
      'a@example.org',
      '--email',
      'b@example.org',
      '--limits',
      '5/minute',
    )
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(shown).toEqual({
      username: 'anna',
      voc: CRAFTS,
      role: 'proposer',
      emails: ['a@example.org', 'b@example.org'],
      limits: '5/minute',
      created: new Date().toISOString().slice(0, 10),
    })
    const kept = readFileSync(file, 'utf8')
    expect(kept).not.toContain(token)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const list = await account('list', '--json')
    expect(JSON.parse(list)).toEqual([shown])
    expect(await account('list')).toBe(`anna\t${CRAFTS}\ta@example.org,b@example.org\t5/minute\tproposer\t-\n`)
    expect(await account('add', '--username', 'bert', '--voc', MATERIALS)).toMatch(/token.*: [\w-]{43}\n$/)
  })

  test('an editor has a role and an address of its own, apart from those of all editors', async () => {
    const { token, ...shown } = await add(
      'eva',
      '--role',
      'editor',
      '--email',
      'a@b.c',
      '--reply-to',
      'eva@example.org',
    )
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(shown).toMatchObject({ role: 'editor', emails: ['a@b.c'], replyTo: 'eva@example.org' })
    expect(await account('list')).toBe(`eva\t${CRAFTS}\ta@b.c\t-\teditor\teva@example.org\n`)
    expect(JSON.parse(await account('list', '--json'))).toEqual([shown])
    // A new token leaves both as they are.
    expect(JSON.parse(await account('rotate', 'eva', '--json'))).toMatchObject(shown)
  })

  test('an account of an earlier version, without a role, is a proposer', async () => {
    await add('anna')
    const kept = JSON.parse(readFileSync(file, 'utf8')) as { accounts: { role?: string }[] }
    for (const stored of kept.accounts) delete stored.role
    writeFileSync(file, JSON.stringify(kept))
    expect(JSON.parse(await account('list', '--json'))).toMatchObject([{ username: 'anna', role: 'proposer' }])
    expect(await account('list')).toBe(`anna\t${CRAFTS}\t-\t-\tproposer\t-\n`)
  })

  test('a running service knows at once of accounts that are made, rotated and removed', async () => {
    const propose = async (token: string) => (await service.propose({ username: 'anna', token }, [concept()])).status
    expect(await propose('none yet')).toBe(401)
    const { token } = await add('anna')
    expect(await propose(token)).toBe(201)
    const { token: next } = JSON.parse(await account('rotate', 'anna', '--json'))
    expect(next).not.toBe(token)
    expect(await propose(token)).toBe(401)
    expect(await propose(next)).toBe(201)
    expect(await account('remove', 'anna')).toBe('anna is removed.\n')
    expect(await propose(next)).toBe(401)
    expect(JSON.parse(await account('list', '--json'))).toEqual([])
  })

  test.each([
    ['a username that exists', ['add', '--username', 'anna', '--voc', 'crafts'], 'there is an account anna already'],
    ['an unknown vocabulary', ['add', '--username', 'x', '--voc', 'none'], 'there is no vocabulary none'],
    ['a subset', ['add', '--username', 'x', '--voc', 'subset_crafts-school'], 'is a subset'],
    ['no vocabulary', ['add', '--username', 'x'], '--voc'],
    ['no username', ['add', '--voc', 'crafts'], '--username'],
    ['an empty username', ['add', '--username', '', '--voc', 'crafts'], 'expected 1 to 100 characters'],
    ['a username with a line break', ['add', '--username', 'a\nb', '--voc', 'crafts'], 'expected 1 to 100 characters'],
    ['an address that is none', ['add', '--username', 'x', '--voc', 'crafts', '--email', 'x'], 'one address'],
    ['a list of addresses', ['add', '--username', 'x', '--voc', 'crafts', '--email', 'a@b.c,d@e.f'], 'one address'],
    [
      'an address with a line break',
      ['add', '--username', 'x', '--voc', 'crafts', '--email', 'a@b.c\nBcc: d@e.f'],
      'one address',
    ],
    ['limits that are none', ['add', '--username', 'x', '--voc', 'crafts', '--limits', '5/second'], 'expected limits'],
    ['another role', ['add', '--username', 'x', '--voc', 'crafts', '--role', 'admin'], 'expected editor or proposer'],
    ['an empty role', ['add', '--username', 'x', '--voc', 'crafts', '--role', ''], 'expected editor or proposer'],
    ['no address to reply to', ['add', '--username', 'x', '--voc', 'crafts', '--reply-to', 'x'], 'one address'],
    ['remove of nobody', ['remove', 'nobody'], 'there is no account nobody'],
    ['rotate of nobody', ['rotate', 'nobody'], 'there is no account nobody'],
  ])('%s: an error, and nothing is changed', async (_, words, message) => {
    await add('anna')
    const before = readFileSync(file, 'utf8')
    await expect(account(...words)).rejects.toThrow(message)
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  test('a file that others can write is told of, once for each state, until the next command mends it', async () => {
    const { token } = await add('anna')
    const warnings = () => service.logged.filter((line) => line.includes('can be written by others'))
    chmodSync(file, 0o666)
    for (let at = 0; at < 2; at++) expect((await service.propose({ username: 'anna', token }, [{}])).status).toBe(422)
    expect(warnings()).toHaveLength(1)
    expect(warnings()[0]).toContain(file)
    await account('rotate', 'anna')
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('commands at the same time lose nothing', async () => {
    await Promise.all(Array.from({ length: 10 }, (_, at) => add(`account-${at}`)))
    expect(JSON.parse(await account('list', '--json'))).toHaveLength(10)
  })

  test('a command waits while another one changes the file', async () => {
    const { release } = await lockFile(`${file}.held`)
    const added = add('anna')
    await sleep(1000)
    await release()
    expect(await added).toMatchObject({ username: 'anna' })
  })

  test.each([
    ['no JSON', '{'],
    ['no accounts', '{}'],
    ['null', 'null'],
    ['a list', '[]'],
    ['accounts that are no list', '{"accounts":{"0":{"username":"a"}}}'],
    ['null for an account', '{"accounts":[null]}'],
    ['a list for an account', '{"accounts":[[]]}'],
    [
      'addresses that are none',
      `{"accounts":[{"username":"a","tokenHash":"${'0'.repeat(64)}","voc":"x:y","emails":null}]}`,
    ],
    [
      'a role that is none',
      `{"accounts":[{"username":"a","tokenHash":"${'0'.repeat(64)}","voc":"x:y","emails":[],"role":"admin"}]}`,
    ],
    [
      'an address to reply to that is none',
      `{"accounts":[{"username":"a","tokenHash":"${'0'.repeat(64)}","voc":"x:y","emails":[],"replyTo":""}]}`,
    ],
    ['an account twice', `{"accounts":[${TWICE},${TWICE}]}`],
    ['an account without a hash', '{"accounts":[{"username":"a","voc":"x:y","emails":[]}]}'],
    [
      'a hash with too many digits',
      `{"accounts":[{"username":"a","tokenHash":"${'0'.repeat(65)}","voc":"x:y","emails":[]}]}`,
    ],
    [
      'a list of addresses for one',
      `{"accounts":[{"username":"a","tokenHash":"${'0'.repeat(64)}","voc":"x:y","emails":["a@b,c@d"]}]}`,
    ],
  ])('a file of accounts that has been broken (%s) lets nobody in and is left alone', async (_, content) => {
    const { token } = await add('anna')
    writeFileSync(file, content)
    const { status, text } = await service.propose({ username: 'anna', token }, [concept()])
    expect(status).toBe(503)
    expect(text).not.toContain(file)
    expect(String((service.reported.pop() as { cause: Error }).cause.message)).toContain(file)
    await expect(add('bert')).rejects.toThrow(file)
    const list = await runCommand(['account', 'list'], environment())
    expect(list).toMatchObject({ code: 78, stderr: expect.stringMatching(/^error: ACCOUNTS_FILE: .+\n$/) })
    expect(readFileSync(file, 'utf8')).toBe(content)
    await expect(startIngest(running.endpoint, { ACCOUNTS_FILE: file })).rejects.toThrow(file)
  })
})
