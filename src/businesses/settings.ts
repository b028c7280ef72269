// Settings that the users of a business choose for it as a whole, such as the roles that must have a second factor, its
// low-balance thresholds, and the go-live points that it waived.

import type { Details } from '#audit/entry.ts'
import { recordEntry } from '#audit/record.ts'
import { bookOf, withTenants } from '#ledger/post.ts'
import { present } from '#platform/assert.ts'
import type { Context, Tenant } from '#platform/context.ts'
import { statement, type Queryable, type Tx, type InLane, inLane } from '#platform/db/db.ts'
import { type Uuid, formatId } from '#platform/ids.ts'
import type { Currency, Money } from '#platform/money.ts'

type SettingsRow = {
  id: Uuid
  name: string
  timeZone: string
  compulsoryFactorRoles: string[]
  hasReceiptLinks: boolean
}

/** Every role of a member. The users module defines their meaning. */
const allRoles = ['owner', 'admin', 'developer', 'finance', 'support', 'viewer']

// A business that has never chosen roles requires a second factor of every role or of none (`is_compulsory_factor`).
const columns = `id, name, time_zone as "timeZone", has_receipt_links as "hasReceiptLinks", coalesce(compulsory_factor_roles,
  case when is_compulsory_factor then '{${allRoles.join(',')}}'::text[] else '{}' end) as "compulsoryFactorRoles"`

const selectSettings = statement(
  'businesses.settings',
  `select ${columns} from business where id = any ($1::uuid[]) order by name, id`,
)

function listSettings(db: Queryable, ids: readonly Uuid[]): Promise<SettingsRow[]> {
  return db.query<SettingsRow>(selectSettings, [ids])
}

const lockSettingsRow = statement(
  'businesses.lock_settings',
  `select ${columns} from business where id = $1 for no key update`,
)

async function lockSettings(tx: Tx, id: Uuid): Promise<SettingsRow | undefined> {
  const [row] = await tx.query<SettingsRow>(lockSettingsRow, [id])
  return row
}

const updateSettings = statement(
  'businesses.update_settings',
  `update business set name = $2, time_zone = $3, compulsory_factor_roles = $4, is_compulsory_factor = $5,
     has_receipt_links = $6 where id = $1`,
)

function writeSettings(tx: Tx, settings: SettingsRow): void {
  const { id, name, timeZone, compulsoryFactorRoles: roles, hasReceiptLinks } = settings
  tx.send(updateSettings, [id, name, timeZone, roles, allRoles.every((role) => roles.includes(role)), hasReceiptLinks])
}

// SQL of the low-balance thresholds. Their rows are written only under the lock of the tenant. Thresholds in other
// currencies than naira have a table of their own, because the key of low_balance_alert has no currency, and processes
// of the previous version write by that key.

const select = statement(
  'businesses.low_balances',
  `select 'NGN' as currency, amount from low_balance_alert where lane = $1 and tenant_id = $2
   union all
   select currency, amount from low_balance_alert_in_currency where lane = $1 and tenant_id = $2`,
)

async function selectLowBalances(lane: InLane, tenantId: Uuid): Promise<Map<Currency, Money>> {
  const rows = await lane.query<{ currency: Currency; amount: Money }>(select, [lane.lane, tenantId])
  return new Map(rows.map(({ currency, amount }) => [currency, amount]))
}

const put = statement(
  'businesses.put_low_balance',
  `insert into low_balance_alert (lane, tenant_id, amount) values ($1, $2, $3)
   on conflict (lane, tenant_id) do update set amount = excluded.amount`,
)

const putInCurrency = statement(
  'businesses.put_low_balance_in_currency',
  `insert into low_balance_alert_in_currency (lane, tenant_id, amount, currency) values ($1, $2, $3, $4)
   on conflict (lane, tenant_id, currency) do update set amount = excluded.amount`,
)

function putLowBalance(tx: Tx, tenantId: Uuid, currency: Currency, amount: Money): void {
  if (currency === 'NGN') tx.send(put, [tx.lane, tenantId, amount])
  else tx.send(putInCurrency, [tx.lane, tenantId, amount, currency])
}

const remove = statement(
  'businesses.delete_low_balance',
  'delete from low_balance_alert where lane = $1 and tenant_id = $2',
)

const removeInCurrency = statement(
  'businesses.delete_low_balance_in_currency',
  'delete from low_balance_alert_in_currency where lane = $1 and tenant_id = $2 and currency = $3',
)

function deleteLowBalance(tx: Tx, tenantId: Uuid, currency: Currency): void {
  if (currency === 'NGN') tx.send(remove, [tx.lane, tenantId])
  else tx.send(removeInCurrency, [tx.lane, tenantId, currency])
}

export type BusinessSettings = {
  id: Uuid
  name: string
  timeZone: string
  /** Users with one of these roles and without a second factor can only set one up. */
  compulsoryFactorRoles: string[]
  /** If false, the receipt links of the business show nothing. */
  hasReceiptLinks: boolean
}

export function readSettings(ctx: Context, ids: readonly Uuid[]): Promise<BusinessSettings[]> {
  return listSettings(ctx.db, ids)
}

const placeForm = /^[A-Za-z]+(\/[A-Za-z0-9_+-]+)*$/

/**
 * Refuses an offset such as `+01:00`: it would be wrong for half of the year where there is daylight saving time.
 * Accepts named zones, also `UTC`.
 */
