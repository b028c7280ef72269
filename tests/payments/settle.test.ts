// Settles without an executor: the decision of a batch about each payment, where tenants use the same references.

import { describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { toMoney } from '#platform/money.ts'
import { setLimits, showLimits } from '#payments/limits.ts'
import type { Payment, RailChange, Result } from '#payments/payment.ts'
import type { Source } from '#payments/settle.ts'
import { readRailsLeft } from '#payments/execution/failover.ts'
import type { Try } from '#payments/execution/rail-call.ts'
import { publicIdOf } from '#payments/wire.ts'
import { exceptionsAbout } from '#tests/review/open.ts'
import { balancesOf } from '#tests/ledger/books.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useSettling } from './settling.ts'

const { database, clock, ctx, open, openWithFour } = await useSettling()
const succeeded = { kind: 'succeeded', sessionId: '9'.repeat(30) } as const
const failed: Result = { kind: 'failed', reason: 'DO_NOT_HONOR' }
const person: Source = {
  kind: 'person',
  environment: 'production',
  by: { kind: 'terminal', name: 'ada' },
  note: 'seen',
}
const byRail = (rail: string, environment: 'production' | 'staging' = 'production'): Source => ({
  kind: 'rail',
  environment,
  rail,
})
const answered: Try = {
  asked: 'submit',
  answered: 'unknown',
  detail: 'no answer',
  firstAt: new Date(clock.now()),
  lastAt: new Date(clock.now()),
  times: 1,
  milliseconds: 20,
}

const railsLeft = ({ id }: Tenant) =>
  asOwner(
    database,
    `select p.reference, a.rail, a.attempt, a.why, a.left_at as at
       from rail_attempt a join payment p on (p.lane, p.tenant_id, p.id) = (a.lane, a.tenant_id, a.payment_id)
      where a.tenant_id = $1 order by p.reference, a.attempt`,
    [id],
  )
const triesOf = ({ id }: Tenant) =>
  asOwner(
    database,
    `select p.reference, t.* from rail_try t join payment p on (p.lane, p.id) = (t.lane, t.payment_id) where t.tenant_id = $1 order by 1`,
    [id],
  )
const figuresOf = ({ id }: Tenant) =>
  asOwner(
    database,
    `select kind, outcome, reason, count::int, amount::int, fees::int from hourly_stat
      where tenant_id = $1 and outcome <> 'accepted' order by kind, outcome`,
    [id],
  )

async function subjectOf(tenant: Tenant, reference: string): Promise<string> {
  const [row] = await asOwner<Pick<Payment, 'id' | 'kind'>>(
    database,
    'select id, kind from payment where tenant_id = $1 and reference = $2',
    [tenant.id, reference],
  )
  if (row === undefined) throw new Error('there is no such payment')
  return publicIdOf(row)
}

describe('payments that end in one batch', () => {
  it('end each with its own result and its own money, even if they share a reference with another tenant', async () => {
    const { four, settle, allRows, tenants } = await openWithFour()
    clock.advance(1_000)
    const words: Result[] = [{ ...succeeded, sessionId: '1'.repeat(30) }, failed, { ...succeeded, lookAgainMs: 5_000 }]
    const outcomes = await Promise.all(
      four
        .slice(0, 3)
        .map(({ tenant, reference }, index) => settle(tenant, reference, { result: words[index] as Result })),
    )
    expect(outcomes.map(({ kind }) => kind)).toEqual(['settled', 'settled', 'settled'])
    const rows = await allRows()
    expect(rows.map(({ status, session_id, due_at }) => [status, session_id, due_at])).toEqual([
      ['SUCCESS', '1'.repeat(30), null],
      ['FAILED', null, null],
      ['SUCCESS', succeeded.sessionId, new Date(clock.now() + 5_000)],
      ['queued', null, four[3]?.leaseEnd],
    ])
    const reserved = await Promise.all(tenants.map(async (one) => (await balancesOf(ctx.db, one))['reserved']))
    expect(reserved).toEqual([0n, 101_003n])
    expect(await figuresOf(tenants[0])).toEqual([
      { kind: 'bank_transfer', outcome: 'failed', reason: 'DO_NOT_HONOR', count: 1, amount: 100_001, fees: 0 },
      { kind: 'bank_transfer', outcome: 'succeeded', reason: '', count: 1, amount: 100_000, fees: 1_000 },
    ])
  })

  it('give back to the limit of the day what failed, and that alone', async () => {
    const { tenants, accept, settle } = await open()
    for (const tenant of tenants) await setLimits(ctx, tenant, { perDay: toMoney(1_000_000) })
    const left = () => Promise.all(tenants.map(async (one) => (await showLimits(ctx, one)).left))
    await Promise.all(tenants.flatMap((tenant) => ['A', 'B', 'C'].map((reference) => accept(tenant, reference))))
    expect(await left()).toEqual([700_000n, 700_000n])
    await Promise.all([
      settle(tenants[0], 'A', { result: failed }),
      settle(tenants[0], 'B', { result: succeeded }),
      settle(tenants[1], 'A', { result: failed }),
      settle(tenants[1], 'B', { result: failed }),
    ])
    expect(await left()).toEqual([800_000n, 900_000n])
  })
})

describe('a payment that leaves its rail', () => {
  const leave = (leaseEnd: Date, changes: Partial<RailChange> = {}): RailChange => ({
    kind: 'rail-changed',
    from: 'a',
    to: 'b',
    why: 'float',
    leaseEnd,
    railReference: null,
    ...changes,
  })

  it('goes where it is sent, each of four with the same references in one batch', async () => {
    const { four, settle, allRows, tenants } = await openWithFour()
    clock.advance(1_000)
    const whys = ['float', 'stopped', 'resting', 'refused'] as const
    const outcomes = await Promise.all(
      four.map(({ tenant, reference, leaseEnd, index }) =>
        settle(tenant, reference, {
          result: leave(leaseEnd, { to: `to-${index}`, why: whys[index] as (typeof whys)[number] }),
          tries: [{ ...answered, milliseconds: index }],
        }),
      ),
    )
    expect(outcomes).toMatchObject(
      four.map(({ index }) => ({
        kind: 'settled',
        payment: { rail: `to-${index}`, attempts: 2, submittedAt: null, parkedAt: null, asks: 0 },
      })),
    )
    const now = new Date(clock.now())
    expect(
      (await allRows()).map(({ rail, attempts, due_at, submitted_at }) => [rail, attempts, due_at, submitted_at]),
    ).toEqual(four.map(({ index }) => [`to-${index}`, 2, now, null]))
    for (const tenant of tenants) {
      const own = four.filter((one) => one.tenant === tenant)
      expect(await railsLeft(tenant)).toEqual(
        own.map(({ reference, index }) => ({ reference, rail: 'a', attempt: 1, why: whys[index], at: now })),
      )
      expect(await triesOf(tenant)).toMatchObject(
        own.map(({ reference, index }) => ({ reference, detail: 'no answer', milliseconds: index })),
      )
    }
  })

  it('stays when another process claimed it since, when it left already, and when it has ended', async () => {
    const { four, settle, allRows, tenants } = await openWithFour()
    const [one, other, ended] = four
    if (one === undefined || other === undefined || ended === undefined) throw new Error('there are four')
    const before = await allRows()
    const outcomes = await Promise.all([
      settle(one.tenant, one.reference, { result: leave(new Date(one.leaseEnd.getTime() + 1)) }),
      settle(other.tenant, other.reference, { result: leave(other.leaseEnd, { from: 'b', to: 'c' }) }),
      settle(ended.tenant, ended.reference, { result: failed }),
      settle(ended.tenant, ended.reference, { result: leave(ended.leaseEnd), tries: [answered] }),
    ])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['unchanged', 'unchanged', 'settled', 'unchanged'])
    const after = await allRows()
    expect(after.map(({ rail, attempts }) => [rail, attempts])).toEqual(before.map(() => ['a', 1]))
    expect([after[0], after[1], after[3]]).toEqual([before[0], before[1], before[3]])
    expect((await Promise.all(tenants.map(railsLeft))).flat()).toEqual([])
    expect((await Promise.all(tenants.map(triesOf))).flat()).toEqual([])
  })

  it('goes once in a batch, also when two decided it', async () => {
    const { four, settle, allRows, tenants } = await openWithFour()
    const [one] = four
    if (one === undefined) throw new Error('there are four')
    const outcomes = await Promise.all([
      settle(one.tenant, one.reference, { result: leave(one.leaseEnd, { railReference: crypto.randomUUID() }) }),
      settle(one.tenant, one.reference, { result: leave(one.leaseEnd, { to: 'c' }) }),
      // The rail that the payment left may not end it any more, not even in the same moment.
      settle(one.tenant, one.reference, { result: succeeded, source: byRail('a') }),
    ])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['settled', 'unchanged', 'impossible'])
    const [row] = await allRows()
    expect(row).toMatchObject({ status: 'queued', rail: 'b', attempts: 2, rail_reference: expect.any(String) })
    expect(await railsLeft(tenants[0])).toHaveLength(1)
    // The payment is still found by the name that the first rail gave it.
    await settle(one.tenant, one.reference, {
      result: leave(new Date(clock.now()), { from: 'b', to: 'c', railReference: crypto.randomUUID() }),
    })
    const [last] = await allRows()
    expect(last).toMatchObject({ rail: 'c', attempts: 3, rail_reference: row?.rail_reference })
    const [, other] = four
    if (other === undefined) throw new Error('there are four')
    await settle(other.tenant, other.reference, { result: leave(other.leaseEnd) })
    const payment = { lane: one.tenant.lane, tenantId: one.tenant.id, id: last?.id } as Payment
    expect(await readRailsLeft(ctx.db, payment)).toMatchObject([
      { attempt: 1, rail: 'a' },
      { attempt: 2, rail: 'b' },
    ])
  })

  it('becomes a review item when the rail that it left says more than that it failed', async () => {
    const { four, settle, allRows } = await openWithFour()
    const [one] = four
    if (one === undefined) throw new Error('there are four')
    await settle(one.tenant, one.reference, { result: leave(one.leaseEnd) })
    const subject = await subjectOf(one.tenant, one.reference)
    const say = async (result: Result, source: Source) =>
      expect((await settle(one.tenant, one.reference, { result, source })).kind).toBe('impossible')
    await say(failed, byRail('a'))
    await say(succeeded, byRail('a', 'staging'))
    expect(await exceptionsAbout(database, subject)).toEqual([])
    await say(succeeded, byRail('a'))
    expect(await exceptionsAbout(database, subject)).toMatchObject([
      {
        kind: 'payment-contradicted',
        fact: 'the rail a, which it had left for b, says succeeded: it may be paid twice',
      },
    ])
    expect((await allRows())[0]).toMatchObject({ status: 'queued' })
    expect((await settle(one.tenant, one.reference, { result: succeeded, source: byRail('b') })).kind).toBe('settled')
  })
})

