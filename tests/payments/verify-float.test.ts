// `ledger verify` finds payments that do not agree with the float books of their rails.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { newUuid, type Uuid } from '#platform/ids.ts'
import { verifyLedger } from '#ledger/verify.ts'
import type { Result } from '#payments/payment.ts'
import type { Source } from '#payments/settle.ts'
import { paymentInvariants } from '#payments/verify.ts'
import { publicIdOf } from '#payments/wire.ts'
import { asOwner } from '#tests/support/owner.ts'
import { drafts } from './drafts.ts'
import { commandOf, useSettling } from './settling.ts'

const { database, clock, ctx, open } = await useSettling()
const invariants = paymentInvariants.filter(({ name }) => name.includes('float book'))
const succeeded: Result = { kind: 'succeeded', sessionId: '9'.repeat(30) }
let tenants: readonly [Tenant, Tenant]
let ids: Record<string, Uuid>

const owner = (text: string, ...values: unknown[]) => asOwner(database, text, values)

/** Payments on the rail `a`, each a second after the one before: the one that began its book, and one of each end. */
beforeEach(async () => {
  await owner('truncate payment, deposit, event, float_movement, provider_notice')
  const room = await open()
  tenants = room.tenants
  const [tenant] = tenants
  const endings: Record<string, Result[]> = {
    first: [succeeded],
    sent: [{ ...succeeded, cost: commandOf(tenant, {}).fee }],
    told: [succeeded],
    back: [succeeded, { kind: 'reversed' }],
    in: [{ kind: 'succeeded', operatorReference: 'M-1' }],
    failed: [{ kind: 'failed', reason: 'DO_NOT_HONOR' }],
    queued: [],
    last: [succeeded],
  }
  const source: Source = { kind: 'rail', environment: 'production', rail: 'a' }
  ids = {}
  for (const [reference, results] of Object.entries(endings)) {
    clock.advance(1_000)
    const { draft } = commandOf(tenant, { reference, ...(reference === 'in' ? drafts.momo_collection : {}) })
    const outcome = await room.accept(tenant, reference, { draft, isToldOf: reference === 'told' })
    if (outcome.kind !== 'accepted') throw new Error(`it is ${outcome.kind}`)
    ids[reference] = outcome.payment.id
    for (const result of results) await room.settle(tenant, reference, { result, source })
  }
})

async function found(): Promise<string[]> {
  const at = async (rowsPerPage: number) =>
    (await verifyLedger(ctx, { invariants, rowsPerPage })).map((breach) => {
      const names = breach.ids.map((id) => nameOf(id)).toSorted()
      return `${names.join(' ')}: ${breach.message}`
    })
  const all = await at(20_000)
  expect(await at(1)).toEqual(all.toSorted())
  return all.toSorted()
}

function nameOf(id: string): string {
  const kindOf = (name: string) => (name === 'in' ? ('momo_collection' as const) : ('bank_transfer' as const))
  const known = Object.entries(ids).find(
    ([name, own]) => id === own || id === publicIdOf({ kind: kindOf(name), id: own }),
  )
  return known?.[0] ?? id
}

const unbooked = (name: string, status = 'SUCCESS') =>
  `${name}: ${status}, but the float book of its rail does not say so`
const uncaused = (name: string, kind: string, environment = 'production', rail = 'a') =>
  `${name}: the float book of ${rail} (${environment}) has a ${kind} that none of ours caused`

it('payments and books that agree are no breach', async () => {
  expect(await found()).toEqual([])
})

describe('a payment that its float book does not have', () => {
  it.each([
    ['sent', 'SUCCESS', 'payout'],
    ['told', 'SUCCESS', 'payout'],
    ['in', 'SUCCESS', 'deposit'],
    ['back', 'REVERSED', 'payout'],
    ['back', 'REVERSED', 'reversal'],
  ])('is found: %s, %s without its %s', async (name, status, kind) => {
    await owner('delete from float_movement where subject = $1 and kind = $2', ids[name], kind)
    expect(await found()).toEqual([unbooked(name, status)])
  })

  it.each([
    ['in another environment', `environment = 'staging'`, []],
    ['at another rail', `rail = 'b'`, [uncaused('sent', 'payout', 'production', 'b')]],
    ['of another amount', 'amount = amount + 1', [uncaused('sent', 'payout')]],
    ['of another kind', `kind = 'deposit'`, []],
  ])('is found when that has one %s', async (_which, change, strays) => {
    await owner(`update float_movement set ${change} where subject = $1 and kind = 'payout'`, ids['sent'])
    expect(await found()).toEqual([unbooked('sent'), ...strays].toSorted())
  })

  it('is none before the book of its rail began, whatever others had by then', async () => {
    await owner(`update payment set rail = 'b' where reference in ('sent', 'last')`)
    await owner(`delete from float_movement where subject = $1`, ids['sent'])
    await owner(`update float_movement set rail = 'b' where subject = $1`, ids['last'])
    expect(await found()).toEqual([])
  })
})

