// Opening and closing accounts at the same time: one account for each claim, one owner for each number.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { Unavailable } from '#platform/errors.ts'
import { takeNumbers } from '#virtual-accounts/account-owners.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { freshNumber } from '#tests/support/scripted-rail.ts'
import { createRoom, openedNumber } from './room.ts'

const database = await useTestDatabase()
const room = createRoom(database)
const { accounts, port } = room
const tenant = await room.newTenant()

beforeEach(() => {
  port.numberFor = freshNumber
  port.gate = undefined
  port.asked.splice(0)
  port.closed.splice(0)
  port.live.clear()
})

/** Lets the rail answer when this many orders have reached it, so that all of them reach the lane together. */
function answerTogether(orders: number): void {
  let open = (): void => undefined
  port.gate = new Promise((resolve) => (open = resolve))
  const look = (): void => void (port.asked.length >= orders ? open() : setImmediate(look))
  look()
}

async function statusesOf(whose: Tenant, customerReference: string): Promise<string[]> {
  const page = { page: 1, limit: 100, customerReference }
  return (await accounts.list(whose, page)).accounts.map(({ status }) => status)
}

describe('two static accounts for a customer at one bank, asked for at once', () => {
  it('are one, and so is what the rail gave for them', async () => {
    const customer = await room.newCustomer(tenant)
    answerTogether(2)
    const outcomes = await Promise.all([room.openStatic(tenant, customer), room.openStatic(tenant, customer)])
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['exists', 'opened'])
    expect(await statusesOf(tenant, customer)).toEqual(['ACTIVE'])
    const [open] = outcomes.filter(({ kind }) => kind === 'opened').map(openedNumber)
    expect([...port.live]).toEqual([open])
    expect(port.closed).toEqual([])
  })

  it('are two at two banks, and two for two businesses that call their customers the same', async () => {
    const customer = await room.newCustomer(tenant)
    const other = await room.newTenant()
    const details = { firstName: 'Ngozi', lastName: 'Bello', email: null, phoneNumber: null, metadata: null }
    await room.customers.create({ tenant: other, reference: customer, details, bvn: null })
    answerTogether(3)
    const outcomes = await Promise.all([
      room.openStatic(tenant, customer),
      room.openStatic(tenant, customer, 'guaranty-trust-bank'),
      room.openStatic(other, customer),
    ])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['opened', 'opened', 'opened'])
    expect(await statusesOf(tenant, customer)).toEqual(['ACTIVE', 'ACTIVE'])
    expect(await statusesOf(other, customer)).toEqual(['ACTIVE'])
  })
})

describe('closing', () => {
  it('while others open leaves one open account at most, and each that opened exists', async () => {
    const customer = await room.newCustomer(tenant)
    let open = openedNumber(await room.openStatic(tenant, customer))
    let opened = 1
    for (let round = 0; round < 20; round++) {
      const [closed, ...outcomes] = await Promise.all([
        accounts.close(tenant, open),
        ...Array.from({ length: 3 }, () => room.openStatic(tenant, customer)),
      ])
      expect(closed).toMatchObject({ kind: 'closed', account: { status: 'CLOSED' } })
      const winners = outcomes.filter(({ kind }) => kind === 'opened')
      expect(winners.length).toBeLessThanOrEqual(1)
      opened += winners.length
      const statuses = await statusesOf(tenant, customer)
      expect(statuses).toHaveLength(opened)
      expect(statuses.filter((status) => status === 'ACTIVE')).toHaveLength(winners.length)
      const [winner = await room.openStatic(tenant, customer)] = winners
      if (winners.length === 0) opened += 1
      open = openedNumber(winner)
    }
  })

  it('by many callers at once closes it once, at one moment', async () => {
    const number = openedNumber(await room.openStatic(tenant, await room.newCustomer(tenant)))
    const closings = await Promise.all(
      Array.from({ length: 10 }, () => {
        room.ctx.clock.advance(1)
        return accounts.close(tenant, number)
      }),
    )
    const times = closings.map((outcome) => (outcome.kind === 'closed' ? outcome.account.updatedAt.getTime() : 0))
    expect(new Set(times).size).toBe(1)
    expect((await accounts.read(tenant, number))?.updatedAt.getTime()).toBe(times[0])
  })
})

