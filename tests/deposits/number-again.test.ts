// A rail may give an account number again when its account has ended. One open account has the number, and money
// belongs to the account that had it when the payer paid, whichever account has it when the notice comes.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { balancesOf } from '#tests/ledger/books.ts'
import { railReferenceOf } from '#rails/formats.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createScriptedAccounts, freshNumber } from '#tests/support/scripted-rail.ts'
import { createRoom } from './room.ts'

const database = await useTestDatabase()
const port = createScriptedAccounts()
const room = createRoom(database, [{ name: 'bank', virtualAccounts: port }])
const { clock } = room.ctx
const minuteMs = 60_000
let first: Tenant
let second: Tenant
let number: string

beforeEach(async () => {
  ;[first, second] = [await room.newTenant(), await room.newTenant()]
  number = freshNumber()
  port.numberFor = ({ attempt }) => (attempt === 0 ? number : freshNumber())
})

const hear = (occurredAtMs: number, amount: number) =>
  room.deposits.receive('production', room.notice({ accountNumber: number, amount, occurredAtMs }))
const available = async (tenant: Tenant) => (await balancesOf(room.ctx.db, tenant))['available'] ?? 0n

/** Opens an account, ends it with `end`, and opens another one with the same number. */
async function openAgain(end: (opened: string) => Promise<unknown>, next = second): Promise<void> {
  expect(await room.openDynamic(first, 10_000, 'exact')).toBe(number)
  clock.advance(minuteMs)
  await end(number)
  clock.advance(minuteMs)
  expect(await room.openDynamic(next, 20_000, 'exact')).toBe(number)
}

const expire = async (): Promise<void> => {
  clock.advance(30 * minuteMs)
  await room.accounts.expire(first.lane)
}

describe('a number that is given again', () => {
  it.each([
    ['expired', expire],
    ['paid', () => hear(clock.now(), 10_000)],
  ])('is the next account’s when the one before has %s, and its money too', async (_how, end) => {
    await openAgain(end)
    const before = await available(first)
    clock.advance(minuteMs)
    expect(await hear(clock.now(), 20_000)).toMatchObject({ kind: 'recorded', deposit: { status: 'SUCCESSFUL' } })
    expect([await available(first), await available(second)]).toEqual([before, 19_800n])
  })

  it('is not while an open account has it: another one is asked for', async () => {
    expect(await room.openDynamic(first, 10_000, 'exact')).toBe(number)
    expect(await room.openDynamic(second, 20_000, 'exact')).not.toBe(number)
    expect(port.asked.slice(-2).map(({ attempt }) => attempt)).toEqual([0, 1])
  })

  it('belongs to the account that had it at the time of payment, however late the notice comes', async () => {
    const paidAtMs = clock.now() + minuteMs
    await openAgain(expire)
    expect(await hear(paidAtMs, 10_000)).toMatchObject({
      kind: 'recorded',
      deposit: { tenantId: first.id, status: 'SUCCESSFUL' },
    })
    expect([await available(first), await available(second)]).toEqual([9_900n, 0n])
    expect(await room.accounts.read(second, number)).toMatchObject({ status: 'ACTIVE' })
  })

  it('belongs to both accounts of one business, and each has its own payment', async () => {
    const paidAtMs = clock.now() + minuteMs
    await openAgain(expire, first)
    const notices = [hear(clock.now(), 20_000), hear(paidAtMs, 10_000), hear(clock.now(), 20_000)]
    const outcomes = await Promise.all(notices)
    const [one, expired, other] = outcomes.map((each) => ('deposit' in each ? each.deposit.returnReason : each.kind))
    expect(expired).toBeNull()
    // Either may be the first whose account is known.
    expect(new Set([one, other])).toEqual(new Set([null, 'ALREADY_PAID']))
    expect(await available(first)).toBe(9_900n + 19_800n)
    expect(await room.accounts.read(first, number)).toMatchObject({ status: 'COMPLETED', order: { amount: 20_000n } })
  })

  it('belongs to the account that had the number, also if a later report about it has a later date', async () => {
    expect(await room.openDynamic(first, 10_000, 'exact')).toBe(number)
    const notice = room.notice({ accountNumber: number, amount: 10_000, status: 'PENDING' })
    const say = (changes: object) => room.deposits.receive('production', { ...notice, ...changes })
    expect(await say({})).toMatchObject({ kind: 'recorded' })
    await expire()
    expect(await room.openDynamic(first, 20_000, 'exact')).toBe(number)
    expect(await say({ status: 'SUCCESSFUL', occurredAtMs: clock.now() })).toMatchObject({ kind: 'contradicted' })
    expect(await say({ status: 'SUCCESSFUL' })).toMatchObject({ kind: 'settled', deposit: { status: 'SUCCESSFUL' } })
  })

  it('that two processes are given at once is one account’s', async () => {
    expect(await room.openDynamic(first, 10_000, 'exact')).toBe(number)
    await hear(clock.now(), 10_000)
    clock.advance(minuteMs)
    const other = createRoom(database, [{ name: 'bank', virtualAccounts: port }], clock.now())
    const opened = await Promise.all([
      room.openDynamic(first, 20_000, 'exact'),
      other.openDynamic(second, 20_000, 'exact'),
    ])
    expect(opened.filter((one) => one === number)).toHaveLength(1)
  })
})

describe('money that names a reference of ours and no number', () => {
  const hearOf = (railReference: string, amount = 10_000) =>
    room.deposits.receive('production', { ...room.notice({ amount }), account: { railReference } })

  it('is the account’s that was opened under it, also when its number was the second that was asked for', async () => {
    await room.openDynamic(first, 10_000, 'exact')
    const opened = await room.openDynamic(second, 20_000, 'exact')
    const account = await room.accounts.read(second, opened)
    const reference = railReferenceOf(account?.id ?? second.id)
    expect(await hearOf(reference, 20_000)).toEqual({ kind: 'kept' })
    expect(await hearOf(`${reference}-1`, 20_000)).toMatchObject({
      kind: 'recorded',
      deposit: { tenantId: second.id, accountNumber: opened, status: 'SUCCESSFUL' },
    })
  })

  it('waits for an operator if no account has the reference', async () => {
    const reference = railReferenceOf(first.id)
    expect(await hearOf(reference)).toEqual({ kind: 'kept' })
    const raised = await asOwner(database, 'select kind from review_item where fact like $1', [`%${reference}`])
    expect(raised).toEqual([{ kind: 'notice-unowned' }])
  })
})
