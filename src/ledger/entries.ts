// The statement of a balance: every movement of `available`, the latest first, each with what was there after it.
// Entries are numbered densely and their times follow the numbers, so a page is a range of numbers at any depth.

import type { Context, Tenant } from '#base/context.ts'
import { negate, type Currency } from '#base/money.ts'
import type { PageQuestion, TimeRange } from '#base/ordinal.ts'
import { entryList, type EntryRow } from './sql-entries.ts'

/** `amount` is negative when money left. */
export type Entry = Omit<EntryRow, 'credit'>

export async function listEntries(
  ctx: Context,
  tenant: Tenant,
  currency: Currency,
  question: PageQuestion & TimeRange,
): Promise<{ entries: Entry[]; total: number }> {
  const { rows, total } = await entryList.page(ctx.db, tenant, question, currency)
  return { entries: rows.map(entryOf), total }
}

function entryOf({ credit, amount, ...entry }: EntryRow): Entry {
  return { ...entry, amount: credit === 'available' ? amount : negate(amount) }
}
