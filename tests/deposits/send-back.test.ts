// Money that the service could not accept goes back to its payer once, also when answers are lost, processes die, or
// several processes ask at once.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import type { NotFound } from '#rails/rail.ts'
import type { RefundOrder, RefundState } from '#rails/ports.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { confirmedAndAbsent } from '#deposits/refunds.ts'
import { exceptionsAbout } from '#tests/review/open.ts'
import { asOwner } from '#tests/support/owner.ts'
import { refundingBank } from './refunding-bank.ts'
import { createRoom } from './room.ts'

const database = await useTestDatabase()
const minuteMs = 60_000
const graceMs = 15 * minuteMs
const never = new Promise<never>(() => undefined)

/** The ids of the money that the provider has sent back. */
const sent: string[] = []
const asked: RefundOrder[] = []
/** Tests share a lane, so a refund that an earlier test left under way is ignored. */
const own = new Set<string>()
let request: (order: RefundOrder) => Promise<RefundState>
let question: () => Promise<RefundState | NotFound> | undefined

const bank = refundingBank({
  refund(order) {
    if (own.has(order.providerId)) asked.push(order)
    return request(order)
  },
  status: ({ providerId }) => question() ?? Promise.resolve(truth(sent.includes(providerId))),
})
const room = createRoom(database, [bank])
const { clock } = room.ctx
let tenant: Tenant

function truth(isSent: boolean): RefundState | NotFound {
  return { kind: isSent ? 'refunded' : 'not-found' }
}

function done({ providerId }: RefundOrder): RefundState {
  if (own.has(providerId) && !sent.includes(providerId)) sent.push(providerId)
  return { kind: 'pending' }
}

beforeEach(async () => {
  tenant = await room.newTenant()
  sent.length = 0
  own.clear()
  asked.length = 0
  request = (order) => Promise.resolve(done(order))
  question = () => undefined
})

async function overpay(from = room) {
  const notice = room.notice({ accountNumber: await from.openDynamic(tenant, 10_000, 'exact'), amount: 12_000 })
  own.add(notice.providerId)
  expect(await from.deposits.receive('production', notice)).toMatchObject({ deposit: { returnReason: 'OVERPAID' } })
  return notice
}

type Row = { status: string; asks: number; due_at: Date | null; why: string | null }
const rows = () =>
  asOwner<Row>(database, 'select * from deposit_refund where tenant_id = $1 order by created_at', [tenant.id])
const stateNow = async () => (await rows())[0]?.status

async function pass(ms: number): Promise<void> {
  clock.advance(ms)
  await room.deposits.sendBack(tenant.lane)
}

describe('money that is not accepted', () => {
  it('is refunded in full to its payer', async () => {
    const notice = await overpay()
    expect(await stateNow()).toBe('WAITING')
    await pass(0)
    expect(asked).toMatchObject([{ providerId: notice.providerId, amount: 12_000n, reason: 'overpaid' }])
    expect(await stateNow()).toBe('ASKED')
    await pass(minuteMs)
    expect(await rows()).toMatchObject([{ status: 'REFUNDED', due_at: null }])
    await pass(48 * 60 * minuteMs)
    expect(asked).toHaveLength(1)
  })

  it('is only money that was not accepted', async () => {
    const notice = room.notice({ accountNumber: await room.openDynamic(tenant, 10_000, 'exact'), amount: 10_000 })
    await room.deposits.receive('production', notice)
    expect(await rows()).toEqual([])
  })

  it('waits for an operator when its provider does not send it back', async () => {
    request = () => Promise.resolve({ kind: 'failed', detail: 'not refundable' })
    const notice = await overpay()
    await pass(0)
    expect(await rows()).toMatchObject([{ status: 'REFUSED', due_at: null, why: 'not refundable' }])
    expect(await exceptionsAbout(database, `production:bank:${notice.providerId}`)).toMatchObject([
      { kind: 'refund-refused', tenant_id: tenant.id, amount: '12000', closed_at: null },
    ])
    await pass(48 * 60 * minuteMs)
    expect(asked).toHaveLength(1)
  })

  it('waits for an operator when the rail of its provider sends nothing back', async () => {
    const { refunds: _, ...cannot } = bank
    const other = createRoom(database, [cannot], clock.now())
    const notice = await overpay()
    await other.deposits.sendBack(tenant.lane)
    expect(await rows()).toMatchObject([{ status: 'REFUSED', why: 'its rail sends no money back' }])
    expect(await exceptionsAbout(database, `production:bank:${notice.providerId}`)).toMatchObject([
      { kind: 'refund-refused', closed_at: null },
    ])
  })

  it('gets a review item when it is not refunded after ten days, which closes when it is refunded', async () => {
    question = () => Promise.resolve({ kind: 'pending' })
    const notice = await overpay()
    const about = () => exceptionsAbout(database, `production:bank:${notice.providerId}`)
    for (let day = 0; day < 9; day++) await pass(24 * 60 * minuteMs)
    expect(await about()).toEqual([])
    for (let day = 0; day < 3; day++) await pass(24 * 60 * minuteMs)
    expect(await about()).toMatchObject([{ kind: 'refund-unsettled', closed_at: null }])
    question = () => undefined
    await pass(24 * 60 * minuteMs)
    expect(await about()).toMatchObject([{ note: 'the money is with its payer' }])
    expect(asked).toHaveLength(1)
  })
})

