// One JSON line per entry in production, readable lines on a terminal. Whatever is logged, the values of the fields
// below never are, at any depth: keys, secrets, codes, BVNs and full account numbers have no business in a log. Nor are
// keys and secrets that stand inside a text, because those say of themselves what they are.

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
  'detail', // Of an error of PostgreSQL: it quotes the row.
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
    hooks: { streamWrite: withoutSecrets },
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

// As we write them, and as the database does: account_number.
const names = secretFields.map((field) => field.replaceAll(/[A-Z]/g, '_?$&')).join('|')
const secretField = new RegExp(`^(${names})$`, 'i')
const secretText = /(sk_test_|sk_live_|whsec_)[A-Za-z0-9+/=]+/g
const suspicious = new RegExp(`"(${names})":|sk_test_|sk_live_|whsec_`, 'i')

/** Looks at the finished line, so that nothing gets past it: fields of errors and of child logs come by other ways. */
function withoutSecrets(line: string): string {
  return suspicious.test(line) ? `${JSON.stringify(JSON.parse(line, redact))}\n` : line
}

function redact(field: string, value: unknown): unknown {
  if (secretField.test(field)) return '[redacted]'
  return typeof value === 'string' ? value.replace(secretText, '$1[redacted]') : value
}
