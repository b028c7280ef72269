// Money that waits for an operator: what the service stores, what adopting it does, and how the service asks about
// money that stays PENDING.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { amountMax } from '#platform/money.ts'
import { createAdopting, parseNoticeId } from '#deposits/adopt.ts'
import { depositInvariants } from '#deposits/verify.ts'
import { ledgerInvariants, verifyLedger } from '#ledger/verify.ts'
import type { DepositNotice, InboundNotices } from '#rails/rail.ts'
import { exceptionsAbout } from '#tests/review/open.ts'
import { balancesOf } from '#tests/ledger/books.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { silentInbound } from './refunding-bank.ts'
import { createRoom } from './room.ts'

const database = await useTestDatabase()
const hourMs = 3_600_000
let told: DepositNotice | undefined
let asked = 0
const inbound: InboundNotices = {
  ...silentInbound('asked'),
  ask() {
    asked += 1
    return Promise.resolve(told === undefined ? { kind: 'unknown', detail: 'silence' } : { kind: 'told', notice: told })
  },
}
const room = createRoom(database, [{ name: 'asked rail', inbound }])
const { ctx } = room
let tenant: Tenant
let number: string

beforeEach(async () => {
  tenant = await room.newTenant()
  number = await room.openStatic(tenant)
  told = undefined
  asked = 0
})

const hear = (notice: DepositNotice) => room.deposits.receive('production', notice)
const available = async (owner = tenant) => (await balancesOf(ctx.db, owner))['available']
const subjectOf = ({ provider, providerId }: DepositNotice) => `production:${provider}:${providerId}`
const about = (notice: DepositNotice) => exceptionsAbout(database, subjectOf(notice))

const unresolved = ({ providerId }: DepositNotice) =>
  asOwner(database, 'select 1 from inbound_notice where provider_id = $1 and resolved_at is null', [providerId])

function adopt(notice: DepositNotice, accountNumber: string, from = room) {
  const noticeId = parseNoticeId(subjectOf(notice))
  if (noticeId === undefined) throw new Error('no notice id')
  const by = { kind: 'terminal' as const, name: 'ada@office' }
  return createAdopting(from.ctx, from.lanes.of)({ noticeId, accountNumber, note: 'ticket 881', by })
}

async function expectBooksRight(): Promise<void> {
  expect(await verifyLedger(ctx, { invariants: [...ledgerInvariants, ...depositInvariants] })).toEqual([])
}

describe('a report of a provider', () => {
  it.each([
    ['another amount', { amount: 10_001n }, '10001 kobo'],
    ['FAILED after SUCCESSFUL', { status: 'FAILED' }, 'it ended SUCCESSFUL'],
  ])('with %s waits for an operator, once, and moves nothing', async (_what, changes, words) => {
    const notice = room.notice({ accountNumber: number, amount: 10_000 })
    await hear(notice)
    const other = { ...notice, ...changes } as DepositNotice
    for (let times = 0; times < 3; times++) expect((await hear(other)).kind).toBe('contradicted')
    const raised = await about(notice)
    expect(raised).toMatchObject([{ kind: 'notice-contradicted', tenant_id: tenant.id, closed_at: null }])
    expect(raised[0]?.reference).toMatch(/^DEP/)
    expect(raised[0]?.fact).toContain(words)
    expect(await available()).toBe(9_900n)
  })

  it('of SUCCESSFUL after FAILED waits for an operator', async () => {
    const notice = room.notice({ accountNumber: number, status: 'FAILED' })
    await hear(notice)
    expect((await hear({ ...notice, status: 'SUCCESSFUL' })).kind).toBe('contradicted')
    expect(await about(notice)).toMatchObject([{ kind: 'notice-contradicted' }])
  })
})

