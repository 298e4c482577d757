import { readdirSync } from 'node:fs'
import { Ajv } from 'ajv'
import { expect, test } from '@jest/globals'
import { fromRoot } from '../../../src/base/root.ts'
import { readShape } from '../../../src/graph/shapes/read.ts'

test.each(readdirSync(fromRoot('shapes')).filter((name) => name.endsWith('.schema.json')))(
  '%s is a JSON Schema',
  (name) => {
    const ajv = new Ajv()
    expect([ajv.validateSchema(readShape(name)), ajv.errors]).toEqual([true, null])
  },
)
