import { describe, expect, test } from '@jest/globals'
import { isAbsoluteIri, isStrictIri, withoutDotSegments } from '../../../src/graph/sparql/grammar.ts'
import { quickest } from '../../quickest.ts'

describe('IRIs in the grammar of RFC 3987', () => {
  test.each([
    'http://example.org/a?b=c#d',
    'http://user:word@example.org:8080/%41',
    'http://[::1]:80/a',
    'http://[v1.a:b]/',
    'http://exämple.org/é😀',
    'http://example.org?q=\ue000',
    'http://example.org',
    'urn:isbn:123',
    'mailto:a@example.org',
    'file:///a/b',
    'a:/b//c',
    'http://example.org/a:',
  ])('%s is one', (iri) => expect(isAbsoluteIri(iri)).toBe(true))

  test.each([
    'example.org/a',
    'http://[b/c',
    'http://[zz]/',
    'http://[fe80::1%eth0]/x',
    'foo://[fe80::1%25eth0]/x',
    'http://a[1]/',
    'http://example.org/a[1]',
    'http://example.org/%4',
    'http://example.org:port/',
    'http://example.org/a#b#c',
    'http://example.org/a b',
    'http://example.org/\ue000',
    'http://[::1',
    'urn:a[b]',
    'x:%',
    'x:#a#b',
    'x://a@b@c',
    'x:',
    '',
    'a',
    '/a',
    '//example.org/',
    ':a',
    '1http://example.org/',
    'http//example.org/',
    `http://example.org/${'x'.repeat(9000)}`,
  ])('%s is none', (iri) => expect([isAbsoluteIri(iri), isStrictIri(iri)]).toEqual([false, false]))

  test('are told from others in a time that grows no faster than they do', () => {
    const timesOf = (repetitions: number) =>
      quickest(() => {
        for (const start of ['http://a/', 'http://a/?', 'http://a/#', 'http://', 'urn:'])
          for (const part of ['a', 'a@', '%41', '/', ':'])
            if (isStrictIri(`${start}${part.repeat(repetitions)}[`)) throw new Error(`${start}${part}`)
      })
    // Sixteen times the characters; the square would be 256.
    expect(timesOf(3200) / timesOf(200)).toBeLessThan(100)
  })
})

// RFC 3986, section 5.4, after the path of the base; a rootless path has no dot segments either.
test.each([
  ['http://a/b/c/./g', 'http://a/b/c/g'],
  ['http://a/b/c/..', 'http://a/b/'],
  ['http://a/b/c/../../../../g', 'http://a/g'],
  ['http://a/b/c/g.', 'http://a/b/c/g.'],
  ['http://a/b/c/..g', 'http://a/b/c/..g'],
  ['http://a/b/c/./../g', 'http://a/b/g'],
  ['http://a/b/c/g/./h', 'http://a/b/c/g/h'],
  ['http://a/b/c/g;x=1/../y', 'http://a/b/c/y'],
  ['http://a/b/c/g?y/./x', 'http://a/b/c/g?y/./x'],
  ['http://a/b/c/g#s/../x', 'http://a/b/c/g#s/../x'],
  ['file:a/../b', 'file:b'],
])('%s has the normal form %s', (iri, normal) => expect(withoutDotSegments(iri)).toBe(normal))
