// The queries of the home page: alerts, figures and charts.

import { queryOptions } from '@tanstack/react-query'
import { ask, under, type Place } from './client.ts'
import type { PaymentNoun } from './payments.ts'
import type { Currency } from './schema.ts'

export type Alert = { id: string; kind: string; severity: 'asks' | 'failed'; says: string; href: string | null }

export function alertsQuery(place: Place) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'alerts'],
    queryFn: async () => (await ask<{ alerts: Alert[] }>(under(place, 'alerts'))).data.alerts,
    refetchInterval: 60_000,
  })
}

type Sum = { count: number; amount: number }

export type Totals = {
  in: Sum
  /** Payouts of the period that were not returned. */
  out: Sum
  outByBank: Sum
  returned: Sum
  returnedByBank: Sum
  fees: number
  failed: number
  failedByBank: number
  successRate: number | null
  collections: { succeeded: number; failed: number }
  medianSeconds: number | null
  p95Seconds: number | null
}

export type FigurePoint = { at: string; in: number; out: number; returned: number; succeeded: number; failed: number }

export type Figures = {
  totals: Totals
  before: Totals
  series: FigurePoint[]
  failureReasons: { noun: PaymentNoun; reason: string; count: number }[]
}

/** `zone`: the time zone by which days are counted. */
export type Period = { from: string; to: string; by: 'hour' | 'day'; zone: string }

type FiguresQuery = Period & { currency: Currency }

function startsAlike(shown: unknown, asked: FiguresQuery): boolean {
  const before = shown as FiguresQuery | undefined
  return before?.from === asked.from && before.by === asked.by && before.currency === asked.currency
}

export function figuresQuery(place: Place, period: Period, currency: Currency) {
  const query = { ...period, currency }
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'figures', query],
    queryFn: async () => (await ask<Figures>(under(place, 'figures'), { query })).data,
    // The figures stay on screen while the same period is read again in the next hour. Those of another period or
    // currency do not stay, because people would take them for the new ones.
    placeholderData: (shown, of) => (startsAlike(of?.queryKey[3], query) ? shown : undefined),
  })
}

/** `isByOperator`: an operator paused the payouts, of all businesses or of this one, and only an operator can resume them. */
export type Pause = { isPaused: boolean; isByOperator: boolean; since: string | null; reason: string | null }

export function pauseQuery(place: Place) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'pause'],
    queryFn: async () => (await ask<Pause>(under(place, 'pause'))).data,
  })
}

export async function setPause(place: Place, isPaused: boolean, reason: string): Promise<void> {
  const why = reason === '' ? {} : { reason }
  await ask(under(place, 'pause'), { method: 'POST', body: { isPaused, ...why } })
}

/**
 * `amount`: the threshold of the alert; null: no alert. `mails`: the people who get an e-mail; null: the service sends
 * none, on staging or without a mail server.
 */
export type LowBalance = { amount: number | null; available: number; isLow: boolean; mails: string[] | null }

export function lowBalanceQuery(place: Place, currency: Currency) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'low-balance', currency],
    queryFn: async ({ signal }) =>
      (await ask<LowBalance>(under(place, 'low-balance'), { query: { currency }, signal })).data,
  })
}

export async function setLowBalance(place: Place, amount: number | null, currency: Currency): Promise<void> {
  await ask(under(place, 'low-balance'), { method: 'PATCH', body: { amount, currency } })
}
