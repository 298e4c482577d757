/** Counting requests: whose they are, and what the answers say about it. */
import { describe, expect, jest, test } from '@jest/globals'
import express from 'express'
import supertest from 'supertest'
import type { RateLimit } from '../../../src/settings.ts'
import { errorHandler } from '../../../src/interface/http/errors.ts'
import { originForm } from '../../../src/interface/http/addresses.ts'
import {
  addressKey,
  countRequest,
  createLimiter,
  type LimiterOptions,
} from '../../../src/interface/http/rate-limits.ts'

const HOUR = 3_600_000

/** An application that counts each request by its address, and answers with the key. */
function counting(limits: RateLimit[], options: Partial<LimiterOptions> = {}) {
  const limiters = limits.map((limit) =>
    createLimiter(limit, { name: `test:${limit.window}:`, subject: 'requests', ...options }),
  )
  const app = express().set('trust proxy', 'loopback').use(originForm)
  app.get('/', async (request, response) => {
    for (const limiter of limiters) await countRequest(limiter, request, response, addressKey(request))
    response.json(addressKey(request))
  })
  app.use(errorHandler(() => undefined))
  return supertest(app)
}

describe('the address of a client', () => {
  const requests = counting([{ count: 1_000_000, window: 'hour' }])
  const keyOf = async (address: string) => (await requests.get('/').set('X-Forwarded-For', address).expect(200)).body

  test.each([
    ['192.0.2.1', ['192.0.2.1:4711', '192.0.2.1:4712', '192.0.2.1']],
    // A client can use all addresses of its network.
    ['2001:db8::/56', ['[2001:db8::1]:4711', '[2001:db8::1]', '2001:db8::2', '[2001:db8::3]:1', '2001:db8:0:ff::1']],
    ['2001:db8:0:100::/56', ['2001:db8:0:100::1', '[2001:db8:0:1ff::1]:80']],
  ])('is %s, with or without a port that a proxy writes after it', async (key, addresses) => {
    for (const address of addresses) expect([address, await keyOf(address)]).toEqual([address, key])
  })

  test('counts by itself', async () => {
    const addresses = ['192.0.2.7', '192.0.2.8', '2001:db8:7::1', '2001:db8:8::1']
    expect(new Set(await Promise.all(addresses.map(keyOf))).size).toBe(addresses.length)
  })
})

describe('a limit', () => {
  const requests = counting([
    { count: 3, window: 'minute' },
    { count: 2, window: 'hour' },
  ])

  test('refuses what is beyond it, says why and when to come again, and counts each client by itself', async () => {
    for (let at = 0; at < 2; at++) await requests.get('/').expect(200)
    const { status, body, headers } = await requests.get('/')
    const seconds = Number(headers['retry-after'])
    expect(seconds).toBeGreaterThan(3590)
    expect(seconds).toBeLessThanOrEqual(3600)
    const message = `Too many requests: at most 2 an hour. Try again in ${seconds} s.`
    expect([status, body]).toEqual([429, { error: 'TooManyRequestsError', status: 429, message }])
    expect(headers['ratelimit']).toBeUndefined()
    await requests.get('/').set('X-Forwarded-For', '192.0.2.1').expect(200)
  })
})

describe('a limit of this process', () => {
  const requests = counting([{ count: 1, window: 'minute' }])

  test('holds whatever an operator does to the clock', async () => {
    await requests.get('/').expect(200)
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + HOUR)
    const { status } = await requests.get('/')
    clock.mockRestore()
    expect(status).toBe(429)
  })
})

describe('a limit with a name', () => {
  const requests = counting([{ count: 3, window: 'minute' }], { policy: 'address-minute' })

  test('is in the headers of each answer (draft 8 of "RateLimit header fields for HTTP")', async () => {
    await requests
      .get('/')
      .expect(200)
      .expect('RateLimit', '"address-minute"; r=2; t=60')
      .expect('RateLimit-Policy', /^"address-minute"; q=3; w=60; pk=/)
  })
})
