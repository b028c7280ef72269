// Collections from wallets, which pawaPay calls deposits. How a payer approves depends on the operator: on the handset;
// with a code that the payer makes first and that is part of the very first call (PREAUTH), so that nothing is sent
// before the code is here; or on a page of the operator (REDIRECT_AUTH), which this service cannot show.

import { minuteMs } from '#platform/durations.ts'
import type {
  CollectionOrder,
  CollectionState,
  MomoCollection,
  NotFound,
  OtpAnswer,
  RailOperator,
  Unknown,
} from '#rails/rail.ts'
import {
  askPayment,
  depositKind,
  leaseSlackMs,
  providerOf,
  submitPayment,
  type PawapayPayments,
  type PawapayState,
} from './payments.ts'

/** From pawaPay's documentation, "Providers". `manilla rails test` compares both lists with the account's configuration. */
const byCode = ['ORANGE_BFA']
const byPage = ['WAVE_CIV', 'WAVE_SEN']

/**
 * Our own choice, because no document says how long a code is valid. A payer needs about a minute to make one in the
 * operator's menu.
 */
const codeLifeMs = 10 * minuteMs

export function approvalAt(provider: string | undefined): 'handset' | 'code' | 'page' {
  if (provider === undefined) return 'handset'
  if (byCode.includes(provider)) return 'code'
  return byPage.includes(provider) ? 'page' : 'handset'
}

function canCollect(operator: RailOperator): boolean {
  const provider = providerOf(operator)
  return provider !== undefined && approvalAt(provider) !== 'page'
}

export function createMomoCollection(payments: PawapayPayments): MomoCollection {
  return {
    submitLeaseMs: payments.submitMs + leaseSlackMs,
    serves: canCollect,
    approval: ({ operator }) => (needsCode(operator) ? { kind: 'otp', validMs: codeLifeMs } : { kind: 'handset' }),
    submit: (order) => submit(payments, order),
    status: (order) => ask(payments, order),
    submitOtp: (order, code) => submitCode(payments, order, code),
  }
}

const needsCode = (operator: RailOperator): boolean => approvalAt(providerOf(operator)) === 'code'

const codeExpiryOf = ({ submittedAtMs }: CollectionOrder): number => submittedAtMs + codeLifeMs

async function submit(payments: PawapayPayments, order: CollectionOrder): Promise<CollectionState> {
  if (!canCollect(order.operator)) return { kind: 'failed', reason: 'OPERATOR_UNAVAILABLE' }
  if (!needsCode(order.operator)) return withoutCreated(await submitPayment(payments, depositKind, order))
  if (order.otpAcceptedAtMs === null) return { kind: 'otp-required', expiresAtMs: codeExpiryOf(order) }
  return { kind: 'unknown', detail: 'deposit: pawaPay does not show it, and the code of the payer is not stored' }
}

/** Drops `created: false`, which matters only to payments that may go to another rail. */
function withoutCreated(state: PawapayState): Exclude<CollectionState, { kind: 'otp-required' }> {
  return state.kind === 'failed' ? { kind: 'failed', reason: state.reason } : state
}

async function ask(payments: PawapayPayments, order: CollectionOrder): Promise<CollectionState | NotFound> {
  const state = await askPayment(payments, depositKind, order)
  if (state.kind !== 'not-found') return withoutCreated(state)
  const waits = needsCode(order.operator) && order.otpAcceptedAtMs === null
  const expiresAtMs = codeExpiryOf(order)
  // A code that we sent in time may still reach pawaPay, so after the code's time only a lasting absence ends the
  // collection.
  return waits && payments.clock.now() < expiresAtMs ? { kind: 'otp-required', expiresAtMs } : state
}

/**
 * The call with the code makes the payment. If an earlier code has made it, pawaPay answers DUPLICATE_IGNORED. Nothing
 * is sent after `codeExpiryOf`: from then on another process may conclude, from a payment that pawaPay does not show,
 * that it was never made.
 */
async function submitCode(payments: PawapayPayments, order: CollectionOrder, code: string): Promise<OtpAnswer> {
  if (!needsCode(order.operator)) return { kind: 'not-waiting' }
  const { clock, readMs: timeoutMs } = payments
  const leftMs = codeExpiryOf(order) - clock.now()
  if (leftMs <= 0) return { kind: 'expired' }
  const timed = { ...order, leaveBeforeMs: clock.monotonicMs() + leftMs }
  const state = withoutCreated(
    await submitPayment(payments, depositKind, timed, { timeoutMs, preAuthorisationCode: code }),
  )
  return state.kind === 'unknown' ? withoutAdvice(state) : { kind: 'accepted', state }
}

/** Drops the advice about a pause, because the payer decides when to try again. */
function withoutAdvice({ detail, why }: Unknown): Unknown {
  return { kind: 'unknown', detail, ...(why === undefined ? {} : { why }) }
}
