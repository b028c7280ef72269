// Corrections by an operator: an adjustment changes a balance, and a settlement by hand gives a payment its final
// status. An adjustment must name a review item; a settlement may name one. The correction closes that item.

import type { Actor, Context, Tenant, Environment } from '#platform/context.ts'
import { type Tx, arrayOf, type Queryable, statement } from '#platform/db/db.ts'
import type { Lane, Operation } from '#platform/db/lane.ts'
import type { ByHand, SettleByHand, SettleOutcome } from '#payments/settle.ts'
import { closeLocked, type ClosingRules } from '#audit/close-item.ts'
import { recordEntry } from '#audit/record.ts'
import { adjustedPostings } from '#ledger/chart.ts'
import {
  type Invariant,
  type InvariantCheck,
  pageOf,
  type ScanPage,
  scanPages,
  type TableScan,
} from '#ledger/table-scan.ts'
import { type Book, openBook } from '#ledger/post.ts'
import { firstUuid, type Uuid, parseId } from '#platform/ids.ts'
import { type Currency, type Money, zero } from '#platform/money.ts'
import { exceptionClosing } from '#review/review-queue.ts'
import { breakClosing } from '#reconciliation/mismatches.ts'

type Because = { because: string; by: Actor }

export type AdjustRequest = Pick<AdjustCommand, 'currency' | 'amount' | 'note'> & Because

export type SettleRequest = Omit<ByHand, 'closeItem'> & Partial<Because>

export type Corrections = {
  adjust(tenant: Tenant, request: AdjustRequest): Promise<AdjustOutcome>
  /**
   * Settles a payment as its provider reported to an operator: as successful, as failed, or as returned after a
   * success.
   */
  settle(tenant: Tenant, request: SettleRequest): Promise<SettleOutcome | ItemRefusal>
}

type CorrectionsOptions = { ctx: Context; laneOf: (lane: number) => Lane; settleByHand: SettleByHand }

export function createCorrections({ ctx, laneOf, settleByHand }: CorrectionsOptions): Corrections {
  return {
    async adjust(tenant, { because, by, ...request }) {
      const acting = { ...ctx, by }
      const item = reviewItemOf(acting, because)
      if (item === undefined) return { kind: 'no-item' }
      return laneOf(tenant.lane).submit(adjusting, { ...request, ctx: acting, tenant, because: item })
    },
    async settle(tenant, { because, ...request }) {
      if (because === undefined) return settleByHand(tenant, request)
      const item = reviewItemOf({ ...ctx, by: request.by }, because)
      if (item === undefined) return { kind: 'no-item' }
      const refusal = await ctx.db.transaction(async (tx) => refusalOf(await item.lock(tx), tenant))
      if (refusal !== undefined) return refusal
      // The payment's own status prevents a second settlement, so it does not matter if the item was closed in the
      // meantime.
      const closeItem = async (tx: Tx): Promise<void> => {
        const locked = await item.lock(tx)
        if (locked?.closedAt === null) locked.close(request.note)
      }
      return settleByHand(tenant, { ...request, closeItem })
    },
  }
}

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

type AdjustCommand = {
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
  | { kind: 'too-little'; available: Money }
  /** The balance would not fit into JSON exactly. */
  | { kind: 'too-much' }
  | { kind: 'no-currency' }

/**
 * The transaction that moves the money also closes the review item: of two operators only one adjusts, and after a
 * crash the item shows whether the money was moved.
 */
const adjusting: Operation<AdjustCommand, AdjustOutcome> = {
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
      const atMs = book.timeMs(tenant.id, ctx.clock.now())
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
  if (!book.hasCurrency(tenant.id, currency)) return { kind: 'no-currency' }
  const available = book.available(tenant.id, currency)
  if (amount < zero && available + amount < zero) return { kind: 'too-little', available }
  return amount > zero && !book.hasRoom(tenant.id, currency, amount) ? { kind: 'too-much' } : undefined
}

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

// The review item (an exception or a break) of a correction. The correction closes it in the transaction that moves
// the money, so that no item justifies two adjustments.

type ReviewItem = {
  id: Uuid
  publicId: string
  lock(tx: Tx): Promise<LockedItem | undefined>
}

type LockedItem = {
  environment: Environment
  /** Null for every break, because breaks store no business, and for an exception whose business is not known. */
  tenantId: Uuid | null
  closedAt: Date | null
  note: string | null
  close(note: string): void
}

export function reviewItemOf(ctx: Context, text: string): ReviewItem | undefined {
  const exception = parseId('exception', text)
  if (exception !== undefined) return itemOf(ctx, text, exception, exceptionClosing(exception))
  const railBreak = parseId('railBreak', text)
  return railBreak === undefined ? undefined : itemOf(ctx, text, railBreak, breakClosing(railBreak))
}

type ItemRow = Pick<LockedItem, 'environment' | 'closedAt' | 'note'> & { tenantId?: Uuid | null }

function itemOf<T extends ItemRow>(ctx: Context, publicId: string, id: Uuid, closing: ClosingRules<T>): ReviewItem {
  return {
    id,
    publicId,
    async lock(tx) {
      const found = await closing.lock(tx)
      if (found === undefined) return undefined
      const { environment, tenantId = null, closedAt, note } = found
      const close = (why: string): void => void closeLocked(tx, ctx, closing, { found, note: why })
      return { environment, tenantId, closedAt, note, close }
    },
  }
}

export type ItemRefusal = { kind: 'no-item' } | { kind: 'other-environment' } | { kind: 'other-business' }

function refusalOf(item: LockedItem | undefined, tenant: Tenant): ItemRefusal | undefined {
  if (item === undefined) return { kind: 'no-item' }
  if (item.environment !== tenant.environment) return { kind: 'other-environment' }
  return item.tenantId === null || item.tenantId === tenant.id ? undefined : { kind: 'other-business' }
}
