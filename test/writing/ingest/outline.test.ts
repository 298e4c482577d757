import { describe, expect, test } from '@jest/globals'
import { outlineOf } from '../../../src/writing/ingest/outline.ts'

/** The outline as JSON.parse has it. */
function parsed(text: string): ReturnType<typeof outlineOf> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const count = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? Object.values(value).reduce((sum: number, inner) => sum + count(inner), 1)
      : 1
  return { elements: Array.isArray(value) ? value.length : undefined, values: count(value) }
}

const TEXTS = [
  '[]',
  ' [ 1 , 2 ]\r\n\t',
  '[[],[[]],{"a":{}},[{"a":[1,"b"]}]]',
  '{"a":"\\u00fc\\n\\"","b":[null,true,false]}',
  '[0,-0,-1.5,10,1e9,1E-9,0.25e+10]',
  '""',
  '"[,]"',
  'null',
  '[""," ","\\\\","ä","\u2028"]',
]
const OTHERS = [
  '',
  ' ',
  '[',
  ']',
  '[1,]',
  '[,1]',
  '[1 2]',
  '{"a"}',
  '{"a":}',
  '{a:1}',
  '{"a":1,}',
  '[}',
  '{]',
  '[1}',
  '01',
  '-',
  '.5',
]
const MORE = [
  '1.',
  '1e',
  '+1',
  'nul',
  'nulll',
  'True',
  '"',
  '"\n"',
  '"\\x"',
  '"\\u12g4"',
  "'a'",
  '[1]]',
  '[1][2]',
  '\u00a0[]',
  '//',
  'NaN',
]

describe('outlineOf', () => {
  test.each([...TEXTS, ...OTHERS, ...MORE])('%j: as JSON.parse', (text) => {
    expect(outlineOf(text)).toEqual(parsed(text))
  })

  test('the texts of objects in the outermost array', () => {
    const values: unknown[] = []
    outlineOf('[{"a":"b","c":["d"],"e":{"f":"g"} , "h\\"" : "i\\n","a":1}, ["k","l"], "m", {"n":""}]', (...text) =>
      values.push(text),
    )
    outlineOf('{"a":{"b":"c"}}', (...text) => values.push(text))
    expect(values).toEqual([
      [1, '"a"', '"b"'],
      [1, '"h\\""', '"i\\n"'],
      [4, '"n"', '""'],
    ])
  })

  test('texts with a few characters changed: as JSON.parse', () => {
    const signs = '[]{}",:\\ \n01-+.eEtrufalsn'
    let seed = 14
    const random = (below: number) => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
      return Math.floor((seed / 2 ** 32) * below)
    }
    const different: string[] = []
    let json = 0
    for (let round = 0; round < 50_000; round++) {
      let text = TEXTS[round % TEXTS.length]!
      for (let changes = 1 + random(3); changes > 0; changes--) {
        const at = random(text.length + 1)
        text = text.slice(0, at) + (random(3) > 0 ? signs[random(signs.length)]! : '') + text.slice(at + random(2))
      }
      const expected = parsed(text)
      if (expected) json++
      const outline = outlineOf(text)
      // A name that is there twice counts twice, which JSON.parse does not tell.
      if (outline?.elements !== expected?.elements || (outline === undefined) !== (expected === undefined))
        different.push(text)
    }
    expect(different).toEqual([])
    expect(json).toBeGreaterThan(1000)
  })
})
