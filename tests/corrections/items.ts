// Review items that tests correct money for.

import type { Context, Environment, Tenant } from '#platform/context.ts'
import { formatId, type Uuid } from '#platform/ids.ts'
import { present } from '#platform/assert.ts'
import { reviewItemOf } from '#corrections/corrections.ts'
import { type Fact, raiseReviewItem } from '#review/review-queue.ts'
import { type BreakFact, openBreaks } from '#reconciliation/mismatches.ts'
import { depositReference, parseDepositReference } from '#deposits/deposit.ts'
import { createRoom } from '#tests/deposits/room.ts'
import type { TestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'

let made = 0

/** Raises an exception about the money of this tenant, or of no tenant, and returns its id. */
export async function newException(
  database: { ownerUrl: string },
  ctx: Context,
  tenant: Tenant | null,
  environment: Environment = tenant?.environment ?? 'production',
  more: Partial<Fact> = {},
): Promise<string> {
  const subject = more.subject ?? `item ${++made} of ${tenant?.id}`
  const about = { kind: 'payment-contradicted' as const, environment, subject, fact: 'it was paid twice' }
  await ctx.db.transaction(async (tx) =>
    raiseReviewItem(ctx, tx, { ...about, tenant, reference: 'R', currency: 'NGN', amount: null, ...more }),
  )
  const [row] = await asOwner<{ id: Uuid }>(database, 'select id from review_item where subject = $1', [subject])
  return formatId('exception', present(row, 'it was raised').id)
}

export async function newBreak(
  database: { ownerUrl: string },
  ctx: Context,
  more: Partial<BreakFact> = {},
): Promise<string> {
  const reference = `line ${++made}`
  const aboutAt = new Date(ctx.clock.now())
  const money = { amount: 5n, currency: 'NGN' }
  const fact = { kind: 'amount' as const, reference, ...money, fact: 'it lists another amount', aboutAt, ...more }
  const subject = `${reference} ${fact.kind}`
  await ctx.db.transaction((tx) =>
    openBreaks(ctx, tx, { environment: 'production', rail: 'a' }, [{ subject, ...fact }]),
  )
  const [row] = await asOwner<{ id: Uuid }>(database, 'select id from rail_break where subject = $1', [subject])
  return formatId('railBreak', present(row, 'it was opened').id)
}

/** A refund that its provider refused, in production, and the review item about it. */
export async function newRefusedRefund(
  database: TestDatabase,
  ctx: Context,
  tenant: Tenant,
): Promise<{ reference: string; item: string }> {
  const room = createRoom(database, [], ctx.clock.now())
  const { id, providerId } = await room.overpay(tenant)
  await asOwner(
    database,
    "update deposit_refund set status = 'REFUSED', asked_at = created_at, due_at = null, why = 'declined' where deposit_id = $1",
    [id],
  )
  const reference = depositReference(id)
  const item = await newException(database, ctx, tenant, 'production', {
    kind: 'refund-refused',
    subject: `production:bank:${providerId}`,
    reference,
    amount: 12_000n as never,
    fact: 'bank does not send it back: declined',
  })
  return { reference, item }
}

/** The status of a refund. */
export async function refundStatusOf(database: { ownerUrl: string }, reference: string): Promise<string | undefined> {
  const sql = 'select status from deposit_refund where deposit_id = $1'
  const [row] = await asOwner<{ status: string }>(database, sql, [parseDepositReference(reference)])
  return row?.status
}

export type Item = { closed_at: Date | null; note: string | null }

export async function itemOf(database: { ownerUrl: string }, ctx: Context, publicId: string): Promise<Item> {
  const { id } = present(reviewItemOf(ctx, publicId), `${publicId} is an id`)
  const sql =
    'select closed_at, note from review_item where id = $1 union all select closed_at, note from rail_break where id = $1'
  const [row] = await asOwner<Item>(database, sql, [id])
  return present(row, `${publicId} is there`)
}
