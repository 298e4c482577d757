/** The parts of the application that every request or every error passes, without endpoints and store. */
import { afterEach, describe, expect, test } from '@jest/globals'
import express from 'express'
import supertest, { type Test } from 'supertest'
import { ApiError } from '../../../src/base/errors.ts'
import { errorHandler, methodNotAllowed, notFound } from '../../../src/interface/http/errors.ts'
import { securityHeaders } from '../../../src/interface/http/headers.ts'
import { oldClientPaths, testApiCalls, originForm } from '../../../src/interface/http/addresses.ts'

describe('errors', () => {
  const SECRET = 'http://user:word@store.internal:3030/'
  const reported: unknown[] = []
  const app = express().use(originForm)
  app.use(express.text({ type: '*/*', limit: 10 }))
  app.get('/internal', () => {
    throw new Error(SECRET)
  })
  app.get('/store', () => {
    throw new ApiError('BackendError', 'The service cannot reach the store.', { cause: new Error(SECRET) })
  })
  app.get('/later', (_request, response) => {
    response.set({ 'Content-Type': 'text/turtle', 'X-Total-Count': '7', Link: '<a>', ETag: '"a"' })
    response.set({ 'Content-Disposition': 'attachment', 'Last-Modified': 'a', 'Search-Replaced': 'a=b' })
    throw new ApiError('ServiceUnavailableError', 'Try again.', { retryAfter: 5 })
  })
  app.get('/:name', (request, response) => {
    response.json(request.params.name)
  })
  app.post('/ingest', (request, response) => {
    if (request.body === 'wrong') {
      const violations = [{ path: '0.data', message: 'expected' }]
      throw new ApiError('InvalidBodyError', 'data: expected', { violations })
    }
    response.end()
  })
  app.all('/ingest', methodNotAllowed(['POST']))
  app.use(notFound)
  app.use(errorHandler((error) => reported.push(error)))
  const requests = supertest(app)
  afterEach(() => void reported.splice(0))

  const INTERNAL = { error: 'InternalServerError', status: 500, message: 'Something went wrong inside the service.' }
  test.each([
    ['/internal', INTERNAL],
    ['/store', { error: 'BackendError', status: 502, message: 'The service cannot reach the store.' }],
  ])('of %s tell clients nothing internal, and the log everything', async (path, expected) => {
    const { status, body, text, headers } = await requests.get(path)
    expect([status, body]).toEqual([expected.status, expected])
    expect(`${text} ${JSON.stringify(headers)}`).not.toContain('store.internal')
    expect(headers['cache-control']).toBe('no-store')
    expect(reported).toHaveLength(1)
    const [error] = reported as Error[]
    expect([error!.message, (error!.cause as Error | undefined)?.message]).toContain(SECRET)
  })

  test('take the place of an answer that has not begun, whose headers go', async () => {
    const { headers } = await requests
      .get('/later')
      .expect(503)
      .expect('Retry-After', '5')
      .expect(/"status":503/)
    expect(headers['content-type']).toMatch(/^application\/json/)
    for (const name of ['x-total-count', 'link', 'content-disposition', 'last-modified', 'search-replaced']) {
      expect(headers[name]).toBeUndefined()
    }
    expect(headers['etag']).not.toBe('"a"')
  })

  test.each([
    ['/%ff', 400, 'MalformedRequestError'],
    ['/a/b', 404, 'EntityNotFoundError'],
  ])('GET %s is a mistake of the client: %i', async (path, status, error) => {
    await requests
      .get(path)
      .expect(status)
      .expect((answer) => expect(answer.body.error).toBe(error))
    expect(reported).toEqual([])
  })

  test('a body that is too large or in an unknown encoding, and another method', async () => {
    const message = async (sent: Test) => ((await sent).body as { message: string }).message
    const post = () => requests.post('/ingest').type('text')
    expect(await message(post().send('a'.repeat(11)).expect(413))).toBe('body: expected at most 10 bytes')
    const encoded = post().set('Content-Encoding', 'secret').send('a').expect(400)
    expect(await message(encoded)).toBe('Content-Encoding: expected gzip, deflate, br or nothing')
    await requests.delete('/ingest').expect(405).expect('Allow', 'POST')
  })

  test('of /ingest name the violations', async () => {
    const { status, body } = await requests.post('/ingest').type('text').send('wrong')
    const message = 'data: expected'
    expect([status, body]).toEqual([
      422,
      {
        error: 'InvalidBodyError',
        status: 422,
        message,
        Description: message,
        violations: [{ path: '0.data', message: 'expected' }],
      },
    ])
    expect((await requests.delete('/ingest')).body).toMatchObject({
      Description: 'DELETE: expected POST',
      violations: [],
    })
  })
})

describe('requests of old clients', () => {
  const app = express().use(originForm, oldClientPaths)
  app.get('/testAPICalls', testApiCalls)
  app.use((request, response) => {
    response.json([request.url, request.target])
  })
  const requests = supertest(app)

  test.each([
    ['/voc?a=b', '/voc?a=b'],
    ['/voc&cache=1&limit=1', '/voc?cache=1&limit=1'],
    ['/voc&cache=1?limit=1', '/voc?cache=1&limit=1'],
    ['/voc?uri=a&b', '/voc?uri=a&b'],
  ])('%s means %s', async (target, expected) => {
    await requests.get(target).expect(200, [expected, expected])
  })

  test('/testAPICalls is an array that is not empty', async () => {
    const { body } = await requests.get('/testAPICalls').expect(200)
    expect(body).toEqual([expect.anything()])
  })
})

describe.each([
  ['https://vocabularies.example.org/', 'max-age=31536000'],
  ['http://localhost:3000/', undefined],
])('headers for browsers at %s', (baseUrl, transport) => {
  const app = express().use(securityHeaders(baseUrl))
  app.get('/', (_request, response) => {
    response.json({})
  })
  const requests = supertest(app)

  test('make an answer data, and https the only way if it is one', async () => {
    const { headers } = await requests.get('/')
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
      'x-frame-options': 'DENY',
      'cross-origin-resource-policy': 'cross-origin',
    })
    expect(headers['strict-transport-security']).toBe(transport)
  })
})
