// A line of a CSV file (RFC 4180) that a spreadsheet opens without running any of it.

import type { ServerResponse } from 'node:http'
import { beginDownload } from '#api/server/answer.ts'
import type { Exchange } from '#api/server/exchange.ts'
import { present } from '#platform/assert.ts'
import { brief } from '#platform/errors.ts'
import type { Log } from '#platform/observability/log.ts'
import type { Download } from './endpoint.ts'

export type Cell = string | number | bigint | null

/**
 * A spreadsheet takes a text that begins with one of these for a formula, in full width too. Where its list separator is not
 * a comma, a cell also begins behind a semicolon, tab or line end, whatever the quotes say.
 */
const formula = /(?<=^|[;\t\r\n]) *(?=[=+\-@\t\r＝＋－＠])/g
const special = /[",\r\n]/

export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`
}

/** A number is written as it is: an apostrophe before it would make a text of a negative one. */
function cellText(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell !== 'string') return cell.toString()
  const guarded = cell.replaceAll(formula, "'$&")
  return special.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}

// Sends a file while it is made. Whoever takes it slowly is waited for, so that no more than a few lines are in memory; one
// that cannot be made to its end is cut off, and its missing last line tells.

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
