/** The languages of the pages. */
import { describe, expect, test } from '@jest/globals'
import { LANGUAGE_NAMES, PAGE_LANGUAGES, TEXTS } from '../../../src/doors/pages/texts.ts'
import type { RunningApp } from '../../app.ts'
import { runOver } from '../../run-over.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { startDemo } from '../demo/demo.ts'
import { expectPage, HTML } from './html.ts'

type Leaf = [path: string, text: string]

/** All texts with their paths; functions are called with their parameters' numbers. */
function leaves(value: unknown, path = ''): Leaf[] {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value === 'function') return [[path, (value as (...args: string[]) => string)('«1»', '«2»', '«3»')]]
  return Object.entries(value as object).flatMap(([name, part]) => leaves(part, `${path}/${name}`))
}

const ENGLISH = new Map(leaves(TEXTS.en))
/** Words that languages share. */
const MOST_SHARED = 45

describe.each(PAGE_LANGUAGES.filter((language) => language !== 'en'))('The texts in %s', (language) => {
  const texts = leaves(TEXTS[language])

  test('say what the English ones do, with the same values in them', () => {
    expect(texts.map(([path]) => path).sort()).toEqual([...ENGLISH.keys()].sort())
    const values = (text: string) => [...new Set(text.match(/«\d»/g))].sort()
    for (const [path, text] of texts) {
      expect([path, text.trim() === '']).toEqual([path, false])
      expect([path, values(text)]).toEqual([path, values(ENGLISH.get(path)!)])
    }
  })

  test('are translated', () => {
    const same = texts.filter(([path, text]) => text === ENGLISH.get(path))
    expect(same.length).toBeLessThan(MOST_SHARED)
    expect(same.filter(([, text]) => text.split(' ').length > 2)).toEqual([])
  })
})

describeOver(EMBEDDED, 'Pages in their languages', (store) => {
  let app: RunningApp
  runOver(store, async (endpoint) => (app = await startDemo(endpoint)))

  test.each(PAGE_LANGUAGES)('%s', async (language) => {
    for (const path of ['/', '/voc/crafts', '/find?query=buch', '/validate', '/about']) {
      const answer = await app.get(`${path}${path.includes('?') ? '&' : '?'}lang=${language}`, HTML)
      await expectPage(answer)
      expect(answer.headers.get('content-language')).toBe(language)
      expect(answer.text).toMatch(new RegExp(`<html[^>]* lang="${language}"`))
      for (const name of Object.values(LANGUAGE_NAMES)) expect(answer.text).toContain(`>${name}</a>`)
    }
    const preferred = await app.get('/', { headers: { ...HTML.headers, 'accept-language': `${language}-x-any` } })
    expect(preferred.headers.get('content-language')).toBe(language)
  })
})
