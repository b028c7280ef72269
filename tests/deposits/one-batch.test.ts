// Several words about money that are decided in one transaction, and words that come from a clock that is behind.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#base/context.ts'
import { amountMax, toKobo } from '#base/money.ts'
import { newUuid } from '#base/ids.ts'
import type { OwnedNotice, ReceiveCommand, ReceiveOutcome } from '#deposits/command.ts'
import { openBook } from '#ledger/post.ts'
import { fundingPostings } from '#ledger/posting.ts'
import { exceptionsAbout } from '#tests/exceptions/open.ts'
import { balancesOf } from '#tests/ledger/books.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createRoom } from './room.ts'

const database = await useTestDatabase()
const room = createRoom(database)
const { ctx } = room
let tenant: Tenant
let number: string

beforeEach(async () => {
  tenant = await room.newTenant()
  number = await room.openStatic(tenant)
})

/** All of it in one transaction. */
const decide = (commands: ReceiveCommand[], from = room): Promise<ReceiveOutcome[]> =>
  from.ctx.db.transaction((tx) => from.receiving.run(tx, commands), tenant.lane)
const said = (notice: OwnedNotice): ReceiveCommand => ({ kind: 'notice', tenant, notice })
const available = async () => (await balancesOf(ctx.db, tenant))['available']

type Row = { status: string; held: boolean; due_at: Date | null; created_at: Date; updated_at: Date }
const rowOf = async ({ providerId }: OwnedNotice) =>
  (await asOwner<Row>(database, 'select * from deposit where provider_id = $1', [providerId]))[0]

/** Money that is under way and known as such. */
async function pending(amount = 10_000): Promise<OwnedNotice> {
  const notice = room.owned({ accountNumber: number, amount, status: 'PENDING' })
  expect(await decide([said(notice)])).toMatchObject([{ kind: 'recorded' }])
  return notice
}

/** The books are as full as they may be. */
async function fill(amount: bigint = amountMax): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const book = await openBook(tx, new Set([tenant.id]))
    const cause = { id: newUuid(ctx.clock.now()), reference: 'funding', atMs: ctx.clock.now() }
    book.post(tenant.id, 'NGN', cause, fundingPostings(toKobo(amount)))
  }, tenant.lane)
}

describe('money that was PENDING', () => {
  it('is credited once when its provider says SUCCESSFUL twice in one batch, and a word against that is one too many', async () => {
    const notice = await pending()
    const paid = said({ ...notice, status: 'SUCCESSFUL' })
    const outcomes = await decide([paid, paid, said({ ...notice, status: 'FAILED' })])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['settled', 'unchanged', 'contradicted'])
    expect(await available()).toBe(9_900n)
    expect(await rowOf(notice)).toMatchObject({ status: 'SUCCESSFUL', due_at: null })
  })

  it('is one deposit that ended once, when it is heard of and settled in one batch', async () => {
    const notice = room.owned({ accountNumber: number, amount: 10_000, status: 'PENDING' })
    const outcomes = await decide([said(notice), said({ ...notice, status: 'SUCCESSFUL' })])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['recorded', 'settled'])
    const sql = `select outcome, count from figure where tenant_id = $1 and kind = 'deposit' order by outcome`
    expect(await asOwner(database, sql, [tenant.id])).toEqual([
      { outcome: 'accepted', count: '1' },
      { outcome: 'succeeded', count: '1' },
    ])
    expect(await available()).toBe(9_900n)
  })

  it('waits for a person when the books have filled up meanwhile, and nobody asks its provider any more', async () => {
    const notice = await pending()
    await fill()
    const paid = said({ ...notice, status: 'SUCCESSFUL' })
    const outcomes = await decide([paid, paid])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['waits-for-room', 'waits-for-room'])
    expect(await rowOf(notice)).toMatchObject({ status: 'PENDING', held: true, due_at: null })
    expect(await exceptionsAbout(database, `production:bank:${notice.providerId}`)).toMatchObject([
      { kind: 'deposit-without-room', amount: '10000' },
    ])
  })

  it('can fail where the books have filled up meanwhile, and takes no room from then on', async () => {
    const notice = await pending()
    await fill(amountMax - 10_000n)
    expect(await decide([said({ ...notice, status: 'FAILED' })])).toMatchObject([{ kind: 'settled' }])
    const next = room.owned({ accountNumber: number, amount: 10_000 })
    expect(
      await decide([said(next), said({ ...next, providerId: `${next.providerId} more`, amount: toKobo(200) })]),
    ).toMatchObject([{ kind: 'recorded' }, { kind: 'waits-for-room' }])
  })

  it('ends no earlier than it began, also in a process whose clock is behind', async () => {
    const notice = await pending()
    const behind = createRoom(database, [], ctx.clock.now() - 500)
    await decide([said({ ...notice, status: 'SUCCESSFUL' })], behind)
    const row = await rowOf(notice)
    expect(row?.status).toBe('SUCCESSFUL')
    expect(row?.updated_at).toEqual(row?.created_at)
  })
})
