// Corrections: an operator changes money that is final and wrong. Each may name the review item that it resolves, and
// closes it.

import type { Actor, Context, Tenant } from '#platform/context.ts'
import type { Tx } from '#platform/db/db.ts'
import type { Lane } from '#platform/db/lane.ts'
import type { ByHand, SettleByHand } from '#payments/manual-settlement.ts'
import type { SettleOutcome } from '#payments/settle.ts'
import { adjusting, type AdjustCommand, type AdjustOutcome } from './adjust.ts'
import { refusalOf, reviewItemOf, type ItemRefusal } from './review-item.ts'

type Because = { because: string; by: Actor }

export type AdjustWish = Pick<AdjustCommand, 'currency' | 'amount' | 'note'> & Because

export type SettleWish = Omit<ByHand, 'closeItem'> & Partial<Because>

export type Corrections = {
  /** Adds to the available balance of a business, or deducts from it. */
  adjust(tenant: Tenant, wish: AdjustWish): Promise<AdjustOutcome>
  /** Ends a payment as its provider reported to an operator, or returns one that succeeded. */
  settle(tenant: Tenant, wish: SettleWish): Promise<SettleOutcome | ItemRefusal>
}

export type CorrectionsOptions = { ctx: Context; laneOf: (lane: number) => Lane; settleByHand: SettleByHand }

export function createCorrections({ ctx, laneOf, settleByHand }: CorrectionsOptions): Corrections {
  return {
    async adjust(tenant, { because, by, ...wish }) {
      const acting = { ...ctx, by }
      const item = reviewItemOf(acting, because)
      if (item === undefined) return { kind: 'no-item' }
      return laneOf(tenant.lane).submit(adjusting, { ...wish, ctx: acting, tenant, because: item })
    },
    async settle(tenant, { because, ...wish }) {
      if (because === undefined) return settleByHand(tenant, wish)
      const item = reviewItemOf({ ...ctx, by: wish.by }, because)
      if (item === undefined) return { kind: 'no-item' }
      const refusal = await ctx.db.transaction(async (tx) => refusalOf(await item.lock(tx), tenant))
      if (refusal !== undefined) return refusal
      // The payment's own status prevents a second settlement, so it does not matter if the item was closed in the
      // meantime.
      const closeItem = async (tx: Tx): Promise<void> => {
        const locked = await item.lock(tx)
        if (locked?.closedAt === null) locked.close(wish.note)
      }
      return settleByHand(tenant, { ...wish, closeItem })
    },
  }
}
