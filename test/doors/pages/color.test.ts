import { describe, expect, test } from '@jest/globals'
import { accentStyle, contrast } from '../../../src/doors/pages/assets.ts'

describe('The colour of the operator', () => {
  test.each(['#1f5673', '#ffffff', '#000000', '#ffee00', '#ff0000', '#7f7f7f', '#0000ff'])(
    '%s becomes one that can be read on both papers',
    (color) => {
      const [light, dark] = [...accentStyle(color).matchAll(/#[0-9a-f]{6}/g)].map(([hex]) => hex)
      expect(contrast(light!, '#fdfcfa')).toBeGreaterThan(4.5)
      expect(contrast(light!, '#f5f2ec')).toBeGreaterThan(4.5)
      expect(contrast(dark!, '#17181a')).toBeGreaterThan(4.5)
      expect(contrast(dark!, '#202225')).toBeGreaterThan(4.5)
    },
  )

  test('stays as it is if it can be read', () => {
    expect(accentStyle('#1f5673')).toContain('--accent-light:#1f5673;')
  })
})
