// Writes movements and seals directly into the tables, for tests that read them.

import type { Tenant } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import { firstIdAt } from '#ledger/chunks.ts'
import { asOwner } from '#tests/support/owner.ts'

type Database = { ownerUrl: string }

/** A day of January, or later. */
export const day = (number: number): Date => new Date(Date.UTC(2026, 0, number))

export const idAt = (at: Date, number = 1): Uuid =>
  `${firstIdAt(at).slice(0, -4)}${number.toString(16).padStart(4, '0')}` as Uuid

export type Kept = {
  at: Date
  amount: number | bigint
  debit?: string
  credit?: string
  currency?: string
  entry?: number
  balanceAfter?: number
  id?: Uuid
  kind?: string
  sourceId?: Uuid
}

/** Writes movements from `rail`; the credit side is `available` for an entry, unless a row says otherwise. */
export async function keepMovements(database: Database, { lane, id: tenantId }: Tenant, kept: Kept[]): Promise<void> {
  for (const { at, amount, ...more } of kept) {
    const { debit = 'rail', currency = 'NGN', entry = null, balanceAfter = null } = more
    const { credit = entry === null ? 'reserved' : 'available' } = more
    const { id = idAt(at), kind = 'deposit', sourceId = idAt(at) } = more
    await asOwner(
      database,
      `insert into ledger_movement (lane, tenant_id, id, currency, debit, credit, amount, kind, source_id, reference, entry,
         balance_after, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'R', $10, $11, $12)`,
      [lane, tenantId, id, currency, debit, credit, amount, kind, sourceId, entry, balanceAfter, at],
    )
  }
}

/** Writes the seal of a month of a lane; a month may have any length here. */
export async function keepSeal(database: Database, lane: number, until: Date): Promise<void> {
  await asOwner(
    database,
    `insert into ledger_archive (lane, since, until, rows, removed, digest, previous, sealed_at, removed_at)
     values ($1, $2::timestamptz - interval '1 day', $2, 0, 0, $3, null, $2, $2)`,
    [lane, until, Buffer.alloc(32)],
  )
}

export type KeptSum = {
  until: Date
  name?: string
  currency?: string
  debits?: number
  credits?: number
  movements?: number
  lastEntry?: number
  balanceAfter?: number
}

/** Writes what such a month moved on accounts of a tenant. */
export async function keepSums(database: Database, { lane, id }: Tenant, kept: KeptSum[]): Promise<void> {
  for (const { until, name = 'available', currency = 'NGN', ...sum } of kept) {
    const { debits = 0, credits = 0, movements = 1, lastEntry = null, balanceAfter = null } = sum
    await asOwner(
      database,
      `insert into ledger_archive_sum (lane, tenant_id, currency, name, until, debits, credits, movements, last_entry, balance_after)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [lane, id, currency, name, until, debits, credits, movements, lastEntry, balanceAfter],
    )
  }
}
