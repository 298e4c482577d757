import { expect, test } from '@jest/globals'
import { SKOS } from '../../../src/base/namespaces.ts'
import { REPRESENTATIONS } from '../../../src/interface/representations/representations.ts'

const RECORDS = ['a', 'b'].map((name) => ({
  uri: `http://example.org/${name}`,
  type: [`${SKOS}Collection`],
  publisher: [{ prefLabel: { en: `Publisher of ${name}` } }],
  memberList: [{ uri: 'http://example.org/c' }, { uri: 'http://example.org/d' }],
}))

// Otherwise the ETag would change although nothing has changed.
test.each(REPRESENTATIONS.map((representation) => [representation.formats[0]!, representation] as const))(
  '%s: the same records give the same text, with different labels for different blank nodes',
  (_, representation) => {
    const write = () => {
      const body = representation.open()
      return body.write(RECORDS.slice(0, 1)) + body.write(RECORDS.slice(1)) + body.end()
    }
    const text = write()
    expect(write()).toBe(text)
    const labels = text.match(/(?<=_:|nodeID=")b[0-9a-f]+n\d+/g) ?? []
    expect([0, 6]).toContain(new Set(labels).size)
  },
)
