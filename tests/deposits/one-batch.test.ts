// Several reports about the same money that one transaction decides, and reports by a clock that is behind.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { amountMax, toMoney } from '#platform/money.ts'
import { newUuid } from '#platform/ids.ts'
import { type OwnedNotice, type ReceiveCommand, type ReceiveOutcome, depositReference } from '#deposits/deposit.ts'
import { openBook } from '#ledger/post.ts'
import { fundingPostings } from '#ledger/chart.ts'
import { exceptionsAbout } from '#tests/review/open.ts'
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

const decide = (commands: ReceiveCommand[], from = room): Promise<ReceiveOutcome[]> =>
  from.ctx.db.transaction((tx) => from.receiving.run(tx, commands), tenant.lane)
const said = (notice: OwnedNotice): ReceiveCommand => ({ kind: 'notice', tenant, notice })
const available = async () => (await balancesOf(ctx.db, tenant))['available']

type Row = { status: string; held: boolean; due_at: Date | null; created_at: Date; updated_at: Date }
const rowOf = async ({ providerId }: OwnedNotice) =>
  (await asOwner<Row>(database, 'select * from deposit where provider_id = $1', [providerId]))[0]

async function pending(amount = 10_000): Promise<OwnedNotice> {
  const notice = room.owned({ accountNumber: number, amount, status: 'PENDING' })
  expect(await decide([said(notice)])).toMatchObject([{ kind: 'recorded' }])
  return notice
}

async function fill(amount: bigint = amountMax): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const book = await openBook(tx, new Set([tenant.id]))
    const cause = { id: newUuid(ctx.clock.now()), reference: 'funding', atMs: ctx.clock.now() }
    book.post(tenant.id, 'NGN', cause, fundingPostings(toMoney(amount)))
  }, tenant.lane)
}

describe('money that was PENDING', () => {
  it('is credited once if its provider reports SUCCESSFUL twice in one batch, and a contrary report is a contradiction', async () => {
    const notice = await pending()
    const paid = said({ ...notice, status: 'SUCCESSFUL' })
    const outcomes = await decide([paid, paid, said({ ...notice, status: 'FAILED' })])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['settled', 'unchanged', 'contradicted'])
    expect(await available()).toBe(9_900n)
    expect(await rowOf(notice)).toMatchObject({ status: 'SUCCESSFUL', held: false, due_at: null })
  })

  it('is one deposit that ended once, if one batch records and settles it', async () => {
    const notice = room.owned({ accountNumber: number, amount: 10_000, status: 'PENDING' })
    const outcomes = await decide([said(notice), said({ ...notice, status: 'SUCCESSFUL' })])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['recorded', 'settled'])
    const sql = `select outcome, count from hourly_stat where tenant_id = $1 and kind = 'deposit' order by outcome`
    expect(await asOwner(database, sql, [tenant.id])).toEqual([
      { outcome: 'accepted', count: '1' },
      { outcome: 'succeeded', count: '1' },
    ])
    expect(await available()).toBe(9_900n)
  })

  it('waits for an operator when the books have filled up meanwhile, and the service stops asking its provider', async () => {
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

  it('can fail where the books have filled up meanwhile', async () => {
    const notice = await pending()
    await fill()
    expect(await decide([said({ ...notice, status: 'FAILED' })])).toMatchObject([{ kind: 'settled' }])
  })

  it('takes no room any more once it has failed', async () => {
    const notice = await pending()
    await fill(amountMax - 10_000n)
    await decide([said({ ...notice, status: 'FAILED' })])
    const [next, more] = [10_000, 200].map((amount) => room.owned({ accountNumber: number, amount }))
    if (next === undefined || more === undefined) throw new Error('there are two')
    const outcomes = await decide([said(next), said(more)])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['recorded', 'waits-for-room'])
    expect(await rowOf(more)).toMatchObject({ status: 'PENDING', held: true, due_at: null })
    expect(await decide([said({ ...more, status: 'FAILED' })])).toMatchObject([{ kind: 'settled' }])
    expect(await rowOf(more)).toMatchObject({ status: 'FAILED', held: false })
  })

  it('is not settled by a tester where the books have no room for it', async () => {
    const notice = await pending()
    const deposit = (await decide([said(notice)]))[0]
    if (deposit?.kind !== 'unchanged') throw new Error('it is known')
    await fill()
    const reference = depositReference(deposit.deposit.id)
    expect(await room.deposits.settle(tenant, reference, 'SUCCESSFUL')).toEqual({ kind: 'too-much' })
    expect(await rowOf(notice)).toMatchObject({ status: 'PENDING', held: false, due_at: expect.any(Date) })
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

describe('the room that the books have', () => {
  it('is taken once by money that has come', async () => {
    await fill(amountMax - 30_000n)
    for (let times = 0; times < 3; times++)
      expect(await decide([said(room.owned({ accountNumber: number, amount: 10_000 }))])).toMatchObject([
        { kind: 'recorded' },
      ])
  })

  it('is none for what a tester makes up when they are full: that is refused', async () => {
    await fill()
    const texts = { senderAccountName: '', senderAccountNumber: '', senderBankName: '', narration: '' }
    const madeUp = { accountNumber: number, amount: toMoney(1), status: 'SUCCESSFUL' as const, ...texts }
    expect(await room.deposits.simulate(tenant, madeUp)).toEqual({ kind: 'too-much' })
  })
})

describe('a report about an account', () => {
  it('of each of two businesses makes a deposit of the first', async () => {
    const other = await room.newTenant()
    const notice = room.owned({ accountNumber: number })
    const elsewhere = { ...notice, accountNumber: await room.openStatic(other) }
    const outcomes = await decide([said(notice), { kind: 'notice', tenant: other, notice: elsewhere }])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['recorded', 'taken'])
  })

  it('that is not the deposit’s is a contradiction, also beside one that names the right one', async () => {
    const notice = await pending()
    const elsewhere = { ...notice, accountNumber: await room.openStatic(tenant), status: 'SUCCESSFUL' as const }
    const outcomes = await decide([said(elsewhere), said(notice)])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['contradicted', 'unchanged'])
    expect(await available()).toBe(0n)
  })

  it('of another business cannot be adopted for this one', async () => {
    const notice = room.owned({ accountNumber: await room.openStatic(await room.newTenant()) })
    const by = { kind: 'terminal' as const, name: 'ada@office' }
    expect(await decide([{ kind: 'notice', tenant, notice, adopted: { note: '', by } }])).toEqual([
      { kind: 'not-found' },
    ])
  })
})
