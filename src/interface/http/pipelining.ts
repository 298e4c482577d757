import type { RequestHandler } from 'express'

/**
 * Ends an answer whose connection ends while it waits for an earlier answer of the same connection (RFC 9112, section
 * 9.3.2). Node.js never closes it, so code that waits for its `close` would wait for ever.
 */
export const endPipelined: RequestHandler = ({ socket }, response, next) => {
  if (!response.socket) {
    const end = () => response.destroy().emit('close')
    // A client may send any number of requests before it reads an answer.
    socket.setMaxListeners(0).once('close', end)
    response.once('socket', () => socket.off('close', end))
  }
  next()
}
