// Every call of a rail ends here, also when the rail breaks its promise to end it: a call that never resolves would keep
// the place of its payment, and the caller who waits for it, for ever. What the rail answers after that nobody hears: by
// then another process may have taken the payment up. Look-ups have a shorter limit of their own (directory/resolve.ts).

import { within } from '#platform/clock.ts'
import type { Rail, Submission, Unknown } from './rail.ts'

/** A rail says how long its submission can take. So much later its answer does not come any more. */
export const submitSlackMs = 5_000

/** For every other call. A caller may be waiting for a code or an account; a payment is asked about again. */
export const answerMsMax = 20_000

export const limitedCalls = ['submit', 'status', 'code', 'account', 'deposit', 'refund', 'list'] as const

/** A call that was given up. */
export type LateCall = { rail: string; call: (typeof limitedCalls)[number] }

/** A call that ended: what kind of answer came of it, or `late`. */
export type EndedCall = LateCall & { outcome: string; seconds: number }

const detail = 'the rail did not answer in time'
const unknown: Unknown = { kind: 'unknown', detail }
const unavailable = { kind: 'unavailable' as const, detail }

export function withTimeLimits(rail: Rail, onLate: (late: LateCall) => void, onEnd?: (ended: EndedCall) => void): Rail {
  const { name, payout, momoPayout, momoCollection: collection, virtualAccounts: accounts } = rail
  const { inbound, refunds, statement } = rail

  async function limit<A, L>(call: LateCall['call'], limitMs: number, answer: Promise<A>, late: L): Promise<A | L> {
    const beganMs = performance.now()
    const isThere = await within(limitMs, answer)
    const seconds = (performance.now() - beganMs) / 1_000
    onEnd?.({ rail: name, call, outcome: isThere ? kindOf(await answer) : 'late', seconds })
    if (isThere) return answer
    onLate({ rail: name, call })
    return late
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
  if (momoPayout !== undefined) limited.momoPayout = limitSubmission(momoPayout)
  if (collection !== undefined) {
    limited.momoCollection = {
      ...limitSubmission(collection),
      approval: (payer) => collection.approval(payer),
      submitOtp: (order, otp) => limit('code', answerMsMax, collection.submitOtp(order, otp), unknown),
    }
  }
  if (accounts !== undefined) {
    limited.virtualAccounts = {
      defaultBankSlug: accounts.defaultBankSlug,
      createStatic: (order) => limit('account', answerMsMax, accounts.createStatic(order), unavailable),
      createDynamic: (order) => limit('account', answerMsMax, accounts.createDynamic(order), unavailable),
      close: (account) => limit('account', answerMsMax, accounts.close(account), unavailable),
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
  if (inbound !== undefined && ask !== undefined) {
    limited.inbound = { ...inbound, ask: (pending) => limit('deposit', answerMsMax, ask(pending), unknown) }
  }
  if (statement !== undefined) {
    limited.statement = {
      page: (question) => limit('list', answerMsMax, statement.page(question), unavailable),
      reread: (deposit) => limit('deposit', answerMsMax, statement.reread(deposit), unavailable),
    }
  }
  return limited
}

function kindOf(answer: unknown): string {
  const { kind } = (answer ?? {}) as { kind?: unknown }
  return typeof kind === 'string' ? kind : 'answered'
}
