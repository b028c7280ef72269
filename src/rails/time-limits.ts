// Limits the time of rail calls, also if the rail breaks its promise to end them: a call that never resolves would
// block its payment and its caller forever. A later answer of the rail is dropped, because another process may have
// claimed the payment by then. Lookups (directory/resolve.ts), notices (rail-notices/worker.ts), configurations
// (operator-offers.ts) and the balance query that closes a breaker (breaker.ts) have limits of their own.

import { finishesWithin } from '#platform/concurrency.ts'
import type { Rail, Submission, Unknown } from './rail.ts'

/** A rail declares how long a submission or a refund can take. We stop waiting for the answer this much later. */
export const submitSlackMs = 5_000

/**
 * The limit of the other calls here, except sending a refund. Short, because a client may be waiting, for example for
 * the result of a one-time code.
 */
export const answerMsMax = 20_000

export const limitedCalls = ['submit', 'status', 'code', 'account', 'deposit', 'refund', 'list', 'balance'] as const

export type LateCall = { rail: string; call: (typeof limitedCalls)[number] }

/** A call that ended, with the kind of its answer, or `late`. */
export type EndedCall = LateCall & { outcome: string; seconds: number }

const detail = 'the rail did not answer in time'
const unknown: Unknown = { kind: 'unknown', detail }
const unavailable = { kind: 'unavailable' as const, detail }

export function withTimeLimits(rail: Rail, onLate: (late: LateCall) => void, onEnd?: (ended: EndedCall) => void): Rail {
  const { name, payout, momoPayout, momoCollection: collection, virtualAccounts: accounts } = rail
  const { inbound, refunds, statement, float } = rail

  async function limit<A, L>(call: LateCall['call'], limitMs: number, answer: Promise<A>, late: L): Promise<A | L> {
    const beganMs = performance.now()
    const isThere = await finishesWithin(limitMs, answer)
    onEnd?.({ rail: name, call, outcome: isThere ? kindOf(await answer) : 'late', seconds: secondsSince(beganMs) })
    if (!isThere) onLate({ rail: name, call })
    return isThere ? answer : late
  }

  function limitSubmission<Order, State>(port: Submission<Order, State>): Submission<Order, State | Unknown> {
    return {
      submitLeaseMs: port.submitLeaseMs,
      submit: (order) => limit('submit', port.submitLeaseMs + submitSlackMs, port.submit(order), unknown),
      status: (order) => limit('status', answerMsMax, port.status(order), unknown),
    }
  }

  const limited: Rail = { ...rail }
  if (payout !== undefined) limited.payout = limitSubmission(payout)
  if (momoPayout !== undefined) limited.momoPayout = { ...momoPayout, ...limitSubmission(momoPayout) }
  if (collection !== undefined) {
    limited.momoCollection = {
      ...collection,
      ...limitSubmission(collection),
      submitOtp: (order, otp) => limit('code', answerMsMax, collection.submitOtp(order, otp), unknown),
    }
  }
  if (accounts !== undefined) {
    const offered = accounts.offered?.bind(accounts)
    limited.virtualAccounts = {
      defaultBankSlug: accounts.defaultBankSlug,
      createStatic: (order) => limit('account', answerMsMax, accounts.createStatic(order), unavailable),
      createDynamic: (order) => limit('account', answerMsMax, accounts.createDynamic(order), unavailable),
      close: (account) => limit('account', answerMsMax, accounts.close(account), unavailable),
      ...(offered === undefined ? {} : { offered: () => limit('account', answerMsMax, offered(), unavailable) }),
    }
  }
  if (refunds !== undefined) {
    limited.refunds = {
      refundLeaseMs: refunds.refundLeaseMs,
      refund: (order) => limit('refund', refunds.refundLeaseMs + submitSlackMs, refunds.refund(order), unknown),
      status: (order) => limit('refund', answerMsMax, refunds.status(order), unknown),
    }
  }
  const ask = inbound?.ask?.bind(inbound)
  if (inbound !== undefined && ask !== undefined)
    limited.inbound = { ...inbound, ask: (pending) => limit('deposit', answerMsMax, ask(pending), unknown) }
  if (statement !== undefined) {
    limited.statement = {
      page: (question) => limit('list', answerMsMax, statement.page(question), unavailable),
      reread: (deposit) => limit('deposit', answerMsMax, statement.reread(deposit), unavailable),
    }
  }
  if (float !== undefined)
    limited.float = { balance: () => limit('balance', answerMsMax, float.balance(), unavailable) }
  return limited
}

function kindOf(answer: unknown): string {
  const { kind } = (answer ?? {}) as { kind?: unknown }
  return typeof kind === 'string' ? kind : 'answered'
}

function secondsSince(beganMs: number): number {
  return (performance.now() - beganMs) / 1_000
}
