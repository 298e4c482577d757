import { EventEmitter, getEventListeners } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import type { Response } from 'express'
import { until } from '../../../src/base/clock.ts'
import { untilAnswered } from '../../../src/interface/http/send.ts'
import { IndexThread } from '../../../src/interface/search/index-thread.ts'
import { temporaryFolder } from '../../folder.ts'

const folder = temporaryFolder()

test('an answer may wait for many things at once without a warning, and leaves no listeners', async () => {
  const warnings: Error[] = []
  const note = (warning: Error) => void warnings.push(warning)
  process.on('warning', note)
  const response = new EventEmitter() as unknown as Response
  const { signal, clear } = untilAnswered(response, { sparqlTimeoutMs: 60_000 })
  await Promise.all(Array.from({ length: 20 }, () => until(signal, turn(), () => new Error('late'))))
  await turn()
  expect(getEventListeners(signal, 'abort')).toEqual([])
  expect(warnings).toEqual([])
  process.off('warning', note)
  clear()
})

test('an answered call of a thread leaves no listener with its caller', async () => {
  const endpoint = {
    queryUrl: 'http://127.0.0.1:9/',
    updateUrl: 'http://127.0.0.1:9/',
    graphStoreUrl: 'http://127.0.0.1:9/',
  }
  const options = { file: folder.path('index.sqlite'), endpoint, timeoutMs: 1000, cacheBytes: 1 << 20, language: 'en' }
  const thread = new IndexThread(options)
  await thread.opened
  const { signal } = new AbortController()
  expect(await thread.call('state', [], Infinity, signal)).toMatchObject({ graphs: [] })
  expect(getEventListeners(signal, 'abort')).toEqual([])
  await thread.close()
})