describe('money for an account without an owner', () => {
  it('waits for an operator, who gives it to an account, once, with its event and its trace', async () => {
    const notice = room.notice({ accountNumber: '9999999999', amount: 10_000 })
    for (let times = 0; times < 2; times++) expect((await hear(notice)).kind).toBe('kept')
    expect(await about(notice)).toMatchObject([{ kind: 'notice-unowned', tenant_id: null, amount: '10000' }])
    expect(await adopt(notice, '9999999998')).toEqual({ kind: 'unknown-account' })

    const outcome = await adopt(notice, number)
    expect(outcome).toMatchObject({ kind: 'adopted', deposit: { status: 'SUCCESSFUL', accountNumber: number } })
    expect((await adopt(notice, number)).kind).toBe('unchanged')
    expect(await available()).toBe(9_900n)
    const [event] = await asOwner<{ name: string }>(database, 'select name from event where tenant_id = $1', [
      tenant.id,
    ])
    expect(event?.name).toBe('customer.deposit.success')
    expect(await about(notice)).toMatchObject([{ note: 'adopted: ticket 881' }])
    const acts = await asOwner(database, 'select actor, act, details from audit_entry where tenant_id = $1', [
      tenant.id,
    ])
    expect(acts).toMatchObject([{ actor: 'ada@office', act: 'deposit.adopted' }])
    const [kept] = await asOwner<{ resolved_at: Date | null }>(
      database,
      'select resolved_at from inbound_notice where provider_id = $1',
      [notice.providerId],
    )
    expect(kept?.resolved_at).not.toBeNull()
    await expectBooksRight()
  })

  it('is not adopted as long as its provider has not said that it is there, or has taken that back', async () => {
    const notice = room.notice({ accountNumber: '9999999999', status: 'PENDING' })
    expect(await adopt(notice, number)).toEqual({ kind: 'no-notice' })
    await hear(notice)
    expect(await adopt(notice, number)).toEqual({ kind: 'not-paid', said: ['PENDING'] })
    await hear({ ...notice, status: 'SUCCESSFUL' })
    await hear({ ...notice, status: 'FAILED' })
    expect((await adopt(notice, number)).kind).toBe('not-paid')
    expect(await available()).toBe(0n)
  })

  it('is resolved when its account opens and its money is credited, so that the customer can be erased', async () => {
    const early = room.notice({ accountNumber: '9999999997', amount: 10_000, status: 'PENDING' })
    await hear(early)
    expect(await about(early)).toMatchObject([{ kind: 'notice-unowned', closed_at: null }])
    const paid = { ...early, status: 'SUCCESSFUL' as const, account: { number } }
    expect((await hear(paid)).kind).toBe('recorded')
    expect(await about(early)).toMatchObject([{ kind: 'notice-unowned', note: 'the deposit became SUCCESSFUL' }])
    expect(await unresolved(early)).toEqual([])
    expect(await adopt(early, number)).toMatchObject({ kind: 'unchanged', deposit: { accountNumber: number } })
    expect((await adopt(early, await room.openStatic(tenant))).kind).toBe('taken')
    expect(await available()).toBe(9_900n)
  })

  it('that was kept as SUCCESSFUL is resolved when it comes again in other bytes', async () => {
    const kept = room.notice({ accountNumber: '9999999996', amount: 10_000 })
    await hear(kept)
    expect((await hear({ ...kept, account: { number } })).kind).toBe('recorded')
    expect(await unresolved(kept)).toEqual([])
    expect(await about(kept)).toMatchObject([{ note: 'the deposit became SUCCESSFUL' }])
    expect((await adopt(kept, number)).kind).toBe('unchanged')
    await expectBooksRight()
  })

  it('that was credited before its notice was kept is resolved by adopting it, and credited no more', async () => {
    const notice = room.notice({ accountNumber: number, amount: 10_000 })
    await hear(notice)
    expect((await hear({ ...notice, account: { number: '9999999995' } })).kind).toBe('kept')
    expect(await about(notice)).toMatchObject([{ kind: 'notice-unowned', closed_at: null }])
    expect((await adopt(notice, number)).kind).toBe('unchanged')
    expect(await unresolved(notice)).toEqual([])
    expect(await about(notice)).toMatchObject([{ note: 'adopted: ticket 881' }])
    expect(await available()).toBe(9_900n)
  })

  it('is stored if a rail reports it that did not open the account, and can be adopted', async () => {
    await room.openedBy(number, 'elsewhere')
    const notice = room.notice({ accountNumber: number, amount: 10_000 })
    expect((await hear(notice)).kind).toBe('kept')
    const [item] = await about(notice)
    expect(item).toMatchObject({ kind: 'notice-unowned', tenant_id: tenant.id, closed_at: null })
    expect(item?.fact).toBe(`asked rail tells of money for the account ${number}, which elsewhere opened`)
    expect(await available()).toBe(0n)
    expect((await adopt(notice, number)).kind).toBe('adopted')
    expect(await available()).toBe(9_900n)
  })

  it('is not adopted for an account that would send it back, and can be adopted for another one after that', async () => {
    const notice = room.notice({ accountNumber: '9999999999', amount: 10_000 })
    await hear(notice)
    const dynamic = await room.openDynamic(tenant, 20_000, 'exact')
    expect(await adopt(notice, dynamic)).toEqual({ kind: 'would-be-returned', reason: 'UNDERPAID' })
    const other = await room.newTenant()
    expect((await adopt(notice, await room.openStatic(other))).kind).toBe('adopted')
    expect(await available(other)).toBe(9_900n)
    expect((await adopt(notice, number)).kind).toBe('taken')
  })

  it('that two people adopt at once for two businesses is credited once', async () => {
    const elsewhere = createRoom(database)
    const other = await room.newTenant()
    const numbers = [number, await room.openStatic(other)]
    const notices = Array.from({ length: 20 }, () => room.notice({ accountNumber: '9999999999', amount: 10_000 }))
    await Promise.all(notices.map(hear))
    const outcomes = await Promise.all(
      notices.map((notice) =>
        Promise.all([adopt(notice, numbers[0] ?? ''), adopt(notice, numbers[1] ?? '', elsewhere)]),
      ),
    )
    const kinds = outcomes.map((pair) => pair.map(({ kind }) => kind).toSorted())
    expect(kinds).toEqual(notices.map(() => ['adopted', 'taken']))
    expect(((await available()) ?? 0n) + ((await available(other)) ?? 0n)).toBe(20n * 9_900n)
    await expectBooksRight()
  })
})

