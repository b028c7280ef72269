// Balances that unfinished payments explain, page by page: `reserved` by queued payouts, `incoming` by collections in
// progress.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { inLane } from '#platform/db/db.ts'
import { firstUuid, lastUuid, type Uuid } from '#platform/ids.ts'
import { toMoney } from '#platform/money.ts'
import type { ScanPage, TableScan } from '#ledger/table-scan.ts'
import type { Draft } from '#payments/payment.ts'
import { incomingPages, reservedPages, type WrongBalance } from '#payments/verify-queries.ts'
import { asOwner } from '#tests/support/owner.ts'
import { drafts } from './drafts.ts'
import { commandOf, useSettling } from './settling.ts'

const { database, ctx, open } = await useSettling()
let room: Awaited<ReturnType<typeof open>>
/** In the order of their ids, each with two equal payouts and two equal collections. */
let tenants: Tenant[]

const owner = (text: string, ...values: unknown[]) => asOwner(database, text, values)

async function accept(tenant: Tenant, reference: string, changes: Partial<Draft> = {}): Promise<void> {
  const amount = toMoney(50_000)
  const outcome = await room.accept(tenant, reference, {
    draft: commandOf(tenant, { reference, amount, ...changes }).draft,
  })
  expect(outcome.kind).toBe('accepted')
}

beforeEach(async () => {
  await owner('truncate payment, deposit, event, ledger_movement, ledger_account')
  room = await open()
  tenants = [...room.tenants, ...(await open()).tenants].toSorted((left, right) => (left.id < right.id ? -1 : 1))
  for (const tenant of tenants) {
    await accept(tenant, 'OUT-1')
    await accept(tenant, 'OUT-2')
    await accept(tenant, 'IN-1', drafts.momo_collection)
    await accept(tenant, 'IN-2', drafts.momo_collection)
  }
})

type Pages = (walk: TableScan) => AsyncGenerator<ScanPage<WrongBalance>>
type Ends = { from?: Uuid; upTo?: Uuid; rowsPerPage?: number }

/** The numbers of the tenants whose balance is wrong. */
async function wrongIn(pages: Pages, { from = firstUuid, upTo = lastUuid, rowsPerPage = 1 }: Ends = {}) {
  const all: string[] = []
  let rows = 0
  for await (const page of pages({ lane: inLane(ctx.db, 1), rowsPerPage, from, upTo })) {
    rows += page.rows
    for (const { tenantId, balance, held } of page.parts)
      all.push(`${tenants.findIndex(({ id }) => id === tenantId)}: ${balance} for ${held}`)
  }
  return { all, rows }
}

const idOf = (number: number): Uuid => tenants[number]?.id as Uuid
const withdraw = (number: number) =>
  owner(`update ledger_account set credits = credits - 1 where tenant_id = $1 and name = 'reserved'`, idOf(number))
const expectLess = (number: number) =>
  owner(`update ledger_account set incoming = incoming - 1 where tenant_id = $1 and name = 'available'`, idOf(number))

describe.each([
  ['reserved', reservedPages, withdraw, 102_000],
  ['incoming', incomingPages, expectLess, 100_000],
] as const)('%s', (name, pages, take, held) => {
  // Staging has accounts too.
  const rows = 8 + 8
  const wrong = (number: number) => `${number}: ${held - 1} for ${held}`

  it('is right in pages of any size, and all rows are counted: each account and what it is held against', async () => {
    for (const rowsPerPage of [1, 2, 3, 4, 100])
      expect(await wrongIn(pages, { rowsPerPage })).toEqual({ all: [], rows })
  })

  it.each([0, 2, 3])('is found wrong, whichever page it stands on: tenant %s', async (number) => {
    await take(number)
    for (const rowsPerPage of [1, 3, 4, 100])
      expect(await wrongIn(pages, { rowsPerPage })).toEqual({ all: [wrong(number)], rows })
  })

  it('is looked at from one tenant up to another, both of them included, and of no other', async () => {
    for (const number of [0, 1, 2, 3]) await take(number)
    const ends = { from: idOf(1), upTo: idOf(2) }
    for (const rowsPerPage of [1, 2, 100])
      expect((await wrongIn(pages, { ...ends, rowsPerPage })).all).toEqual([wrong(1), wrong(2)])
    expect((await wrongIn(pages, { from: idOf(1), upTo: idOf(1) })).all).toEqual([wrong(1)])
  })

  it('is found where there is no account', async () => {
    const gone = name === 'reserved' ? 'reserved' : 'available'
    await owner('delete from ledger_account where tenant_id = $1 and name = $2', idOf(3), gone)
    expect((await wrongIn(pages)).all).toEqual([`3: null for ${held}`])
  })
})

it('nothing is held by what has ended, also while its rail is still asked about it', async () => {
  const [tenant] = tenants as [Tenant]
  await room.settle(tenant, 'OUT-1', { result: { kind: 'succeeded' } })
  await room.settle(tenant, 'OUT-2', { result: { kind: 'failed', reason: 'DO_NOT_HONOR' } })
  await room.settle(tenant, 'IN-1', { result: { kind: 'succeeded', operatorReference: 'M-1' } })
  await room.settle(tenant, 'IN-2', { result: { kind: 'failed', reason: 'PAYMENT_NOT_APPROVED' } })
  await owner('update payment set due_at = updated_at where due_at is null')
  expect((await wrongIn(reservedPages)).all).toEqual([])
  expect((await wrongIn(incomingPages)).all).toEqual([])
})

it('deposits that are PENDING are under way, each of those that are alike', async () => {
  await owner(
    `insert into deposit (lane, tenant_id, id, ordinal, status, currency, amount, fee, provider, provider_id, account_number,
       account_name, bank_name, sender_account_name, sender_account_number, sender_bank_name, narration, paid_at, created_at, updated_at)
     select 1, $1, gen_random_uuid(), n, 'PENDING', 'NGN', 50000, 500, 'a', 'in-' || n, '1', '', '', '', '', '', '', now(), now(), now()
       from generate_series(1, 2) as n`,
    idOf(1),
  )
  expect((await wrongIn(incomingPages)).all).toEqual(['1: 100000 for 200000'])
})
