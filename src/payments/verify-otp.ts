// Verifies one-time codes of collections. The lane counts an attempt first (collection-rules.ts allows three). Then the service
// submits the code to the mobile operator, outside of any transaction, and the lane records the answer. A process
// submits the codes for one collection one after the other. If it submitted them at once, the first three would use all
// attempts, and the next one would be refused before their answers are known. The service stores a keyed hash of the
// right code, to recognize it when it is sent again. It never stores or logs a code in the clear.

import { createHmac } from 'node:crypto'
import { present } from '#platform/assert.ts'
import type { Tenant } from '#platform/context.ts'
import { constantTimeEqual } from '#platform/secrets.ts'
import type { OtpAnswer } from '#rails/rail.ts'
import { nextCollectionAskMs } from '#payments/execution/schedule.ts'
import type { Means } from '#payments/execution/step.ts'
import { collectionOrderOf } from './execution/rail-call.ts'
import { reportContradiction } from './review-items.ts'
import type { MomoCollection, Result } from './payment.ts'
import type { SettleOutcome } from './settle.ts'
import { otpTriesMax, isCodeLate } from './collection-rules.ts'

type OtpOutcome =
  | { kind: 'accepted'; payment: MomoCollection }
  /** If no attempt is left, the collection has failed. */
  | { kind: 'wrong'; attemptsLeft: number }
  | { kind: 'expired' }
  | { kind: 'not-found' }
  | { kind: 'not-waiting'; payment: MomoCollection }
  /** The operator did not answer, and the attempt does not count: the same code may be sent again. */
  | { kind: 'unavailable' }

export type VerifyOtp = (tenant: Tenant, reference: string, code: string) => Promise<OtpOutcome>

/** The first key is the current one. */
type OtpMeans = Means & { secretKeys: Buffer[] }

/** The number of codes for one collection that may wait. A client that sends more is guessing. */
const otpWaitingMax = 32

export function createVerifyOtp(means: OtpMeans): VerifyOtp {
  const enqueue = createQueueByKey(otpWaitingMax)
  return async (tenant, reference, code) =>
    enqueue(`${tenant.id} ${reference}`, () => verify(means, tenant, reference, code)) ?? { kind: 'unavailable' }
}

type CodeAttempt = { tenant: Tenant; collection: MomoCollection; code: string; settle: Settle }

type Settle = (result: Result) => Promise<SettleOutcome>

async function verify(means: OtpMeans, tenant: Tenant, reference: string, code: string): Promise<OtpOutcome> {
  const lane = means.laneOf(tenant.lane)
  const about = { tenantId: tenant.id, reference }
  const counted = await lane.submit(means.settling, { ...about, result: { kind: 'otp-tried' } })
  if (counted.kind === 'not-found' || counted.payment.kind !== 'momo_collection') return { kind: 'not-found' }
  const collection = counted.payment
  if (counted.kind !== 'settled') return refuse(means, collection, code)
  // `submitOwn` records the operator's answer even if the lane is full.
  const source = { kind: 'rail' as const, environment: tenant.environment, rail: collection.rail }
  const settle: Settle = (result) => lane.submitOwn(means.settling, { ...about, result, source })
  return tryCode(means, { tenant, collection, code, settle })
}

async function tryCode(means: OtpMeans, attempt: CodeAttempt): Promise<OtpOutcome> {
  const { tenant, collection, code, settle } = attempt
  const order = collectionOrderOf(means.rails, tenant.environment, collection)
  const answer: OtpAnswer =
    order === undefined ? { kind: 'unknown', detail: 'there is no rail any more' } : await order.submitOtp(code)
  switch (answer.kind) {
    case 'accepted':
      return accept(means, attempt, answer.state)
    case 'wrong':
      return afterWrong(collection, collectionIn(await settle({ kind: 'otp-wrong' })))
    case 'expired':
      await settle({ kind: 'otp-undecided' })
      return { kind: 'expired' }
    case 'not-waiting':
      return { kind: 'not-waiting', payment: collectionIn(await settle({ kind: 'otp-undecided' })) }
    case 'unknown':
      await settle({ kind: 'otp-undecided' })
      return { kind: 'unavailable' }
  }
}

