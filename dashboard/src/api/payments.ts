// Payments of the three kinds, and the history of one.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { ask, under, type Place, type Query } from './client.ts'
import { ApiFailure } from './failure.ts'
import type {
  BankAccount,
  Currency,
  Fee,
  InitiateMomoCollectionRequest,
  InitiateMomoTransferRequest,
  MomoCollection,
  MomoTransfer,
  MomoWallet,
  Transfer,
  TransferRequest,
} from './schema.ts'

export type PaymentKind = 'transfer' | 'momo-transfer' | 'collection'

export type Payment =
  | ({ kind: 'transfer' } & Transfer)
  | ({ kind: 'momo-transfer' } & MomoTransfer)
  | ({ kind: 'collection' } & MomoCollection)

/**
 * `times`: how often the service called the rail about a payment; 0: the calls are not counted. `nextAt` null: a call
 * is in progress.
 */
export type RailCalls = { did: 'asked' | 'tried'; times: number; nextAt: string | null }

export type PaymentStory = {
  payment: Payment
  says: string
  /** Null: the payment has ended, or waits for its payer. */
  look: RailCalls | null
  timeline: { at: string; what: string; source: string; says: string }[]
  movements: { id: string; at: string; type: string; from: string; to: string; amount: number }[]
  /** Movements before this time are in the archive; null: all are here. */
  movementsArchivedUntil: string | null
  /** Null: this person may not see webhooks. */
  deliveries:
    | {
        eventId: string
        eventType: string
        subscriptionUrl: string
        status: string
        attempts: number
        lastStatusCode: number | null
        nextAttemptAt: string | null
      }[]
    | null
  /** Equal answers in a row are one entry, with the time of the last. */
  tries: {
    at: string
    lastAt: string
    times: number
    rail: string | null
    asked: string
    answered: string
    detail: string | null
    milliseconds: number | null
  }[]
  rail: string | null
}

export function transfersQuery(place: Place, query: Query) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'transfers', query],
    queryFn: ({ signal }) => ask<{ transfers: Transfer[] }>(under(place, 'v1/transfers'), { query, signal }),
    placeholderData: keepPreviousData,
  })
}

export function momoTransfersQuery(place: Place, query: Query) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'momo-transfers', query],
    queryFn: ({ signal }) => ask<{ transfers: MomoTransfer[] }>(under(place, 'v1/momo/transfer'), { query, signal }),
    placeholderData: keepPreviousData,
  })
}

export function collectionsQuery(place: Place, query: Query) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'collections', query],
    queryFn: ({ signal }) =>
      ask<{ collections: MomoCollection[] }>(under(place, 'v1/momo/collection'), { query, signal }),
    placeholderData: keepPreviousData,
  })
}

export type PaymentNoun = 'transfers' | 'momo-transfers' | 'collections'

/** How far a search has come that reads a list row by row, because its filters have no index. */
export type SearchProgress = {
  /** The number of rows that were read. */
  looked: number
  /** The number of matching rows up to here, those of earlier pages included. */
  found: number
  /** The cursor of older payments; null: there are none. */
  next: string | null
  lookedBackTo: string | null
  /** The number of all matching payments; null: unknown. */
  total: number | null
  /** The sums of all matching payments, if they are known and this user may see them. */
  sums: { currency: Currency; amount: number }[]
}

export type Searched<Row> = SearchProgress & { payments: Row[] }

/**
 * A search reads many payments, so a change of one payment does not repeat it. A search by end date is repeated,
 * because its list must agree with the figures of Home.
 */
export function searchQuery<Row>(place: Place, noun: PaymentNoun, { page: _page, ...query }: Query) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'endedFrom' in query ? 'ended' : 'search', noun, query],
    queryFn: async ({ signal }) => (await ask<Searched<Row>>(under(place, `search/${noun}`), { query, signal })).data,
    placeholderData: keepPreviousData,
  })
}

