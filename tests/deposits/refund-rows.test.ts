// Which refunds a process claims, when, and with which requests to their provider.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Environment, Tenant } from '#platform/context.ts'
import { inLane, statement } from '#platform/db/db.ts'
import { claimRefunds, moveRefund } from '#deposits/refund-queries.ts'
import type { DepositNotice } from '#rails/rail.ts'
import type { RefundOrder, RefundState } from '#rails/ports.ts'
import { exceptionsAbout } from '#tests/review/open.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { refundingBank } from './refunding-bank.ts'
import { createRoom } from './room.ts'

const database = await useTestDatabase()
const minuteMs = 60_000
const lockRow = statement(
  'test.lock_refund',
  'select 1 from deposit_refund where lane = $1 and deposit_id = $2 for update',
)

const requests: RefundOrder[] = []
const questions: RefundOrder[] = []
let answer: () => Promise<RefundState>

const bank = refundingBank({
  refund: (order) => (requests.push(order), answer()),
  status: (order) => (questions.push(order), answer()),
})
const room = createRoom(database, [bank])
const { ctx } = room
const { clock } = ctx
let tenant: Tenant

beforeEach(async () => {
  await asOwner(database, 'delete from deposit_refund')
  tenant = await room.newTenant()
  for (const list of [requests, questions]) list.length = 0
  answer = () => Promise.resolve({ kind: 'pending' })
})

const overpay = (changes: Partial<DepositNotice> = {}, owner = tenant) => room.overpay(owner, changes)

type Row = {
  status: string
  asks: number
  due_at: Date | null
  asked_at: Date | null
  updated_at: Date
  why: string | null
}
async function rowOf({ id }: { id: string }): Promise<Row> {
  const [row] = await asOwner<Row>(database, 'select * from deposit_refund where deposit_id = $1', [id])
  if (row === undefined) throw new Error(`there is no refund of ${id}`)
  return row
}

const beDueAt = (ms: number, { id }: { id: string }) =>
  asOwner(database, 'update deposit_refund set due_at = $1 where deposit_id = $2', [new Date(ms), id])
const sendBack = (from = room) => from.deposits.sendBack(tenant.lane)
const inMs = (at: Date | null) => (at === null ? null : at.getTime() - clock.now())
const bankOf = (environment: Environment) => [{ environment, provider: 'bank' }]
const claim = (limit: number, known = bankOf('production')) => {
  const now = new Date(clock.now())
  return claimRefunds(inLane(ctx.db, tenant.lane), {
    now,
    leaseEnd: new Date(clock.now() + 5 * minuteMs),
    limit,
    known,
  })
}

