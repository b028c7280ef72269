// Each invariant of payments, with books that hold it and with books in which the owner of the database has tampered.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { encodeBase32, newUuid, type Uuid } from '#platform/ids.ts'
import { type Breach, verifyLedger } from '#ledger/verify.ts'
import { paymentInvariants } from '#payments/verify.ts'
import type { Result } from '#payments/payment.ts'
import { publicIdOf } from '#payments/wire.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createScriptedPayout } from '#tests/support/scripted-rail.ts'
import { createTenant, requestOf, startProcess, type Process } from './process.ts'

const database = await useTestDatabase()
await asOwner(
  database,
  `update installation set lanes = 2;
   alter table ledger_account drop constraint ledger_account_not_negative;
   alter table event drop constraint event_pkey`,
)
const [reserved, movements, events, ordinals] = paymentInvariants.map(({ name }) => name)
let process: Process
let tenant: Tenant
let of: Record<'queued' | 'SUCCESS' | 'FAILED' | 'REVERSED', { id: Uuid; shown: string }>

const succeeded: Result = { kind: 'succeeded', sessionId: '9'.repeat(30) }
const endings = {
  queued: [],
  SUCCESS: [succeeded],
  FAILED: [{ kind: 'failed', reason: 'DO_NOT_HONOR' }],
  REVERSED: [succeeded, { kind: 'reversed' }],
} satisfies Record<string, Result[]>

async function makePayment(results: Result[]): Promise<{ id: Uuid; shown: string }> {
  const request = requestOf()
  const outcome = await process.payments.initiate(tenant, request)
  if (outcome.kind !== 'accepted') throw new Error(`it is ${outcome.kind}`)
  for (const result of results) await process.payments.complete(tenant, request.reference, result)
  const { id } = outcome.payment
  return { id, shown: publicIdOf({ kind: 'bank_transfer', id }) }
}

beforeEach(async () => {
  await asOwner(database, 'truncate payment, deposit, event, ledger_movement, ledger_account')
  process = startProcess({
    database,
    clock: createFakeClock(),
    leasesNew: false,
    rail: createScriptedPayout(createFakeClock()),
  })
  tenant = await createTenant(process, 'production', 100_000_000n)
  of = {
    queued: await makePayment(endings.queued),
    SUCCESS: await makePayment(endings.SUCCESS),
    FAILED: await makePayment(endings.FAILED),
    REVERSED: await makePayment(endings.REVERSED),
  }
})

async function breaches(rowsPerPage = 20_000): Promise<Omit<Breach, 'tenantId'>[]> {
  const all = await verifyLedger(process.ctx, { invariants: paymentInvariants, rowsPerPage })
  // The result is the same if each tenant is proved as a large one.
  const large = await verifyLedger(process.ctx, { invariants: paymentInvariants, rowsPerPage, rowsPerSnapshot: 0 })
  expect(large).toEqual(all)
  return all.filter(({ tenantId }) => tenantId === tenant.id).map(({ tenantId: _ours, ...breach }) => breach)
}

const tamper = (sql: string, id: Uuid): Promise<unknown> => asOwner(database, sql, [id])

describe('payments that are right', () => {
  it('have no breach, over any lanes and in pages of any size', async () => {
    for (let index = 0; index < 4; index++) {
      tenant = await createTenant(process)
      for (const results of [...Object.values(endings), ...Object.values(endings)]) await makePayment(results)
    }
    for (const rowsPerPage of [1, 2, 3, 7, 20_000]) {
      expect(await verifyLedger(process.ctx, { invariants: paymentInvariants, rowsPerPage })).toEqual([])
    }
  })

  it('may cost nothing: a fee of nothing moves nothing', async () => {
    const { id } = of.SUCCESS
    await tamper('update payment set fee = 0 where id = $1', id)
    await tamper("delete from ledger_movement where source_id = $1 and kind = 'payout_fee'", id)
    await tamper("update ledger_movement set amount = 100000 where source_id = $1 and kind = 'hold'", id)
    expect(await breaches()).toEqual([])
  })
})

describe(`a breach of: ${reserved}`, () => {
  it('is found with the present and the right amount', async () => {
    await asOwner(
      database,
      "update ledger_account set credits = credits + 5 where tenant_id = $1 and name = 'reserved'",
      [tenant.id],
    )
    for (const rowsPerPage of [1, 20_000]) {
      const message = 'NGN reserved is 101005, queued payments hold 101000'
      expect(await breaches(rowsPerPage)).toEqual([{ invariant: reserved, ids: ['NGN'], message }])
    }
  })

  it('is found where there is no such account', async () => {
    await asOwner(database, "delete from ledger_account where tenant_id = $1 and name = 'reserved'", [tenant.id])
    expect(await breaches()).toMatchObject([
      { invariant: reserved, message: 'NGN has no reserved account, queued payments hold 101000' },
    ])
  })
})

