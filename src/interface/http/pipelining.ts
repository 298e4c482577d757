import type { Socket } from 'node:net'
import type { RequestHandler } from 'express'

/** Requests of one connection that may wait; one with more is closed. */
const MOST_WAITING = 1000

const waiting = new WeakMap<Socket, number>()

/**
 * Begins the requests of a connection one after the other, in the order of their answers (RFC 9112, section 9.3.2): the
 * next one when the answer to the one before has been sent. A client may send thousands before it reads an answer; if
 * it leaves, waiting requests never start.
 */
export const inTurn: RequestHandler = ({ socket }, response, next) => {
  // Node.js gives an answer its connection when it may be sent.
  if (response.socket) return next()
  const count = (waiting.get(socket) ?? 0) + 1
  if (count > MOST_WAITING) return void socket.destroy()
  waiting.set(socket, count)
  response.once('socket', () => {
    waiting.set(socket, waiting.get(socket)! - 1)
    // The answer is ready for use when the listeners of this event have returned.
    process.nextTick(() => {
      if (!socket.destroyed) next()
    })
  })
}
