/** The settings as the documents show them. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { readConfig, refuseUnknownSettings } from '../src/config.ts'
import { documentedSettings, exampleSettings, SETTING_ROWS, SETTING_TYPES, VARIABLES } from './configuration.ts'
import { ROOT } from './process.ts'

test('docs/settings.md has the settings that the configuration reads, with their defaults, and no others', async () => {
  expect(await documentedSettings()).toEqual(SETTING_ROWS)
})

test('the types of the package have them, too', async () => {
  const types = await readFile(join(ROOT, 'src/package-types.d.ts'), 'utf8')
  const [, members] = /^export interface Settings \{\n(.*?)\n\}/ms.exec(types) ?? []
  expect(members).toBe(SETTING_TYPES)
})

test('a misspelt setting of createService is an error that names the right one', () => {
  for (const [name, message] of [
    ['DATADIR', 'DATADIR: expected the name of a setting; there is DATA_DIR'],
    ['max_limit', 'max_limit: expected the name of a setting; there is MAX_LIMIT'],
    ['UTTER_NONSENSE', /^UTTER_NONSENSE: expected the name of a setting$/],
  ] as const)
    expect(() => refuseUnknownSettings({ [name]: 'x' })).toThrow(message)
  expect(() => refuseUnknownSettings({ ...process.env, DATA_DIR: 'x', MAX_LIMIT: undefined })).not.toThrow()
  expect(() => refuseUnknownSettings({ PATH: 'elsewhere' })).toThrow(/^PATH: /)
})

test('.env.example has settings that the service accepts, besides those of docker-compose.yml', async () => {
  const settings = Object.entries(await exampleSettings())
  const compose = await readFile(join(ROOT, 'docker-compose.yml'), 'utf8')
  const ofCompose = settings.filter(([name]) => compose.includes(`\${${name}:`) && !VARIABLES.includes(name))
  expect(ofCompose.map(([name]) => name)).toContain('FUSEKI_HEAP')
  // A file of the container.
  const containerOnly = ['SITE_LOGO', 'SITE_DIR']
  const given = settings.filter((setting) => !ofCompose.includes(setting) && !containerOnly.includes(setting[0]))
  for (const [name, value] of given) {
    expect([name, VARIABLES.includes(name)]).toEqual([name, true])
    expect(() => readConfig({ SITE_CONTACT: 'a@example.org', [name]: value })).not.toThrow()
  }
})

test('an error names the setting, what is expected and the value, but no login', () => {
  for (const [name, value, message] of [
    ['PORT', '70000', 'PORT: expected a whole number from 0 to 65535, got "70000"'],
    ['HISTORY', 'yes', 'HISTORY: expected one of on, off, got "yes"'],
    ['REDIS_URL', 'http://user:secret@127.0.0.1', 'REDIS_URL: expected a URL (redis: or rediss://...)'],
    ['SITE_FEEDBACK', 'form', 'SITE_FEEDBACK: expected a mail address in SITE_CONTACT as well, got "form"'],
  ] as const)
    expect(() => readConfig({ [name]: value })).toThrow(message)
  expect(readConfig({ PORT: ' ', MAX_LIMIT: ' 5 ' })).toMatchObject({ port: 3000, maxLimit: 5 })
})