describe('a refund at a provider that this process does not know', () => {
  const stranger = () => createRoom(database, [], clock.now())

  it('is left to a process whose rails file names the provider', async () => {
    const notice = await overpay()
    await stranger().deposits.sendBack(tenant.lane)
    expect(await rows()).toMatchObject([{ status: 'WAITING', why: 'no rail of this process is its provider' }])
    await pass(minuteMs - 1)
    expect(asked).toEqual([])
    await pass(1)
    expect(asked).toMatchObject([{ providerId: notice.providerId }])
    clock.advance(4 * minuteMs)
    await stranger().deposits.sendBack(tenant.lane)
    expect(await rows()).toMatchObject([{ status: 'ASKED', why: 'no rail of this process is its provider' }])
    await pass(24 * 60 * minuteMs)
    expect(await rows()).toMatchObject([{ status: 'REFUNDED' }])
    expect(await exceptionsAbout(database, `production:bank:${notice.providerId}`)).toEqual([])
  })

  it('waits for an operator when no process knew the provider for an hour', async () => {
    const account = await room.openDynamic(tenant, 10_000, 'exact')
    const notice = room.notice({ provider: 'cash', accountNumber: account, amount: 12_000 })
    const about = () => exceptionsAbout(database, `production:cash:${notice.providerId}`)
    await room.openedBy(account, 'cash')
    await room.deposits.receive('production', notice)
    for (let minutes = 0; minutes < 60; minutes += 20) {
      await pass(20 * minuteMs - 1)
      expect(await about()).toEqual([])
    }
    await pass(16 * minuteMs)
    expect(await about()).toMatchObject([{ kind: 'refund-refused' }])
    expect(await rows()).toMatchObject([{ status: 'REFUSED', due_at: null }])
  })

  it('is not refused if a process that knows the provider requested it before', async () => {
    request = () => Promise.resolve({ kind: 'unknown', detail: 'no answer' })
    await overpay()
    await pass(0)
    for (let day = 0; day < 3; day++) {
      clock.advance(24 * 60 * minuteMs)
      await stranger().deposits.sendBack(tenant.lane)
      expect(await stateNow()).toBe('ASKED')
    }
  })
})

describe('a request whose answer is lost', () => {
  it('is not made again when the provider has done it', async () => {
    request = (order) => (done(order), Promise.resolve({ kind: 'unknown', detail: 'cut' }))
    await overpay()
    for (let times = 0; times < 60; times++) await pass(5 * minuteMs)
    expect([await stateNow(), asked.length]).toEqual(['REFUNDED', 1])
  })

  it('is made again when the provider has shown no refund for the grace period, and not before', async () => {
    request = () => Promise.resolve({ kind: 'unknown', detail: 'cut' })
    await overpay()
    await pass(0)
    request = (order) => Promise.resolve(done(order))
    await pass(graceMs - 1)
    expect(asked).toHaveLength(1)
    for (let times = 0; times < 60; times++) await pass(5 * minuteMs)
    expect([await stateNow(), asked.length, sent.length]).toEqual(['REFUNDED', 2, 1])
  })

  it('is not made again after the provider showed it to another process, but opens a review item', async () => {
    request = () => Promise.resolve({ kind: 'unknown', detail: 'cut' })
    const notice = await overpay()
    await pass(0)
    await pass(minuteMs)
    const other = createRoom(database, [bank], clock.now() + 4 * minuteMs)
    question = () => Promise.resolve({ kind: 'pending' })
    await other.deposits.sendBack(tenant.lane)
    question = () => undefined
    for (let times = 0; times < 60; times++) await pass(5 * minuteMs)
    expect(await rows()).toMatchObject([{ status: 'REFUSED', why: confirmedAndAbsent }])
    expect(asked).toHaveLength(1)
    expect(await exceptionsAbout(database, `production:bank:${notice.providerId}`)).toMatchObject([
      { kind: 'refund-refused', closed_at: null },
    ])
  })

  it('that was never sent is made again when the rate limit allows, without a status query', async () => {
    const full = { kind: 'unknown', detail: 'too many', sent: false, askAgainAfterMs: 2_000 } as const
    request = () => Promise.resolve(full)
    await overpay()
    await pass(0)
    expect(await stateNow()).toBe('WAITING')
    request = (order) => Promise.resolve(done(order))
    await pass(2_000)
    expect([await stateNow(), asked.length]).toEqual(['ASKED', 2])
  })

  it('is not made again because a status query was not sent', async () => {
    request = () => Promise.resolve({ kind: 'unknown', detail: 'cut' })
    question = () => Promise.resolve({ kind: 'unknown', detail: 'our own limit', sent: false, askAgainAfterMs: 1_000 })
    await overpay()
    for (let times = 0; times < 60; times++) await pass(5 * minuteMs)
    expect([await stateNow(), asked.length]).toEqual(['ASKED', 1])
  })
})

