// One transaction that decides on payments of several kinds: which sources it asks, what it refuses and why, and what
// it writes.

import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { amountMax, toMoney, type Money } from '#platform/money.ts'
import { acceptOperation, type AcceptCommand, type AcceptOutcome } from '#payments/accept.ts'
import { setLimits } from '#payments/limits.ts'
import { railReferenceOf } from '#rails/formats.ts'
import { createFakeClock, type FakeClock } from '#tests/support/clock.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { commandFor, createTenant, requestOf, rowOf, startProcess, type Process } from './process.ts'

const database = await useTestDatabase()
/** A payout also takes a fee of 1 000 from it. */
const funds = 1_000_000n
let clock: FakeClock
let process: Process
let tenant: Tenant
/** Queries about pauses and stopped rails. */
let asked: string[]
let paused: boolean

beforeEach(async () => {
  clock = createFakeClock()
  process = startProcess({ database, clock, leasesNew: false })
  tenant = await createTenant(process, 'production', funds)
  asked = []
  paused = false
})

function accept(...commands: AcceptCommand[]): Promise<AcceptOutcome[]> {
  const brakes = { now: () => (asked.push('brakes'), { isPaused: () => paused, isStopped: () => false }) }
  const { run } = acceptOperation(process.ctx, brakes)
  return process.ctx.db.transaction((tx) => run(tx, commands), tenant.lane)
}

const payout = (amount: number, more: Partial<AcceptCommand> = {}): AcceptCommand =>
  commandFor(tenant, requestOf({ amount: toMoney(amount) }), { fee: toMoney(1_000), ...more })

function collection(amount: Money | number): AcceptCommand {
  const { reference, currency, narration, metadata } = requestOf()
  const payer = { phoneNumber: '+2348030000000', operator: 'mtn-momo', customerName: null }
  const how = { kind: 'momo_collection' as const, approval: { kind: 'handset' as const } }
  const draft = { reference, amount: toMoney(amount), currency, narration, metadata, ...payer, ...how }
  return { ...payout(1), draft, fee: toMoney(0) }
}

const kindsOf = (outcomes: AcceptOutcome[]): string[] => outcomes.map(({ kind }) => kind)

describe('the queries about pauses, stopped rails and limits', () => {
  it('run for a batch with payouts, also if it has collections too', async () => {
    await accept(collection(1_000))
    expect(asked).toEqual([])
    await accept(collection(1_000), payout(1_000))
    expect(asked).toEqual(['brakes'])
  })

  it('counts where money goes out, and nowhere else', async () => {
    await setLimits(process.ctx, tenant, { perPayment: toMoney(1_000) })
    const batch = () => [collection(1_001), payout(1_000), payout(1_001)]
    expect(kindsOf(await accept(...batch()))).toEqual(['accepted', 'accepted', 'over-limit'])
    paused = true
    expect(kindsOf(await accept(...batch()))).toEqual(['accepted', 'paused', 'paused'])
  })
})

describe('payouts of a person', () => {
  const twins = { confirmed: null }
  const toBank = (accountNumber: string, amount: number, more: Partial<AcceptCommand> = {}): AcceptCommand =>
    commandFor(tenant, requestOf({ accountNumber, amount: toMoney(amount) }), { fee: toMoney(1_000), ...more })

  function toTill(operator: string, accountReference: string | null, more: Partial<AcceptCommand> = {}): AcceptCommand {
    const { reference, currency, narration, metadata } = requestOf()
    const till = { phoneNumber: null, accountNumber: '54321', accountReference, accountName: null }
    const draft = { reference, amount: toMoney(7), currency, narration, metadata, operator, ...till }
    return { ...payout(1), draft: { ...draft, kind: 'momo_transfer' }, ...more }
  }

  it('are compared with the earlier ones of their own account, all of a kind in one query', async () => {
    const [first, second] = [toBank('0000000001', 5), toBank('0000000002', 5)]
    const [till, paybill] = [toTill('mpesa-till', null), toTill('mpesa-paybill', 'A1')]
    await accept(first, second, toBank('0000000001', 6), till, paybill)
    const other = await createTenant(process)
    const queries: string[] = []
    const commands = [
      toBank('0000000001', 5, { twins }),
      toBank('0000000002', 5, { twins }),
      toBank('0000000003', 5, { twins }),
      toBank('0000000002', 6, { twins }),
      toBank('0000000001', 5),
      toBank('0000000001', 5, { twins, tenant: other }),
      toTill('mpesa-till', null, { twins }),
      toTill('mpesa-paybill', 'A1', { twins }),
      toTill('mpesa-paybill', 'A2', { twins }),
      toTill('airtel-till', null, { twins }),
    ]
    const brakes = { now: () => ({ isPaused: () => paused, isStopped: () => false }) }
    const outcomes = await process.ctx.db.transaction((tx) => {
      const query = tx.query.bind(tx)
      vi.spyOn(tx, 'query').mockImplementation((what, values) => {
        if (what.name === 'payments.twin') queries.push(what.name)
        return query(what, values)
      })
      return acceptOperation(process.ctx, brakes).run(tx, commands)
    }, tenant.lane)
    const found = outcomes.map((one) => (one.kind === 'twin' ? one.first.reference : one.kind))
    const [one, two, three, four] = [first, second, till, paybill].map(({ draft }) => draft.reference)
    const accepted = 'accepted'
    expect(found).toEqual([one, two, accepted, accepted, accepted, accepted, three, four, accepted, accepted])
    expect(queries).toHaveLength(3)
  })
})

