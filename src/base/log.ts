// One JSON line per entry in production, readable lines on a terminal. Whatever is logged, the values of the fields
// below never are, at any depth: keys, secrets, codes, BVNs and full account numbers have no business in a log. Nor are
// keys and secrets that stand inside a text, because those say of themselves what they are.

import { createRequire } from 'node:module'
import { pino, type Logger } from 'pino'
import type { default as Pretty } from 'pino-pretty'
import { createLineWriter } from './line-writer.ts'

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

export type LogOptions = {
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

function streamOf({ write, format, fd = standardOutput }: LogOptions): Stream {
  const linesLost = (): number => lost
  let lost = 0
  if (write !== undefined) return { write, line: write, linesLost }
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
