// A client that sends any bytes and reads the responses one by one.

import { connect, type Socket } from 'node:net'
import type { Answer, AnswerBody } from './client.ts'
import { patienceMs } from './patience.ts'

export type RawAnswer = Answer & { statusLine: string }

export type RawConnection = {
  socket: Socket
  send(bytes: string | Buffer): void
  /** The final answers so far, in order; 1xx are counted apart. */
  answers: RawAnswer[]
  interim: number
  /** Resolves with that many answers, or with fewer if the server closes first. Rejects if nothing comes. */
  receive(count: number): Promise<RawAnswer[]>
  /** Resolves when the server has closed its side. */
  closed(): Promise<void>
  destroy(): void
}

export type RawOptions = {
  host?: string
  /** The address that the client uses: on Linux any address of 127.0.0.0/8. */
  from?: string | undefined
  /** The answers have no bodies, because the requests are HEAD. */
  bodiless?: boolean
}

export function connectRaw(port: number, options: RawOptions = {}): RawConnection {
  const socket = connect({
    port,
    host: options.host ?? '127.0.0.1',
    localAddress: options.from,
    noDelay: true,
    allowHalfOpen: true,
  })
  let pending: Buffer = Buffer.alloc(0)
  let over = false
  const watchers = new Set<() => void>()
  const connection: RawConnection = {
    socket,
    answers: [],
    interim: 0,
    send: (bytes) => void socket.write(bytes),
    async receive(count) {
      await until(() => over || connection.answers.length >= count, `${count} answers`)
      return connection.answers
    },
    closed: () => until(() => over, 'the end of the connection'),
    destroy: () => socket.destroy(),
  }
  function until(met: () => boolean, what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        watchers.delete(look)
        reject(
          new Error(
            `waited ${patienceMs} ms for ${what}; got ${connection.answers.length} answers and ${JSON.stringify(pending.toString())}`,
          ),
        )
      }, patienceMs)
      const look = (): void => {
        if (!met()) return
        clearTimeout(timer)
        watchers.delete(look)
        resolve()
      }
      watchers.add(look)
      look()
    })
  }
  const end = (): void => {
    over = true
    for (const look of watchers) look()
  }
  socket.on('data', (chunk) => {
    pending = Buffer.concat([pending, chunk])
    for (
      let read = readAnswer(pending, options.bodiless === true);
      read !== undefined;
      read = readAnswer(pending, options.bodiless === true)
    ) {
      pending = read.rest
      if (read.answer.status >= 200) connection.answers.push(read.answer)
      else connection.interim += 1
    }
    for (const look of watchers) look()
  })
  socket.on('error', () => undefined)
  socket.on('end', end)
  socket.on('close', end)
  return connection
}

/** Sends the bytes, waits for one answer or the end, and hangs up. */
export async function askRaw(
  port: number,
  bytes: string | Buffer,
  options: RawOptions = {},
): Promise<RawAnswer | undefined> {
  const connection = connectRaw(port, options)
  connection.send(bytes)
  const [answer] = await connection.receive(1)
  connection.destroy()
  return answer
}

function readAnswer(bytes: Buffer, bodiless: boolean): { answer: RawAnswer; rest: Buffer } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const match = /^HTTP\/1\.1 (\d{3}) [A-Za-z -]+$/.exec(statusLine)
  if (match === null) throw new Error(`not a status line: ${JSON.stringify(statusLine)}`)
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(': ')
    const name = line.slice(0, colon).toLowerCase()
    if (colon < 1 || headers[name] !== undefined) throw new Error(`a wrong or repeated header: ${JSON.stringify(line)}`)
    headers[name] = line.slice(colon + 2)
  }
  const status = Number(match[1])
  const length = bodiless || status < 200 || status === 204 ? 0 : Number(headers['content-length'])
  if (Number.isNaN(length)) throw new Error(`an answer without Content-Length: ${statusLine}`)
  const bodyStart = headEnd + 4
  if (bytes.length < bodyStart + length) return undefined
  const text = bytes.toString('utf8', bodyStart, bodyStart + length)
  const body =
    headers['content-type']?.startsWith('application/json') === true && text !== ''
      ? (JSON.parse(text) as AnswerBody)
      : {}
  return { answer: { status, statusLine, headers, text, body }, rest: bytes.subarray(bodyStart + length) }
}
