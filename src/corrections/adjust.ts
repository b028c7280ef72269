// Adjusts the available balance of a business by hand because of a review item, and proves adjustments.

import { recordEntry } from '#audit/record.ts'
import { adjustedPostings } from '#ledger/chart.ts'
import type { Invariant, InvariantCheck } from '#ledger/invariant.ts'
import { type Book, openBook } from '#ledger/post.ts'
import { pageOf, type ScanPage, scanPages, type TableScan } from '#ledger/table-scan.ts'
import type { Context, Tenant } from '#platform/context.ts'
import { arrayOf, type Queryable, statement } from '#platform/db/db.ts'
import type { Operation } from '#platform/db/lane.ts'
import { firstUuid, type Uuid } from '#platform/ids.ts'
import { type Currency, type Money, zero } from '#platform/money.ts'
import { type ItemRefusal, type LockedItem, refusalOf, type ReviewItem } from './review-item.ts'

const adjustmentPage = statement(
  'corrections.verify_adjustments',
  pageOf({
    table: 'ledger_movement',
    key: 'source_id',
    columns: 'id, reference',
    where: `kind = 'adjustment'`,
    parts: 'select tenant_id as "tenantId", id, source_id as item, reference from page',
  }),
)

type Adjustment = { tenantId: Uuid; id: Uuid; item: Uuid; reference: string }

function adjustmentPages(walk: TableScan): AsyncGenerator<ScanPage<Adjustment>> {
  return scanPages<Adjustment>(adjustmentPage, firstUuid, walk)
}

const closedItems = statement(
  'corrections.closed_items',
  `select id from review_item where id = any($1::uuid[]) and closed_at is not null
   union all select id from rail_break where id = any($1::uuid[]) and closed_at is not null`,
)

async function findClosedItems(db: Queryable, ids: Uuid[]): Promise<Set<Uuid>> {
  const rows = await db.query<{ id: Uuid }>(closedItems, [arrayOf(ids, (id) => id)])
  return new Set(rows.map(({ id }) => id))
}

export type AdjustCommand = {
  ctx: Context
  tenant: Tenant
  currency: Currency
  /** Added to the balance; a negative amount is deducted. Never zero. */
  amount: Money
  because: ReviewItem
  note: string
}

export type AdjustOutcome =
  | { kind: 'adjusted'; available: Money }
  | ItemRefusal
  | { kind: 'was-closed'; note: string | null }
  /** The balance is smaller than the deduction. */
  | { kind: 'too-little'; available: Money }
  /** The balance would not fit into JSON exactly. */
  | { kind: 'too-much' }

/**
 * The transaction that moves the money also closes the review item: of two operators only one adjusts, and after a
 * crash the item shows whether it was done.
 */
export const adjusting: Operation<AdjustCommand, AdjustOutcome> = {
  name: 'corrections.adjust',
  async run(tx, commands) {
    const book = await openBook(tx, new Set(commands.map(({ tenant }) => tenant.id)))
    const items = new Map<string, LockedItem | undefined>()
    const named = new Map(commands.map(({ because }) => [because.publicId, because]))
    // Sorted, so that two transactions with the same items queue for each other and cannot deadlock.
    for (const [publicId, item] of [...named].toSorted(([left], [right]) => (left < right ? -1 : 1)))
      items.set(publicId, await item.lock(tx))
    return commands.map((command) => {
      const { ctx, tenant, currency, amount, because, note } = command
      const item = items.get(because.publicId)
      const refusal = refusalOf(item, tenant)
      if (refusal !== undefined || item === undefined) return refusal ?? { kind: 'no-item' }
      if (item.closedAt !== null) return { kind: 'was-closed', note: item.note }
      const shortage = shortageOf(book, command)
      if (shortage !== undefined) return shortage
      const atMs = book.timeMs(tenant.id, currency, ctx.clock.now())
      const reference = because.publicId
      book.post(tenant.id, currency, { id: because.id, reference, atMs }, adjustedPostings(amount))
      item.close(note)
      items.set(reference, { ...item, closedAt: new Date(atMs), note })
      const details = { currency, amount: amount.toString(), because: reference, note }
      recordEntry(tx, atMs, { by: ctx.by, act: 'ledger.adjusted', tenantId: tenant.id, subject: reference, details })
      return { kind: 'adjusted', available: book.available(tenant.id, currency) }
    })
  },
}

function shortageOf(book: Book, { tenant, currency, amount }: AdjustCommand): AdjustOutcome | undefined {
  const available = book.available(tenant.id, currency)
  if (amount < zero && available + amount < zero) return { kind: 'too-little', available }
  return amount > zero && !book.hasRoom(tenant.id, currency, amount) ? { kind: 'too-much' } : undefined
}

// Invariants of corrections for `ledger verify`.

export const correctionInvariants: Invariant[] = [
  { name: 'each adjustment names a review item that is closed', run: checkAdjustments },
]

async function checkAdjustments(check: InvariantCheck): Promise<void> {
  for await (const { rows, parts } of adjustmentPages(check)) {
    // Items are read after the adjustments, which were committed together with the closing of their items.
    const items = [...new Set(parts.map(({ item }) => item))]
    const closed = items.length === 0 ? new Set() : await findClosedItems(check.lane, items)
    for (const { tenantId, id, item, reference } of parts)
      if (!closed.has(item)) check.report({ tenantId, ids: [id], message: `${reference} is no closed review item` })
    check.progress(rows)
  }
}
