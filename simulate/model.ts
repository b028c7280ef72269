// The naive model, in memory: what callers asked of the service and what it answered. It knows nothing of how the service
// works. Every final status and balance follows from the model and from the records of the simulated providers
// (rails/far-side.ts).

import type { Tenant } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Currency } from '#platform/money.ts'
import type { Contradiction } from './rails/contradicting.ts'
import type { CodeFate, Fate } from './rails/fate.ts'
import type { PaidIn } from './rails/provider-lists.ts'

/** `unclear`: the last answer was a 503, a broken connection or silence. */
export type Standing = 'unclear' | 'acknowledged' | 'refused'

export type Asked = {
  tenant: ModelTenant
  standing: Standing
}

/** The currency and operator of a wallet outside Nigeria. */
export type Abroad = { currency: Currency; operator: string }

export type Payout = Asked & {
  kind: 'bank_transfer' | 'momo_transfer'
  reference: string
  amount: number
  /** The account or phone that receives the money. No other payment goes to it. */
  payee: string
  abroad?: Abroad
  fate: Fate
  /** The `data` of the first answer. */
  first?: unknown
  /** True if an answer was lost. The service may still accept that request, even after it refuses a later one. */
  lost?: boolean
  /** True if an answer reported the payment as new. Only one answer may do so. */
  acceptedAnew?: boolean
  /** The final status that a person gave the payout, or may have given it. */
  completedAs?: 'SUCCESS' | 'FAILED'
  /**
   * Set when a person found that no bank, operator or provider has the payout, and settled it as failed. From then on
   * none of them may get it. `perhaps`: the person does not know whether the command took effect.
   */
  endedByHand?: 'surely' | 'perhaps'
  /** Set when a person recorded a return: the payout succeeded, and its money came back outside any API. */
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
  /** The time of the first request. */
  askedAtMs: number
  first?: unknown
}

export type Funding = Asked & { amount: number }

/** Money that a tester made up. Its narration identifies it. */
export type MadeUpDeposit = Asked & { narration: string; amount: number; account: Account; reference?: string }

/** Money that a provider reports in any number of notices. The provider's id identifies it. */
export type NoticedDeposit = {
  tenant: ModelTenant
  /** The rail that opened the account. */
  provider: string
  providerId: string
  amount: number
  accountNumber: string
  ends: 'SUCCESSFUL' | 'FAILED'
  /** True if the service has accepted a notice with the final status. */
  taken: boolean
  paidAtMs: number
}

/**
 * Money at Paystack or Monnify, which must become one deposit. If the deposit does not succeed, the money must go back
 * to its payer.
 */
export type ProviderMoney = PaidIn & { isTold: boolean }

/** Money for a number that belongs to no account, which a person assigns to an account of a tenant. */
export type Orphan = { tenant: ModelTenant; providerId: string; amount: number; isAdopted: boolean }

/** A payout in the production environment, and how its provider contradicts itself about it. */
export type Contradicted = { reference: string; payee: string; contradiction: Contradiction }

/** An amount that a person added to a balance because of a review item. */
export type Adjustment = Asked & { amount: number; because: string }

export type Account = {
  tenant: ModelTenant
  accountNumber: string
  /** The amount that a dynamic account expects. */
  waitsFor?: { amount: number; exact: boolean }
}

export type Subscription = { path: string; id: string; secrets: string[] }

export type ModelTenant = {
  name: string
  businessId: Uuid
  tenant: Tenant
  key: string
  accounts: Account[]
  /** Subscriptions that exist from before the first fault to the end, so each must receive every event. */
  subscriptions: Subscription[]
}

export type Model = {
  /** Callers give up after this real time, because an instance may be stalled or dead. */
  patienceMs: number
  /** Requests that are neither answered nor cut, including those that their callers gave up. */
  underWay: Set<Promise<unknown>>
  /**
   * True: callers wait as long as Retry-After says. If they do not, an outage of a few seconds answers all remaining
   * steps of the simulation with 503.
   */
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
  /** The API key of the business in the production environment. */
  keyInProduction: string
  /** How often a person has paused payouts. */
  pauses: number
  /** Digests of untrue notices, which no rail will ever confirm. */
  lies: Set<string>
  /** What the service did wrong in this world, in sentences. */
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