export function isTimeZone(unchecked: string): boolean {
  try {
    return placeForm.test(new Intl.DateTimeFormat('en', { timeZone: unchecked }).resolvedOptions().timeZone)
  } catch {
    return false
  }
}

type SettingsChange = {
  name?: string | undefined
  timeZone?: string | undefined
  compulsoryFactorRoles?: string[] | undefined
  hasReceiptLinks?: boolean | undefined
}

export function changeSettings(ctx: Context, id: Uuid, change: SettingsChange): Promise<BusinessSettings> {
  return ctx.db.transaction((tx) => changeIn(tx, ctx, id, change))
}

/** Called when the first user names the business, in the transaction that makes the user its owner. */
export async function renameBusiness(tx: Tx, ctx: Context, id: Uuid, name: string): Promise<void> {
  await changeIn(tx, ctx, id, { name })
}

async function changeIn(tx: Tx, ctx: Context, id: Uuid, change: SettingsChange): Promise<BusinessSettings> {
  const before = present(await lockSettings(tx, id), 'a business has settings')
  const after = {
    id,
    name: change.name ?? before.name,
    timeZone: change.timeZone ?? before.timeZone,
    compulsoryFactorRoles: change.compulsoryFactorRoles ?? before.compulsoryFactorRoles,
    hasReceiptLinks: change.hasReceiptLinks ?? before.hasReceiptLinks,
  }
  writeSettings(tx, after)
  recordEntry(tx, ctx.clock.now(), {
    by: ctx.by,
    act: 'business.changed',
    businessId: id,
    subject: formatId('business', id),
    details: changesOf(before, after),
  })
  return after
}

/** The changed values for the audit log, as `name: after, nameBefore: before`. */
function changesOf(before: BusinessSettings, after: BusinessSettings): Details {
  const names = ['name', 'timeZone', 'compulsoryFactorRoles', 'hasReceiptLinks'] as const
  return Object.fromEntries(
    names
      .filter((name) => String(before[name]) !== String(after[name]))
      .flatMap((name) => [
        [name, after[name]],
        [`${name}Before`, before[name]],
      ]),
  )
}

export function readLowBalances(ctx: Context, tenant: Tenant): Promise<ReadonlyMap<Currency, Money>> {
  return selectLowBalances(inLane(ctx.db, tenant.lane), tenant.id)
}

/** `amount`: null for no alert. */
type LowBalanceChange = { currency: Currency; amount: Money | null }

/** Does nothing, and makes no audit entry, if the value is unchanged. A currency that is off gets no alert. */
export function setLowBalance(
  ctx: Context,
  tenant: Tenant,
  { currency, amount }: LowBalanceChange,
): Promise<'set' | 'currency-off'> {
  return ctx.db.transaction(async (tx) => {
    const thresholds = await withTenants(tx, [tenant.id], () => selectLowBalances(tx, tenant.id))
    if (amount !== null && !bookOf(tx).isSwitchedOn(tenant.id, currency)) return 'currency-off'
    const before = thresholds.get(currency) ?? null
    if (before === amount) return 'set'
    if (amount === null) deleteLowBalance(tx, tenant.id, currency)
    else putLowBalance(tx, tenant.id, currency, amount)
    const named = currency === 'NGN' ? {} : { currency }
    const details = { ...named, amount: textOf(amount), amountBefore: textOf(before) }
    recordEntry(tx, ctx.clock.now(), { by: ctx.by, act: 'low-balance.set', tenantId: tenant.id, details })
    return 'set'
  }, tenant.lane)
}

/** Text, because an amount must never be a double. */
function textOf(amount: Money | null): string {
  return amount === null ? 'none' : String(amount)
}

// Points of the go-live checklist that an owner waived, with the owner's reason.

type WaiverRow = { point: string; waivedBy: string; reason: string }

const selectWaivers = statement(
  'businesses.waivers',
  `select point, waived_by as "waivedBy", reason from go_live_waiver where lane = $1 and tenant_id = $2`,
)

function listWaiverRows(db: Queryable, { lane, id }: Tenant): Promise<WaiverRow[]> {
  return db.query<WaiverRow>(selectWaivers, [lane, id])
}

const insertWaiverRow = statement(
  'businesses.insert_waiver',
  `insert into go_live_waiver (lane, tenant_id, point, waived_by, reason, created_at) values ($1, $2, $3, $4, $5, $6)
   on conflict do nothing returning point`,
)

async function insertWaiver(tx: Tx, { lane, id }: Tenant, waiver: WaiverRow, at: Date): Promise<boolean> {
  const { point, waivedBy, reason } = waiver
  const rows = await tx.query(insertWaiverRow, [lane, id, point, waivedBy, reason, at])
  return rows.length > 0
}

type Waiver = WaiverRow

export function listWaivers(ctx: Context, tenant: Tenant): Promise<Waiver[]> {
  return listWaiverRows(ctx.db, tenant)
}

/** A second waiver of a point changes nothing, so the first reason stays. */
export function waivePoint(ctx: Context, tenant: Tenant, { point, reason }: Omit<Waiver, 'waivedBy'>): Promise<void> {
  return ctx.db.transaction(async (tx) => {
    const nowMs = ctx.clock.now()
    const waiver = { point, reason, waivedBy: ctx.by.name }
    if (!(await insertWaiver(tx, tenant, waiver, new Date(nowMs)))) return
    const details = { point, reason }
    recordEntry(tx, nowMs, { by: ctx.by, act: 'go-live.waived', tenantId: tenant.id, details })
  })
}