async function accept(
  means: OtpMeans,
  { tenant, collection, code, settle }: CodeAttempt,
  state: Extract<OtpAnswer, { kind: 'accepted' }>['state'],
): Promise<OtpOutcome> {
  const hash = hashOf(present(means.secretKeys[0], 'there is a key'), collection, code).toString('hex')
  const advisedMs = state.kind === 'pending' ? state.askAgainAfterMs : undefined
  const results: Result[] = [{ kind: 'otp-accepted', hash, lookAgainMs: advisedMs ?? nextCollectionAskMs(0) }]
  if (state.kind === 'succeeded' || state.kind === 'failed') results.push(state)
  const outcomes = await Promise.all(results.map(settle))
  const payment = collectionIn(present(outcomes.at(-1), 'what was settled has an outcome'))
  if (payment.otpAcceptedAt !== null) return { kind: 'accepted', payment }
  reportContradiction(means.ctx, { payment, environment: tenant.environment }, 'otp-accepted')
  return { kind: 'not-waiting', payment }
}

/** Answers a code that is not submitted to the operator. */
function refuse(means: OtpMeans, collection: MomoCollection, code: string): OtpOutcome {
  const { status, failureReason, otpHash } = collection
  if (otpHash !== null && isCode(means, collection, { code, hash: Buffer.from(otpHash, 'hex') }))
    return { kind: 'accepted', payment: collection }
  if (failureReason === 'OTP_EXPIRED') return { kind: 'expired' }
  if (status !== 'OTP_REQUIRED') return { kind: 'not-waiting', payment: collection }
  // A code that comes in time is refused only if other processes are using all remaining attempts.
  return isCodeLate(collection, means.ctx.clock.now()) ? { kind: 'expired' } : { kind: 'unavailable' }
}

/** Also recognizes a code that was hashed with an older key. */
function isCode({ secretKeys }: OtpMeans, about: MomoCollection, { code, hash }: { code: string; hash: Buffer }) {
  return secretKeys.some((key) => constantTimeEqual(hash, hashOf(key, about, code)))
}

function hashOf(secretKey: Buffer, { tenantId, id }: MomoCollection, code: string): Buffer {
  return createHmac('sha256', secretKey).update(`manilla one-time code ${tenantId} ${id} ${code}`).digest()
}

function afterWrong(before: MomoCollection, after: MomoCollection): OtpOutcome {
  return after.otpWrong > before.otpWrong
    ? { kind: 'wrong', attemptsLeft: otpTriesMax - after.otpWrong }
    : { kind: 'not-waiting', payment: after }
}

/** The outcome always has a collection, because payments are not deleted and do not change their kind. */
function collectionIn(outcome: SettleOutcome): MomoCollection {
  const payment = outcome.kind === 'not-found' ? undefined : outcome.payment
  return present(payment?.kind === 'momo_collection' ? payment : undefined, 'a collection stays where it is')
}

// Runs work with the same key one after the other, and work with different keys concurrently.

/** Returns undefined if too much work already waits under this key. */
type QueueByKey = <T>(key: string, work: () => Promise<T>) => Promise<T> | undefined

export function createQueueByKey(waitingMax: number): QueueByKey {
  const queues = new Map<string, { last: Promise<unknown>; count: number }>()

  return (key, work) => {
    const queue = queues.get(key) ?? { last: Promise.resolve(), count: 0 }
    if (queue.count >= waitingMax) return undefined
    queues.set(key, queue)
    queue.count += 1
    const turn = queue.last.then(work).finally(() => {
      queue.count -= 1
      if (queue.count === 0) queues.delete(key)
    })
    queue.last = turn.catch(() => undefined)
    return turn
  }
}
