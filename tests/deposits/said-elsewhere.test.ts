// What the service writes beside a deposit: events, figures, the float book of the rail, and the record of a notice
// that becomes no deposit.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { amountMax } from '#platform/money.ts'
import { createAdopting, parseNoticeId } from '#deposits/adopt.ts'
import type { DepositNotice } from '#rails/rail.ts'
import { exceptionsAbout } from '#tests/review/open.ts'
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

const hear = (notice: DepositNotice) => room.deposits.receive('production', notice)
const about = ({ provider, providerId }: DepositNotice) =>
  exceptionsAbout(database, `production:${provider}:${providerId}`)
const floats = ({ providerId }: DepositNotice) =>
  asOwner(database, 'select kind, amount, rail from float_movement where subject = $1', [providerId])
const kept = ({ providerId }: DepositNotice) =>
  asOwner(database, 'select account_number, amount from inbound_notice where provider_id = $1', [providerId])

function adopt({ provider, providerId }: DepositNotice, accountNumber: string) {
  const by = { kind: 'terminal' as const, name: 'ada@office' }
  const noticeId = { environment: 'production' as const, provider, providerId }
  return createAdopting(ctx, room.lanes.of)({ noticeId, accountNumber, note: 'ticket 881', by })
}

it('the event names the customer whose account got the money, and none for an order', async () => {
  await hear(room.notice({ accountNumber: number }))
  await hear(room.notice({ accountNumber: await room.openDynamic(tenant, 10_000, 'exact'), amount: 10_000 }))
  const events = await asOwner<{ name: string; data: { customer?: object } }>(
    database,
    'select name, data::jsonb as data from event where tenant_id = $1 order by name',
    [tenant.id],
  )
  expect(events.map(({ name, data }) => [name, data.customer])).toEqual([
    ['customer.deposit.success', expect.objectContaining({ firstName: 'Ada', lastName: 'Obi' })],
    ['deposit.success', undefined],
  ])
})

it('the float book of its rail has accepted money as the business’s, and money that goes back as suspense', async () => {
  const accepted = room.notice({ accountNumber: number, amount: 10_000 })
  const tooMuch = { accountNumber: await room.openDynamic(tenant, 10_000, 'exact'), amount: 12_000 }
  const returned = room.notice(tooMuch)
  const madeUp = room.notice({ provider: 'simulator', accountNumber: number })
  for (const notice of [accepted, returned, madeUp]) await hear(notice)
  expect(await floats(accepted)).toEqual([{ kind: 'deposit', amount: '10000', rail: 'bank' }])
  expect(await floats(returned)).toEqual([{ kind: 'unowned', amount: '12000', rail: 'bank' }])
  expect(await floats(madeUp)).toEqual([])
})

it('each acceptance and each end is counted, with its fee and its reason', async () => {
  const pending = room.notice({ accountNumber: number, amount: 500, status: 'PENDING' })
  const order = await room.openDynamic(tenant, 20_000, 'exact')
  await hear(pending)
  await hear(room.notice({ accountNumber: number, amount: 10_000 }))
  await hear(room.notice({ accountNumber: order, amount: 12_000 }))
  await hear(room.notice({ accountNumber: number, amount: 700, status: 'FAILED' }))
  await hear({ ...pending, status: 'SUCCESSFUL' })
  const figures = await asOwner(
    database,
    `select outcome, reason, count, amount, fees from hourly_stat where tenant_id = $1 and kind = 'deposit' order by outcome, reason`,
    [tenant.id],
  )
  expect(figures).toEqual([
    { outcome: 'accepted', reason: '', count: '4', amount: '23200', fees: '0' },
    { outcome: 'failed', reason: '', count: '1', amount: '700', fees: '0' },
    { outcome: 'failed', reason: 'UNDERPAID', count: '1', amount: '12000', fees: '0' },
    { outcome: 'succeeded', reason: '', count: '2', amount: '10500', fees: '105' },
  ])
})

it('money that a tester made up belongs to no provider, so no notice can take it', async () => {
  const texts = { senderAccountName: '', senderAccountNumber: '', senderBankName: '', narration: '' }
  const madeUp = { accountNumber: number, amount: room.notice({}).amount, status: 'SUCCESSFUL' as const, ...texts }
  expect((await room.deposits.simulate(tenant, madeUp)).kind).toBe('recorded')
  await hear(room.notice({ accountNumber: number }))
  const taken = await asOwner(database, 'select provider from provider_notice where tenant_id = $1', [tenant.id])
  expect(taken).toEqual([{ provider: 'bank' }])
})

