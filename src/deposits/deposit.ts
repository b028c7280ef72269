// A deposit, which is money that arrived, with its states and transitions; pure. docs/states.md draws the states, and
// the table's CHECKs refuse all others. Below: why money goes back to its payer (`judgeDeposit`).

import { isoTime } from '#platform/clock.ts'
import type { OfTenant, Tenant, Actor } from '#platform/context.ts'
import { type Uuid, formatId, parseId, encodeBase32 } from '#platform/ids.ts'
import { toWire, type Money, type Currency, zero } from '#platform/money.ts'
import type { DepositNotice } from '#rails/rail.ts'
import type { VirtualAccount } from '#virtual-accounts/account.ts'

export const depositStatuses = ['PENDING', 'SUCCESSFUL', 'FAILED'] as const
export type DepositStatus = (typeof depositStatuses)[number]

export type Deposit = OfTenant & {
  id: Uuid
  status: DepositStatus
  currency: Currency
  amount: Money
  fee: Money
  provider: string
  providerId: string
  /** The virtual account that was paid; empty if a collection brought the money. */
  accountNumber: string
  accountName: string
  bankName: string
  customerReference: string | null
  /** Empty, like the next three fields, if the provider did not report it. */
  senderAccountName: string
  senderAccountNumber: string
  senderBankName: string
  narration: string
  /** Set when the money came but could not be accepted, so that it must go back to its sender. */
  returnReason: ReturnReason | null
  /** The deposit stays PENDING until an operator has reviewed it, because its amount exceeds the ledger's limit. */
  held: boolean
  /** When the provider is polled next; null means never. */
  dueAt: Date | null
  paidAt: Date
  createdAt: Date
  updatedAt: Date
}

const prefix = 'DEP'
const referenceForm = /^DEP[0-9A-HJKMNP-TV-Z]{26}$/

/**
 * The reference is the id in another form, so one index finds both. A reference never equals `validate`, which is part
 * of a path of the API.
 */
export function depositReference(id: Uuid): string {
  return prefix + encodeBase32(id).toUpperCase()
}

export function parseDepositReference(unchecked: string): Uuid | undefined {
  if (!referenceForm.test(unchecked)) return undefined
  return parseId('deposit', `dep_${unchecked.slice(prefix.length).toLowerCase()}`)
}

export function meaningOf(
  { status, returnReason }: Deposit,
  reported: DepositStatus,
): 'moves' | 'nothing new' | 'contradiction' {
  // Providers repeat notices and deliver them out of order, so an earlier status says nothing new.
  if (reported === 'PENDING' || reported === status) return 'nothing new'
  if (status === 'PENDING') return 'moves'
  // A deposit has a return reason if the provider reported success and we could not accept the money. So a second
  // success is nothing new.
  return reported === 'SUCCESSFUL' && returnReason !== null ? 'nothing new' : 'contradiction'
}

/** A provider's notice after its account number was resolved. */
export type OwnedNotice = Omit<DepositNotice, 'account'> & { accountNumber: string }

export type NoticeCommand = {
  kind: 'notice'
  tenant: Tenant
  notice: OwnedNotice
  /** Simulated money is refused if it exceeds the ledger's limit. Real money is stored and awaits review. */
  simulated?: true
  /**
   * An operator named the owner. The command is refused if the money would have to go back or does not fit the ledger's
   * limit, so that the operator can choose again.
   */
  adopted?: { note: string; by: Actor }
  trace?: string | null
}

export type SettleCommand = {
  kind: 'settle'
  tenant: Tenant
  deposit: DepositName
  status: DepositStatus
  trace?: string | null
}

export type PollCommand = { kind: 'poll'; tenant: Tenant; deposit: DepositName; canBeAsked: boolean }

type DepositName = { id: Uuid; accountNumber: string; paidAt: Date }

export type ReceiveCommand = NoticeCommand | SettleCommand | PollCommand

