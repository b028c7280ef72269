// How much a tenant may pay out: in one payment, and in a day of Lagos. A day counts what was accepted on it and has not
// failed. Its total stands in a row and moves in the transaction that accepts payouts or lets them fail, under the tenant's
// lock: so it is exact, however many processes decide at once. The account that is locked says whether there is a row at
// all, so those who have no limits pay nothing for them.

import { record } from '#audit/record.ts'
import type { Context, Tenant } from '#base/context.ts'
import { inLane, type Tx } from '#base/db.ts'
import { dayMs, lagosOffsetMs } from '#base/durations.ts'
import type { Uuid } from '#base/ids.ts'
import { toKobo, zero, type Kobo } from '#base/money.ts'
import { withTenants } from '#ledger/lock.ts'
import { bookOf } from '#ledger/post.ts'
import { kinds } from './kinds.ts'
import { paymentKinds } from './payment.ts'
import { readLimits, sumPayoutsSince, writeDays, writeLimit, type LimitRow } from './sql-limits.ts'

/** Null: none. */
export type Limits = { perPayment: Kobo | null; perDay: Kobo | null }

/** Undefined: as it is. */
export type LimitChanges = { [name in keyof Limits]?: Kobo | null | undefined }

/** `left`: how much one more payout could be. */
export type Excess = { per: 'payment' | 'day'; limit: Kobo; left: Kobo; newDayAt: Date }

export const payoutKinds = paymentKinds.filter((kind) => kinds[kind].direction === 'out')

const allowancesKey = Symbol('payout allowances')

/** What the limits leave to the tenants of this transaction; one for all operations that share it. */
export function allowancesOf(tx: Tx): Allowances {
  return tx.shared(allowancesKey, () => new Allowances(tx))
}

export class Allowances {
  #tx: Tx
  #rows = new Map<Uuid, LimitRow>()
  #changed = new Set<LimitRow>()

  constructor(tx: Tx) {
    this.#tx = tx
    tx.beforeCommit(() => {
      if (this.#changed.size > 0) writeDays(this.#tx, [...this.#changed])
    })
  }

  /** Called under the tenants' locks. What is known already may have been counted on. */
  async read(tenantIds: Iterable<Uuid>): Promise<void> {
    const book = bookOf(this.#tx)
    const limited = [...new Set(tenantIds)].filter((id) => book.isLimited(id, 'NGN'))
    if (limited.length === 0) return
    for (const row of await readLimits(this.#tx, limited))
      if (!this.#rows.has(row.tenantId)) this.#rows.set(row.tenantId, row)
  }

  /** Undefined: the limits leave that much. `at`: when the payout would be accepted. */
  excess(tenantId: Uuid, amount: Kobo, at: Date): Excess | undefined {
    const row = this.#rows.get(tenantId)
    if (row === undefined) return undefined
    const { perPayment, perDay } = row
    const newDayAt = nextLagosDay(at)
    if (perPayment !== null && amount > perPayment)
      return { per: 'payment', limit: perPayment, left: perPayment, newDayAt }
    if (perDay === null) return undefined
    const left = leftOf(perDay, amountOn(row, at))
    return amount > left ? { per: 'day', limit: perDay, left, newDayAt } : undefined
  }

  count(tenantId: Uuid, amount: Kobo, acceptedAt: Date): void {
    const row = this.#rows.get(tenantId)
    if (row === undefined || row.perDay === null) return
    row.dayAmount = toKobo(amountOn(row, acceptedAt) + amount)
    row.day = lagosDay(acceptedAt)
    this.#changed.add(row)
  }

  /** The payout has failed. That of an earlier day than the one that is counted changes nothing any more. */
  giveBack(tenantId: Uuid, amount: Kobo, acceptedAt: Date): void {
    const row = this.#rows.get(tenantId)
    if (row === undefined || row.perDay === null || row.day !== lagosDay(acceptedAt)) return
    row.dayAmount = toKobo(row.dayAmount - amount)
    this.#changed.add(row)
  }
}

export function setLimits(ctx: Context, tenant: Tenant, changes: LimitChanges): Promise<Limits> {
  return ctx.db.transaction(async (tx) => {
    const [before] = await withTenants(tx, [tenant.id], (tenantIds) => readLimits(tx, tenantIds))
    const { perPayment = before?.perPayment ?? null, perDay = before?.perDay ?? null } = changes
    // No payout is accepted at an earlier time than this from now on.
    const at = new Date(bookOf(tx).timeMs(tenant.id, 'NGN', ctx.clock.now()))
    // Nobody has counted while there was no limit of a day.
    const counted =
      perDay === null || before === undefined || before.perDay === null
        ? { day: lagosDay(at), dayAmount: perDay === null ? zero : await sumPayouts(tx, tenant, at) }
        : before
    const details = { perPayment: wordOf(perPayment), perDay: wordOf(perDay) }
    record(tx, ctx.clock.now(), { by: ctx.by, act: 'limits.set', tenantId: tenant.id, details })
    bookOf(tx).setLimited(tenant.id, 'NGN', perPayment !== null || perDay !== null)
    writeLimit(tx, { tenantId: tenant.id, perPayment, perDay, day: counted.day, dayAmount: counted.dayAmount })
    return { perPayment, perDay }
  }, tenant.lane)
}

/** As text: an amount is never a double. */
function wordOf(amount: Kobo | null): string {
  return amount === null ? 'none' : String(amount)
}

/** `left` of the day, in Lagos, that it is; null where a day has no limit. */
export type LimitsNow = Limits & { left: Kobo | null }

export async function showLimits(ctx: Context, tenant: Tenant): Promise<LimitsNow> {
  const [row] = await readLimits(inLane(ctx.db, tenant.lane), [tenant.id])
  if (row === undefined) return { perPayment: null, perDay: null, left: null }
  const { perPayment, perDay } = row
  return { perPayment, perDay, left: perDay === null ? null : leftOf(perDay, amountOn(row, new Date(ctx.clock.now()))) }
}

function sumPayouts(tx: Tx, tenant: Tenant, at: Date): Promise<Kobo> {
  return sumPayoutsSince(tx, tenant, startOfDay(lagosDay(at)), payoutKinds)
}

function amountOn({ day, dayAmount }: LimitRow, at: Date): Kobo {
  return day === lagosDay(at) ? dayAmount : zero
}

/** A limit that was lowered may be below what the day has seen. */
function leftOf(limit: Kobo, amount: Kobo): Kobo {
  return amount < limit ? toKobo(limit - amount) : zero
}

function lagosDay(at: Date): string {
  return new Date(at.getTime() + lagosOffsetMs).toISOString().slice(0, 10)
}

/** `day`: as `2026-11-22`. */
export function startOfDay(day: string): Date {
  return new Date(`${day}T00:00:00+01:00`)
}

function nextLagosDay(at: Date): Date {
  return new Date((Math.floor((at.getTime() + lagosOffsetMs) / dayMs) + 1) * dayMs - lagosOffsetMs)
}
