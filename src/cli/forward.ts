// Forwards an event to a developer's program, for `manilla listen`. The address may be on this machine or in its
// network, because the person at this terminal chose it. #platform/http-client/client.ts refuses such addresses, so it
// is not used.

import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { headersOf, signingKey } from '#events/signature.ts'
import { systemClock } from '#platform/clock.ts'
import { newSecret } from '#webhooks/subscription.ts'
import { UsageError } from './output.ts'

export type SignedEvent = { headers: Record<string, string>; body: Buffer }

type ReceiverAnswer = { responseCode: number | null; error: string | null; durationMs: number }

const defaultLimits = {
  answerMs: 30_000,
  excerptChars: 200,
}

export function parseForwardUrl(unchecked: string): URL {
  const url = URL.canParse(unchecked) ? new URL(unchecked) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    const meant = /^\d+$/.test(unchecked) ? `localhost:${unchecked}` : unchecked
    const hint = /^[\w.-]+(:\d+)?(\/|$)/.test(meant) ? `: write http://${meant}` : '.'
    throw new UsageError(`--forward-to takes an http or https URL, not ${unchecked}${hint}`)
  }
  if (url.username + url.password !== '') throw new UsageError('--forward-to takes no user name and no password.')
  return url
}

/** Never rejects: a failure becomes the receiver's answer. Like a real delivery, it follows no redirect. */
export async function forwardDelivery(
  url: URL,
  { headers, body }: SignedEvent,
  { signal, limits = defaultLimits }: { signal: AbortSignal; limits?: Partial<typeof defaultLimits> },
): Promise<ReceiverAnswer> {
  const { answerMs, excerptChars } = { ...defaultLimits, ...limits }
  const startedAt = performance.now()
  const late = AbortSignal.timeout(answerMs)
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  let answer: Omit<ReceiverAnswer, 'durationMs'>
  try {
    const request = send(url, {
      method: 'POST',
      // A new connection each time, because a kept one may belong to a receiver that was restarted meanwhile.
      agent: false,
      headers: { ...headers, 'Content-Length': String(body.length) },
      signal: AbortSignal.any([signal, late]),
    })
    answer = await answerTo(request, body, excerptChars)
  } catch (error) {
    answer = { responseCode: null, error: reasonOf(error, { stopped: signal.aborted, late: late.aborted, answerMs }) }
  }
  return { ...answer, durationMs: Math.round(performance.now() - startedAt) }
}

async function answerTo(
  request: ClientRequest,
  body: Buffer,
  excerptChars: number,
): Promise<Omit<ReceiverAnswer, 'durationMs'>> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve)
    request.on('error', reject)
    request.end(body)
  })
  const responseCode = response.statusCode ?? 0
  let text = ''
  for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
    if (text.length < excerptChars) text += chunk
  }
  const good = responseCode >= 200 && responseCode < 300
  return { responseCode, error: good ? null : complaintOf(response, text.slice(0, excerptChars)) }
}

function complaintOf({ statusCode = 0, headers }: IncomingMessage, text: string): string {
  if (statusCode >= 300 && statusCode < 400) {
    return `redirects are not followed (${inOneLine(headers.location ?? 'no location')})`
  }
  const shown = inOneLine(text)
  return shown === '' ? 'not a success' : shown
}

/** Removes control characters, because the receiver wrote the text and a terminal would obey them. */
function inOneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'nothing listens on this address; start your receiver',
  ENOTFOUND: 'unknown host name',
  EAI_AGAIN: 'unknown host name',
  ECONNRESET: 'the connection was closed before the response was complete',
}

function reasonOf(error: unknown, known: { stopped: boolean; late: boolean; answerMs: number }): string {
  if (known.stopped) return 'stopped before the response'
  if (known.late) return `no complete response within ${known.answerMs / 1_000} s`
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? String(error.code) : ''
  return reasons[code] ?? `${error.message === '' ? error.name : error.message}${code === '' ? '' : ` (${code})`}`
}

export type ForwardedEvent = { id: string; event: string; reference: string; createdAt: Date; body: string }

export type ForwardOptions = { forwardTo: string; secret?: string; json?: boolean }

export type Forwarder = {
  signal: AbortSignal
  /** Prints messages. With --json they go to standard error, so that standard output holds documents only. */
  say: (text: string) => void
  warn: (text: string) => void
  tell: (event: ForwardedEvent) => Promise<void>
  sayEnd: () => void
}

export function startForwarding(options: ForwardOptions): Forwarder {
  const url = parseForwardUrl(options.forwardTo)
  const secret = secretOf(options.secret)
  const sign = signerOf(secret)
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort())
  const warn = (text: string): void => void process.stderr.write(`${text}\n`)
  const say = options.json === true ? warn : (text: string): void => void process.stdout.write(`${text}\n`)
  const count = { delivered: 0, failed: 0 }
  say(`Forwarding to  ${url.href} (press Ctrl-C to end)\nSigned with    ${secret}`)
  return {
    signal: stopping.signal,
    say,
    warn,
    tell: async ({ body, ...event }) => {
      const answer = await forwardDelivery(url, sign(event, body), { signal: stopping.signal })
      count[answer.error === null ? 'delivered' : 'failed']++
      const line = options.json === true ? JSON.stringify({ ...event, ...answer }) : lineOf(event, answer)
      process.stdout.write(`${line}\n`)
    },
    sayEnd: () => say(summaryOf(count, options.forwardTo)),
  }
}

function secretOf(given: string | undefined): string {
  if (given === undefined) return newSecret()
  if (/^whsec_(?:[A-Za-z0-9+/]{4}){6,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(given)) return given
  throw new UsageError(
    '--secret takes the form of a webhook secret: whsec_ and the base64 of at least 18 bytes, ideally 32.',
  )
}

type EventHead = Omit<ForwardedEvent, 'body'>

/** Signs an event like the first attempt of a delivery, but with the id of the event instead of a delivery's. */
function signerOf(secret: string): (event: EventHead, text: string) => SignedEvent {
  const keys = [signingKey(secret)]
  return ({ id, event }, text) => {
    const body = Buffer.from(text, 'utf8')
    const unixSeconds = Math.floor(systemClock.now() / 1_000)
    return { body, headers: headersOf({ id, event, attempt: 1, unixSeconds, body, keys }) }
  }
}

/** `12:04:05 transfer.success PAYOUT-1 → 200 in 12 ms` */
function lineOf(event: EventHead, { responseCode, error, durationMs }: ReceiverAnswer): string {
  const answer = responseCode === null ? `failed after ${durationMs} ms` : `${responseCode} in ${durationMs} ms`
  return `${describeEvent(event)} → ${answer}${error === null ? '' : `: ${error}`}`
}

export function describeEvent({ createdAt, event, reference }: EventHead): string {
  return [localTime(createdAt), event, reference].join(' ')
}

function localTime(time: Date): string {
  const clock = time.toTimeString().slice(0, 8)
  if (time.toDateString() === new Date(systemClock.now()).toDateString()) return clock
  const [month, day] = [time.getMonth() + 1, time.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${time.getFullYear()}-${month}-${day} ${clock}`
}

function summaryOf(count: { delivered: number; failed: number }, forwardTo: string): string {
  const all = count.delivered + count.failed
  const events = all === 1 ? '1 event' : `${all} events`
  if (count.failed === 0) return `Forwarded ${events}.`
  const again = `npx manilla listen --forward-to ${forwardTo} --since 10m`
  return `Forwarded ${events}, of which ${count.failed} failed. To send failed events again: ${again}`
}
