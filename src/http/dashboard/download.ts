// Sends a file while it is made. Whoever takes it slowly is waited for, so that no more than a few lines are in memory; one
// that cannot be made to its end is cut off, and its missing last line tells.

import type { ServerResponse } from 'node:http'
import { brief } from '#base/error.ts'
import type { Log } from '#base/log.ts'
import { present } from '#base/assert.ts'
import { beginDownload } from '#http/answer.ts'
import type { Exchange } from '#http/exchange.ts'
import type { Download } from './endpoint.ts'

/** Lines are gathered to pieces of this size: a write for each would cost more than the line. */
const pieceCharacters = 16 * 1024

export async function sendDownload(exchange: Exchange, download: Download | undefined, log: Log): Promise<void> {
  const { name, type, lines } = present(download, 'there is a file to send')
  const { response, requestId } = exchange
  beginDownload(exchange, { name, type })
  if (exchange.method === 'HEAD') {
    response.end()
    return
  }
  try {
    let piece = ''
    for await (const line of lines) {
      piece += line
      if (piece.length < pieceCharacters) continue
      if (!(await write(exchange, piece))) return
      piece = ''
    }
    response.end(piece)
  } catch (error) {
    log.warn({ requestId, error: brief(error) }, 'a download could not be finished')
    response.destroy()
  }
}

/** False: nobody takes it any more. */
async function write({ response }: Exchange, piece: string): Promise<boolean> {
  if (response.destroyed) return false
  if (!response.write(piece)) await drained(response)
  return !response.destroyed
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
}
