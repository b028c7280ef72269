// Collections of one instance. The payer agrees on the handset, or with a code that the caller sends through the service.

import type { CollectionOrder, CollectionState, MomoCollection, NotFound, OtpAnswer } from '#rails/rail.ts'
import { answerMsMax } from '#rails/time-limits.ts'
import type { Arrival } from './far-side.ts'
import type { CodeFate } from './fate.ts'
import { askOver, neverResolve, submitOver, type Way } from './submission.ts'

export const rightCode = '123456'

const submitLeaseMs = 1_000
export const codeLifeMs = 600_000
const wrongCodesMax = 3

export function createCollections(way: Way, fateOf: (phone: string) => CodeFate): MomoCollection {
  async function submit(order: CollectionOrder): Promise<CollectionState> {
    const fate = fateOf(order.phoneNumber)
    const answer = await submitOver(way, { ...order, payee: order.phoneNumber }, fate)
    return 'kind' in answer ? answer : stateOf(way, order, answer, fate)
  }

  async function status(order: CollectionOrder): Promise<CollectionState | NotFound> {
    const fate = fateOf(order.phoneNumber)
    const answer = await askOver(way, { ...order, payee: order.phoneNumber }, fate)
    if ('kind' in answer) return answer
    const isForgotten = fate.ends === 'ignores' && way.side.time.now() >= (order.expiresAtMs ?? Infinity)
    return isForgotten && !order.operator.requiresOtp ? { kind: 'not-found' } : stateOf(way, order, answer, fate)
  }

  return {
    submitLeaseMs,
    approval: ({ operator }) => (operator.requiresOtp ? { kind: 'otp', validMs: codeLifeMs } : { kind: 'handset' }),
    submit,
    status,
    submitOtp: (order, code) => judgeCode(way, order, code, fateOf(order.phoneNumber)),
  }
}

function stateOf({ side }: Way, order: CollectionOrder, arrival: Arrival, fate: CodeFate): CollectionState {
  const nowMs = side.time.now()
  const byCode = order.operator.requiresOtp
  if (byCode && arrival.agreedAtMs === undefined) {
    const expiresAtMs = arrival.atMs + codeLifeMs
    return nowMs < expiresAtMs ? { kind: 'otp-required', expiresAtMs } : { kind: 'failed', reason: 'OTP_EXPIRED' }
  }
  if (fate.ends === 'ignores' && !byCode) return { kind: 'pending' }
  const leftMs = fate.knowsAfterMs - (nowMs - (arrival.agreedAtMs ?? arrival.atMs))
  if (leftMs > 0) return { kind: 'pending', askAgainAfterMs: leftMs }
  if (fate.ends === 'refuses' && !byCode) return { kind: 'failed', reason: 'PAYMENT_NOT_APPROVED' }
  return { kind: 'succeeded', operatorReference: 'OPERATOR' }
}

async function judgeCode(way: Way, order: CollectionOrder, code: string, fate: CodeFate): Promise<OtpAnswer> {
  const { side, pulse } = way
  const beganMs = side.time.now()
  await pulse.awake()
  const arrival = side.arrivals.get(order.railReference)
  if (arrival === undefined) return { kind: 'unknown', detail: 'the operator does not know it yet' }
  const codes = side.codes.get(order.railReference) ?? { wrong: 0, unheard: 0, lost: 0, hung: false }
  side.codes.set(order.railReference, codes)
  if (fate.hangs && !codes.hung && !way.isQuiet()) {
    codes.hung = true
    return neverResolve()
  }
  const nowMs = side.time.now()
  if (arrival.agreedAtMs === undefined && nowMs >= arrival.atMs + codeLifeMs) return { kind: 'expired' }
  if (codes.wrong - codes.unheard >= wrongCodesMax)
    side.wrong.add(`${side.name} was given a fourth code for ${order.phoneNumber}`)
  if (code !== rightCode) {
    if (arrival.agreedAtMs !== undefined) return { kind: 'not-waiting' }
    codes.wrong += 1
    // The instance stalled and no longer waits for this answer, so it may send another code: this one does not count
    // towards the limit of wrong codes.
    if (nowMs - beganMs >= answerMsMax) codes.unheard += 1
    return { kind: 'wrong' }
  }
  arrival.agreedAtMs ??= nowMs
  await pulse.awake()
  if (codes.lost < fate.codesLost) {
    codes.lost += 1
    return { kind: 'unknown', detail: 'the answer was lost' }
  }
  const state = stateOf(way, order, arrival, fate)
  return state.kind === 'otp-required' ? { kind: 'unknown', detail: 'unclear' } : { kind: 'accepted', state }
}