export function paymentStoryQuery(place: Place, reference: string) {
  const path = under(place, `payments/${encodeURIComponent(reference)}/story`)
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'payment-story', reference],
    queryFn: async ({ signal }) => (await ask<PaymentStory>(path, { signal })).data,
    refetchInterval: ({ state }) => untilNextCall(state.data?.look),
  })
}

const soonestMs = 5_000

/**
 * The live stream reports only changes of the status, so the page reads the payment again after the next call to its
 * rail.
 */
function untilNextCall(look: RailCalls | null | undefined): number | false {
  if (look === null || look === undefined) return false
  const leftMs = look.nextAt === null ? 0 : Date.parse(look.nextAt) - new Date().getTime()
  return Math.max(leftMs + 1_000, soonestMs)
}

export async function enterOtp(place: Place, reference: string, otp: string): Promise<void> {
  await ask(under(place, 'v1/momo/collection/verify-otp'), { method: 'POST', body: { reference, otp } })
}

export function feeQuery(place: Place, amount: number, currency: string) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'fee', currency, amount],
    queryFn: async ({ signal }) =>
      (await ask<Fee>(under(place, 'v1/fees'), { query: { type: 'transfer', amount, currency }, signal })).data,
  })
}

/** `credited`: the amount that the business gets. */
type CollectionFee = { amount: number; fee: number; credited: number }

export function collectionFeeQuery(place: Place, amount: number, currency: string) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'collection-fee', currency, amount],
    queryFn: async ({ signal }) =>
      (await ask<CollectionFee>(under(place, 'collection-fee'), { query: { amount, currency }, signal })).data,
  })
}

/**
 * The holder of a wallet, by the name that the operator has. `country`: the country of a number without a country code.
 */
export function walletQuery(place: Place, query: { phoneNumber: string; operator: string; country?: string }) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'wallet', query],
    queryFn: async ({ signal }) => (await ask<MomoWallet>(under(place, 'v1/momo/resolve'), { query, signal })).data,
    retry: false,
  })
}

/** Sending the same reference again starts no second collection. */
export async function startCollection(place: Place, body: InitiateMomoCollectionRequest): Promise<MomoCollection> {
  return (await ask<MomoCollection>(under(place, 'v1/momo/collection'), { method: 'POST', body })).data
}

/**
 * The holder of an account, by the name that the bank has. The call is not retried, because "no such account" is an
 * answer too.
 */
export function accountNameQuery(place: Place, accountNumber: string, bankSlug: string) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'account-name', bankSlug, accountNumber],
    queryFn: async ({ signal }) =>
      (await ask<BankAccount>(under(place, 'v1/bank/resolve'), { query: { accountNumber, bankSlug }, signal })).data,
    retry: false,
  })
}

/**
 * The server refuses a payout that repeats one of the last 24 hours; `twinOf` reads the reference of the earlier payout
 * from the error. `second`: the reference of the payout that the person agreed to repeat. If the new payout repeats
 * another one, it is still refused.
 */
export async function sendTransfer(place: Place, body: TransferRequest, second?: string): Promise<Transfer> {
  const headers = second === undefined ? {} : { 'X-Manilla-Second': second }
  return (await ask<Transfer>(under(place, 'v1/transfers/initiate'), { method: 'POST', body, headers })).data
}

/** Sends a payout to a wallet, a till or a paybill. */
export async function sendMomoTransfer(
  place: Place,
  body: InitiateMomoTransferRequest,
  second?: string,
): Promise<MomoTransfer> {
  const headers = second === undefined ? {} : { 'X-Manilla-Second': second }
  return (await ask<MomoTransfer>(under(place, 'v1/momo/transfer'), { method: 'POST', body, headers })).data
}

/** The reference of the payout that the refused one repeats. Undefined: the call failed for another reason. */
export function twinOf(error: unknown): string | undefined {
  if (!(error instanceof ApiFailure) || error.code !== 'SECOND_PAYOUT') return undefined
  return error.details.find(({ field }) => field === 'second')?.message
}
