// SQL of what a business's people chose for it as a whole.

import type { Details } from '#audit/entry.ts'
import { record } from '#audit/record.ts'
import { withTenants } from '#ledger/post.ts'
import { present } from '#platform/assert.ts'
import type { Context, Tenant } from '#platform/context.ts'
import { statement, type Queryable, type Tx, type InLane, inLane } from '#platform/db/db.ts'
import { type Uuid, formatId } from '#platform/ids.ts'
import type { Kobo } from '#platform/money.ts'

type SettingsRow = { id: Uuid; name: string; timeZone: string; isCompulsoryFactor: boolean }

const columns = `id, name, time_zone as "timeZone", is_compulsory_factor as "isCompulsoryFactor"`

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

/** Until the end of this transaction no other one changes them. */
async function lockSettings(tx: Tx, id: Uuid): Promise<SettingsRow | undefined> {
  const [row] = await tx.query<SettingsRow>(lockSettingsRow, [id])
  return row
}

const updateSettings = statement(
  'businesses.update_settings',
  'update business set name = $2, time_zone = $3, is_compulsory_factor = $4 where id = $1',
)

function writeSettings(tx: Tx, { id, name, timeZone, isCompulsoryFactor }: SettingsRow): void {
  tx.send(updateSettings, [id, name, timeZone, isCompulsoryFactor])
}

// SQL of the balance below which a business wants to be told. Its row is written under its tenant's lock alone.

const select = statement('businesses.low_balance', 'select amount from low_balance where lane = $1 and tenant_id = $2')

async function selectLowBalance(lane: InLane, tenantId: Uuid): Promise<Kobo | null> {
  const [row] = await lane.query<{ amount: Kobo }>(select, [lane.lane, tenantId])
  return row?.amount ?? null
}

const put = statement(
  'businesses.put_low_balance',
  `insert into low_balance (lane, tenant_id, amount) values ($1, $2, $3)
   on conflict (lane, tenant_id) do update set amount = excluded.amount`,
)

function putLowBalance(tx: Tx, tenantId: Uuid, amount: Kobo): void {
  tx.send(put, [tx.lane, tenantId, amount])
}

const remove = statement('businesses.delete_low_balance', 'delete from low_balance where lane = $1 and tenant_id = $2')

function deleteLowBalance(tx: Tx, tenantId: Uuid): void {
  tx.send(remove, [tx.lane, tenantId])
}

// What the people of a business chose for it as a whole.

export type BusinessSettings = {
  id: Uuid
  name: string
  /** In which its people read times: `Africa/Lagos`. */
  timeZone: string
  /** Whoever has no second factor only reads, on staging too. */
  isCompulsoryFactor: boolean
}

/** In the order of their names. */
export function readSettings(ctx: Context, ids: readonly Uuid[]): Promise<BusinessSettings[]> {
  return listSettings(ctx.db, ids)
}

const placeForm = /^[A-Za-z]+(\/[A-Za-z0-9_+-]+)*$/

/** The zone of a place, whose clocks a summer changes; an offset would be wrong half of the year. */
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
  isCompulsoryFactor?: boolean | undefined
}

/** With the settings as they then are. */
export function changeSettings(ctx: Context, id: Uuid, change: SettingsChange): Promise<BusinessSettings> {
  return ctx.db.transaction(async (tx) => {
    const before = present(await lockSettings(tx, id), 'whoever changes settings is of the business')
    const after = {
      id,
      name: change.name ?? before.name,
      timeZone: change.timeZone ?? before.timeZone,
      isCompulsoryFactor: change.isCompulsoryFactor ?? before.isCompulsoryFactor,
    }
    writeSettings(tx, after)
    record(tx, ctx.clock.now(), {
      by: ctx.by,
      act: 'business.changed',
      businessId: id,
      subject: formatId('business', id),
      details: changesOf(before, after),
    })
    return after
  })
}

/** `name: after, nameBefore: before`, of what differs. */
function changesOf(before: BusinessSettings, after: BusinessSettings): Details {
  const names = ['name', 'timeZone', 'isCompulsoryFactor'] as const
  return Object.fromEntries(
    names
      .filter((name) => before[name] !== after[name])
      .flatMap((name) => [
        [name, after[name]],
        [`${name}Before`, before[name]],
      ]),
  )
}

// Below which available balance a business wants to be told so. It is only told: nothing is held back by it.

/** Null: it wants no such word. */
export function readLowBalance(ctx: Context, tenant: Tenant): Promise<Kobo | null> {
  return selectLowBalance(inLane(ctx.db, tenant.lane), tenant.id)
}

/** Set to what it is, it is no act. */
export function setLowBalance(ctx: Context, tenant: Tenant, amount: Kobo | null): Promise<void> {
  return ctx.db.transaction(async (tx) => {
    const before = await withTenants(tx, [tenant.id], () => selectLowBalance(tx, tenant.id))
    if (before === amount) return
    if (amount === null) deleteLowBalance(tx, tenant.id)
    else putLowBalance(tx, tenant.id, amount)
    const details = { amount: wordOf(amount), amountBefore: wordOf(before) }
    record(tx, ctx.clock.now(), { by: ctx.by, act: 'low-balance.set', tenantId: tenant.id, details })
  }, tenant.lane)
}

/** As text: an amount is never a double. */
function wordOf(amount: Kobo | null): string {
  return amount === null ? 'none' : String(amount)
}
