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
const FILES = ['CITATION.cff', 'docker-compose.yml', 'deploy/kubernetes/vocabulary-service.yaml']
const VERSION = '1.1.0'

test('all files name the version of the package', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  for (const file of FILES) {
    const named = readFileSync(join(ROOT, file), 'utf8').matchAll(
      /(?:^version: |image: vocabulary-service\/\w+:)(\S+)/gm,
    )
    const versions = new Set(Array.from(named, ([, version]) => version))
    expect([file, ...versions]).toEqual([file, version])
  }
})

describeHere(`A release${isClone ? '' : ', skipped: this is no clone'}`, () => {
  let clone: string
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
    execFileSync('git', ['clone', '--quiet', ROOT, clone])
    // As it stands here, committed or not.
    for (const file of ['.ci/release', 'package.json', 'package-lock.json', ...FILES])
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
    const changelog = readFileSync(join(clone, 'CHANGELOG.md'), 'utf8')
    writeFileSync(
      join(clone, 'CHANGELOG.md'),
      changelog.replace('## [1.0.0]', `## [${VERSION}] - 2027-01-31\n\n## [1.0.0]`),
    )
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
    expect(release(VERSION)).toMatchObject({ status: 0, stdout: expect.stringMatching(/^v1\.1\.0 is tagged; /) })
    expect(git('log', '-1', '--format=%s %D')).toContain(`Version ${VERSION} `)
    expect(git('describe')).toBe(`v${VERSION}`)
    expect(git('status', '--porcelain')).toBe('')
    const changed = git('show', '--format=', '--name-only', 'HEAD').split('\n').sort()
    expect(changed).toEqual([...FILES, 'package-lock.json', 'package.json'].sort())
    for (const file of FILES) expect(readFileSync(join(clone, file), 'utf8')).toContain(VERSION)
    expect(readFileSync(join(clone, 'CITATION.cff'), 'utf8')).toContain("date-released: '2027-01-31'")
    expect(release(VERSION)).toMatchObject({ status: 1, stderr: expect.stringMatching(/^there is a tag/) })
  })

  test('comes after its candidates (Semantic Versioning, section 11)', () => {
    const versions = ['1.2.0-rc.2', '1.2.0-rc.10', '1.2.0', '1.2.0-rc.11']
    const changelog = readFileSync(join(clone, 'CHANGELOG.md'), 'utf8')
    const headings = versions.map((version) => `## [${version}] - 2027-02-01\n\n`).join('')
    writeFileSync(join(clone, 'CHANGELOG.md'), changelog.replace(`## [${VERSION}]`, `${headings}## [${VERSION}]`))
    const folders = join(clone, 'test/data-folders')
    for (const version of versions) cpSync(join(folders, '1.0.0.tar.gz'), join(folders, `${version}.tar.gz`))
    commit('the candidates')
    for (const version of versions.slice(0, 3)) {
      expect([version, release(version)]).toEqual([version, expect.objectContaining({ status: 0 })])
    }
    expect(release('1.2.0-rc.11')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^expected a version after 1\.2\.0\./),
    })
  })
})