describe('money that the books have no room for', () => {
  it('is kept and not spendable until a person has looked, although there is room by then', async () => {
    const large = room.notice({ accountNumber: number, status: 'PENDING' })
    await hear({ ...large, amount: (amountMax - 5_000n) as DepositNotice['amount'] })
    const notice = room.notice({ accountNumber: number, amount: 10_000 })
    expect((await hear(notice)).kind).toBe('waits-for-room')
    expect(await about(notice)).toMatchObject([{ kind: 'deposit-without-room', closed_at: null }])
    expect((await adopt(notice, number)).kind).toBe('no-room')
    await hear({ ...large, amount: (amountMax - 5_000n) as DepositNotice['amount'], status: 'FAILED' })
    expect((await hear(notice)).kind).toBe('waits-for-room')
    expect(await available()).toBe(0n)

    expect((await adopt(notice, number)).kind).toBe('adopted')
    expect(await available()).toBe(9_900n)
    expect(await about(notice)).toMatchObject([{ note: 'the deposit became SUCCESSFUL' }])
    await expectBooksRight()
  })

  it('can be adopted for another business after the books of the first one had no room', async () => {
    const large = room.notice({ accountNumber: number, status: 'PENDING' })
    await hear({ ...large, amount: (amountMax - 5_000n) as DepositNotice['amount'] })
    const notice = room.notice({ accountNumber: '9999999994', amount: 10_000 })
    await hear(notice)
    expect((await adopt(notice, number)).kind).toBe('no-room')
    const other = await room.newTenant()
    expect((await adopt(notice, await room.openStatic(other))).kind).toBe('adopted')
    expect([await available(other), await available()]).toEqual([9_900n, 0n])
    expect((await adopt(notice, number)).kind).toBe('taken')
    await hear({ ...large, amount: (amountMax - 5_000n) as DepositNotice['amount'], status: 'FAILED' })
  })
})

