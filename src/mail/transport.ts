// Hands e-mails to the mail server of SMTP_URL.

import { PassThrough } from 'node:stream'
import { createTransport } from 'nodemailer'
import { finishesWithin } from '#platform/concurrency.ts'
import { secondMs } from '#platform/durations.ts'
import { isLoopbackHost } from '#platform/http-client/addresses.ts'
import type { RenderedLetter } from './letter.ts'

export type MailServer = {
  host: string
  port: number
  /** TLS from the first byte (`smtps://`). */
  isSecure: boolean
  user: string | undefined
  password: string | undefined
}

export type MailSettings = { server: MailServer; from: string }

/**
 * `refused`: the server will never accept this letter. `later`: it may accept the letter later. `unreachable`: the
 * server accepts no letter at present.
 */
export type SendOutcome = { kind: 'sent' } | { kind: 'refused' | 'later' | 'unreachable'; why: string }

export type MailTransport = {
  /** The id makes the Message-ID, so that a mail program can recognize a letter that was sent twice. */
  send(to: string, id: string, letter: RenderedLetter): Promise<SendOutcome>
  /** Connects and signs in. Returns the error, or undefined if both succeeded. */
  check(): Promise<string | undefined>
  close(): void
}

/** Letters that one process sends at the same time. */
export const connectionsMax = 4
const connectMsMax = 15 * secondMs
/** A connection ends when the server is silent for this long. */
const silenceMsMax = 30 * secondMs
/** The whole time for one letter. */
export const sendMsMax = 60 * secondMs

export type TransportOptions = MailSettings & {
  /** Shorter in tests. */
  limitMs?: number
  /** An authority for the server's certificate, in addition to those of Node. */
  certificateAuthority?: string
}

export function createMailTransport(options: TransportOptions): MailTransport {
  const { server, from, limitMs = sendMsMax, certificateAuthority } = options
  const mailer = createMailer(server, limitMs, certificateAuthority)
  const domain = from.slice(from.lastIndexOf('@') + 1).replaceAll('>', '')

  async function within(work: Promise<unknown>): Promise<void> {
    if (!(await finishesWithin(limitMs, work)))
      throw Object.assign(new Error('the mail server is too slow'), { code: 'ETIMEDOUT' })
  }

  return {
    async send(to, id, { subject, text, html }) {
      const headers = { 'Auto-Submitted': 'auto-generated' }
      const handed: Handed = { isWhole: false }
      const message = {
        handed,
        from,
        to: { name: '', address: to },
        subject,
        text,
        html,
        headers,
        messageId: `<${id}@${domain}>`,
      }
      try {
        await within(mailer.sendMail(message))
        return { kind: 'sent' }
      } catch (error) {
        return failureOf(error, handed)
      }
    },
    async check() {
      try {
        await within(mailer.verify())
        return undefined
      } catch (error) {
        return failureOf(error, { isWhole: false }).why
      }
    },
    close: () => mailer.close(),
  }
}

function createMailer(
  { host, port, isSecure, user, password }: MailServer,
  limitMs: number,
  certificateAuthority: string | undefined,
) {
  const mailer = createTransport({
    pool: true,
    maxConnections: connectionsMax,
    // The mail loop retries. A letter that the pool sends again by itself could go out twice.
    maxRequeues: 0,
    idleTimeout: silenceMsMax,
    host,
    port,
    secure: isSecure,
    // A password is never sent in clear text over a network.
    requireTLS: !isSecure && user !== undefined && !isLoopbackHost(host),
    ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
    connectionTimeout: Math.min(connectMsMax, limitMs),
    greetingTimeout: Math.min(connectMsMax, limitMs),
    socketTimeout: Math.min(silenceMsMax, limitMs),
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(certificateAuthority === undefined ? {} : { tls: { ca: certificateAuthority } }),
  })
  // Notes when the whole letter has been read for sending.
  mailer.use('stream', ({ data, message }, next) => {
    const { handed } = data as { handed?: Handed }
    message.transform(() => new PassThrough().once('end', () => handed !== undefined && (handed.isWhole = true)))
    next()
  })
  // The pool also reports failures of idle connections here; each send reports its own.
  mailer.on('error', () => undefined)
  return mailer
}

/** `isWhole`: the server was given the whole letter, so it may have accepted it. */
type Handed = { isWhole: boolean }

type MailError = { code?: string; responseCode?: number; command?: string }

/** Steps at which an answer is about this letter alone. At MAIL FROM it is about the sender, which is a setting. */
const letterSteps = new Set(['RCPT TO', 'DATA'])

/** Answers of servers often repeat addresses, so only their codes are kept. */
function failureOf(error: unknown, { isWhole }: Handed): Exclude<SendOutcome, { kind: 'sent' }> {
  const { code = 'error', responseCode, command } = error as MailError
  const step = command === undefined || command === 'CONN' ? '' : ` to ${command}`
  const answer = responseCode === undefined ? '' : `: the server answered ${responseCode}${step}`
  const why = code === 'EAUTH' ? `the mail server refused the login${answer}` : `${code}${answer}`
  // Errors of the letter itself, such as an invalid address, that occur before the server answers.
  if (responseCode === undefined && ['EENVELOPE', 'EMESSAGE'].includes(code)) return { kind: 'refused', why }
  // The letter may have arrived. Retried as a single letter, it is sent at most about 30 times; retried as if the
  // server were unreachable, it would be sent every minute for a day.
  if (responseCode === undefined && isWhole) return { kind: 'later', why }
  if (code === 'EAUTH' || responseCode === undefined || responseCode === 421) return { kind: 'unreachable', why }
  if (command === 'MAIL FROM') return { kind: 'later', why }
  if (!letterSteps.has(command ?? '')) return { kind: 'unreachable', why }
  return { kind: responseCode >= 500 ? 'refused' : 'later', why }
}
