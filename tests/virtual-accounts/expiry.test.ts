// Dynamic accounts expire at their exact millisecond, each once, however many loops run.

import { describe, expect, it } from 'vitest'
import { useTestDatabase } from '#tests/support/database.ts'
import { createRoom, openedNumber } from './room.ts'

const database = await useTestDatabase()
const room = createRoom(database)
const { accounts, ctx } = room
const tenant = await room.newTenant()
const minuteMs = 60_000

const statusOf = async (number: string): Promise<string | undefined> => (await accounts.read(tenant, number))?.status

describe('the expiry of a dynamic account', () => {
  it('comes at its millisecond: not one before, and dated then', async () => {
    const account = openedNumber(await room.openDynamic(tenant, 5))
    ctx.clock.advance(5 * minuteMs - 1)
    expect(await accounts.expire(tenant.lane)).toBe(0)
    expect(await statusOf(account)).toBe('ACTIVE')
    ctx.clock.advance(1)
    expect(await accounts.expire(tenant.lane)).toBe(1)
    const expired = await accounts.read(tenant, account)
    expect(expired?.status).toBe('EXPIRED')
    expect(expired?.updatedAt).toEqual(expired?.order?.expiresAt)
    expect(await accounts.expire(tenant.lane)).toBe(0)
  })

  it('happens once for each, though many loops look at once', async () => {
    const numbers = await Promise.all(
      Array.from({ length: 60 }, async () => openedNumber(await room.openDynamic(tenant))),
    )
    ctx.clock.advance(30 * minuteMs)
    let left = numbers.length
    for (let turn = 0; left > 0 && turn < 20; turn++) {
      const done = await Promise.all(Array.from({ length: 6 }, () => accounts.expire(tenant.lane)))
      left -= done.reduce((sum, count) => sum + count, 0)
    }
    expect(left).toBe(0)
    expect(new Set(await Promise.all(numbers.map(statusOf)))).toEqual(new Set(['EXPIRED']))
  })

  it('comes also if a process whose clock is ahead dated the account after its end', async () => {
    const own = await room.newTenant()
    ctx.clock.advance(6 * minuteMs)
    await room.openDynamic(own)
    // The clock of this machine is right again. No row is dated before an earlier one, so this account is created in
    // its own future.
    ctx.clock.advance(-6 * minuteMs)
    const number = openedNumber(await room.openDynamic(own, 5))
    ctx.clock.advance(5 * minuteMs)
    expect(await accounts.expire(own.lane)).toBe(1)
    const account = await accounts.read(own, number)
    expect(account?.status).toBe('EXPIRED')
    expect(account?.updatedAt).toEqual(account?.createdAt)
    ctx.clock.advance(31 * minuteMs)
    expect(await accounts.expire(own.lane)).toBe(1)
  })

  it('never comes to a static account, nor to another lane', async () => {
    const account = openedNumber(await room.openStatic(tenant, await room.newCustomer(tenant)))
    const order = openedNumber(await room.openDynamic(tenant, 5))
    ctx.clock.advance(365 * 24 * 60 * minuteMs)
    expect(await accounts.expire(tenant.lane + 1)).toBe(0)
    expect(await accounts.expire(tenant.lane)).toBe(1)
    expect([await statusOf(account), await statusOf(order)]).toEqual(['ACTIVE', 'EXPIRED'])
  })
})
