/**
 * The JSON Schemas of the Reconciliation Service API. They are not part of the project: they are beside TEST_DATA_DIR.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect } from '@jest/globals'
import { Ajv, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import { TEST_DATA } from '../../data.ts'

export type Version = '0.2' | '1.0-draft'
export const VERSIONS: readonly Version[] = ['0.2', '1.0-draft']

const directory = resolve(TEST_DATA, '../reference/reconciliation')

/** Why answers cannot be compared with the schemas here; undefined if they can. */
export const SKIP = existsSync(directory) ? undefined : 'there are no schemas of reconciliation beside TEST_DATA_DIR'

const validators = new Map<Version, Ajv>()

function validator(version: Version): Ajv {
  let ajv = validators.get(version)
  if (ajv) return ajv
  ajv = new Ajv({ strict: false })
  formats.default(ajv)
  // The manifest of 0.2 refers to it; its references to other drafts of JSON Schema cannot be read by Ajv.
  ajv.addSchema(
    { definitions: { securityDefinitions: { additionalProperties: {} } } },
    'http://swagger.io/v2/schema.json',
  )
  const folder = resolve(directory, version, 'schemas')
  for (const file of readdirSync(folder)) {
    if (file === 'openapi.json') continue
    const { $schema, ...schema } = JSON.parse(readFileSync(resolve(folder, file), 'utf8')) as Record<string, unknown>
    void $schema
    ajv.addSchema(schema, `${version}/${file}`)
  }
  validators.set(version, ajv)
  return ajv
}

/** Expects that a value is as a schema of a version says, if the schemas are here. */
export function expectValid(version: Version, schema: string, value: unknown): void {
  if (SKIP) return
  const validate = validator(version).getSchema(`${version}/${schema}.json`) as ValidateFunction
  expect([validate(value), validate.errors ?? []]).toEqual([true, []])
}

/** The examples of a version, valid or not, by their paths. */
export function examples(
  version: Version,
  schema: string,
  kind: 'valid' | 'invalid',
): [name: string, value: unknown][] {
  const folder = resolve(directory, version, 'examples', schema, kind)
  if (SKIP || !existsSync(folder)) return []
  return readdirSync(folder).map((file) => [file, JSON.parse(readFileSync(resolve(folder, file), 'utf8')) as unknown])
}
