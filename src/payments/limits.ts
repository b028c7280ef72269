// Limits of a tenant's payouts in a currency: for one payment, and for a day in Lagos time. A day counts payouts that
// were accepted on it and have not failed. The row of the limits stores the day's total. It changes under the tenant's
// lock, in the transaction that accepts or fails payouts, so it is exact however many processes decide at once. A flag
// on the ledger account says whether a tenant has limits, so tenants without limits need no query.

import { recordEntry } from '#audit/record.ts'
import { withTenants, bookOf } from '#ledger/post.ts'
import type { Tenant, Context } from '#platform/context.ts'
import { arraysOf, statement, type InLane, type Queryable, type Tx, inLane } from '#platform/db/db.ts'
import { dayMs, lagosOffsetMs } from '#platform/durations.ts'
import type { Uuid } from '#platform/ids.ts'
import { zero, type Currency, type Money, toMoney } from '#platform/money.ts'
import { paymentList } from './list.ts'
import { kinds, paymentKinds } from './payment.ts'

type Amount = { amount: Money; currency: Currency }

/** Null: no limit. */
type Limits = { perPayment: Money | null; perDay: Money | null }

/** Undefined: the limit stays as it is. */
export type LimitChanges = { [name in keyof Limits]?: Money | null | undefined }

/** `left`: the largest amount that this limit still allows. `newDayAt`: the next midnight in Lagos. */
export type Excess = { per: 'payment' | 'day'; limit: Money; left: Money; currency: Currency; newDayAt: Date }

export const payoutKinds = paymentKinds.filter((kind) => kinds[kind].direction === 'out')

const allowancesKey = Symbol('payout allowances')

/** All operations of a transaction share one instance. */
export function allowancesOf(tx: Tx): Allowances {
  return tx.shared(allowancesKey, () => new Allowances(tx))
}

export class Allowances {
  #tx: Tx
  #rows = new Map<string, LimitRow>()
  #changed = new Set<LimitRow>()