describe('a movement of a float book that its payment did not cause', () => {
  const insert = (kind: string, subject: string, reference: string, more: { lane?: number; amount?: number } = {}) =>
    owner(
      `insert into float_movement (environment, rail, kind, subject, reference, lane, currency, debit, credit, amount, at)
       select 'production', 'a', $1, $2, $3, $4, 'NGN', debit, credit, $5, at from float_movement limit 1`,
      kind,
      subject,
      reference,
      more.lane ?? 1,
      more.amount ?? 100_000,
    )

  it.each(['payout', 'reversal'])('is found: a %s of no payment, and not where it stands in no lane', async (kind) => {
    const [one, other] = [newUuid(clock.now()), newUuid(clock.now())].toSorted() as [Uuid, Uuid]
    await insert(kind, other, 'what no rail calls a payment')
    await insert(kind, one, crypto.randomUUID())
    await insert(kind, newUuid(clock.now()), crypto.randomUUID(), { lane: 0 })
    expect(await found()).toEqual([uncaused(`${one} ${other}`, kind)])
  })

  it.each([
    ['failed', 'payout'],
    ['queued', 'payout'],
    ['sent', 'reversal'],
  ])('is found: that what %s had a %s', async (name, kind) => {
    await insert(kind, ids[name] as Uuid, crypto.randomUUID())
    expect(await found()).toEqual([uncaused(name, kind)])
  })

  it('is found when it stands under a name that its rail does not know it by', async () => {
    await owner('update float_movement set reference = $2 where subject = $1', ids['told'], crypto.randomUUID())
    expect(await found()).toEqual([uncaused('told', 'payout')])
  })

  describe('money that a provider reported', () => {
    let payee: Tenant
    let stranger: Tenant

    const depositOf = ({ id }: Tenant, providerId: string, status = 'SUCCESSFUL') =>
      owner(
        `insert into deposit
         select (jsonb_populate_record(d, jsonb_build_object('tenant_id', $1::text, 'id', gen_random_uuid(), 'ordinal', (select max(ordinal) + 1 from deposit),
                   'provider', 'a', 'provider_id', $2::text, 'status', $3::text, 'amount', 70000,
                   'return_reason', case $3 when 'FAILED' then 'ACCOUNT_CLOSED' end))).* from deposit d limit 1`,
        id,
        providerId,
        status,
      )
    const noticeOf = ({ id }: Tenant, providerId: string, environment = 'production', provider = 'a') =>
      owner('insert into provider_notice values ($1, $2, $3, 1, $4)', environment, provider, providerId, id)

    beforeEach(async () => {
      const [less, more] = tenants.toSorted((left, right) => (left.id < right.id ? -1 : 1))
      ;[stranger, payee] = [less, more] as [Tenant, Tenant]
      await noticeOf(payee, 'in-1')
      await insert('deposit', 'in-1', 'in-1', { amount: 70_000 })
    })

    it('is caused by its deposit, whatever others say under that name or of others', async () => {
      await depositOf(payee, 'in-1')
      await noticeOf(stranger, 'in-1', 'staging')
      await noticeOf(stranger, 'in-1', 'production', 'b')
      await noticeOf(stranger, 'in-2')
      expect(await found()).toEqual([])
    })

    it('is not explained by a deposit of another amount, another end or another business', async () => {
      const stray = uncaused('in-1', 'deposit')
      expect(await found()).toEqual([stray])
      await depositOf(payee, 'in-2')
      expect(await found()).toEqual([stray])
      await depositOf(payee, 'in-1')
      expect(await found()).toEqual([])
      await owner(`update deposit set amount = amount + 1 where provider_id = 'in-1'`)
      expect(await found()).toEqual([stray])
      await owner(`update deposit set amount = amount - 1 where provider_id = 'in-1'`)
      await owner(`update provider_notice set tenant_id = $1 where provider_id = 'in-1'`, stranger.id)
      expect(await found()).toEqual([stray])
    })

    it('has no owner only while its deposit has failed', async () => {
      await depositOf(payee, 'in-1', 'FAILED')
      expect(await found()).toEqual([uncaused('in-1', 'deposit')])
      await owner(`update float_movement set kind = 'unowned' where subject = 'in-1'`)
      expect(await found()).toEqual([])
      await owner(`update deposit set status = 'SUCCESSFUL', return_reason = null where provider_id = 'in-1'`)
      expect(await found()).toEqual([uncaused('in-1', 'unowned')])
    })
  })
})