describe('a notice of a refund', () => {
  const tell = ({ providerId }: { providerId: string }) =>
    room.deposits.applyRefundNotice('production', { provider: 'bank', providerId })

  it('makes the service ask its rail at once, and is done when the rail has answered', async () => {
    question = () => Promise.resolve({ kind: 'pending' })
    const notice = await overpay()
    for (let times = 0; times < 60; times++) await pass(5 * minuteMs)
    question = () => undefined
    await pass(0)
    expect(await stateNow()).toBe('ASKED')
    expect(await tell(notice)).toBe('asked')
    await pass(0)
    expect([await stateNow(), await tell(notice), asked.length]).toEqual(['REFUNDED', 'ended', 1])
  })

  it('causes no second request, not even while the first one is in progress', async () => {
    request = (order) => (done(order), never)
    const notice = await overpay()
    void room.deposits.sendBack(tenant.lane)
    await expect.poll(() => asked.length).toBe(1)
    expect(await tell(notice)).toBe('asked')
    await pass(0)
    expect([await stateNow(), asked.length]).toEqual(['REFUNDED', 1])
  })

  it('that this service does not know is ignored', async () => {
    expect(await tell({ providerId: 'made in the dashboard of the provider' })).toBe('ended')
  })
})

describe('a process that dies', () => {
  it.each([
    ['before its rail heard of it', false],
    ['after its rail did it', true],
  ])('%s leaves a refund that another one finishes, once', async (_when, isDone) => {
    const dead = createRoom(database, [bank], clock.now())
    request = (order) => (isDone && done(order), never)
    await overpay()
    const dying = dead.deposits.sendBack(tenant.lane).catch(() => undefined)
    await expect.poll(() => asked.length).toBe(1)
    request = (order) => Promise.resolve(done(order))
    await pass(4 * minuteMs)
    expect(asked).toHaveLength(1)
    for (let times = 0; times < 60; times++) await pass(5 * minuteMs)
    expect([await stateNow(), sent.length, asked.length]).toEqual(['REFUNDED', 1, isDone ? 1 : 2])
    await dying
    expect(await stateNow()).toBe('REFUNDED')
  })

  it('that was suspended overwrites nothing that another process has stored meanwhile', async () => {
    let answer = (_state: RefundState): void => undefined
    request = (order) => (done(order), new Promise((resolve) => (answer = resolve)))
    await overpay()
    const slow = room.deposits.sendBack(tenant.lane)
    await expect.poll(() => asked.length).toBe(1)
    const other = createRoom(database, [bank], clock.now() + 6 * minuteMs)
    await other.deposits.sendBack(tenant.lane)
    expect(await stateNow()).toBe('REFUNDED')
    answer({ kind: 'failed', detail: 'said too late' })
    await slow
    expect(await stateNow()).toBe('REFUNDED')
  })
})

it('is requested once when two processes look at once', async () => {
  const other = createRoom(database, [bank], clock.now())
  for (let times = 0; times < 40; times++) await overpay()
  await Promise.all(
    [room, other].flatMap(({ deposits }) => [deposits.sendBack(tenant.lane), deposits.sendBack(tenant.lane)]),
  )
  await pass(0)
  expect(new Set(asked.map(({ providerId }) => providerId)).size).toBe(40)
  expect(asked).toHaveLength(40)
})
