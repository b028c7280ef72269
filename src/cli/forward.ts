// Hands a delivery to a program of the developer who asked for it. The address comes from the person at this terminal,
// so it may be on this machine or beside it: the guard of #base/net.ts, which is for addresses of other people, has
// nothing to protect here.

import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { OperatorError } from '#base/error.ts'
import type { SignedEvent } from '#webhooks/sign-for-listener.ts'

export type Answer = { responseCode: number | null; error: string | null; durationMs: number }

const defaultLimits = {
  /** The same time as a receiver has to answer a real delivery. */
  answerMs: 30_000,
  /** What is shown of an answer that is none of success. */
  excerptChars: 200,
}

export function parseForwardUrl(unchecked: string): URL {
  const url = URL.parse(unchecked)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const meant = /^\d+$/.test(unchecked) ? `localhost:${unchecked}` : unchecked
    const hint = /^[\w.-]+(:\d+)?(\/|$)/.test(meant) ? `: write http://${meant}` : '.'
    throw new OperatorError(`--forward-to takes an http or https address, and ${unchecked} is none${hint}`)
  }
  if (url.username + url.password !== '') throw new OperatorError('--forward-to takes no user name and no password.')
  return url
}

/** Never rejects: what goes wrong is the receiver's answer. No redirect is followed, as with a real delivery. */
export async function forward(
  url: URL,
  { headers, body }: SignedEvent,
  { signal, limits = defaultLimits }: { signal: AbortSignal; limits?: Partial<typeof defaultLimits> },
): Promise<Answer> {
  const { answerMs, excerptChars } = { ...defaultLimits, ...limits }
  const startedAt = performance.now()
  const late = AbortSignal.timeout(answerMs)
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  let answer: Omit<Answer, 'durationMs'>
  try {
    const request = send(url, {
      method: 'POST',
      // A connection of its own: one that is kept may have died with a receiver that was restarted meanwhile.
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
): Promise<Omit<Answer, 'durationMs'>> {
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
  if (statusCode >= 300 && statusCode < 400) return `a redirect to ${headers.location ?? 'nowhere'} is not followed`
  // A terminal obeys control characters, and they are the receiver's.
  const shown = text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  return shown === '' ? 'not a success' : shown
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'no program listens on that address; start your receiver',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name is not known',
  ECONNRESET: 'the connection was closed before the answer was complete',
}

function reasonOf(error: unknown, known: { stopped: boolean; late: boolean; answerMs: number }): string {
  if (known.stopped) return 'stopped before it answered'
  if (known.late) return `no complete answer within ${known.answerMs / 1_000} s`
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? String(error.code) : ''
  return reasons[code] ?? `${error.message === '' ? error.name : error.message}${code === '' ? '' : ` (${code})`}`
}
