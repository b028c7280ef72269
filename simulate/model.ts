// The naive model: what was asked of the service and what it answered, in memory, without a thought for how the service
// does it. Together with what the rails know (rails/far-side.ts) it says how every balance must stand in the end.

import type { Tenant } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Currency } from '#platform/money.ts'
import type { Contradiction } from './rails/contradicting.ts'
import type { CodeFate, Fate } from './rails/fate.ts'
import type { PaidIn } from './rails/provider-lists.ts'

/** `unclear`: 503, a broken connection or silence, and no better answer since. */
export type Standing = 'unclear' | 'acknowledged' | 'refused'

export type Asked = {
  tenant: ModelTenant
  standing: Standing
}

/** Of a wallet outside Nigeria. */
export type Abroad = { currency: Currency; operator: string }

export type Payout = Asked & {
  kind: 'bank_transfer' | 'momo_transfer'
  reference: string
  amount: number
  /** The account or phone that it goes to, which no other payment goes to. */
  payee: string
  abroad?: Abroad
  fate: Fate
  /** The `data` of the first answer. */
  first?: unknown
  /** An answer did not come: whatever another one says, that request may be carried out later. */
  lost?: boolean
  /** An answer said that it is new; another one may not. */
  acceptedAnew?: boolean
  /** How a person completed it, or may have done so. */
  completedAs?: 'SUCCESS' | 'FAILED'
  /** A person found that no far side has it, and ended it as failed; from then on none may ever get it. */
  endedByHand?: 'surely' | 'perhaps'
  /** It succeeded, and its money came back outside of any API. */
  returnedByHand?: 'surely' | 'perhaps'
}

export type Collection = Asked & {
  kind: 'momo_collection'
  reference: string
  amount: number
  payee: string
  abroad?: Abroad
  fate: CodeFate
  needsCode: boolean
  /** When it was asked for first. */
  askedAtMs: number
  first?: unknown
}

export type Funding = Asked & { amount: number }

/** Money that a tester made up; found again by its narration. */
export type MadeUpDeposit = Asked & { narration: string; amount: number; account: Account; reference?: string }

/** Money of which a provider tells, as often as it likes; found again by the provider's id. */
export type NoticedDeposit = {
  tenant: ModelTenant
  /** The rail that opened the account. */
  provider: string
  providerId: string
  amount: number
  accountNumber: string
  ends: 'SUCCESSFUL' | 'FAILED'
  /** Its last word was taken. */
  taken: boolean
  paidAtMs: number
}

/** Money that is at Paystack or Monnify: it must become one deposit, or be with its payer again. */
export type ProviderMoney = PaidIn & { isTold: boolean }

/** Money for an account without an owner, which a person assigned to an account of a tenant. */
export type Orphan = { tenant: ModelTenant; providerId: string; amount: number; isAdopted: boolean }

/** A payout in production, and how its provider contradicts itself about it. */
export type Contradicted = { reference: string; payee: string; contradiction: Contradiction }

/** What a person added to a balance because of a review item. */
export type Adjustment = Asked & { amount: number; because: string }

export type Account = {
  tenant: ModelTenant
  accountNumber: string
  /** What a dynamic account waits for. */
  waitsFor?: { amount: number; exact: boolean }
}

export type Subscription = { path: string; id: string; secrets: string[] }

export type ModelTenant = {
  name: string
  businessId: Uuid
  tenant: Tenant
  key: string
  accounts: Account[]
  /** Those that stay from the first moment to the last: each must be told of everything. */
  subscriptions: Subscription[]
}

export type Model = {
  /** Callers give up then; an instance may be stalled, or have died. */
  patienceMs: number
  /** Requests that are neither answered nor broken off, those among them that their callers gave up. */
  underWay: Set<Promise<unknown>>
  /** Callers who are answered 503 wait as it says, or an outage of seconds would be all that they see. */
  heedsRetryAfter: boolean
  tenants: ModelTenant[]
  payouts: Payout[]
  collections: Collection[]
  fundings: Funding[]
  madeUp: MadeUpDeposit[]
  noticed: NoticedDeposit[]
  paid: ProviderMoney[]
  orphans: Orphan[]
  adjustments: Adjustment[]
  contradicted: Contradicted[]
  /** The key of the business in production. */
  keyInProduction: string
  /** How often a person has paused payouts. */
  pauses: number
  /** Notices of rails that no rail will ever confirm, by their digests. */
  lies: Set<string>
  /** Whatever must never be seen, in words. */
  wrong: Set<string>
}

const patienceMsAmongFaults = 2_500

export function createModel(heedsRetryAfter: boolean): Model {
  return {
    patienceMs: patienceMsAmongFaults,
    underWay: new Set(),
    heedsRetryAfter,
    tenants: [],
    payouts: [],
    collections: [],
    fundings: [],
    madeUp: [],
    noticed: [],
    paid: [],
    orphans: [],
    adjustments: [],
    contradicted: [],
    keyInProduction: '',
    pauses: 0,
    lies: new Set(),
    wrong: new Set(),
  }
}
