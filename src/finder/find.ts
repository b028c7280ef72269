// Finds what a person has pasted: exactly that, by its shape, in one environment.

import type { Context, Tenant } from '#base/context.ts'
import type { Queryable } from '#base/db.ts'
import type { IdKind, Uuid } from '#base/ids.ts'
import type { NumberedList } from '#base/numbered-list.ts'
import type { Shape } from './shape.ts'
import {
  dated,
  findAccount,
  findById,
  findByReference,
  findByTerm,
  findCustomersByEmail,
  findCustomersByPhone,
  isKeyed,
  type FoundRow,
} from './sql-find.ts'

export type Hit = FoundRow

const hitsMax = 20

/** The latest first. */
export async function find({ db }: Pick<Context, 'db'>, tenant: Tenant, shape: Shape): Promise<Hit[]> {
  const hits = await hitsOf(db, tenant, shape)
  return hits.toSorted((left, right) => right.at.getTime() - left.at.getTime()).slice(0, hitsMax)
}

async function hitsOf(db: Queryable, tenant: Tenant, shape: Shape): Promise<Hit[]> {
  switch (shape.kind) {
    case 'secret-key':
      return []
    case 'id':
      return findByAnyId(db, tenant, shape.of, shape.id)
    case 'e-mail':
      return findCustomersByEmail(db, tenant, shape.text)
    case 'account-number':
      return together([
        findAccount(db, tenant, shape.text),
        findByTerm(db, tenant, shape.text),
        findByReference(db, tenant, shape.text),
      ])
    case 'phone-number':
      return together([findCustomersByPhone(db, tenant, shape.text), findByTerm(db, tenant, shape.text)])
    case 'text':
      return together([findByReference(db, tenant, shape.text), findByTerm(db, tenant, shape.text)])
  }
}

async function together(parts: Promise<Hit[]>[]): Promise<Hit[]> {
  const hits = (await Promise.all(parts)).flat()
  return [...new Map(hits.map((hit) => [`${hit.kind} ${hit.id}`, hit])).values()]
}

const paymentKinds: Partial<Record<IdKind, string>> = {
  transfer: 'bank_transfer',
  momoTransfer: 'momo_transfer',
  momoCollection: 'momo_collection',
}

function findByAnyId(db: Queryable, tenant: Tenant, of: IdKind, id: Uuid): Promise<Hit[]> {
  if (isKeyed(of)) return findById(db, tenant, of, id)
  const kind = paymentKinds[of]
  if (kind !== undefined) return findByTime(db, tenant, { list: dated.payment, id, kind })
  if (of === 'customer') return findByTime(db, tenant, { list: dated.customer, id })
  if (of !== 'virtualAccount') return Promise.resolve([])
  return findByTime(db, tenant, { list: dated.account, id, youngerMs: openingMsMax })
}

/** A row may be older than its id by what its process had dated before it: milliseconds where clocks agree. */
const idAheadMsMax = 10_000
/** An account is younger than its id by as long as its rail took to open it; all others are as old as their ids. */
const openingMsMax = 1_800_000
/** So many rows are looked through in memory: those nearest to the id's time. */
const rowsMax = 20_000n

type Dated = { list: NumberedList<FoundRow>; id: Uuid; kind?: string; youngerMs?: number }

async function findByTime(db: Queryable, tenant: Tenant, { list, id, kind, youngerMs = 0 }: Dated): Promise<Hit[]> {
  const madeAtMs = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
  const time = { from: new Date(madeAtMs - idAheadMsMax), before: new Date(madeAtMs + youngerMs + 1) }
  const { low, high } = await list.rangeOf(db, tenant, time, kind)
  const rows = await list.read(db, tenant, { high, low: high - low > rowsMax ? high - rowsMax : low }, kind)
  return rows.filter((row) => row.id === id)
}
