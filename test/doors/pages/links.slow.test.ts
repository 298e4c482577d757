import { expect, test } from '@jest/globals'
import { putDemo, type RunningApp } from '../../app.ts'
import { LONG } from '../../long.ts'
import { shareApp } from '../../run-over.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { HTML, linksOf } from './html.ts'

describeOver(EMBEDDED, 'Links of pages', (store) => {
  let app: RunningApp
  shareApp(store, async (shared) => {
    app = shared
    await putDemo(app)
  })

  test('none leads nowhere', async () => {
    const seen = new Set<string>()
    const open = [`${app.url}/?lang=en`]
    const broken: string[] = []
    // Of each kind of page one will do, more of them with TEST_LONG=1.
    const most = LONG ? 6 : 1
    const kinds = new Map<string, number>()
    const isNew = (address: string) => {
      const kind = address.replace(/=[^&]*/g, '=').replace(/(\/voc\/)[^/?]+/, '$1')
      const count = kinds.get(kind) ?? 0
      if (seen.has(address) || count >= most) return false
      kinds.set(kind, count + 1)
      seen.add(address)
      return true
    }
    const follow = async (address: string) => {
      const answer = await app.get(address.slice(app.url.length), { ...HTML, redirect: 'manual' })
      if (answer.status === 303) {
        const { pathname, search } = new URL(answer.headers.get('location')!, address)
        open.push(app.url + pathname + search)
      } else if (answer.status !== 200) broken.push(`${answer.status} ${address}`)
      if (answer.headers.get('content-type')?.startsWith('text/html')) open.push(...linksOf(answer, address))
    }
    while (open.length > 0) await Promise.all(open.splice(0, 8).filter(isNew).map(follow))
    expect(broken).toEqual([])
    expect(seen.size).toBeGreaterThan(40)
  })
})
