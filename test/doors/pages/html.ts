/** Checks that hold for every page. */
import { expect } from '@jest/globals'
import { HtmlValidate } from 'html-validate'
import { PAGE_LANGUAGES } from '../../../src/doors/pages/texts.ts'
import type { Answer } from '../../app.ts'

export const HTML = { headers: { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' } }

const validator = new HtmlValidate({
  extends: ['html-validate:recommended'],
  rules: {
    // The renderer writes <br/>, which means the same.
    'void-style': 'off',
    // Rules of taste, not of HTML.
    'long-title': 'off',
    // HTML allows all ids without spaces; those of headings are GitHub's, so that links work in both places.
    'valid-id': ['error', { relaxed: true }],
    'no-trailing-whitespace': 'off',
    'no-implicit-button-type': 'error',
    // A list without markers is none to some screen readers unless it says so.
    'no-redundant-role': ['error', {}],
  },
})

/** Expects valid HTML in one of our languages that brings nothing along from elsewhere. */
export async function expectPage(answer: Answer, status = 200): Promise<void> {
  expect(answer.status).toBe(status)
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none';script-src 'self'")
  expect(answer.headers.get('vary')).toContain('Accept-Language')
  expect(PAGE_LANGUAGES).toContain(answer.headers.get('content-language'))
  expect(answer.text).not.toMatch(/<(script|link|img)[^>]+(src|href)="(https?:)?\/\/(?!localhost)/)
  expect(answer.text).not.toMatch(/\s(on\w+|style)="/)
  expect(await mistakesIn(answer.text)).toEqual([])
}

/** The mistakes in a text in HTML. */
export async function mistakesIn(text: string): Promise<string[]> {
  const report = await validator.validateString(text)
  return report.results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line, column }) => `${line}:${column} ${ruleId}: ${message}`),
  )
}

/** The links of a page, as absolute addresses on its own host. */
export function linksOf(answer: Answer, address: string): string[] {
  const links = [...answer.text.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, link]) => link!.replaceAll('&amp;', '&'))
  const base = new URL(address)
  return [...new Set(links)]
    .map((link) => new URL(link, base))
    .filter(({ origin }) => origin === base.origin)
    .map((url) => url.href.replace(/#.*$/, ''))
}
