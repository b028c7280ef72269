// The statement of a balance: every movement of `available`, the latest first, each with what was there after it.
// Entries are numbered densely and their times follow the numbers, so a page is a range of numbers at any depth.

import type { Context, Tenant } from '#base/context.ts'
import type { Uuid } from '#base/ids.ts'
import { toKobo, type Currency, type Kobo } from '#base/money.ts'
import { countEntriesBefore, lastEntry, readEntryRows, type EntryRow } from './sql-entries.ts'

export type Entry = {
  id: Uuid
  type: string
  reference: string
  /** Negative when money left. */
  amount: Kobo
  balanceAfter: Kobo
  currency: string
  createdAt: Date
}

export type EntriesQuestion = { page: number; limit: number; from?: Date | undefined; before?: Date | undefined }

export async function listEntries(
  ctx: Context,
  tenant: Tenant,
  currency: Currency,
  { page, limit, from, before }: EntriesQuestion,
): Promise<{ entries: Entry[]; total: number }> {
  const last = await lastEntry(ctx.db, tenant, currency)
  const [low, end] = await Promise.all([
    from === undefined ? 0n : countEntriesBefore(ctx.db, tenant, currency, from, last),
    before === undefined ? last : countEntriesBefore(ctx.db, tenant, currency, before, last),
  ])
  const total = end > low ? Number(end - low) : 0
  const offset = (page - 1) * limit
  if (offset >= total) return { entries: [], total }
  const high = end - BigInt(offset)
  const floor = high - BigInt(limit)
  const rows = await readEntryRows(ctx.db, tenant, currency, { low: floor > low ? floor : low, high })
  return { entries: rows.map(entryOf), total }
}

function entryOf(row: EntryRow): Entry {
  return {
    id: row.id,
    type: row.kind,
    reference: row.reference,
    amount: toKobo(row.credit === 'available' ? row.amount : -row.amount),
    balanceAfter: toKobo(row.balance_after),
    currency: row.currency,
    createdAt: row.created_at,
  }
}
