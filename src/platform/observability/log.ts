// Writes the log: JSON lines in production, readable lines on a terminal. The values of `secretFields` are redacted at
// any depth, because keys, secrets, codes, BVNs and full account numbers must not be in a log. API keys and webhook
// secrets inside a text are redacted too, which their prefixes make possible.
//
// Lines are collected and written in large pieces in the background: a write per line would cost a request several
// microseconds, and a slow reader would block the process. If the reader stops, lines are dropped and counted, and
// payments go on.

import { write, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pino, type Logger } from 'pino'
import type { default as Pretty } from 'pino-pretty'

type LineWriter = {
  add(line: string): void
  /** Writes the line at once, with all earlier lines. If a write is under way, does so within `flushMs` after it. */
  addNow(line: string): void
  /** Called at the end of the process: writes the waiting lines before it returns. */
  flushSync(): void
}

type LineWriterOptions = {
  fd: number
  flushMs?: number
  onLost?: (lines: number) => void
}

const flushMsUsual = 200
const charactersPerWrite = 64 * 1024
/** Twenty seconds of lines at the highest rate of a process. */
const charactersWaitingMax = 32 * 1024 * 1024
const retryMs = 10
/** If the pipe stays full for a second at the end of the process, the remaining lines are lost. */
const lastTriesMax = 100

export function createLineWriter({
  fd,
  flushMs = flushMsUsual,
  onLost = () => undefined,
}: LineWriterOptions): LineWriter {
  const pieces = createPieceWriter(fd)
  let gathered: string[] = []
  let characters = 0
  let underWay = false
  let timer: NodeJS.Timeout | undefined

  function take(): Buffer | undefined {
    if (gathered.length === 0) return undefined
    const taken = Buffer.from(gathered.join(''))
    gathered = []
    characters = 0
    return taken
  }

  /** One piece at a time, because two writes could mix their lines. */
  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    if (underWay) return
    const piece = take()
    if (piece === undefined) return
    underWay = true
    pieces.write(piece, (lost) => {
      underWay = false
      if (lost > 0) onLost(lost)
      if (characters >= charactersPerWrite) flush()
      else if (gathered.length > 0) schedule()
    })
  }

  function schedule(): void {
    timer ??= setTimeout(flush, flushMs)
    timer.unref() // The process ends without this timer, because it calls flushSync.
  }

  function add(line: string): void {
    if (characters > charactersWaitingMax) return onLost(1)
    gathered.push(line)
    characters += line.length
    if (characters >= charactersPerWrite) flush()
    else if (timer === undefined) schedule()
  }

  return {
    add,
    addNow(line) {
      add(line)
      flush()
    },
    flushSync() {
      clearTimeout(timer)
      onLost(writeWhole(fd, [pieces.takeStalled(), take()]))
    },
  }
}

type PieceWriter = {
  /** Calls `end` with the number of lines that were lost, because the reader is gone or the disk is full; usually 0. */
  write(piece: Buffer, end: (lost: number) => void): void
  /** If the pipe is full, returns the unwritten rest and gives up its write. */
  takeStalled(): Buffer | undefined
}

function createPieceWriter(fd: number): PieceWriter {
  let stalled: { rest: Buffer; retry: NodeJS.Timeout } | undefined

  function writePiece(piece: Buffer, end: (lost: number) => void): void {
    stalled = undefined
    write(fd, piece, (error, written) => {
      const rest = error === null ? piece.subarray(written) : piece
      if (error?.code === 'EAGAIN') stalled = { rest, retry: setTimeout(writePiece, retryMs, rest, end) }
      else if (error === null && rest.length > 0) writePiece(rest, end)
      else end(error === null ? 0 : linesIn(piece))
    })
  }

  return {
    write: writePiece,
    takeStalled() {
      clearTimeout(stalled?.retry)
      return stalled?.rest
    },
  }
}

function linesIn(piece: Buffer): number {
  return piece.reduce((lines, byte) => lines + (byte === newline ? 1 : 0), 0)
}

const newline = 10

function writeWhole(fd: number, pieces: (Buffer | undefined)[]): number {
  let left = Buffer.concat(pieces.filter((piece) => piece !== undefined))
  for (let tries = 0; left.length > 0 && tries < lastTriesMax; tries++) {
    try {
      left = left.subarray(writeSync(fd, left))
      tries = 0
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') break
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs)
    }
  }
  return linesIn(left)
}

export type Log = Logger & {
  /**
   * Writes a finished line of JSON within `flushMs`: for lines that come thousands of times a second. They are not
   * redacted, so the caller must keep secrets out (`hideSecrets`).
   */
  line(text: string): void
  linesLost(): number
}

export const secretFields = [
  'authorization',
  'apiKey',
  'testKey',
  'liveKey',
  'secret',
  'secretKey',
  'password',
  'otp',
  'bvn',
  'accountNumber',
  'senderAccountNumber',
  'phoneNumber',
]

/** Redacted only in errors of PostgreSQL, which quote rows in these fields. */
const quotingFields = new Set(['detail', 'where', 'internalQuery'])

type CreateLogOptions = {
  level: string
  format: 'json' | 'pretty'
  write?: (line: string) => void
  fd?: number
}

const standardOutput = 1

export function createLog(options: CreateLogOptions): Log {
  const settings = {
    level: options.level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: { streamWrite: withoutSecrets },
  }
  const stream = streamOf(options)
  const logger = pino(settings, { write: stream.write })
  return Object.assign(logger, { line: stream.line, linesLost: stream.linesLost })
}

type LogStream = { write: (line: string) => void } & Pick<Log, 'line' | 'linesLost'>

function streamOf({ write: writeLine, format, fd = standardOutput }: CreateLogOptions): LogStream {
  const linesLost = (): number => lost
  let lost = 0
  if (writeLine !== undefined) return { write: writeLine, line: writeLine, linesLost }
  if (format === 'pretty') {
    // A static import would load `pino-pretty` in production too.
    const pretty = createRequire(import.meta.url)('pino-pretty') as typeof Pretty
    const readable = pretty({
      colorize: process.stdout.isTTY,
      ignore: 'pid,hostname',
      translateTime: 'SYS:HH:MM:ss',
      sync: true,
    })
    const show = (line: string): void => void readable.write(line)
    return { write: show, line: show, linesLost }
  }
  const writer = createLineWriter({ fd, onLost: (lines) => (lost += lines) })
  process.once('exit', writer.flushSync)
  return { write: writer.addNow, line: writer.add, linesLost }
}

// Matches each field in our spelling and in that of the database: accountNumber, account_number.
const names = secretFields.map((field) => field.replaceAll(/[A-Z]/g, '_?$&')).join('|')
const secretField = new RegExp(`^(${names})$`, 'i')
const secretText = /(sk_test_|sk_live_|whsec_)[A-Za-z0-9+/=]+/g
const secretWord = /sk_test_|sk_live_|whsec_/
const suspicious = new RegExp(`"(${names}|severity)":|sk_test_|sk_live_|whsec_`, 'i')

export function hideSecrets(text: string): string {
  return secretWord.test(text) ? text.replace(secretText, '$1[redacted]') : text
}

/** Redacts the finished line, so that fields of errors and child loggers are redacted too. */
function withoutSecrets(line: string): string {
  return suspicious.test(line) ? `${JSON.stringify(JSON.parse(line, redact))}\n` : line
}

function redact(this: object, field: string, value: unknown): unknown {
  if (secretField.test(field)) return '[redacted]'
  if (quotingFields.has(field) && 'severity' in this) return '[redacted]'
  return typeof value === 'string' ? hideSecrets(value) : value
}
