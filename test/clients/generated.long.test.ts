/**
 * Clients that generators make from /openapi.json of a running service: they read its answers by the types that they
 * have made.
 */
import { execFile } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { CRAFTS } from '../app.ts'
import { newDirectory, ROOT, startService, type ServiceProcess } from '../process.ts'
import { findTool } from '../tools.ts'
import { tried } from './tried.ts'

/** A concept and the vocabulary that it is in. */
const URIS = `${CRAFTS}bookbinding|${CRAFTS}`

let service: ServiceProcess
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.stop())

/** Runs a program to its end; gives all that it says. */
async function run(
  program: string,
  args: string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv },
): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(program, args, { ...options, maxBuffer: 1e8 })
  return stdout + stderr
}

const read = async (path: string): Promise<any> => (await fetch(service.url + path)).json()

/** The answers that the clients must have read, by the names that they give them. */
const answers = async () => ({
  data: await read(`/data?uri=${encodeURIComponent(URIS)}&properties=*`),
  search: await read('/search?search=buchb&properties=*'),
  suggest: await read('/suggest?search=buchb'),
  concepts: await read('/voc/crafts/concepts?limit=3'),
  voc: await read('/voc?subset=true&properties=*'),
  error: (await read('/data')).message,
})

/** Each record is read into an object and written from it again. */
const PYTHON = `
import json, sys
from client import Client
from client.api.concepts import get_concepts_of_vocabulary_by_id, get_data, search, suggest
from client.api.vocabularies import get_vocabularies
from client.models import ApiError, Concept, ConceptOrVocabulary, Labels, Vocabulary

client = Client(base_url=sys.argv[1])

def written(answer, kind):
    for one in answer:
        assert type(one) is kind and type(one.pref_label) is Labels and one.additional_properties == {}, one
    return [one.to_dict() for one in answer]

data = get_data.sync(client=client, uri=sys.argv[2], properties="*")
assert data[0].pref_label["en"] == "Bookbinding"
assert data[0].type_ == ["http://www.w3.org/2004/02/skos/core#Concept"]
error = get_data.sync(client=client)
assert type(error) is ApiError
print(json.dumps({
    "data": written(data, ConceptOrVocabulary),
    "search": written(search.sync(client=client, search="buchb", properties="*"), Concept),
    "suggest": suggest.sync(client=client, search="buchb"),
    "concepts": written(get_concepts_of_vocabulary_by_id.sync("crafts", client=client, limit=3), Concept),
    "voc": written(get_vocabularies.sync(client=client, subset="true", properties="*"), Vocabulary),
    "error": error.message,
}))
`

const generator = findTool('openapi-python-client')
const describePython = generator.skipped ? describe.skip : describe
describePython(`openapi-python-client${generator.skipped}`, () => {
  test('makes a client that reads the answers, and leaves nothing of the document out', async () => {
    const bin = dirname(generator.path!)
    const cwd = await newDirectory()
    // It formats what it has made by a program of the same folder.
    const env = { ...process.env, PATH: `${bin}${delimiter}${process.env['PATH']}` }
    const made = ['generate', '--url', `${service.url}/openapi.json`, '--meta', 'none', '--output-path', 'client']
    expect(await run(generator.path!, [...made, '--fail-on-warning'], { cwd, env })).toBe('Generating client\n')
    await writeFile(join(cwd, 'use.py'), PYTHON)
    const output = await run(join(bin, 'python'), ['use.py', service.url, URIS], { cwd, env })
    expect(JSON.parse(output)).toEqual(await answers())
  })
})

/** The types are not `any`: the compiler knows the fields of records. */
const TYPESCRIPT = `
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.js'

type Schemas = components['schemas']
const [, , baseUrl = '', uri = ''] = process.argv
const client = createClient<paths>({ baseUrl })

const { data, error } = await client.GET('/data', { params: { query: { uri, properties: '*' } } })
if (!data) throw new Error(error.message)
const labels: Schemas['Labels'] | undefined = data[0].prefLabel
const types: string[] = data[0].type
const broader: string | undefined = data[0].broader?.[0]?.uri
const languages: string[] | undefined = data[1].languages
if (labels?.en !== 'Bookbinding' || types.length !== 1 || !broader || !languages) throw new Error('fields are missing')
// @ts-expect-error: records have no such field
data[0].label

const search = await client.GET('/search', { params: { query: { search: 'buchb', properties: '*' } } })
const found: Schemas['Concept'][] = search.data ?? []
const suggest = await client.GET('/suggest', { params: { query: { search: 'buchb' } } })
const suggestions = suggest.data as Schemas['Suggestions']
const suggested: string[] = suggestions[1]
const concepts = await client.GET('/voc/{vocid}/concepts', {
  params: { path: { vocid: 'crafts' }, query: { limit: 3 } },
})
const voc = await client.GET('/voc', { params: { query: { subset: 'true', properties: '*' } } })
const vocabularies: Schemas['Vocabulary'][] = voc.data ?? []
const refused = await client.GET('/data')

const read = { data, search: found, suggest: [...suggestions], concepts: concepts.data, voc: vocabularies }
if (suggested.length !== suggestions[3].length) throw new Error('suggestions have other lengths')
console.log(JSON.stringify({ ...read, error: refused.error?.message }))
`

describe(tried('openapi-typescript'), () => {
  test('makes types by which a program reads the answers', async () => {
    const cwd = await newDirectory()
    await symlink(join(ROOT, 'node_modules'), join(cwd, 'node_modules'))
    await run(join(ROOT, 'node_modules/.bin/openapi-typescript'), [`${service.url}/openapi.json`, '-o', 'schema.ts'], {
      cwd,
    })
    await writeFile(join(cwd, 'package.json'), '{ "type": "module" }')
    await writeFile(join(cwd, 'use.ts'), TYPESCRIPT)
    const options = ['--strict', '--skipLibCheck', '--target', 'es2023', '--module', 'nodenext', '--types', 'node']
    await run(join(ROOT, 'node_modules/.bin/tsc'), [...options, 'use.ts'], { cwd })
    const output = await run(process.execPath, ['use.js', service.url, URIS], { cwd })
    expect(JSON.parse(output)).toEqual(await answers())
  })
})
