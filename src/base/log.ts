// One JSON line per entry in production, readable lines on a terminal. Whatever is logged, the values of the fields
// below never are: keys, secrets, codes, BVNs and full account numbers have no business in a log.

import { pino, type Logger } from 'pino'
import { default as pretty } from 'pino-pretty'

export type Log = Logger

const secretFields = [
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

export type LogOptions = {
  level: string
  format: 'json' | 'pretty'
  /** Where lines go; tests catch them here. */
  write?: (line: string) => void
}

export function createLog(options: LogOptions): Log {
  const settings = {
    level: options.level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]), censor: '[redacted]' },
  }
  if (options.write !== undefined) return pino(settings, { write: options.write })
  if (options.format === 'json') return pino(settings, pino.destination({ dest: 1, sync: true }))
  const line = pretty({
    colorize: process.stdout.isTTY,
    ignore: 'pid,hostname',
    translateTime: 'SYS:HH:MM:ss',
    sync: true,
  })
  return pino(settings, line)
}
