// A process dies at each point of opening an account, and the request comes again.

import { describe, expect, it } from 'vitest'
import { Unavailable } from '#platform/errors.ts'
import { toMoney } from '#platform/money.ts'
import type { DynamicRequest } from '#virtual-accounts/provisioning.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { newReference, minuteMs, resumableMs, useOpenings } from './openings.ts'
import { openedNumber } from './room.ts'

const room = await useOpenings(await useTestDatabase())
const { accounts, ctx, port, tenant, other, openingsLeft, dieAt, openOrder, leaveOpening, expectNothingLost } = room

const deaths: [string, () => void][] = [
  ['before the opening is written', () => room.setCut({ at: 'accounts.begin', when: 'before' })],
  ['when the opening is written', () => room.setCut({ at: 'accounts.begin', when: 'after' })],
  ['when the rail has given a number', () => dieAt('create')],
  ['before the number is an account', () => room.setCut({ at: 'accounts.open', when: 'before' })],
  ['when the number is an account', () => room.setCut({ at: 'accounts.open', when: 'after' })],
]
const kinds: [string, () => Promise<() => ReturnType<typeof openOrder>>][] = [
  ['a dynamic account', () => Promise.resolve(newReference()).then((reference) => () => openOrder(reference))],
  [
    'a static account',
    () => room.newCustomer(tenant, '22212345678').then((customer) => () => room.openStatic(tenant, customer)),
  ],
]

describe.each(kinds)('who dies while opening %s', (_kind, newRequest) => {
  it.each(deaths)('%s, and is asked again, has one number in all', async (_moment, die) => {
    const request = await newRequest()
    die()
    await expect(request()).rejects.toThrow()
    const outcome = await request()
    expect(['opened', 'exists']).toContain(outcome.kind)
    expect(port.live.size).toBe(1)
    await expectNothingLost()
    expect(port.closed).toEqual([])
    expect((await request()).kind).toBe('exists')
    expect(new Set(port.asked.map(({ railReference }) => railReference)).size).toBe(1)
  })

  it.each(deaths)('%s, and is not asked again, leaves nothing at the rail after 10 minutes', async (_moment, die) => {
    const request = await newRequest()
    die()
    await expect(request()).rejects.toThrow()
    ctx.clock.advance(resumableMs - 1)
    expect(await other.accounts.releaseNumbers(tenant.lane)).toBe(0)
    ctx.clock.advance(1)
    const left = await openingsLeft()
    expect(await other.accounts.releaseNumbers(tenant.lane)).toBe(left)
    await expectNothingLost()
    // The claim is free again, unless it has become an account.
    const became = port.live.size === 1
    expect((await request()).kind).toBe(became ? 'exists' : 'opened')
  })
})

describe('an opening that is there', () => {
  it('is gone on with by another process, with the terms that it was begun with', async () => {
    const reference = newReference()
    const terms = {
      metadata: '{"cart":"9"}',
      narration: 'shoes',
      accountName: 'ADA SHOP',
      amountPolicy: 'any' as const,
    }
    const expiresAt = new Date(ctx.clock.now() + 30 * minuteMs)
    await leaveOpening(reference, terms)
    const [number] = port.live
    ctx.clock.advance(minuteMs)
    const outcome = await openOrder(reference, terms, other.accounts)
    expect(outcome).toMatchObject({
      kind: 'opened',
      account: {
        reference,
        accountNumber: number,
        accountName: 'ADA SHOP',
        narration: 'shoes',
        metadata: terms.metadata,
        order: { amount: 5_000n, policy: 'any', expiresAt },
      },
    })
    expect(port.asked[1]).toEqual(port.asked[0])
  })

  it.each<[string, Partial<DynamicRequest>]>([
    ['another amount', { amount: toMoney(5_001) }],
    ['another policy', { amountPolicy: 'any' }],
    ['another name', { accountName: 'ADA SHOP' }],
    ['another narration', { narration: 'shoes' }],
    ['other metadata', { metadata: '{}' }],
    ['another time', { expiresInMinutes: 31 }],
  ])('is in the way of %s', async (_what, changes) => {
    const reference = newReference()
    await leaveOpening(reference)
    expect(await openOrder(reference, changes)).toEqual({ kind: 'exists' })
    expect(port.asked).toHaveLength(1)
    expect((await openOrder(reference)).kind).toBe('opened')
  })

  it('is not in the way of another business, nor of one without a reference', async () => {
    const reference = newReference()
    await leaveOpening(reference)
    await leaveOpening(null)
    const stranger = await room.newTenant()
    expect((await room.openDynamic(stranger, 30, { reference })).kind).toBe('opened')
    expect((await openOrder(null)).kind).toBe('opened')
    expect(port.live.size).toBe(4)
  })

  it('is kept for 10 minutes more by each who goes on with it', async () => {
    const reference = newReference()
    port.down = true
    for (let tries = 0; tries < 3; tries++) {
      await expect(openOrder(reference)).rejects.toThrow(Unavailable)
      ctx.clock.advance(resumableMs - 1)
      expect(await accounts.releaseNumbers(tenant.lane)).toBe(0)
    }
    port.down = false
    expect((await openOrder(reference, {}, other.accounts)).kind).toBe('opened')
    await expectNothingLost()
  })

  it('whose account would begin expired is given back and opened again', async () => {
    const reference = newReference()
    const changes = { expiresInMinutes: 5 }
    await leaveOpening(reference, changes)
    const [first] = port.live
    ctx.clock.advance(5 * minuteMs)
    await expect(openOrder(reference, changes)).rejects.toThrow(Unavailable)
    expect(await accounts.releaseNumbers(tenant.lane)).toBe(1)
    expect(port.closed).toEqual([first])
    expect(openedNumber(await openOrder(reference, changes))).not.toBe(first)
  })

  it('becomes one account when two processes go on with it at once', async () => {
    for (let round = 0; round < 20; round++) {
      const reference = newReference()
      if (round % 2 === 0) await leaveOpening(reference)
      const processes = [accounts, other.accounts, accounts, other.accounts]
      const outcomes = await Promise.all(processes.map((by) => openOrder(reference, {}, by)))
      expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['exists', 'exists', 'exists', 'opened'])
    }
    expect(port.live.size).toBe(20)
    expect(port.closed).toEqual([])
    await expectNothingLost()
  })
})
