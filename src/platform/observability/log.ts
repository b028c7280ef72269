// Lines on their way to standard output. They are gathered and leave in large pieces beside the work: a write for each line
// would cost a request several microseconds, and a reader that is slow would stop the process. One that does not read
// at all costs lines, which are counted, and no payment.

import { write, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pino, type Logger } from 'pino'
import type { default as Pretty } from 'pino-pretty'

type LineWriter = {
  /** Leaves within `flushMs`. */
  add(line: string): void
  /** Leaves at once, behind what was added before. */
  addNow(line: string): void
  /** At the end of the process: what is left leaves before this returns. */
  flushSync(): void
}

type LineWriterOptions = {
  fd: number
  flushMs?: number
  /** Called with how many lines are lost. */
  onLost?: (lines: number) => void
}

const flushMsUsual = 200
const charactersPerWrite = 64 * 1024
/** Twenty seconds of the most that a process can log. */
const charactersWaitingMax = 32 * 1024 * 1024
/** The reader of a pipe is behind; its other end may be a slow machine. */
const retryMs = 10
const lastTriesMax = 100

export function createLineWriter({
  fd,
  flushMs = flushMsUsual,
  onLost = () => undefined,
}: LineWriterOptions): LineWriter {
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

  /** One piece at a time, or two could tear each other's lines apart. */
  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    if (underWay) return
    const piece = take()
    if (piece === undefined) return
    underWay = true
    writePiece(fd, piece, (lost) => {
      underWay = false
      if (lost > 0) onLost(lost)
      if (characters >= charactersPerWrite) flush()
      else if (gathered.length > 0) schedule()
    })
  }

  function schedule(): void {
    timer ??= setTimeout(flush, flushMs)
    timer.unref() // The end of the process does not wait for it: it calls flushSync.
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
      writeWhole(fd, take())
    },
  }
}

/** Ends with how many lines were lost: nobody reads any more, or the disk is full. The service goes on. */
function writePiece(fd: number, piece: Buffer, end: (lost: number) => void): void {
  write(fd, piece, (error, written) => {
    const left = error === null ? piece.subarray(written) : piece
    if (error?.code === 'EAGAIN') setTimeout(() => writePiece(fd, left, end), retryMs)
    else if (error === null && left.length > 0) writePiece(fd, left, end)
    else end(error === null ? 0 : linesIn(piece))
  })
}

function linesIn(piece: Buffer): number {
  return piece.reduce((lines, byte) => lines + (byte === newline ? 1 : 0), 0)
}

const newline = 10

function writeWhole(fd: number, piece: Buffer | undefined): void {
  let left = piece ?? Buffer.alloc(0)
  for (let tries = 0; left.length > 0 && tries < lastTriesMax; tries++) {
    try {
      left = left.subarray(writeSync(fd, left))
      tries = 0
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs)
    }
  }
}

// One JSON line per entry in production, readable lines on a terminal. Whatever is logged, the values of the fields
// below never are, at any depth: keys, secrets, codes, BVNs and full account numbers have no business in a log. Nor are
// keys and secrets that stand inside a text, because those say of themselves what they are.

export type Log = Logger & {
  /**
   * A finished line of JSON, for what is logged thousands of times a second: it leaves soon, not at once. Whoever makes it
   * keeps secrets out of it (`hideSecrets`).
   */
  line(text: string): void
  /** How many lines could not be written, because nobody read them. */
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

/** Of an error of PostgreSQL alone: they quote rows. Ours may have a `detail`. */
const quotingFields = new Set(['detail', 'where', 'internalQuery'])

type LogOptions = {
  level: string
  format: 'json' | 'pretty'
  /** Where lines go; tests catch them here. */
  write?: (line: string) => void
  /** In place of standard output. */
  fd?: number
}

const standardOutput = 1

export function createLog(options: LogOptions): Log {
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

type Stream = { write: (line: string) => void } & Pick<Log, 'line' | 'linesLost'>

function streamOf({ write: writeLine, format, fd = standardOutput }: LogOptions): Stream {
  const linesLost = (): number => lost
  let lost = 0
  if (writeLine !== undefined) return { write: writeLine, line: writeLine, linesLost }
  if (format === 'pretty') {
    // Read only where a person looks on: it is most of what a process would read to write a log.
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

// As we write them, and as the database does: account_number.
const names = secretFields.map((field) => field.replaceAll(/[A-Z]/g, '_?$&')).join('|')
const secretField = new RegExp(`^(${names})$`, 'i')
const secretText = /(sk_test_|sk_live_|whsec_)[A-Za-z0-9+/=]+/g
const secretWord = /sk_test_|sk_live_|whsec_/
const suspicious = new RegExp(`"(${names}|severity)":|sk_test_|sk_live_|whsec_`, 'i')

/** A text of a caller, without the keys and secrets that stand in it. */
export function hideSecrets(text: string): string {
  return secretWord.test(text) ? text.replace(secretText, '$1[redacted]') : text
}

/** Looks at the finished line, so that nothing gets past it: fields of errors and of child logs come by other ways. */
function withoutSecrets(line: string): string {
  return suspicious.test(line) ? `${JSON.stringify(JSON.parse(line, redact))}\n` : line
}

function redact(this: object, field: string, value: unknown): unknown {
  if (secretField.test(field)) return '[redacted]'
  if (quotingFields.has(field) && 'severity' in this) return '[redacted]'
  return typeof value === 'string' ? hideSecrets(value) : value
}
