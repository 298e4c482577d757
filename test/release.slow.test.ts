/** `npm run release`: the commit and the tag of a release, in a clone. */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { newDirectory, ROOT } from './process.ts'

const isClone = existsSync(join(ROOT, '.git'))
const describeHere = isClone ? describe : describe.skip
const AUTHOR = { name: 'Ada', email: 'ada@example.org' }
const ENV = {
  ...process.env,
  GIT_AUTHOR_NAME: AUTHOR.name,
  GIT_AUTHOR_EMAIL: AUTHOR.email,
  GIT_COMMITTER_NAME: AUTHOR.name,
  GIT_COMMITTER_EMAIL: AUTHOR.email,
}
/** Files that name the version besides package.json and the lock file. */
const IMAGES = ['docker-compose.yml', 'deploy/kubernetes/vocabulary-service.yaml']
/** Later than every version that there will be, because a clone has the tags of the project. */
const VERSION = '99.1.0'

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const { version } = JSON.parse(read('package.json')) as { version: string }

test('all names of images have the version of the package', () => {
  for (const file of IMAGES) {
    const versions = Array.from(read(file).matchAll(/image: vocabulary-service\/\w+:(\S+)/g), ([, named]) => named)
    expect([file, ...new Set(versions)]).toEqual([file, version])
  }
})

test('the changelog begins with what is unreleased, or with the version; the newest release is the one to cite', () => {
  const headings = Array.from(read('CHANGELOG.md').matchAll(/^## \[([^\]]+)\](?: - (\S+))?$/gm))
  expect(headings[0]![1]).toBe(version.endsWith('-dev') ? 'Unreleased' : version)
  const [, released, date] = headings.find(([, name]) => name !== 'Unreleased')!
  const [, cited] = /^version: (\S+)$/m.exec(read('CITATION.cff'))!
  const [, day] = /^date-released: '(\S+)'$/m.exec(read('CITATION.cff'))!
  expect([cited, day]).toEqual([released, date])
})

describeHere(`A release${isClone ? '' : ', skipped: this is no clone'}`, () => {
  let clone: string
  let changelog: string
  const git = (...args: string[]) => execFileSync('git', args, { cwd: clone, env: ENV, encoding: 'utf8' }).trim()
  const release = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('bash', ['.ci/release', ...args], {
      cwd: clone,
      env: ENV,
      encoding: 'utf8',
    })
    return { status, stdout, stderr }
  }
  const commit = (message: string) => {
    git('add', '--all', '--force', '.ci/release', '.')
    git('commit', '--quiet', '--allow-empty', '--message', message)
  }

  beforeAll(async () => {
    clone = join(await newDirectory(), 'clone')
    changelog = join(clone, 'CHANGELOG.md')
    execFileSync('git', ['clone', '--quiet', ROOT, clone])
    // As it stands here, committed or not.
    for (const file of ['.ci/release', 'package.json', 'package-lock.json', 'CITATION.cff', 'CHANGELOG.md', ...IMAGES])
      cpSync(join(ROOT, file), join(clone, file))
    commit('as it is')
  })

  test('is refused with one line if something is missing', () => {
    expect(release()).toMatchObject({ status: 1, stderr: expect.stringMatching(/^expected a version, as in/) })
    expect(release('1.1')).toMatchObject({ status: 1, stderr: expect.stringMatching(/^expected a version, as in/) })
    expect(release('0.9.0')).toMatchObject({ status: 1, stderr: expect.stringMatching(/^expected a version after /) })
    expect(release(VERSION)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^CHANGELOG\.md: expected the heading/),
    })
    // As a release does it: what was unreleased is now the version.
    const heading = `## [${VERSION}] - 2027-01-31\n`
    writeFileSync(changelog, readFileSync(changelog, 'utf8').replace(/^(?:## \[Unreleased\]|(?=## \[))/m, heading))
    expect(release(VERSION)).toMatchObject({ status: 1, stderr: expect.stringMatching(/^expected a working tree/) })
    commit('the changelog')
    expect(release(VERSION)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^expected test\/data-folders\//),
    })
    expect(git('status', '--porcelain')).toBe('')
  })

  test('has its version everywhere, in one commit with its tag', () => {
    const folders = join(clone, 'test/data-folders')
    cpSync(join(folders, '1.0.0.tar.gz'), join(folders, `${VERSION}.tar.gz`))
    commit('the data folder')
    expect(release(VERSION)).toMatchObject({ status: 0, stdout: expect.stringMatching(/^v99\.1\.0 is tagged; /) })
    expect(git('log', '-1', '--format=%s', `v${VERSION}`)).toBe(`chore(release): ${VERSION}`)
    expect(git('status', '--porcelain')).toBe('')
    const named = ['package-lock.json', 'package.json', ...IMAGES]
    const changedBy = (commit: string) => git('show', '--format=', '--name-only', commit).split('\n').sort()
    expect(changedBy(`v${VERSION}^{commit}`)).toEqual(['CITATION.cff', ...named].sort())
    for (const file of [...named, 'CITATION.cff']) expect(git('show', `v${VERSION}:${file}`)).toContain(VERSION)
    expect(git('show', `v${VERSION}:CITATION.cff`)).toContain("date-released: '2027-01-31'")
    // The work that follows has a version of its own.
    expect(git('log', '-1', '--format=%s', 'HEAD')).toBe('chore(release): begin 99.2.0-dev')
    expect(git('rev-parse', 'HEAD^')).toBe(git('rev-parse', `v${VERSION}^{commit}`))
    expect(changedBy('HEAD')).toEqual(['CHANGELOG.md', ...named].sort())
    for (const file of named) expect(readFileSync(join(clone, file), 'utf8')).toContain('99.2.0-dev')
    expect(readFileSync(changelog, 'utf8')).toContain(`## [Unreleased]\n\n## [${VERSION}] - 2027-01-31\n`)
    expect(release(VERSION)).toMatchObject({ status: 1, stderr: expect.stringMatching(/^there is a tag/) })
  })

  test('comes after its candidates (Semantic Versioning, section 11)', () => {
    const versions = ['99.2.0-rc.2', '99.2.0-rc.10', '99.2.0', '99.2.0-rc.11']
    const headings = versions.map((version) => `## [${version}] - 2027-02-01\n\n`).join('')
    const before = readFileSync(changelog, 'utf8')
    writeFileSync(changelog, before.replace(`## [${VERSION}]`, `${headings}## [${VERSION}]`))
    const folders = join(clone, 'test/data-folders')
    for (const version of versions) cpSync(join(folders, '1.0.0.tar.gz'), join(folders, `${version}.tar.gz`))
    commit('the candidates')
    for (const version of versions.slice(0, 3)) {
      expect([version, release(version)]).toEqual([version, expect.objectContaining({ status: 0 })])
      const next = version.includes('rc') ? '99.2.0-dev' : '99.3.0-dev'
      expect(git('log', '-1', '--format=%s')).toBe(`chore(release): begin ${next}`)
    }
    expect(release('99.2.0-rc.11')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^expected a version after 99\.3\.0-dev\./),
    })
  })
})
