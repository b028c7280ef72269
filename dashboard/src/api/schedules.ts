// Schedules: payout drafts that are paid at a time, every week or every month.

import { queryOptions } from '@tanstack/react-query'
import { ask, under, type Place } from './client.ts'
import type { Draft } from './drafts.ts'
import type { Currency } from './schema.ts'

export type Repeats = 'never' | 'weekly' | 'monthly'

export type ShownTerms = {
  repeats: Repeats
  /** The day of the month. In a shorter month it is the last day. */
  monthDay: number | null
  firstAt: string
  approval: 'once' | 'each'
  state: 'waiting' | 'active' | 'paused' | 'late' | 'unreadable' | 'ended' | 'rejected' | 'expired'
  /** The next run that has no draft yet. */
  nextAt: string | null
  /** Runs that have a draft and are not sent, the earliest first. */
  openRuns: { id: string; status: string; runAt: string; heldSince: string | null }[]
}

export type Schedule = ShownTerms & {
  id: string
  title: string
  maker: string
  rows: number
  currency: Currency
  total: number
  fees: number
}

const listedMs = 10_000

export function schedulesQuery(place: Place) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'payout-drafts', 'schedules'],
    queryFn: async ({ signal }) =>
      (await ask<{ schedules: Schedule[] }>(under(place, 'payout-schedules'), { query: { ended: 'yes' }, signal })).data
        .schedules,
    refetchInterval: listedMs,
  })
}

type Span = { days: number; runs: number; amount: number }
export type Forecast = {
  /** Null: this person may not see the balance. */
  available: number | null
  short: Span
  long: Span
  next: { id: string; title: string; at: string; amount: number }[]
}

export function forecastQuery(place: Place, currency: Currency) {
  return queryOptions({
    queryKey: [place.businessId, place.environment, 'payout-forecast', currency],
    queryFn: async ({ signal }) =>
      (await ask<Forecast>(under(place, 'payout-forecast'), { query: { currency }, signal })).data,
  })
}

export type NewSchedule = {
  repeats: Repeats
  date: string
  time: string
  isLastDay: boolean
  approval: 'once' | 'each'
  confirmedDuplicates: number
}

export async function scheduleDraft(place: Place, id: string, body: NewSchedule): Promise<Draft> {
  return (await ask<Draft>(under(place, `payout-drafts/${encodeURIComponent(id)}/schedule`), { method: 'POST', body }))
    .data
}

export type ScheduleAct = 'pause' | 'resume' | 'skip' | 'run' | 'end'

/** `runAt`: for acts on one run, the run that the person was shown. */
export async function actOnSchedule(place: Place, id: string, act: ScheduleAct, runAt: string | null): Promise<void> {
  const body = runAt === null ? undefined : { runAt }
  await ask(under(place, `payout-schedules/${encodeURIComponent(id)}/${act}`), { method: 'POST', body })
}

const lagos = 'Africa/Lagos'

/** A time in Lagos, by whose clock schedules run. Pages may show other times in another zone, so they add "in Lagos". */
export function sayRunTime(at: string): string {
  return new Date(at).toLocaleString('en-GB', {
    timeZone: lagos,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  })
}

/** `Every month on the last day, 09:00`. */
export function sayRepeats({
  repeats,
  monthDay,
  firstAt,
}: Pick<ShownTerms, 'repeats' | 'monthDay' | 'firstAt'>): string {
  const first = new Date(firstAt)
  const time = first.toLocaleTimeString('en-GB', { timeZone: lagos, hour: '2-digit', minute: '2-digit' })
  if (repeats === 'never') return 'Once'
  if (repeats === 'weekly')
    return `Every ${first.toLocaleDateString('en-GB', { timeZone: lagos, weekday: 'long' })}, ${time}`
  return monthDay === 31 ? `Every month on the last day, ${time}` : `Every month on day ${monthDay}, ${time}`
}

/** The next run that is not sent yet, and what it waits for. Undefined: no run follows. */
export function sayNextRun({ state, nextAt, openRuns }: ShownTerms): string | undefined {
  const [drafted] = openRuns
  const at = drafted?.runAt ?? nextAt
  if (at === null || state === 'rejected' || state === 'expired') return undefined
  const waitsFor = drafted === undefined ? sayState(state) : sayOpenRun(drafted)
  return waitsFor === undefined ? sayRunTime(at) : `${sayRunTime(at)}, ${waitsFor}`
}

function sayOpenRun({ status, heldSince }: ShownTerms['openRuns'][number]): string | undefined {
  if (status === 'waiting') return 'needs approval'
  if (status === 'editing') return 'taken back'
  return heldSince === null ? undefined : 'waits for the balance'
}

function sayState(state: ShownTerms['state']): string | undefined {
  switch (state) {
    case 'waiting':
      return 'needs approval'
    case 'paused':
      return 'if resumed'
    case 'late':
      return 'late'
    case 'unreadable':
      return 'stopped'
    case 'active':
    case 'ended':
    case 'rejected':
    case 'expired':
      return undefined
  }
}
