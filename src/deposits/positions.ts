// The positions of new deposits in the lists of their tenants: shared by all that number deposits in one transaction,
// because each counts on from what another has taken.

import type { Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { Currency } from '#base/money.ts'
import { positionAfter, type Position } from '#base/ordinal.ts'
import type { Book } from '#ledger/post.ts'

export type Positions = {
  /** The latest of each tenant, as read under the tenants' locks. */
  add(read: Map<Uuid, Position>): void
  /** Numbered on, and dated no earlier than what came before. */
  next(book: Book, tenantId: Uuid, currency: Currency, nowMs: number): Position
}

const key = Symbol('positions of deposits in this transaction')

export function positionsOf(tx: Tx): Positions {
  return tx.shared(key, createPositions)
}

function createPositions(): Positions {
  const last = new Map<Uuid, Position>()
  return {
    add(read) {
      for (const [tenantId, position] of read) if (!last.has(tenantId)) last.set(tenantId, position)
    },
    next(book, tenantId, currency, nowMs) {
      const position = positionAfter(last.get(tenantId), book.timeMs(tenantId, currency, nowMs))
      last.set(tenantId, position)
      return position
    },
  }
}
