// Writes CSV files (RFC 4180) that a spreadsheet opens without running formulas. Also streams downloads of any type to
// the browser.

import type { ServerResponse } from 'node:http'
import { beginDownload } from '#api/server/answer.ts'
import type { Exchange } from '#api/server/exchange.ts'
import { present } from '#platform/assert.ts'
import { briefMessage } from '#platform/errors.ts'
import type { Log } from '#platform/observability/log.ts'
import type { Download } from './endpoint.ts'

/** `decimal`: an exact number as text, so that no amount passes through floating point. */
export type Cell = string | number | bigint | null | { decimal: string }

/**
 * A spreadsheet runs a cell as a formula if it begins with one of these characters or its full-width form. If the
 * spreadsheet's list separator is not a comma, a cell also begins after a semicolon, a tab or a line break, even within
 * quotes.
 */
const formula = /(?<=^|[;\t\r\n]) *(?=[=+\-@\t\r＝＋－＠])/g
const special = /[",\r\n]/
/**
 * Excel reads digits as a number: it drops the leading zero of an account number and rounds a session id to 15 digits. A
 * phone number with its plus loses the plus. Such texts are written as `="…"`.
 */
const readAsNumber = /^(0\d{4,}|\d{12,}|\+\d{7,})$/

/** Without this mark Excel reads UTF-8 as an old code page and shows other letters for ₦ and Ọ. */
export const byteOrderMark = '\ufeff'

export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`
}

/** Only text gets an apostrophe before a formula, because an apostrophe would turn a negative number into text. */
function cellText(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'object') return cell.decimal
  if (typeof cell !== 'string') return cell.toString()
  if (readAsNumber.test(cell)) return `"=""${cell}"""`
  const guarded = cell.replaceAll(formula, "'$&")
  return special.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}

/** The size of the pieces in which lines are sent: one write for each line would cost more than building the line. */
const pieceCharacters = 16 * 1024

export async function* piecesOf(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = ''
  for await (const line of lines) {
    piece += line
    if (piece.length < pieceCharacters) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}

/**
 * Sends a file while it is generated. Waits for slow clients, so that only a few pieces are in memory. If generating
 * fails, cuts the connection, so that the browser reports a failed download.
 */
export async function sendDownload(exchange: Exchange, download: Download | undefined, log: Log): Promise<void> {
  const { name, type, pieces } = present(download, 'there is a file to send')
  const { response, requestId } = exchange
  beginDownload(exchange, { name, type })
  if (exchange.method === 'HEAD') {
    response.end()
    return
  }
  try {
    for await (const piece of pieces) if (!(await write(exchange, piece))) return
    response.end()
  } catch (error) {
    log.warn({ requestId, error: briefMessage(error) }, 'download was interrupted')
    response.destroy()
  }
}

async function write({ response }: Exchange, piece: string | Uint8Array): Promise<boolean> {
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
