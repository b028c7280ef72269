// Settings that the users of a business choose for it as a whole, and its low-balance threshold.

import type { Details } from '#audit/entry.ts'
import { recordEntry } from '#audit/record.ts'
import { withTenants } from '#ledger/post.ts'
import { present } from '#platform/assert.ts'
import type { Context, Tenant } from '#platform/context.ts'
import { statement, type Queryable, type Tx, type InLane, inLane } from '#platform/db/db.ts'
import { type Uuid, formatId } from '#platform/ids.ts'
import type { Money } from '#platform/money.ts'

type SettingsRow = {
  id: Uuid
  name: string
  timeZone: string
  compulsoryFactorRoles: string[]
  hasReceiptLinks: boolean
}

/** Every role of a member. It is the users module that says what they mean. */
const allRoles = ['owner', 'admin', 'developer', 'finance', 'support', 'viewer']

// A business that has never chosen roles asks all of them or none.
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

/** Until this transaction ends, no other one changes them. */
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

// SQL of the low-balance threshold. Its row is written only under the lock of the tenant.

const select = statement(
  'businesses.low_balance',
  'select amount from low_balance_alert where lane = $1 and tenant_id = $2',
)

async function selectLowBalance(lane: InLane, tenantId: Uuid): Promise<Money | null> {
  const [row] = await lane.query<{ amount: Money }>(select, [lane.lane, tenantId])
  return row?.amount ?? null
}

const put = statement(
  'businesses.put_low_balance',
  `insert into low_balance_alert (lane, tenant_id, amount) values ($1, $2, $3)
   on conflict (lane, tenant_id) do update set amount = excluded.amount`,
)

function putLowBalance(tx: Tx, tenantId: Uuid, amount: Money): void {
  tx.send(put, [tx.lane, tenantId, amount])
}

const remove = statement(
  'businesses.delete_low_balance',
  'delete from low_balance_alert where lane = $1 and tenant_id = $2',
)

function deleteLowBalance(tx: Tx, tenantId: Uuid): void {
  tx.send(remove, [tx.lane, tenantId])
}

export type BusinessSettings = {
  id: Uuid
  name: string
  /** The time zone in which its users read times: `Africa/Lagos`. */
  timeZone: string
  /** Users with one of these roles and without a second factor can only set one up. */
  compulsoryFactorRoles: string[]
  /** False: its receipt links show nothing. */
  hasReceiptLinks: boolean
}

/** In the order of their names. */
export function readSettings(ctx: Context, ids: readonly Uuid[]): Promise<BusinessSettings[]> {
  return listSettings(ctx.db, ids)
}

const placeForm = /^[A-Za-z]+(\/[A-Za-z0-9_+-]+)*$/

/**
 * Accepts zones of places only, because places may have daylight saving time and a fixed offset would be wrong half
 * the year.
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

/** Returns the new settings. */
export function changeSettings(ctx: Context, id: Uuid, change: SettingsChange): Promise<BusinessSettings> {
  return ctx.db.transaction((tx) => changeIn(tx, ctx, id, change))
}

/** For the first user, who names the business in the transaction that makes them its owner. */
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

/** Changed values as `name: after, nameBefore: before`. */
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

/** The available balance below which the business wants an alert; null for no alert. It blocks nothing. */
export function readLowBalance(ctx: Context, tenant: Tenant): Promise<Money | null> {
  return selectLowBalance(inLane(ctx.db, tenant.lane), tenant.id)
}

/** Does nothing, and makes no audit entry, if the value is unchanged. */
export function setLowBalance(ctx: Context, tenant: Tenant, amount: Money | null): Promise<void> {
  return ctx.db.transaction(async (tx) => {
    const before = await withTenants(tx, [tenant.id], () => selectLowBalance(tx, tenant.id))
    if (before === amount) return
    if (amount === null) deleteLowBalance(tx, tenant.id)
    else putLowBalance(tx, tenant.id, amount)
    const details = { amount: wordOf(amount), amountBefore: wordOf(before) }
    recordEntry(tx, ctx.clock.now(), { by: ctx.by, act: 'low-balance.set', tenantId: tenant.id, details })
  }, tenant.lane)
}

/** Text, because an amount must never be a double. */
function wordOf(amount: Money | null): string {
  return amount === null ? 'none' : String(amount)
}
