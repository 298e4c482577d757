import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { until } from '../../src/base/clock.ts'

const left = () => new Error('left')
const never = () => new Promise<never>(() => undefined)

test('a promise that settles before the limit decides', async () => {
  const { signal } = new AbortController()
  for (const limit of [signal, 60_000, Infinity]) {
    expect(await until(limit, sleep(1, 'value'), left)).toBe('value')
    await expect(until(limit, Promise.reject(new Error('failed')), left)).rejects.toThrow('failed')
  }
})

test('the limit ends the waiting, not the promise', async () => {
  const leaving = new AbortController()
  const work = sleep(20, 'value')
  const waiting = [until(leaving.signal, work, left), until(5, work, left)]
  leaving.abort()
  for (const promise of waiting) await expect(promise).rejects.toThrow('left')
  await expect(until(leaving.signal, never(), left)).rejects.toThrow('left')
  expect(await work).toBe('value')
})
