// One attempt: signs a request, sends it to a receiver and turns the result into an outcome. A failure of the receiver
// is an outcome and not an error.

import type { DeliveryToSend } from '#events/outbox.ts'
import { payloadOf } from '#events/payload.ts'
import type { Receiver } from '#events/receiver.ts'
import { secretContext, signingKey, type SigningKey, headersOf } from '#events/signature.ts'
import type { Clock } from '#platform/clock.ts'
import { traceStep, type Environment, type Tracing } from '#platform/context.ts'
import type { Net, NetResult } from '#platform/http-client/client.ts'
import { formatId } from '#platform/ids.ts'
import type { SecretBox } from '#platform/secrets.ts'

const cachedKeysMax = 10_000

/**
 * Returns the signing keys of a receiver: the new key first, then the old one until it expires. It caches opened keys,
 * because opening a sealed key costs more than signing.
 */
export function createKeyOpener(box: SecretBox): (receiver: Receiver, nowMs: number) => SigningKey[] {
  const opened = new Map<string, SigningKey>()

  function open(sealed: Buffer, { subscriptionId }: Receiver): SigningKey {
    const name = sealed.toString('latin1')
    const known = opened.get(name)
    if (known !== undefined) return known
    const key = signingKey(box.open(sealed, secretContext(subscriptionId)))
    const [oldest] = opened.keys()
    if (opened.size >= cachedKeysMax && oldest !== undefined) opened.delete(oldest)
    opened.set(name, key)
    return key
  }

  return (receiver, nowMs) => {
    const { secret, oldSecret, oldSecretUntil } = receiver
    const rotating = oldSecret !== null && oldSecretUntil !== null && oldSecretUntil.getTime() > nowMs
    return rotating ? [open(secret, receiver), open(oldSecret, receiver)] : [open(secret, receiver)]
  }
}

/** `gone`: the receiver answered 410. `interrupted`: this process stopped the request, which may have arrived. */
export type Outcome = 'delivered' | 'failed' | 'gone' | 'interrupted'

export type AttemptResult = {
  outcome: Outcome
  startedAt: Date
  durationMs: number
  responseCode: number | null
  error: string | null
  responseBody: string | null
  retryAfterSeconds?: number | undefined
}

export const attemptMsUsual = 30_000
/** Shorter, because a caller waits for the answer. */
export const testMsUsual = 10_000
const responseBytesMax = 4_096

type SendOptions = {
  net: Net
  clock: Clock
  tracing?: Tracing | undefined
  keysOf: (receiver: Receiver, nowMs: number) => SigningKey[]
  mayCallLoopback: (environment: Environment) => boolean
  attemptMs: number
  stop?: AbortSignal
}

export type SendAttempt = (delivery: DeliveryToSend) => Promise<AttemptResult>

export function createSend(options: SendOptions): SendAttempt {
  const { net, clock, tracing, keysOf, mayCallLoopback, attemptMs, stop } = options
  return async (delivery) => {
    const startedAt = new Date(clock.now())
    const body = Buffer.from(payloadOf(delivery), 'utf8')
    const message = {
      id: formatId('event', delivery.id),
      event: delivery.event,
      attempt: delivery.attempts + 1,
      unixSeconds: Math.floor(startedAt.getTime() / 1_000),
      body,
      keys: keysOf(delivery.receiver, startedAt.getTime()),
    }
    const step = {
      name: 'webhook delivery',
      trace: delivery.trace,
      attributes: { 'manilla.event': delivery.event, 'manilla.delivery': message.id },
    }
    const result = await traceStep({ tracing }, step, () =>
      net.request({
        url: delivery.receiver.url,
        method: 'POST',
        headers: headersOf(message),
        body,
        timeoutMs: attemptMs,
        maxResponseBytes: responseBytesMax,
        allowLoopback: mayCallLoopback(delivery.environment),
        signal: stop,
      }),
    )
    return sentOf(result, startedAt)
  }
}

function sentOf(result: NetResult, startedAt: Date): AttemptResult {
  const { durationMs } = result
  if (result.kind === 'failed') {
    const outcome = result.reason === 'aborted' ? 'interrupted' : 'failed'
    return { outcome, startedAt, durationMs, responseCode: null, error: sentence(result.message), responseBody: null }
  }
  const { status, body, retryAfterSeconds } = result
  const responseBody = body.length === 0 ? null : storable(body)
  const answered = { startedAt, durationMs, responseCode: status, responseBody, retryAfterSeconds }
  if (status >= 200 && status < 300) return { ...answered, outcome: 'delivered', error: null }
  if (status === 410) {
    return { ...answered, outcome: 'gone', error: 'The receiver answered 410: it is gone, and is not called again.' }
  }
  const redirects = status >= 300 && status < 400
  const error = `The receiver answered ${status}${redirects ? ', a redirect, which is not followed' : ''}.`
  return { ...answered, outcome: 'failed', error }
}

function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`
}

/** PostgreSQL text is UTF-8 without NUL. A character that the size limit cut in two is dropped. */
function storable(body: Buffer): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(body, { stream: true }).replaceAll('\0', '\uFFFD')
}
