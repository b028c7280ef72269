// The review item (an exception or a break) of a correction. The correction closes it in the transaction that moves
// the money, so that no item pays for two corrections.

import { closeLocked, type ClosingRules } from '#audit/record.ts'
import type { Context, Environment, Tenant } from '#platform/context.ts'
import type { Tx } from '#platform/db/db.ts'
import { parseId, type Uuid } from '#platform/ids.ts'
import { exceptionClosing } from '#review/service.ts'
import { breakClosing } from '#reconciliation/mismatches.ts'

export type ReviewItem = {
  id: Uuid
  /** `exc_…` or `brk_…`. */
  publicId: string
  /** Undefined if the item does not exist. */
  lock(tx: Tx): Promise<LockedItem | undefined>
}

export type LockedItem = {
  environment: Environment
  /** Null if it is about no business, or about one that is not known yet. */
  tenantId: Uuid | null
  closedAt: Date | null
  note: string | null
  close(note: string): void
}

/** Undefined if the text is no id of a review item. */
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

/** Why the item does not allow a correction of this tenant's money. */
export type ItemRefusal = { kind: 'no-item' } | { kind: 'other-environment' } | { kind: 'other-business' }

export function refusalOf(item: LockedItem | undefined, tenant: Tenant): ItemRefusal | undefined {
  if (item === undefined) return { kind: 'no-item' }
  if (item.environment !== tenant.environment) return { kind: 'other-environment' }
  return item.tenantId === null || item.tenantId === tenant.id ? undefined : { kind: 'other-business' }
}