describe('a person who ends payments', () => {
  it('is refused for the reason that holds each payment, even if they share a reference with another tenant', async () => {
    const { four, postpone, settle, allRows } = await openWithFour()
    const words = ['pending', 'unknown', 'no-rail', 'unknown'] as const
    await Promise.all(
      four.map(({ tenant, reference, leaseEnd, index }) =>
        postpone(tenant, {
          reference,
          leaseEnd,
          dueAt: index === 3 ? leaseEnd : new Date(clock.now() + 3_600_000),
          asks: index,
          submittedAt: index === 2 ? null : new Date(clock.now()),
          railAnswer: words[index] as (typeof words)[number],
          parkedAt: null,
          submissionAnswer: null,
        }),
      ),
    )
    expect((await allRows()).map(({ asks, rail_word }) => [asks, rail_word])).toEqual(
      words.map((word, asks) => [asks, word]),
    )
    clock.advance(239_000)
    const outcomes = await Promise.all(
      four.map(({ tenant, reference }) => settle(tenant, reference, { result: succeeded, source: person })),
    )
    expect(outcomes.map((one) => (one.kind === 'refused' ? one.refusal : one.kind))).toEqual([
      'under-way',
      'young',
      'never-left',
      'asked-soon',
    ])
    expect((await allRows()).map(({ status }) => status)).toEqual(four.map(() => 'queued'))
  })
})

