// Which payments count when a limit is set, and which limits a proof examines.

import { beforeEach, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { inLane } from '#platform/db/db.ts'
import { firstUuid, lastUuid } from '#platform/ids.ts'
import { toMoney } from '#platform/money.ts'
import { setLimits, sumPayoutsSince } from '#payments/limits.ts'
import type { Draft } from '#payments/payment.ts'
import { findLimited } from '#payments/verify.ts'
import { asOwner } from '#tests/support/owner.ts'
import { commandOf, useSettling } from './settling.ts'

const { database, clock, ctx, open } = await useSettling()
let room: Awaited<ReturnType<typeof open>>
let tenant: Tenant

beforeEach(async () => {
  await asOwner(database, 'truncate payment, payout_limit')
  room = await open()
  tenant = room.tenants[0]
})

async function accept(reference: string, amount: number, changes: Partial<Draft> = {}, owner = tenant): Promise<void> {
  const { draft } = commandOf(owner, { reference, amount: toMoney(amount), ...changes })
  expect((await room.accept(owner, reference, { draft })).kind).toBe('accepted')
}

const kinds = ['bank_transfer', 'momo_transfer']
const wallet = { phoneNumber: '+2348030000000', operator: 'mtn-momo' }
const sum = (since: Date, of = kinds) => sumPayoutsSince(ctx.db, tenant, { since, currency: 'NGN', kinds: of })

it('payouts of that business and these kinds since then that have not failed count, without their fee', async () => {
  await accept('before', 1)
  clock.advance(1_000)
  const since = new Date(clock.now())
  await accept('first', 10)
  await accept('failed', 100)
  await room.settle(tenant, 'failed', { result: { kind: 'failed', reason: 'DO_NOT_HONOR' } })
  await accept('wallet', 1_000, {
    ...wallet,
    kind: 'momo_transfer',
    accountName: null,
    accountNumber: null,
    accountReference: null,
  })
  const approval = { kind: 'handset' as const }
  await accept('in', 10_000, { ...wallet, kind: 'momo_collection', customerName: null, approval })
  await accept('other', 100_000, {}, room.tenants[1])
  expect(await sum(since)).toBe(1_010n)
  expect(await sum(since, ['bank_transfer'])).toBe(10n)
  expect(await sum(new Date(0))).toBe(1_011n)
})

it('a kind without payouts counts nothing', async () => {
  expect(await sum(new Date(0))).toBe(0n)
  await accept('first', 10)
  expect(await sum(new Date(0))).toBe(10n)
})

it('a sum beyond any number is shown as the largest number, which is above every limit', async () => {
  for (const reference of ['1', '2', '3']) await accept(reference, 10)
  await asOwner(database, 'update payment set amount = 2::numeric ^ 62')
  expect(await sum(new Date(0))).toBe(2n ** 61n)
})

it('a proof finds whose days are limited, each with its environment, from one tenant up to another', async () => {
  const all = room.businesses.flatMap(({ tenants }) => [tenants.staging, tenants.production])
  const sorted = all.toSorted((left, right) => (left.id < right.id ? -1 : 1))
  for (const each of sorted) await setLimits(ctx, each, { perDay: toMoney(10_000) })
  const found = async (changes: object = {}) => {
    const walk = { lane: inLane(ctx.db, 1), rowsPerPage: 100, from: firstUuid, upTo: lastUuid, ...changes }
    return (await findLimited(walk)).map(({ id, environment }) => ({ id, environment }))
  }
  const wanted = sorted.map(({ id, environment }) => ({ id, environment }))
  expect(await found()).toEqual(wanted)
  expect(await found({ rowsPerPage: 3 })).toEqual(wanted.slice(0, 3))
  expect(await found({ from: sorted[1]?.id, upTo: sorted[2]?.id })).toEqual(wanted.slice(1, 3))
  await setLimits(ctx, sorted[0] as Tenant, { perPayment: toMoney(5), perDay: null })
  expect(await found()).toEqual(wanted.slice(1))
})
