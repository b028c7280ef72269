// What the lane is asked about deposits, and what it says of each.

import type { Actor, Tenant } from '#base/context.ts'
import type { Uuid } from '#base/ids.ts'
import type { ReturnReason } from '#customers/account.ts'
import type { DepositNotice } from '#rails/rail.ts'
import type { Deposit, DepositStatus } from './deposit.ts'

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