describe('money that is more than JSON can show', () => {
  it('makes no deposit, so that no read fails because of it, and waits for an operator', async () => {
    const amount = (amountMax + 1n) as DepositNotice['amount']
    const notice = { ...room.notice({ accountNumber: number }), amount }
    expect((await hear(notice)).kind).toBe('kept')
    expect(await about(notice)).toMatchObject([
      { kind: 'deposit-without-room', tenant_id: tenant.id, amount: '9007199254740992' },
    ])
    expect((await adopt(notice, number)).kind).toBe('no-room')
    const page = { page: 1, limit: 20 }
    expect((await room.deposits.list(tenant, page as never)).total).toBe(0)
  })
})

describe('a deposit that stays PENDING', () => {
  it('is asked about once an hour, and ends as its provider says', async () => {
    const notice = room.notice({ provider: 'asked', accountNumber: number, amount: 10_000, status: 'PENDING' })
    await hear(notice)
    expect(await room.deposits.poll(tenant.lane)).toBe(0)
    ctx.clock.advance(hourMs)
    expect(await room.deposits.poll(tenant.lane)).toBe(1)
    expect([asked, await room.deposits.poll(tenant.lane)]).toEqual([1, 0])
    told = { ...notice, status: 'SUCCESSFUL' }
    ctx.clock.advance(hourMs)
    await room.deposits.poll(tenant.lane)
    expect(await available()).toBe(9_900n)
    ctx.clock.advance(48 * hourMs)
    expect(await room.deposits.poll(tenant.lane)).toBe(0)
  })

  it.each([
    ['nobody can be asked', 'bank', 0],
    ['its provider does not know', 'asked', 1],
  ])('waits for an operator after a day: %s', async (_why, provider, stillDue) => {
    if (provider === 'bank') await room.openedBy(number, provider)
    const notice = room.notice({ provider, accountNumber: number, status: 'PENDING' })
    await hear(notice)
    ctx.clock.advance(23 * hourMs)
    await room.deposits.poll(tenant.lane)
    expect(await about(notice)).toEqual([])
    ctx.clock.advance(hourMs)
    await room.deposits.poll(tenant.lane)
    expect(await about(notice)).toMatchObject([{ kind: 'deposit-unsettled', closed_at: null }])
    ctx.clock.advance(hourMs)
    expect(await room.deposits.poll(tenant.lane)).toBe(stillDue)

    await hear({ ...notice, status: 'SUCCESSFUL' })
    expect(await about(notice)).toMatchObject([{ note: 'the deposit became SUCCESSFUL' }])
  })

  it('that a tester made up is left to the tester', async () => {
    const own = { accountNumber: number, status: 'PENDING' as const, amount: room.notice({}).amount }
    const texts = { senderAccountName: '', senderAccountNumber: '', senderBankName: '', narration: '' }
    expect((await room.deposits.simulate(tenant, { ...own, ...texts })).kind).toBe('recorded')
    ctx.clock.advance(48 * hourMs)
    expect(await room.deposits.poll(tenant.lane)).toBe(0)
  })
})

it('a tester pays into an account in a process that is a little behind the one that opened it', async () => {
  const other = await room.newTenant()
  const accountNumber = await room.openStatic(other)
  const behind = createRoom(database, [], room.ctx.clock.now() - 500)
  const texts = { senderAccountName: '', senderAccountNumber: '', senderBankName: '', narration: '' }
  const paid = { accountNumber, status: 'SUCCESSFUL' as const, amount: room.notice({}).amount, ...texts }
  expect((await behind.deposits.simulate(other, paid)).kind).toBe('recorded')
})
