// The rail of staging, which moves no money. It stores nothing: an outcome follows from the order, its submission
// time and the clock, so a service that is killed at any moment finds the same outcome after its restart. The numbers in
// magic-numbers.ts decide the outcome.

import { createHmac, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { unreachable } from '#platform/assert.ts'
import type { Clock } from '#platform/clock.ts'
import { toMoney, toWire } from '#platform/money.ts'
import { constantTimeEqual } from '#platform/secrets.ts'
import { institutionCodeOf, nubanCheckDigit } from '#rails/formats.ts'
import { madeUpOperatorReference, madeUpSessionId } from '#rails/nip.ts'
import type {
  DynamicAccountOrder,
  NewAccount,
  RefundOrder,
  Refunds,
  StaticAccountOrder,
  VirtualAccounts,
} from '#rails/ports.ts'
import type {
  Approval,
  BankPayout,
  CollectionOrder,
  CollectionState,
  DepositNotice,
  InboundAnswer,
  InboundNotices,
  MomoCollection,
  MomoFailureReason,
  MomoPayoutOrder,
  MomoPayout,
  OtpAnswer,
  PayoutOrder,
  PayoutState,
  PendingStatus,
  Rail,
  RailBank,
} from '#rails/rail.ts'
import { neverEnding, numberFrom, pendingUntilSettled } from './digest.ts'
import { simulatedBankDirectory, simulatedMomoDirectory } from './directory.ts'
import { accountFate, codeLifeMs, phoneFate, type PhoneFate, rightOtp } from './magic-numbers.ts'

/** ₦1,000,000,000.00 */
const simulatedFloat = toMoney(100_000_000_000)

type Simulator = Required<Omit<Rail, 'inbound' | 'label' | 'statement' | 'account' | 'readOffers'>> & {
  inbound: SimulatedInbound
}

export function createSimulator({ clock, settleMs }: { clock: Clock; settleMs: number }): Simulator {
  return {
    name: 'simulator',
    bankDirectory: simulatedBankDirectory,
    payout: simulatePayout(clock, settleMs),
    momoDirectory: simulatedMomoDirectory,
    momoPayout: simulateMomoPayout(clock, settleMs),
    momoCollection: simulateMomoCollection(clock, settleMs),
    virtualAccounts: simulatedVirtualAccounts,
    inbound: simulateInbound(),
    refunds: simulateRefunds(clock, settleMs),
    float: {
      balance: () => Promise.resolve({ kind: 'known', wallets: [{ currency: 'NGN', amount: simulatedFloat }] }),
    },
  }
}

function simulatePayout(clock: Clock, settleMs: number): BankPayout {
  const state = (order: PayoutOrder): Promise<PayoutState> =>
    Promise.resolve(payoutState(order, clock.now() - order.submittedAtMs, settleMs))
  return {
    // As long as the outcome takes, so that the first status query finds it.
    submitLeaseMs: settleMs,
    submit: state,
    status: state,
  }
}

function payoutState(order: PayoutOrder, elapsedMs: number, settleMs: number): PayoutState {
  const fate = accountFate(order.accountNumber)
  switch (fate.kind) {
    case 'succeeds':
      return pendingUntilSettled(elapsedMs, settleMs) ?? { kind: 'succeeded', sessionId: sessionIdOf(order) }
    case 'fails':
      return pendingUntilSettled(elapsedMs, settleMs) ?? { kind: 'failed', reason: fate.reason }
    case 'never-ends':
      return neverEnding(elapsedMs, settleMs)
    case 'unclear':
      if (elapsedMs >= fate.forMs) return { kind: 'succeeded', sessionId: sessionIdOf(order) }
      return { kind: 'unknown', detail: 'NIP 97: timeout waiting for the destination (simulated)' }
    case 'returns': {
      const leftMs = settleMs + fate.afterMs - elapsedMs
      if (leftMs <= 0) return { kind: 'reversed', sessionId: sessionIdOf(order) }
      return (
        pendingUntilSettled(elapsedMs, settleMs) ?? {
          kind: 'succeeded',
          sessionId: sessionIdOf(order),
          askAgainAfterMs: leftMs,
        }
      )
    }
    default:
      return unreachable(fate)
  }
}

function sessionIdOf(order: PayoutOrder): string {
  return madeUpSessionId(order.railReference, order.submittedAtMs)
}

function simulateRefunds(clock: Clock, settleMs: number): Refunds {
  const state = ({ submittedAtMs }: RefundOrder): Promise<PendingStatus | { kind: 'refunded' }> =>
    Promise.resolve(pendingUntilSettled(clock.now() - submittedAtMs, settleMs) ?? { kind: 'refunded' })
  return { refundLeaseMs: settleMs, refund: state, status: state }
}

type MomoOutcome =
  | PendingStatus
  | { kind: 'succeeded'; operatorReference: string }
  | { kind: 'failed'; reason: MomoFailureReason }

function simulateMomoPayout(clock: Clock, settleMs: number): MomoPayout {
  const state = (order: MomoPayoutOrder): Promise<MomoOutcome> => {
    // The last three digits of a till or paybill decide as those of a phone do.
    const fate = phoneFate(order.phoneNumber ?? order.accountNumber)
    return Promise.resolve(outcome(order, fate, 'RECIPIENT_NOT_FOUND', clock.now() - order.submittedAtMs, settleMs))
  }
  return { submitLeaseMs: settleMs, submit: state, status: state }
}

function simulateMomoCollection(clock: Clock, settleMs: number): MomoCollection {
  const state = (order: CollectionOrder): Promise<CollectionState> =>
    Promise.resolve(collectionState(order, clock.now(), settleMs))
  const answer = (order: CollectionOrder, otp: string): OtpAnswer => {
    const codeExpiresAtMs = codeExpiry(order)
    if (codeExpiresAtMs === undefined) return { kind: 'not-waiting' }
    const nowMs = clock.now()
    if (order.otpAcceptedAtMs === null && nowMs >= codeExpiresAtMs) return { kind: 'expired' }
    if (otp !== rightOtp) return { kind: 'wrong' }
    return { kind: 'accepted', state: afterCode(order, order.otpAcceptedAtMs ?? nowMs, nowMs, settleMs) }
  }
  return {
    submitLeaseMs: settleMs,
    approval: approvalOf,
    submit: state,
    status: (order) => (isForgotten(order, clock.now()) ? Promise.resolve({ kind: 'not-found' }) : state(order)),
    submitOtp: (order, otp) => Promise.resolve(answer(order, otp)),
  }
}

function collectionState(order: CollectionOrder, nowMs: number, settleMs: number): CollectionState {
  const codeExpiresAtMs = codeExpiry(order)
  if (codeExpiresAtMs === undefined) {
    const fate = phoneFate(order.phoneNumber)
    return outcome(order, fate, 'PAYER_NOT_FOUND', nowMs - order.submittedAtMs, settleMs)
  }
  if (order.otpAcceptedAtMs !== null) return afterCode(order, order.otpAcceptedAtMs, nowMs, settleMs)
  if (nowMs >= codeExpiresAtMs) return { kind: 'failed', reason: 'OTP_EXPIRED' }
  return { kind: 'otp-required', expiresAtMs: codeExpiresAtMs }
}

/** A request that the payer never answered is gone after its expiry. */
function isForgotten({ phoneNumber, expiresAtMs }: CollectionOrder, nowMs: number): boolean {
  return phoneFate(phoneNumber)?.kind === 'never-ends' && expiresAtMs !== undefined && nowMs >= expiresAtMs
}

function approvalOf({ phoneNumber, operator }: Parameters<MomoCollection['approval']>[0]): Approval {
  const fate = phoneFate(phoneNumber)
  if (fate?.kind === 'asks-for-code') return { kind: 'otp', validMs: fate.codeLifeMs }
  return fate === undefined && operator.requiresOtp ? { kind: 'otp', validMs: codeLifeMs } : { kind: 'handset' }
}

/** Undefined if the collection needs no code. */
function codeExpiry(order: CollectionOrder): number | undefined {
  const approval = approvalOf(order)
  return approval.kind === 'otp' ? order.submittedAtMs + approval.validMs : undefined
}

function afterCode(order: CollectionOrder, acceptedAtMs: number, nowMs: number, settleMs: number): MomoOutcome {
  return outcome(order, undefined, 'PAYER_NOT_FOUND', nowMs - acceptedAtMs, settleMs)
}

function outcome(
  order: MomoPayoutOrder,
  fate: PhoneFate | undefined,
  notFound: MomoFailureReason,
  elapsedMs: number,
  settleMs: number,
): MomoOutcome {
  const waiting = pendingUntilSettled(elapsedMs, settleMs)
  switch (fate?.kind) {
    case undefined:
    case 'succeeds':
    case 'asks-for-code':
      return waiting ?? { kind: 'succeeded', operatorReference: madeUpOperatorReference(order.railReference) }
    case 'fails':
      return waiting ?? { kind: 'failed', reason: fate.reason }
    case 'not-found':
      return waiting ?? { kind: 'failed', reason: notFound }
    case 'never-ends':
      return neverEnding(elapsedMs, settleMs)
    default:
      return unreachable(fate)
  }
}

// Simulated virtual accounts and deposit notices. The simulator stores nothing, so a number is a candidate: a valid
// NUBAN derived from the order and its attempt. Two orders can collide (one pair in 900 million); the caller's
// database then refuses the second, and the caller uses the next attempt.

const defaultBank: RailBank = { slug: 'wema-bank', name: 'Wema Bank', code: '035', nipCode: '000017', cbnCode: '035' }

/** No number begins with 9, so none equals a number that controls the simulator. */
const serialLimit = 900_000_000

const simulatedVirtualAccounts: VirtualAccounts = {
  defaultBankSlug: defaultBank.slug,
  createStatic: (order) => Promise.resolve(create(order)),
  createDynamic: (order) => Promise.resolve(create(order)),
  close: () => Promise.resolve({ kind: 'closed' }),
}

function create(order: StaticAccountOrder | DynamicAccountOrder): NewAccount {
  const bank = order.bank ?? defaultBank
  const seed = `account ${order.railReference} ${order.attempt}`
  const serial = String(numberFrom(seed, serialLimit)).padStart(9, '0')
  const accountNumber = `${serial}${nubanCheckDigit(institutionOf(bank), serial)}`
  const { name: bankName, slug: bankSlug } = bank
  return { kind: 'created', accountNumber, accountName: order.accountName, bankName, bankSlug, handle: null }
}

/** A few codes contain letters (`035A`, `MFB50094`); their digits are the institution's. */
function institutionOf(bank: RailBank): string {
  return institutionCodeOf(bank.code.replaceAll(/\D/g, '')) ?? bank.nipCode ?? '000000'
}

const signatureHeader = 'x-simulator-signature'
const provider = 'simulator'

const noticeBody = z.object({
  providerId: z.string().min(1).max(200),
  accountNumber: z.string().regex(/^\d{10}$/),
  amount: z.int().min(1),
  currency: z.literal('NGN'),
  status: z.enum(['PENDING', 'SUCCESSFUL', 'FAILED']),
  senderAccountName: z.string(),
  senderAccountNumber: z.string(),
  senderBankName: z.string(),
  narration: z.string(),
  occurredAtMs: z.int(),
})

type SignedNotice = { headers: Record<string, string>; rawBody: Buffer }

type SimulatedDeposit = Omit<DepositNotice, 'provider' | 'account'> & { accountNumber: string }

type SimulatedInbound = InboundNotices & { sign(notice: SimulatedDeposit): SignedNotice }

/**
 * Simulated notices are signed like a provider's webhook, so that a simulated payment takes the same path as a real
 * one. The process generates the key and never stores it, so no other process can sign.
 */
function simulateInbound(): SimulatedInbound {
  const key = randomBytes(32)
  const signatureOf = (rawBody: Buffer): Buffer => createHmac('sha512', key).update(rawBody).digest()
  return {
    provider,
    tellsOfPayments: false,
    verify(headers, rawBody) {
      const given = headers[signatureHeader]
      const signature = Buffer.from(typeof given === 'string' ? given : '', 'hex')
      return constantTimeEqual(signature, signatureOf(rawBody)) ? 'genuine' : 'forged'
    },
    read: (rawBody) => Promise.resolve(read(rawBody)),
    sign(notice) {
      const rawBody = Buffer.from(JSON.stringify({ ...notice, amount: toWire(notice.amount) }))
      return { headers: { [signatureHeader]: signatureOf(rawBody).toString('hex') }, rawBody }
    },
  }
}

function read(rawBody: Buffer): InboundAnswer {
  const parsed = noticeBody.safeParse(parseJson(rawBody))
  if (!parsed.success) return { kind: 'unreadable' }
  const { accountNumber: number, ...rest } = parsed.data
  const deposit = { provider, ...rest, account: { number }, amount: toMoney(rest.amount) }
  return { kind: 'notices', notices: [{ about: 'deposit', deposit }] }
}

function parseJson(rawBody: Buffer): unknown {
  try {
    return JSON.parse(rawBody.toString('utf8'))
  } catch {
    return undefined
  }
}