describe('a payment that its rail has ended', () => {
  it('is held by no rule: the person reads how it ended', async () => {
    const { tenants, accept, settle } = await open()
    const [tenant] = tenants
    await accept(tenant, 'R')
    await settle(tenant, 'R', { result: succeeded, source: byRail('a') })
    const said = async (result: Result) => (await settle(tenant, 'R', { result, source: person })).kind
    expect([await said(succeeded), await said(failed)]).toEqual(['unchanged', 'impossible'])
  })
})

describe('a contradiction', () => {
  it('by a rail becomes a review item in production; one by a tester, or on staging, does not', async () => {
    const { tenants, accept, settle } = await open()
    const [tenant] = tenants
    await accept(tenant, 'R')
    expect((await settle(tenant, 'R', { result: succeeded, source: byRail('a') })).kind).toBe('settled')
    const subject = await subjectOf(tenant, 'R')
    expect((await settle(tenant, 'R', { result: failed })).kind).toBe('impossible')
    expect((await settle(tenant, 'R', { result: failed, source: byRail('a', 'staging') })).kind).toBe('impossible')
    expect((await settle(tenant, 'R', { result: succeeded, source: byRail('a') })).kind).toBe('unchanged')
    expect(await exceptionsAbout(database, subject)).toEqual([])
    expect((await settle(tenant, 'R', { result: failed, source: byRail('a') })).kind).toBe('impossible')
    expect(await exceptionsAbout(database, subject)).toMatchObject([
      { kind: 'payment-contradicted', fact: 'its rail says failed, after it had ended SUCCESS' },
    ])
  })
})
