// A deposit: money that arrived. Its states and the moves between them; pure. The drawing of the states is
// docs/states.md, and the table's CHECKs refuse what is not in it.

import type { OfTenant, Actor, Tenant } from '#platform/context.ts'
import { encodeBase32, parseId, type Uuid } from '#platform/ids.ts'
import { toKobo, type Currency, type Kobo } from '#platform/money.ts'
import type { DepositNotice } from '#rails/rail.ts'
import type { ReturnReason } from '#virtual-accounts/account.ts'

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

// What the lane is asked about deposits, and what it says of each.

/** What a provider tells, once it is known whose account was paid. */
export type OwnedNotice = Omit<DepositNotice, 'account'> & { accountNumber: string }

export type NoticeCommand = {
  kind: 'notice'
  tenant: Tenant
  notice: OwnedNotice
  /** It is made up, so it is refused where the books have no room for it. Real money is kept, and waits. */
  simulated?: true
  /** A person says whose money it is: it is refused where it would have to go back, so that it can be said better. */
  adopted?: { note: string; by: Actor }
  /** Where the request that brings it stands in its trace; absent: nobody follows it. */
  trace?: string | null
}

export type SettleCommand = {
  kind: 'settle'
  tenant: Tenant
  deposit: DepositName
  status: DepositStatus
  trace?: string | null
}

/** The time has come to ask what became of it, or, when nobody can be asked, to wait for a person. */
export type LookCommand = { kind: 'look'; tenant: Tenant; deposit: DepositName; canBeAsked: boolean }

type DepositName = { id: Uuid; accountNumber: string; paidAt: Date }

export type ReceiveCommand = NoticeCommand | SettleCommand | LookCommand

export type ReceiveOutcome =
  | { kind: 'recorded'; deposit: Deposit }
  | { kind: 'settled'; deposit: Deposit }
  /** It was known: hearing it twice is harmless. */
  | { kind: 'unchanged'; deposit: Deposit }
  /** It ended in another way, or is about another amount or account. When a provider says it, a person must look. */
  | { kind: 'contradicted'; deposit: Deposit }
  /** The same notice has made a deposit of another tenant. A person must look. */
  | { kind: 'taken' }
  /** It came, and the books have no room for it: it stays PENDING until a person says otherwise. */
  | { kind: 'waits-for-room'; deposit: Deposit }
  /** What a person wanted to adopt is not what the account was opened for. */
  | { kind: 'would-be-returned'; reason: ReturnReason }
  | { kind: 'too-much' }
  | { kind: 'not-found' }
  /** Of a look: its provider is to be asked. */
  | { kind: 'ask'; deposit: Deposit }

/** What a tester makes up is nobody else's, and neither adopted nor looked after. */
export type TestersOutcome = Exclude<ReceiveOutcome, { kind: 'taken' | 'would-be-returned' | 'ask' }>