describe('a claimed refund', () => {
  it('is the oldest due one, within the limit, and is claimed by one process', async () => {
    const [late, early] = [await overpay(), await overpay()]
    await beDueAt(clock.now() - 1_000, early)
    expect((await claim(1)).map(({ depositId }) => depositId)).toEqual([early.id])
    expect((await claim(1)).map(({ depositId }) => depositId)).toEqual([late.id])
    expect(await claim(1)).toEqual([])
    clock.advance(5 * minuteMs - 1)
    expect(await claim(2)).toEqual([])
    clock.advance(1)
    expect(await claim(2)).toHaveLength(2)
  })

  it('has the data of its own deposit that its rail needs, and the time of its first request', async () => {
    const [first, second] = [await overpay(), await overpay({}, await room.newTenant())]
    const taken = await claim(9)
    expect(new Map(taken.map((one) => [one.depositId, one.providerId]))).toEqual(
      new Map([first, second].map((one) => [one.id, one.providerId])),
    )
    const firstAskedAt = new Date(clock.now())
    expect(taken[0]).toMatchObject({ wasAsked: false, askedAt: firstAskedAt, asks: 0, environment: 'production' })
    clock.advance(5 * minuteMs)
    expect((await claim(9))[0]).toMatchObject({ wasAsked: true, askedAt: firstAskedAt, asks: 1 })
    expect(await rowOf(first)).toMatchObject({ asks: 2, updated_at: new Date(clock.now()) })
  })

  it.each([
    ['another provider', [{ environment: 'production' as const, provider: 'another' }]],
    ['another environment', bankOf('staging')],
    ['nothing', []],
  ])('does not count as requested after the death of a process that knows %s', async (_what, known) => {
    const refund = await overpay()
    expect(await claim(9, known)).toMatchObject([{ depositId: refund.id, wasAsked: false }])
    expect(await rowOf(refund)).toMatchObject({ status: 'WAITING', asked_at: null, asks: 1 })
    clock.advance(5 * minuteMs)
    expect(await claim(9)).toMatchObject([{ wasAsked: false, askedAt: new Date(clock.now()) }])
    expect(await rowOf(refund)).toMatchObject({ status: 'ASKED', asked_at: new Date(clock.now()) })
    clock.advance(5 * minuteMs)
    expect(await claim(9, known)).toMatchObject([{ wasAsked: true }])
    expect(await rowOf(refund)).toMatchObject({ status: 'ASKED' })
  })

  it('can be claimed any number of times: the count stops at the largest number of its column', async () => {
    const refund = await overpay()
    await asOwner(database, `update deposit_refund set asks = 32767, status = 'ASKED', asked_at = due_at`)
    await sendBack()
    expect(await rowOf(refund)).toMatchObject({ status: 'ASKED', asks: 32_767 })
    expect(inMs((await rowOf(refund)).due_at)).toBe(360 * minuteMs)
  })

  it('is not dated earlier by a process whose clock is behind', async () => {
    const refund = await overpay()
    const { updated_at: at } = await rowOf(refund)
    await beDueAt(clock.now() - 60 * minuteMs, refund)
    const behind = createRoom(database, [bank], clock.now() - minuteMs)
    await sendBack(behind)
    expect(await rowOf(refund)).toMatchObject({ status: 'ASKED', updated_at: at })
  })

  it('is passed over by a claim while another session has locked it, without a wait', async () => {
    const [locked, free] = [await overpay(), await overpay()]
    await beDueAt(clock.now() - 1_000, locked)
    await ctx.db.transaction(async (tx) => {
      await tx.query(lockRow, [tenant.lane, locked.id])
      expect((await claim(9)).map(({ depositId }) => depositId)).toEqual([free.id])
    }, tenant.lane)
  })

  it('is written by the process that holds its lease, and by no process after that', async () => {
    const [mine, other] = [await overpay(), await overpay()]
    const [taken] = (await claim(9)).filter(({ depositId }) => depositId === mine.id)
    if (taken === undefined) throw new Error('nothing was taken')
    const step = { status: 'REFUNDED' as const, dueAt: null, why: null, refusal: null, again: false }
    const now = new Date(clock.now() + 1)
    const move = (changes: object) => moveRefund(ctx.db, { ...taken, ...changes }, step, now)
    expect(await move({ leaseEnd: new Date(taken.leaseEnd.getTime() - 1) })).toBe(false)
    expect(await move({ tenantId: other.id })).toBe(false)
    await asOwner(database, `update deposit_refund set status = 'WAITING' where deposit_id = $1`, [mine.id])
    expect(await move({})).toBe(false)
    await asOwner(database, `update deposit_refund set status = 'ASKED' where deposit_id = $1`, [mine.id])
    expect(await move({})).toBe(true)
    expect((await rowOf(mine)).updated_at).toEqual(now)
    expect(await move({})).toBe(false)
    expect((await rowOf(other)).status).toBe('ASKED')
  })
})

describe('a process with claimed refunds', () => {
  it('requests nothing after it was suspended for a minute, because another process may have the refund by then', async () => {
    const refund = await overpay()
    const standing = createRoom(database, [bank], clock.now())
    const looking = sendBack(standing)
    standing.ctx.clock.advance(minuteMs)
    expect(await looking).toBe(1)
    expect(requests).toEqual([])
    expect(await rowOf(refund)).toMatchObject({ status: 'ASKED', why: null })
    expect(inMs((await rowOf(refund)).due_at)).toBe(5 * minuteMs)
    expect(await exceptionsAbout(database, `production:bank:${refund.providerId}`)).toEqual([])
  })

  it('requests a refund after it was suspended for less', async () => {
    await overpay()
    const standing = createRoom(database, [bank], clock.now())
    const looking = sendBack(standing)
    standing.ctx.clock.advance(minuteMs - 1)
    await looking
    expect(requests).toHaveLength(1)
  })

  it('claims at most thirty-two of them at once', async () => {
    for (let times = 0; times < 33; times++) await overpay()
    expect([await sendBack(), await sendBack(), await sendBack()]).toEqual([32, 1, 0])
  })

  it('tells the provider the payment, the amount, the reason and the time of the request', async () => {
    const { providerId } = await overpay()
    const submittedAtMs = clock.now()
    await sendBack()
    clock.advance(minuteMs)
    await sendBack()
    const order = { providerId, amount: 12_000n, currency: 'NGN', reason: 'overpaid', submittedAtMs }
    expect(requests).toMatchObject([order])
    expect(questions).toMatchObject([order])
    expect(requests[0]?.railReference).toBe(questions[0]?.railReference)
  })

  it('writes a reason of two words as two words', async () => {
    const accountNumber = await room.openDynamic(tenant, 10_000, 'exact')
    for (const amount of [10_000, 10_000])
      await room.deposits.receive('production', room.notice({ accountNumber, amount }))
    answer = () => Promise.resolve({ kind: 'refunded' })
    await sendBack()
    expect(requests).toMatchObject([{ reason: 'already paid' }])
  })

  it('treats an error like no answer, because the provider may have received the request', async () => {
    const refund = await overpay()
    answer = () => Promise.reject(new Error('the wire broke'))
    await sendBack()
    expect(await rowOf(refund)).toMatchObject({ status: 'ASKED', why: 'the wire broke' })
    expect(inMs((await rowOf(refund)).due_at)).toBe(minuteMs)
  })
})
