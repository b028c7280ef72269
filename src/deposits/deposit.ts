// A deposit: money that arrived. Its states and the moves between them; pure. The drawing of the states is
// docs/states.md, and the table's CHECKs refuse what is not in it.

import type { OfTenant } from '#base/context.ts'
import { encodeBase32, parseId, type Uuid } from '#base/ids.ts'
import { toKobo, type Currency, type Kobo } from '#base/money.ts'
import type { ReturnReason } from '#customers/account.ts'

export const depositStatuses = ['PENDING', 'SUCCESSFUL', 'FAILED'] as const
export type DepositStatus = (typeof depositStatuses)[number]

export type Deposit = OfTenant & {
  id: Uuid
  status: DepositStatus
  currency: Currency
  amount: Kobo
  fee: Kobo
  provider: string
  providerId: string
  /** The virtual account that was paid. */
  accountNumber: string
  accountName: string
  bankName: string
  customerReference: string | null
  /** Empty when nobody said. */
  senderAccountName: string
  senderAccountNumber: string
  senderBankName: string
  narration: string
  /** The money came and could not be accepted: it must go back to its sender. */
  returnReason: ReturnReason | null
  /** PENDING although the money is there: the books have no room for it, and a person must look. */
  held: boolean
  /** When somebody asks what became of it; null when nobody does. */
  dueAt: Date | null
  paidAt: Date
  createdAt: Date
  updatedAt: Date
}

const prefix = 'DEP'
const referenceForm = /^DEP[0-9A-HJKMNP-TV-Z]{26}$/

/** The reference is the id in capitals: one key, one index, and it never is the word `validate`. */
export function depositReference(id: Uuid): string {
  return prefix + encodeBase32(id).toUpperCase()
}

export function parseDepositReference(unchecked: string): Uuid | undefined {
  if (!referenceForm.test(unchecked)) return undefined
  return parseId('deposit', `dep_${unchecked.slice(prefix.length).toLowerCase()}`)
}

/** A part of the amount, rounded down, up to a most. */
export type DepositFees = { basisPoints: bigint; most: Kobo }

/** 1 %, at most ₦300. */
export const depositFees: DepositFees = { basisPoints: 100n, most: toKobo(30_000) }

export function depositFeeOf({ basisPoints, most }: DepositFees, amount: Kobo): Kobo {
  const part = toKobo((amount * basisPoints) / 10_000n)
  return part < most ? part : most
}

/** What a word about a deposit means for it. */
export function meaningOf(
  { status, returnReason }: Deposit,
  word: DepositStatus,
): 'moves' | 'nothing new' | 'contradiction' {
  // Providers repeat themselves and their notices overtake each other: an earlier word says nothing new.
  if (word === 'PENDING' || word === status) return 'nothing new'
  if (status === 'PENDING') return 'moves'
  // Its provider succeeded; that it could not be accepted was our verdict.
  return word === 'SUCCESSFUL' && returnReason !== null ? 'nothing new' : 'contradiction'
}