describe(`a breach of: ${movements}`, () => {
  it.each([
    [
      'queued',
      'an amount that is not that of the payment',
      'update ledger_movement set amount = amount + 1 where source_id = $1',
    ],
    ['SUCCESS', 'a missing fee', "delete from ledger_movement where source_id = $1 and kind = 'payout_fee'"],
    [
      'SUCCESS',
      'another account',
      "update ledger_movement set credit = 'opening' where source_id = $1 and kind = 'payout'",
    ],
    [
      'SUCCESS',
      'another reference',
      "update ledger_movement set reference = 'other' where source_id = $1 and kind = 'payout'",
    ],
    ['FAILED', 'a missing release', "delete from ledger_movement where source_id = $1 and kind = 'release'"],
    ['REVERSED', 'a missing hold', "delete from ledger_movement where source_id = $1 and kind = 'hold'"],
    ['REVERSED', 'no movement at all', 'delete from ledger_movement where source_id = $1'],
  ] as const)('is found in a payment that is %s: %s', async (status, _what, sql) => {
    await tamper(sql, of[status].id)
    const message = `${status}, but its movements are not those of ${status}`
    for (const rowsPerPage of [1, 20_000]) {
      expect(await breaches(rowsPerPage)).toEqual([{ invariant: movements, ids: [of[status].shown], message }])
    }
  })

  it('is found when something moved twice, and when one payment moved instead of another', async () => {
    const copy = `insert into ledger_movement select lane, tenant_id, $2, currency, debit, credit, amount, kind, source_id, reference,
      entry + 1000, balance_after, created_at from ledger_movement where source_id = $1 and kind = 'payout'`
    await asOwner(database, copy, [of.SUCCESS.id, newUuid(0)])
    await asOwner(database, "update ledger_movement set source_id = $2 where source_id = $1 and kind = 'payout_fee'", [
      of.REVERSED.id,
      of.FAILED.id,
    ])
    const found = await breaches()
    expect(new Set(found.flatMap(({ ids }) => ids))).toEqual(
      new Set([of.SUCCESS.shown, of.REVERSED.shown, of.FAILED.shown]),
    )
    expect(found.every(({ invariant }) => invariant === movements)).toBe(true)
  })

  it('is found when money moved for a payment that does not exist', async () => {
    const id = newUuid(0)
    await asOwner(database, 'update ledger_movement set source_id = $2 where source_id = $1', [of.queued.id, id])
    const found = (await breaches()).toSorted((left, right) => (left.message < right.message ? -1 : 1))
    expect(found).toMatchObject([
      { ids: [encodeBase32(id)], message: 'movements of a payment that does not exist' },
      { ids: [of.queued.shown], message: 'queued, but its movements are not those of queued' },
    ])
  })

  it('is found when only the status was changed', async () => {
    await tamper("update payment set status = 'REVERSED' where id = $1", of.SUCCESS.id)
    expect((await breaches()).map(({ invariant, ids }) => [invariant, ids])).toEqual([
      [movements, [of.SUCCESS.shown]],
      [events, [of.SUCCESS.shown]],
    ])
  })

  it('is listed for a hundred payments and counted for the others', async () => {
    await Promise.all(Array.from({ length: 105 }, () => makePayment(endings.queued)))
    await asOwner(database, "delete from ledger_movement where tenant_id = $1 and kind = 'hold'", [tenant.id])
    const found = await breaches()
    expect(found.flatMap(({ ids }) => ids)).toHaveLength(100)
    const rest = found.find(({ ids }) => ids.length === 0)
    expect(rest?.message).toMatch(/^further payments and movements disagree \(9 in all/)
  })
})

describe(`a breach of: ${events}`, () => {
  it.each([
    ['SUCCESS', 'none', 'delete from event where source_id = $1'],
    ['SUCCESS', 'the wrong one', "update event set name = 'transfer.failed' where source_id = $1"],
    ['SUCCESS', 'the same one twice', 'insert into event select * from event where source_id = $1'],
    ['FAILED', 'none', 'delete from event where source_id = $1'],
    ['REVERSED', 'one of two', "delete from event where source_id = $1 and name = 'transfer.success'"],
    [
      'queued',
      'one too early',
      `insert into event select lane, tenant_id, id, 'transfer.success', id, reference, '{}', created_at from payment where id = $1`,
    ],
  ] as const)('is found in a payment that is %s: %s', async (status, _what, sql) => {
    await tamper(sql, of[status].id)
    const message = `${status}, but its events are not those of ${status}`
    for (const rowsPerPage of [1, 20_000]) {
      expect(await breaches(rowsPerPage)).toEqual([{ invariant: events, ids: [of[status].shown], message }])
    }
  })

  it('is found in an event of a transfer that does not exist', async () => {
    const id = newUuid(0)
    const sql = `insert into event select lane, tenant_id, $2, name, $2, 'gone', data, created_at from event where source_id = $1`
    await asOwner(database, sql, [of.SUCCESS.id, id])
    for (const rowsPerPage of [1, 20_000]) {
      expect(await breaches(rowsPerPage)).toEqual([
        { invariant: events, ids: [`evt_${encodeBase32(id)}`], message: 'events of a payment that does not exist' },
      ])
    }
  })
})

describe(`a breach of: ${ordinals}`, () => {
  const message = 'number or time does not follow from the payment before'

  it.each([
    ['a gap', 'update payment set ordinal = ordinal + 10 where id = $1'],
    ['an earlier time', "update payment set created_at = '2020-01-01T00:00:00Z' where id = $1"],
  ])('is found: %s', async (_what, sql) => {
    await tamper(sql, of.REVERSED.id)
    for (const rowsPerPage of [1, 2, 20_000]) {
      expect(await breaches(rowsPerPage)).toEqual([{ invariant: ordinals, ids: [of.REVERSED.shown], message }])
    }
  })

  it('is found at the very beginning', async () => {
    await tamper('update payment set ordinal = 9 where id = $1', of.queued.id)
    const found = await breaches()
    expect(found).toEqual([{ invariant: ordinals, ids: [of.SUCCESS.shown, of.queued.shown], message }])
  })
})