describe('closing an account whose number the rail gives again meanwhile', () => {
  it('leaves the new account open', async () => {
    const customer = await room.newCustomer(tenant)
    const number = openedNumber(await room.openStatic(tenant, customer))
    port.numberFor = () => number
    port.onCall = async (call) => {
      if (call !== 'close') return
      port.onCall = () => undefined
      await accounts.close(tenant, number)
      room.ctx.clock.advance(1)
      await room.openStatic(tenant, customer)
    }
    expect(await accounts.close(tenant, number)).toMatchObject({ kind: 'closed', account: { status: 'CLOSED' } })
    expect(await accounts.read(tenant, number)).toMatchObject({ status: 'ACTIVE' })
  })
})

describe('a number that is in use', () => {
  it('is asked for again, until the rail gives a free one; the order stays the same', async () => {
    const taken = openedNumber(await room.openDynamic(await room.newTenant()))
    const free = freshNumber()
    port.asked.splice(0)
    port.numberFor = ({ attempt }) => (attempt < 4 ? taken : free)
    expect(openedNumber(await room.openDynamic(tenant))).toBe(free)
    expect(port.asked.map(({ attempt }) => attempt)).toEqual([0, 1, 2, 3, 4])
    expect(new Set(port.asked.map(({ railReference }) => railReference)).size).toBe(1)
    // The number belongs to another account, which must stay open.
    expect(port.closed).toEqual([])
  })

  it('goes to one of many who are given it at once, in one batch as in two', async () => {
    const number = freshNumber()
    answerTogether(8)
    port.numberFor = ({ attempt }) => (attempt === 0 ? number : freshNumber())
    const numbers = (await Promise.all(Array.from({ length: 8 }, () => room.openDynamic(tenant)))).map(openedNumber)
    expect(new Set(numbers).size).toBe(8)
    expect(numbers.filter((one) => one === number)).toHaveLength(1)
  })

  it('for ever is unavailable, opens nothing, and leaves the number to its owner', async () => {
    const other = await room.newTenant()
    const taken = openedNumber(await room.openDynamic(other))
    const before = (await accounts.list(tenant, { page: 1, limit: 1 })).total
    port.numberFor = () => taken
    await expect(room.openDynamic(tenant)).rejects.toThrow(Unavailable)
    expect((await accounts.list(tenant, { page: 1, limit: 1 })).total).toBe(before)
    expect((await accounts.read(other, taken))?.status).toBe('ACTIVE')
    expect(await accounts.read(tenant, taken)).toBeUndefined()
  })

  it('is free again when its account is closed, if the rail gives it again', async () => {
    const customer = await room.newCustomer(tenant)
    const number = openedNumber(await room.openStatic(tenant, customer))
    await accounts.close(tenant, number)
    port.numberFor = ({ attempt }) => (attempt === 0 ? number : freshNumber())
    room.ctx.clock.advance(1)
    expect(openedNumber(await room.openStatic(tenant, customer))).toBe(number)
  })
})

it('a number that rails gave to two businesses in one batch belongs to the first, who gets the account', async () => {
  const other = await room.newTenant()
  const openedAt = new Date(room.ctx.clock.now())
  const wanted = Array.from({ length: 200 }, (_, index) => ({
    environment: 'production' as const,
    accountNumber: String(8_800_000_000 + ((index * 37) % 100)),
    tenantId: index % 3 === 0 ? tenant.id : other.id,
    openedAt,
    rail: 'scripted',
    railReference: `reference ${index}`,
  }))
  const taken = await room.ctx.db.transaction((tx) => takeNumbers(tx, wanted), tenant.lane)
  expect(taken.size).toBe(100)
  const rows = await asOwner<{ account_number: string; rail_reference: string }>(
    database,
    "select account_number, rail_reference from virtual_account_number where account_number like '88000000__'",
  )
  const firsts = new Map(wanted.toReversed().map((one) => [one.accountNumber, one.railReference]))
  expect(new Map(rows.map((row) => [row.account_number, row.rail_reference]))).toEqual(firsts)
})
