// The request of an attempt, the meaning of each answer at the edges of its statuses, and the stored part of a body.

import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Environment } from '#platform/context.ts'
import type { NetRequest, NetResult } from '#platform/http-client/client.ts'
import type { LeasedDelivery } from '#events/outbox.ts'
import { signingKey } from '#events/signature.ts'
import { createSend } from '#webhooks/delivery/attempt.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { deliveryAt } from './in-hand.ts'

const clock = createFakeClock(1_768_469_400_999)
const key = signingKey(`whsec_${randomBytes(32).toString('base64')}`)

/** Sends over a network that gives this answer. */
async function send(answer: NetResult, changes: Partial<LeasedDelivery> = {}) {
  const requests: NetRequest[] = []
  const net = {
    request: (request: NetRequest) => (requests.push(request), Promise.resolve(answer)),
    close: () => Promise.resolve(),
  }
  const mayCallLoopback = (environment: Environment) => environment === 'staging'
  const delivery = deliveryAt(clock.now(), { attempts: 2, ...changes })
  const sent = await createSend({ net, clock, keysOf: () => [key], mayCallLoopback, attemptMs: 7_000 })(delivery)
  const [request] = requests
  if (request === undefined) throw new Error('nothing was sent')
  return { sent, request }
}

const answered = (status: number, body: Buffer = Buffer.alloc(0)): NetResult => ({
  kind: 'answered',
  status,
  headers: {},
  body,
  truncated: false,
  durationMs: 5,
})

describe('an attempt', () => {
  it('has its number and its time in whole seconds, and limits the response', async () => {
    const { request } = await send(answered(200))
    expect(request.headers).toMatchObject({ 'X-Webhook-Attempt': '3', 'webhook-timestamp': '1768469400' })
    expect(request).toMatchObject({ method: 'POST', timeoutMs: 7_000, maxResponseBytes: 4_096, allowLoopback: true })
    expect((await send(answered(200), { environment: 'production' })).request.allowLoopback).toBe(false)
  })
})

describe('an answer', () => {
  it.each([
    [199, 'failed', 'The receiver answered 199.'],
    [200, 'delivered', null],
    [299, 'delivered', null],
    [300, 'failed', 'The receiver answered 300, a redirect, which is not followed.'],
    [399, 'failed', 'The receiver answered 399, a redirect, which is not followed.'],
    [400, 'failed', 'The receiver answered 400.'],
    [410, 'gone', 'The receiver answered 410: it is gone, and is not called again.'],
    [500, 'failed', 'The receiver answered 500.'],
  ])('%i means: %s', async (status, outcome, error) => {
    expect((await send(answered(status))).sent).toMatchObject({
      outcome,
      error,
      responseCode: status,
      responseBody: null,
    })
  })

  it.each([
    ['of one byte', Buffer.from('a'), 'a'],
    ['that begins with a mark of its encoding', Buffer.from('\uFEFFa'), '\uFEFFa'],
    ['with a NUL, which no text may have', Buffer.from('a\0b'), 'a\uFFFDb'],
    ['whose last character is cut in two', Buffer.from('a₦').subarray(0, 2), 'a'],
  ])('%s is kept', async (_what, body, kept) => {
    expect((await send(answered(200, body))).sent.responseBody).toBe(kept)
  })

  it('that did not come is stored as a sentence, and our own stop is not a failure of the receiver', async () => {
    const failed = { kind: 'failed', sent: true, message: 'no answer came', durationMs: 5 } as const
    expect((await send({ ...failed, reason: 'timeout' })).sent).toMatchObject({
      outcome: 'failed',
      responseCode: null,
      error: 'No answer came.',
    })
    expect((await send({ ...failed, reason: 'aborted' })).sent).toMatchObject({ outcome: 'interrupted' })
  })
})