export type ReceiveOutcome =
  | { kind: 'recorded'; deposit: Deposit }
  | { kind: 'settled'; deposit: Deposit }
  | { kind: 'unchanged'; deposit: Deposit }
  /** The deposit has ended with another status, or has another amount or account. */
  | { kind: 'contradicted'; deposit: Deposit }
  /** Another tenant has claimed the same notice. */
  | { kind: 'taken' }
  /** The money came but exceeds the ledger's limit. */
  | { kind: 'waits-for-room'; deposit: Deposit }
  | { kind: 'would-be-returned'; reason: ReturnReason }
  | { kind: 'too-much' }
  | { kind: 'not-found' }
  | { kind: 'ask'; deposit: Deposit }

export type TestersOutcome = Exclude<ReceiveOutcome, { kind: 'taken' | 'would-be-returned' | 'ask' }>

// The public fields of a deposit. Responses and lists have exactly these; events also have the account and the
// customer.

export type DepositData = ReturnType<typeof depositData>

export function depositData(deposit: Deposit) {
  return {
    id: formatId('deposit', deposit.id),
    amount: toWire(deposit.amount),
    reference: depositReference(deposit.id),
    status: deposit.status,
    currency: deposit.currency,
    senderAccountName: deposit.senderAccountName,
    senderAccountNumber: deposit.senderAccountNumber,
    senderBankName: deposit.senderBankName,
    recipientAccountName: deposit.accountName,
    recipientAccountNumber: deposit.accountNumber,
    recipientBankName: deposit.bankName,
    narration: deposit.narration,
    // A failed deposit has no fee.
    fee: toWire(deposit.status === 'FAILED' ? zero : deposit.fee),
    createdAt: isoTime(deposit.createdAt),
    updatedAt: isoTime(deposit.updatedAt),
  }
}

// Decides whether a virtual account takes a payment, or why the money must go back: it is too little, too much, late, a
// second payment, or for a closed account. Pure; apply-notice.ts fails such a deposit, and refunds.ts sends its money back.

const returnReasons = ['UNDERPAID', 'OVERPAID', 'EXPIRED', 'ALREADY_PAID', 'ACCOUNT_CLOSED'] as const
export type ReturnReason = (typeof returnReasons)[number]

export type DepositVerdict = { kind: 'accepted'; completes: boolean } | { kind: 'returned'; reason: ReturnReason }

/**
 * Checks whether the account accepts a payment. The time of the payment counts, not that of its notice: a late notice
 * does not make the payment late, so an account that has expired in the meantime still completes.
 */
export function judgeDeposit(
  { status, order, updatedAt }: VirtualAccount,
  amount: Money,
  paidAt: Date,
): DepositVerdict {
  if (order === null) {
    // A closed account never changes, and erasure keeps `updatedAt`, so `updatedAt` is the time of closing.
    const closedBefore = status === 'CLOSED' && paidAt >= updatedAt
    return closedBefore ? { kind: 'returned', reason: 'ACCOUNT_CLOSED' } : { kind: 'accepted', completes: false }
  }
  if (status === 'COMPLETED') return { kind: 'returned', reason: 'ALREADY_PAID' }
  if (paidAt >= order.expiresAt) return { kind: 'returned', reason: 'EXPIRED' }
  if (order.policy === 'exact' && amount < order.amount) return { kind: 'returned', reason: 'UNDERPAID' }
  if (order.policy === 'exact' && amount > order.amount) return { kind: 'returned', reason: 'OVERPAID' }
  return { kind: 'accepted', completes: true }
}

/** Why a deposit failed, as the API names the reasons. A deposit has no field for it, so `depositData` leaves it out. */
export const failureReasonNames = [
  'UNDERPAID',
  'OVERPAID',
  'LATE',
  'DUPLICATE_PAYMENT',
  'ACCOUNT_CLOSED',
  'PROVIDER_FAILED',
] as const

const reasonOfReturn: Record<ReturnReason, (typeof failureReasonNames)[number]> = {
  UNDERPAID: 'UNDERPAID',
  OVERPAID: 'OVERPAID',
  EXPIRED: 'LATE',
  ALREADY_PAID: 'DUPLICATE_PAYMENT',
  ACCOUNT_CLOSED: 'ACCOUNT_CLOSED',
}

export function failureData({ id, returnReason, amount, createdAt }: Deposit) {
  return {
    reference: depositReference(id),
    reason: returnReason === null ? ('PROVIDER_FAILED' as const) : reasonOfReturn[returnReason],
    amount: toWire(amount),
    createdAt: isoTime(createdAt),
  }
}