describe('a notice that is no deposit', () => {
  it('is kept with the number that it names, or that its account has, or none', async () => {
    const amount = (amountMax + 1n) as DepositNotice['amount']
    const [large, unowned] = [{ ...room.notice({ accountNumber: number }), amount }, room.notice({})]
    const nameless: DepositNotice = { ...room.notice({}), account: { railReference: 'of nobody' } }
    for (const notice of [large, unowned, nameless]) expect(await hear(notice)).toEqual({ kind: 'kept' })
    expect(await kept(large)).toMatchObject([{ account_number: number }])
    expect(await kept(unowned)).toMatchObject([{ account_number: '0000000000' }])
    expect(await kept(nameless)).toMatchObject([{ account_number: '' }])
    expect(await about(nameless)).toMatchObject([{ fact: 'no customer owns the account of our reference of nobody' }])
  })

  it('needs no person if it says that no money came', async () => {
    const notice = room.notice({ status: 'FAILED' })
    expect(await hear(notice)).toEqual({ kind: 'kept' })
    expect(await kept(notice)).toHaveLength(1)
    expect(await about(notice)).toEqual([])
  })

  it('of the largest amount that books can hold is taken', async () => {
    const notice = { ...room.notice({ accountNumber: number }), amount: amountMax }
    expect(await hear(notice)).toMatchObject({ kind: 'recorded' })
  })
})

describe('when money was paid', () => {
  const paidAt = async (occurredAtMs: number) => {
    const notice = room.notice({ accountNumber: number, occurredAtMs })
    await hear(notice)
    const sql = 'select paid_at from deposit where provider_id = $1'
    return (await asOwner<{ paid_at: Date }>(database, sql, [notice.providerId]))[0]?.paid_at.getTime()
  }

  it('is what its provider says, though never in the future, nor before its account was opened', async () => {
    const openedAtMs = ctx.clock.now()
    ctx.clock.advance(10_000)
    expect(await paidAt(openedAtMs + 4_000)).toBe(openedAtMs + 4_000)
    expect(await paidAt(openedAtMs + 60_000)).toBe(openedAtMs + 10_000)
    expect(await paidAt(openedAtMs - 1)).toBe(openedAtMs)
  })
})

describe('a notice that a person names', () => {
  it('is an environment, a provider and whatever its provider calls it', () => {
    const named = { environment: 'production', provider: 'acme', providerId: 'a:b\nc' }
    expect(parseNoticeId('production:acme:a:b\nc')).toEqual(named)
    for (const text of ['nowhere:acme:8842', 'production:acme:', 'production::8842', 'production:acme', ''])
      expect(parseNoticeId(text)).toBeUndefined()
  })

  it('may be older than the account that it is adopted for', async () => {
    const notice = room.notice({})
    await hear(notice)
    ctx.clock.advance(1_000)
    expect((await adopt(notice, await room.openStatic(tenant))).kind).toBe('adopted')
  })

  it('may be younger than the account that it is adopted for, and was paid when its provider says', async () => {
    ctx.clock.advance(1_000)
    const notice = room.notice({})
    await hear(notice)
    const outcome = await adopt(notice, number)
    expect(outcome).toMatchObject({ kind: 'adopted', deposit: { paidAt: new Date(notice.occurredAtMs) } })
  })
})

describe('an adoption that is refused', () => {
  it('is no contradiction of its provider: money that another business has', async () => {
    const notice = room.notice({})
    await hear(notice)
    const other = await room.openStatic(await room.newTenant())
    expect((await adopt(notice, number)).kind).toBe('adopted')
    expect((await adopt(notice, other)).kind).toBe('taken')
    expect(await about(notice)).toMatchObject([{ kind: 'notice-unowned', note: 'adopted: ticket 881' }])
  })

  it('is no contradiction of its provider: money that another account of the business has', async () => {
    const notice = room.notice({})
    await hear(notice)
    expect((await adopt(notice, number)).kind).toBe('adopted')
    expect((await adopt(notice, await room.openStatic(tenant))).kind).toBe('taken')
    expect(await about(notice)).toHaveLength(1)
  })
})