  constructor(tx: Tx) {
    this.#tx = tx
    tx.beforeCommit(() => {
      if (this.#changed.size > 0) writeDays(this.#tx, [...this.#changed])
    })
  }

  /** Called under the tenants' locks. A row that was read before is kept, because decisions may rely on it. */
  async read(tenantIds: Iterable<Uuid>): Promise<void> {
    const book = bookOf(this.#tx)
    const limited = [...new Set(tenantIds)].filter((id) => book.isLimited(id))
    if (limited.length === 0) return
    for (const row of await readLimits(this.#tx, limited)) {
      const key = keyOf(row.tenantId, row.currency)
      if (!this.#rows.has(key)) this.#rows.set(key, row)
    }
  }

  /** Undefined if the limits allow the amount. `at`: when the payout would be accepted. */
  excess(tenantId: Uuid, { amount, currency }: Amount, at: Date): Excess | undefined {
    const row = this.#rows.get(keyOf(tenantId, currency))
    if (row === undefined) return undefined
    const { perPayment, perDay } = row
    const newDayAt = nextLagosDay(at)
    if (perPayment !== null && amount > perPayment)
      return { per: 'payment', limit: perPayment, left: perPayment, currency, newDayAt }
    if (perDay === null) return undefined
    const left = leftOf(perDay, amountOn(row, at))
    return amount > left ? { per: 'day', limit: perDay, left, currency, newDayAt } : undefined
  }

  count(tenantId: Uuid, { amount, currency }: Amount, acceptedAt: Date): void {
    const row = this.#rows.get(keyOf(tenantId, currency))
    if (row === undefined || row.perDay === null) return
    row.dayAmount = toMoney(amountOn(row, acceptedAt) + amount)
    row.day = lagosDay(acceptedAt)
    this.#changed.add(row)
  }

  /** Subtracts a failed payout from the day's total, unless the payout was accepted on an earlier day. */
  giveBack(tenantId: Uuid, { amount, currency }: Amount, acceptedAt: Date): void {
    const row = this.#rows.get(keyOf(tenantId, currency))
    if (row === undefined || row.perDay === null || row.day !== lagosDay(acceptedAt)) return
    row.dayAmount = toMoney(row.dayAmount - amount)
    this.#changed.add(row)
  }
}

function keyOf(tenantId: Uuid, currency: Currency): string {
  return `${tenantId} ${currency}`
}

/** The caller has checked that the currency is switched on for the tenant. */
export function setLimits(
  ctx: Context,
  tenant: Tenant,
  changes: LimitChanges,
  currency: Currency = 'NGN',
): Promise<Limits> {
  return ctx.db.transaction(async (tx) => {
    const all = await withTenants(tx, [tenant.id], (tenantIds) => readLimits(tx, tenantIds))
    const before = all.find((row) => row.currency === currency)
    const { perPayment = before?.perPayment ?? null, perDay = before?.perDay ?? null } = changes
    // Payouts are not counted while there is no daily limit, so a new daily limit starts with the sum of the day's
    // payouts. The day is that of the last movement, not that of this process's clock: if this clock is ahead around
    // midnight, another process may still accept payouts of the day before.
    const at = new Date(bookOf(tx).timeMs(tenant.id, 0))
    const counted =
      perDay === null || before === undefined || before.perDay === null
        ? { day: lagosDay(at), dayAmount: perDay === null ? zero : await sumPayouts(tx, tenant, { at, currency }) }
        : before
    const details = { currency, perPayment: auditText(perPayment), perDay: auditText(perDay) }
    recordEntry(tx, ctx.clock.now(), { by: ctx.by, act: 'limits.set', tenantId: tenant.id, details })
    bookOf(tx).setLimited(tenant.id, currency, perPayment !== null || perDay !== null)
    writeLimit(tx, {
      tenantId: tenant.id,
      currency,
      perPayment,
      perDay,
      day: counted.day,
      dayAmount: counted.dayAmount,
    })
    return { perPayment, perDay }
  }, tenant.lane)
}

/** The amount as text, because a JSON number would be read as a double. */
function auditText(amount: Money | null): string {
  return amount === null ? 'none' : String(amount)
}

/** `left` is for the current day in Lagos; null if there is no daily limit. */
type LimitsNow = Limits & { left: Money | null }

export async function showLimits(ctx: Context, tenant: Tenant, currency: Currency = 'NGN'): Promise<LimitsNow> {
  const all = await readLimits(inLane(ctx.db, tenant.lane), [tenant.id])
  const row = all.find((one) => one.currency === currency)
  if (row === undefined) return { perPayment: null, perDay: null, left: null }
  const { perPayment, perDay } = row
  return { perPayment, perDay, left: perDay === null ? null : leftOf(perDay, amountOn(row, new Date(ctx.clock.now()))) }
}

function sumPayouts(tx: Tx, tenant: Tenant, { at, currency }: { at: Date; currency: Currency }): Promise<Money> {
  return sumPayoutsSince(tx, tenant, { since: startOfDay(lagosDay(at)), currency, kinds: payoutKinds })
}

/** A day that is still to come is counted: if the last movement is dated ahead of `at`, new payouts are too. */
function amountOn({ day, dayAmount }: LimitRow, at: Date): Money {
  return day < lagosDay(at) ? zero : dayAmount
}

/** Returns zero if the total of the day exceeds the limit, for example because the limit was lowered. */
function leftOf(limit: Money, amount: Money): Money {
  return amount < limit ? toMoney(limit - amount) : zero
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

// SQL of payout limits. Their rows are written only under their tenant's lock, so they need no locks of their own.

type LimitRow = {
  tenantId: Uuid
  currency: Currency
  perPayment: Money | null
  perDay: Money | null
  day: string
  dayAmount: Money
}

// Limits in naira and limits in other currencies have separate tables. The key of the first table has no currency, and
// release 0.2.0 writes by that key.
const columns = `per_payment as "perPayment", per_day as "perDay", day::text, day_amount as "dayAmount"`

const selectLimits = statement(
  'payments.limits',
  `select tenant_id as "tenantId", 'NGN' as currency, ${columns} from payout_limit
    where lane = $1 and tenant_id = any($2::uuid[])
   union all
   select tenant_id, currency, ${columns} from payout_limit_in_currency
    where lane = $1 and tenant_id = any($2::uuid[])`,
)

export function readLimits(lane: InLane, tenantIds: Uuid[]): Promise<LimitRow[]> {
  return lane.query<LimitRow>(selectLimits, [lane.lane, tenantIds])
}

// Updated by ctid: no other transaction moves the rows while the tenant is locked (see queries.ts).
const updateDays = statement(
  'payments.limit_days',
  `with v as materialized (
     select l.row_place, k.day, k.day_amount
       from unnest($2::uuid[], $3::date[], $4::bigint[]) as k (tenant_id, day, day_amount)
       cross join lateral (
         select ctid as row_place from payout_limit where lane = $1 and tenant_id = k.tenant_id limit 1) as l)
   update payout_limit l set day = v.day, day_amount = v.day_amount
     from v where l.lane is not distinct from $1 and l.ctid = v.row_place`,
)

const updateDaysInCurrency = statement(
  'payments.limit_days_in_currency',
  `with v as materialized (
     select l.row_place, k.day, k.day_amount
       from unnest($2::uuid[], $3::date[], $4::bigint[], $5::text[]) as k (tenant_id, day, day_amount, currency)
       cross join lateral (
         select ctid as row_place from payout_limit_in_currency
          where lane = $1 and tenant_id = k.tenant_id and currency = k.currency limit 1) as l)
   update payout_limit_in_currency l set day = v.day, day_amount = v.day_amount
     from v where l.lane is not distinct from $1 and l.ctid = v.row_place`,
)

export function writeDays(tx: Tx, rows: LimitRow[]): void {
  const [naira, others] = [rows.filter(isNaira), rows.filter((row) => !isNaira(row))]
  if (naira.length > 0) tx.send(updateDays, [tx.lane, ...arraysOf(naira, 'tenantId', 'day', 'dayAmount')])
  if (others.length > 0)
    tx.send(updateDaysInCurrency, [tx.lane, ...arraysOf(others, 'tenantId', 'day', 'dayAmount', 'currency')])
}

const isNaira = ({ currency }: LimitRow): boolean => currency === 'NGN'

const putLimit = statement(
  'payments.put_limit',
  `insert into payout_limit (lane, tenant_id, per_payment, per_day, day, day_amount) values ($1, $2, $3, $4, $5, $6)
   on conflict (lane, tenant_id) do update
     set per_payment = excluded.per_payment, per_day = excluded.per_day, day = excluded.day,
         day_amount = excluded.day_amount`,
)

const putLimitInCurrency = statement(
  'payments.put_limit_in_currency',
  `insert into payout_limit_in_currency (lane, tenant_id, per_payment, per_day, day, day_amount, currency)
   values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (lane, tenant_id, currency) do update
     set per_payment = excluded.per_payment, per_day = excluded.per_day, day = excluded.day,
         day_amount = excluded.day_amount`,
)

function writeLimit(tx: Tx, row: LimitRow): void {
  const { tenantId, currency, perPayment, perDay, day, dayAmount } = row
  const values = [tx.lane, tenantId, perPayment, perDay, day, dayAmount]
  if (isNaira(row)) tx.send(putLimit, values)
  else tx.send(putLimitInCurrency, [...values, currency])
}

// Sums the payments of a kind after the number $4 of their list. It reads an index range of exactly those payments. The
// sum is cut off above the highest possible limit.
const sumAfter = statement(
  'payments.paid_out_after',
  `select least(coalesce(sum(amount), 0), 2::numeric ^ 61)::bigint as amount from payment
    where lane = $1 and tenant_id = $2 and kind = $3 and ordinal > $4 and status <> 'FAILED' and currency = $5`,
)

export type SinceQuestion = { since: Date; currency: Currency; kinds: readonly string[] }

/** Failed payouts do not count. */
export async function sumPayoutsSince(
  db: Queryable,
  tenant: Tenant,
  { since, currency, kinds: ofKinds }: SinceQuestion,
): Promise<Money> {
  let sum: bigint = zero
  for (const kind of ofKinds) {
    const { low } = await paymentList.rangeOf(db, tenant, { from: since }, kind)
    const [row] = await db.query<{ amount: bigint }>(sumAfter, [tenant.lane, tenant.id, kind, low, currency])
    sum += row?.amount ?? 0n
  }
  return sum as Money
}
