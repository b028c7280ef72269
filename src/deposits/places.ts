// The places of new deposits in the lists of their tenants: shared by all that number deposits in one transaction,
// because whoever read first may have counted on meanwhile.

import type { Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import type { Currency } from '#base/money.ts'
import type { Book } from '#ledger/post.ts'
import type { Last } from './sql.ts'

export type Places = {
  /** What was read, under the tenants' locks. */
  add(read: Map<Uuid, Last>): void
  /** Numbered on, and dated no earlier than what came before. */
  next(book: Book, tenantId: Uuid, currency: Currency, nowMs: number): Last
}

const key = Symbol('the latest deposits of this transaction')

export function placesOf(tx: Tx): Places {
  return tx.shared(key, createPlaces)
}

function createPlaces(): Places {
  const last = new Map<Uuid, Last>()
  return {
    add(read) {
      for (const [tenantId, place] of read) if (!last.has(tenantId)) last.set(tenantId, place)
    },
    next(book, tenantId, currency, nowMs) {
      const before = last.get(tenantId)
      const atMs = book.timeMs(tenantId, currency, Math.max(nowMs, before?.createdAt.getTime() ?? 0))
      const place = { ordinal: (before?.ordinal ?? 0n) + 1n, createdAt: new Date(atMs) }
      last.set(tenantId, place)
      return place
    },
  }
}