describe('a refused payment', () => {
  it('is named by the first of what stands against it, and leaves no trace', async () => {
    const missing = { kind: 'missing', why: 'no rail is configured' } as const
    const more = payout(999_001)
    const outcomes = await accept(
      payout(1, { payeeIsKnown: false, rail: missing }),
      { ...collection(1), payeeIsKnown: false },
      { ...payout(1, { rail: missing }), draft: { ...payout(1).draft, currency: 'KES' } },
      payout(1, { rail: missing }),
      more,
      payout(999_000),
      payout(1),
    )
    expect(outcomes).toMatchObject([
      { kind: 'unknown-bank' },
      { kind: 'unknown-operator' },
      { kind: 'currency-off', currency: 'KES' },
      { kind: 'missing-rail', why: 'no rail is configured' },
      { kind: 'insufficient-balance', required: 1_000_001n, available: funds },
      { kind: 'accepted' },
      { kind: 'insufficient-balance', available: 0n },
    ])
    const { reference } = more.draft
    expect(await asOwner(database, 'select 1 from payment where reference = $1', [reference])).toEqual([])
  })

  it('is a collection that would lift the balance above the largest exact amount, together with others of the batch', async () => {
    const room = amountMax - funds
    const outcomes = await accept(collection(toMoney(room - 5n)), collection(6), collection(5), collection(1))
    expect(kindsOf(outcomes)).toEqual(['accepted', 'too-much', 'accepted', 'too-much'])
    expect(kindsOf(await accept(collection(1)))).toEqual(['too-much'])
  })

  it('is one that contradicts an earlier request with its reference, also one of the same batch', async () => {
    const first = payout(1_000)
    const { reference } = first.draft
    const other = (one: AcceptCommand): AcceptCommand => ({ ...one, draft: { ...one.draft, reference } })
    const again = () => [first, other(payout(1_001)), other(collection(1_000))]
    expect(await accept(...again())).toMatchObject([
      { kind: 'accepted' },
      { kind: 'differs', field: 'amount' },
      { kind: 'other-kind' },
    ])
    expect(await accept(...again())).toMatchObject([{ kind: 'replayed' }, { kind: 'differs' }, { kind: 'other-kind' }])
    expect(await asOwner(database, 'select 1 from payment where reference = $1', [reference])).toHaveLength(1)
  })
})

describe('an accepted payment', () => {
  it('is due when the process that accepts it keeps it no longer, and counts as sent while it does', async () => {
    const [kept, left] = [payout(1_000, { keepMs: 1 }), payout(1_000, { keepMs: 0 })]
    await accept(kept, left)
    const [now, then] = [new Date(clock.now()), new Date(clock.now() + 1)]
    expect(await rowOf(database, kept.draft.reference)).toMatchObject({ submitted_at: now, due_at: then })
    expect(await rowOf(database, left.draft.reference)).toMatchObject({ submitted_at: null, due_at: now })
  })

  it('was asked about never, and put to one rail', async () => {
    const [outcome] = await accept(payout(1_000))
    expect(outcome).toMatchObject({ payment: { asks: 0, attempts: 1 } })
  })

  it('can be found by its name at a rail that tells of payments, and at no other', async () => {
    const [told, untold] = [payout(1_000, { isToldOf: true }), payout(1_000)]
    const [accepted] = await accept(told, untold)
    const { payment } = accepted as Extract<AcceptOutcome, { kind: 'accepted' }>
    const sql = 'select rail_reference as name from payment where reference = $1'
    expect(await asOwner(database, sql, [told.draft.reference])).toEqual([{ name: railReferenceOf(payment.id) }])
    expect(await asOwner(database, sql, [untold.draft.reference])).toEqual([{ name: null }])
  })

  it('is held back from the balance where it goes out, counted in its limit, and counted in the figures', async () => {
    await setLimits(process.ctx, tenant, { perDay: toMoney(5_000) })
    await accept(collection(2_000), payout(3_000))
    const figures = `select kind, outcome, count::int, amount::int from hourly_stat where tenant_id = $1 order by kind`
    expect(await asOwner(database, figures, [tenant.id])).toEqual([
      { kind: 'bank_transfer', outcome: 'accepted', count: 1, amount: 3_000 },
      { kind: 'momo_collection', outcome: 'accepted', count: 1, amount: 2_000 },
    ])
    expect(await accept(payout(2_001), payout(2_000))).toMatchObject([
      { per: 'day', left: 2_000n },
      { kind: 'accepted' },
    ])
    const held = "select credits - debits as sum from ledger_account where tenant_id = $1 and name = 'reserved'"
    expect(await asOwner(database, held, [tenant.id])).toMatchObject([{ sum: '7000' }])
  })
})
