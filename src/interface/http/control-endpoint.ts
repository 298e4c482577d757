import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type RequestHandler, type Router } from 'express'
import { ApiError } from '../../base/errors.ts'
import { basicAuthorization, type Login } from '../../graph/sparql/http.ts'
import { codeOf } from '../../base/thrown.ts'
import { errorHandler, notFound } from './errors.ts'
import { originForm } from './addresses.ts'

/** The address and login by which other processes reach a part of this one. */
export interface ControlAddress extends Login {
  url: string
}

const LOOPBACK = '127.0.0.1'
/** Longer than clients keep an idle connection, so that none closes during a request. */
const KEEP_ALIVE_MS = 65_000

/**
 * The address on the loopback interface at which the operator's commands reach this process: for the embedded store,
 * to which the service itself sends its updates, and for mails that were set aside. Each process has a new password.
 * The lock file of a folder contains the address and the login, so every user who may read that file may log in.
 *
 * @example
 * const control = await ControlEndpoint.listen((error) => log.error({ err: error }, 'control endpoint'))
 * const address = control.serve('/mails', setAsideEndpoint(mails))
 */
export class ControlEndpoint {
  readonly #server: Server
  readonly #features: Router = express.Router({ caseSensitive: true })
  readonly #url: string
  readonly #login: Login = { user: 'vocabulary-service', password: randomBytes(24).toString('base64url') }

  private constructor(server: Server, onError: (error: unknown) => void) {
    this.#server = server
    this.#url = `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`
    const app = express()
    app.disable('x-powered-by').disable('etag').set('query parser', false)
    app.use(originForm, refuseOtherHosts, this.#features, notFound)
    app.use(
      errorHandler((error) => {
        if (!(error instanceof ApiError) && !isGone(error)) onError(error)
      }),
    )
    server.on('request', app)
  }

  /** @param onError receives errors that are no answer to a client, for the log. */
  static async listen(onError: (error: unknown) => void): Promise<ControlEndpoint> {
    const server = createServer()
    server.keepAliveTimeout = KEEP_ALIVE_MS
    // Loading a large graph may take longer than Node.js allows a request.
    server.requestTimeout = 0
    server.listen(0, LOOPBACK)
    await once(server, 'listening')
    return new ControlEndpoint(server, onError)
  }

  /** Answers requests below a path after the login. */
  serve(path: string, handler: RequestHandler): ControlAddress {
    this.#features.use(path, requireLogin(this.#login), handler)
    return { url: this.#url + path, ...this.#login }
  }

  /**
   * Answers requests below a path that nobody can guess: the client of a store sends no login with queries.
   *
   * @returns the address, which is a secret like the password.
   */
  serveAtSecretPath(path: string, handler: RequestHandler): string {
    const secretPath = `${path}/${randomBytes(24).toString('base64url')}`
    this.#features.use(secretPath, handler)
    return this.#url + secretPath
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}

/** Guards against DNS rebinding: a web page can reach a loopback port under its own host name. */
const refuseOtherHosts: RequestHandler = (request, _response, next) => {
  if (!/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(request.headers.host ?? '')) {
    throw new ApiError('ForbiddenAccessError', 'Host: expected the loopback address')
  }
  next()
}

function requireLogin(login: Login): RequestHandler {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const expected = digest(basicAuthorization(login))
  return (request, response, next) => {
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) {
      response.setHeader('WWW-Authenticate', 'Basic realm="vocabulary-service"')
      throw new ApiError('UnauthorizedError', 'Authorization: expected the user and password of this process')
    }
    next()
  }
}

/** True if a client has gone away during its answer. */
function isGone(error: unknown): boolean {
  return codeOf(error) === 'ERR_STREAM_PREMATURE_CLOSE'
}
