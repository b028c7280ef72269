// `ledger verify` proves deposits whose movements are in archive files by their month, and newer deposits one by one.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { depositReference } from '#deposits/deposit.ts'
import { depositInvariants } from '#deposits/verify.ts'
import { verifyLedger } from '#ledger/verify.ts'
import { openBooks, type Books } from '#tests/archive/books.ts'
import { asOwner } from '#tests/support/owner.ts'

let books: Books
const closing: (() => Promise<void>)[] = []
const invariants = depositInvariants.filter(({ name }) => name.includes('credited'))

beforeAll(async () => {
  books = await openBooks((close) => closing.unshift(close))
  await books.archive({ monthsKept: 3 })
})
afterAll(async () => {
  for (const close of closing) await close()
})

const disagree = 'deposits and movements disagree in a month that is archived'

async function breaches() {
  const found = await verifyLedger(books.ctx, { invariants, rowsPerSnapshot: 0 })
  return found.map(({ tenantId, ids, message }) => ({ tenantId, ids, message }))
}

type Row = { id: never; month: string; tenant_id: string; updated_at: Date }

async function depositOf(from: string, before: string): Promise<Row> {
  const sql = `select id, tenant_id, updated_at, to_char(updated_at at time zone 'UTC', 'YYYY-MM') as month from deposit
    where tenant_id = $1 and status = 'SUCCESSFUL' and updated_at >= $2 and updated_at < $3 order by updated_at limit 1`
  const [row] = await asOwner<Row>(books.database, sql, [books.tenants[0]?.id, from, before])
  if (row === undefined) throw new Error(`no deposit since ${from}`)
  return row
}

it('books that agree have no breach', async () => {
  expect(await breaches()).toEqual([])
})

it.each([
  ['whose amount was changed', 'amount = amount + 1', 'amount = amount - 1'],
  ['whose fee was changed', 'fee = fee + 1', 'fee = fee - 1'],
  ['whose fee was taken out', 'fee = 0', 'fee = 10'],
  ['that did not succeed any more', `status = 'FAILED'`, `status = 'SUCCESSFUL'`],
])('a deposit %s is reported by its archived month, and a newer one by its id', async (_what, change, back) => {
  const [old, young] = [
    await depositOf('2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z'),
    await depositOf('2026-04-01T00:00:00Z', '2026-06-01T00:00:00Z'),
  ]
  const set = (what: string, { id }: Row) => asOwner(books.database, `update deposit set ${what} where id = $1`, [id])
  await set(change, old)
  expect(await breaches()).toEqual([{ tenantId: old.tenant_id, ids: [old.month], message: disagree }])
  await set(back, old)
  await set(change, young)
  expect(await breaches()).toMatchObject([{ tenantId: young.tenant_id, ids: [depositReference(young.id)] }])
  await set(back, young)
  expect(await breaches()).toEqual([])
})
