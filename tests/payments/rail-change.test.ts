// A payout that its rail certainly does not have goes to the next rail, once and for good. A payout that its rail may
// have never does.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { existsAndIsAbsent } from '#payments/review-items.ts'
import { tellStory } from '#reporting/story.ts'
import { resumeRail } from '#payments/brakes.ts'
import type { NotFound, PayoutState } from '#rails/rail.ts'
import type { DeliveryLog } from '#webhooks/log.ts'
import { asOwner } from '#tests/support/owner.ts'
import { succeeded, unknown } from '#tests/support/scripted-rail.ts'
import { useChangingRails, type Name } from './changing-rails.ts'
import { createTenant, until, type Process } from './process.ts'

const { database, clock, rails, start, accept, pass, stop, row, left, calls, ...rest } = await useChangingRails()
const { railReference, untilStatus, untilRail } = rest
const notFound: NotFound = { kind: 'not-found' }
const refused: PayoutState = { kind: 'failed', reason: 'PROVIDER_ERROR', created: false }
const unsent = { ...unknown, sent: false } as const
const soonMs = 2_000

let first: Process
let tenant: Tenant

beforeEach(async () => {
  first = start()
  tenant = await createTenant(first)
})

const work = ({ payments }: Process): Promise<number> => payments.work(tenant.lane)

let sentMs: number

async function passUntilPaid(process: Process, reference: string): Promise<void> {
  await until(async () => {
    pass(60)
    await work(process)
    return (await row(reference)).status === 'SUCCESS'
  }, 'it is paid')
}

async function send(answer: PayoutState, process = first): Promise<string> {
  sentMs = clock.now()
  rails.a.onSubmit = () => answer
  const reference = await accept(process, tenant)
  await work(process)
  expect(calls('a')).toEqual(['submit'])
  return reference
}

describe('a payment that its rail certainly does not have', () => {
  it.each<[string, PayoutState]>([
    ['float', { ...unsent, why: 'float', askAgainAfterMs: soonMs }],
    ['misconfigured', { ...unsent, why: 'misconfigured', askAgainAfterMs: soonMs }],
    ['resting', { ...unsent, why: 'resting', askAgainAfterMs: soonMs }],
    ['refused', refused],
    ['refused', { kind: 'failed', reason: 'BANK_UNAVAILABLE', created: false }],
    ['refused', { ...unsent, answered: true }],
  ])('goes to the next one (%s), which pays it under the same reference', async (why, answer) => {
    rails.a.onSubmit = () => answer
    rails.b.onSubmit = () => succeeded
    const reference = await accept(first, tenant)
    await work(first)
    await untilRail(reference, 'b')
    expect(await row(reference)).toMatchObject({ status: 'queued', attempts: 2, submitted_at: null, asks: 0 })
    await work(first)
    await untilStatus(reference, 'SUCCESS')
    expect([calls('a'), calls('b')]).toEqual([['submit'], ['submit']])
    expect(rails.b.asked[0]?.order.railReference).toBe(await railReference(reference))
    expect(await left()).toEqual([{ rail: 'a', attempt: 1, why }])
    const counted = (await first.ctx.metrics.paymentsMoved.get()).values
    expect(counted.filter(({ value }) => value > 0)).toEqual([{ labels: { why }, value: 1 }])
  })

  it('goes on from a rail that was stopped before it left, also when it is held back already', async () => {
    rails.b.onSubmit = () => succeeded
    const reference = await accept(first, tenant)
    await stop(first, 'a')
    await work(first)
    await untilRail(reference, 'b')
    await work(first)
    await untilStatus(reference, 'SUCCESS')
    expect([calls('a'), await left()]).toEqual([[], [{ rail: 'a', attempt: 1, why: 'stopped' }]])
  })

  it('goes on from a rail that is in no RAILS_FILE any more', async () => {
    rails.b.onSubmit = () => succeeded
    const reference = await accept(first, tenant)
    const after = start(['b'])
    await work(after)
    await untilRail(reference, 'b')
    await work(after)
    await untilStatus(reference, 'SUCCESS')
    expect(await left()).toMatchObject([{ why: 'no-rail' }])
  })

  it('goes on when it was refused with words that are not final, and stays absent for the grace period', async () => {
    rails.a.onStatus = () => notFound
    rails.b.onSubmit = () => succeeded
    const reference = await send({ ...unknown, why: 'refused' })
    expect(await row(reference)).toMatchObject({ submission_answer: 'refused' })
    const after = start()
    await passUntilPaid(after, reference)
    expect([calls('a').filter((call) => call === 'submit'), calls('b')]).toEqual([['submit'], ['submit']])
    expect(await left()).toEqual([{ rail: 'a', attempt: 1, why: 'refused' }])
    expect(clock.now() - sentMs).toBeGreaterThan(15 * 60_000)
  })
})

describe('a payment that its rail refused with words that are not final, and showed when a notice came', () => {
  let reference: string
  let other: Process

  beforeEach(async () => {
    rails.a.onStatus = () => notFound
    rails.b.onSubmit = () => succeeded
    reference = await send({ ...unknown, why: 'refused' })
    await asOwner(database, 'update payment set rail_reference = $1', [await railReference(reference)])
    other = start()
  })

  /** The other process hears a notice, and the rail shows the payment to that process alone. */
  async function hear(): Promise<void> {
    rails.a.onStatus = () => ({ kind: 'pending' })
    const told = { rail: 'a', railReference: await railReference(reference), lanes: [tenant.lane] }
    const outcome = await other.payments.hear({ environment: 'production', ...told })
    expect(outcome).toEqual({ kind: 'unchanged' })
    rails.a.onStatus = () => notFound
  }

  async function lookForAnHour(process: Process, each: (minute: number) => Promise<void> | void): Promise<void> {
    for (let minute = 0; minute < 60; minute++) {
      pass(60)
      await work(process)
      await each(minute)
    }
  }

  async function expectStays(): Promise<void> {
    expect([calls('a').filter((call) => call === 'submit'), calls('b')]).toEqual([['submit'], []])
    expect(await row(reference)).toMatchObject({ rail: 'a', status: 'queued', submission_answer: 'exists' })
    expect(await asOwner(database, 'select fact from review_item')).toEqual([{ fact: existsAndIsAbsent }])
  }

  it('never leaves that rail, also if another process heard the notice', async () => {
    await lookForAnHour(start(), (minute) => (minute === 10 ? hear() : undefined))
    await expectStays()
  })

  it.each([
    ['another rail has enough for it', 10_000_000n],
    ['no other rail has', 0n],
  ])(
    'never leaves it or is sent again, also if the notice came while a process saw it absent long enough (%s)',
    async (_which, balance) => {
      rails.b.balance = balance
      let concludes = false
      await lookForAnHour(start(), (minute) => {
        if (concludes || minute < 15) return
        concludes = true
        rails.a.onStatus = async () => (await hear(), notFound)
      })
      await expectStays()
    },
  )
})

describe('a payment whose outcome is unclear', () => {
  it('is sent again under the same reference to the same rail when it stayed absent for the grace period', async () => {
    rails.a.onStatus = () => notFound
    const reference = await send(unknown)
    rails.a.onSubmit = () => succeeded
    await passUntilPaid(start(), reference)
    expect([calls('a').filter((call) => call === 'submit'), calls('b')]).toEqual([['submit', 'submit'], []])
    expect(new Set(rails.a.asked.map(({ order }) => order.railReference)).size).toBe(1)
    expect(await left()).toEqual([])
    expect(clock.now() - sentMs).toBeGreaterThan(15 * 60_000)
  })

  it('stays there when its rail fails or is stopped before it is sent again', async () => {
    rails.a.onStatus = () => notFound
    const reference = await send(unknown)
    rails.a.onSubmit = () => ({ ...unsent, why: 'resting', askAgainAfterMs: soonMs })
    const after = start()
    for (let minute = 0; minute < 30; minute++) {
      pass(60)
      await work(after)
    }
    await stop(after, 'a')
    for (let minute = 0; minute < 12; minute++) {
      pass(60)
      await work(after)
    }
    expect(await row(reference)).toMatchObject({ rail: 'a', status: 'queued', submission_answer: 'unclear' })
    expect([calls('b'), await left()]).toEqual([[], []])
  })

  it('stays there when its rail refuses the second submission and still does not show it', async () => {
    rails.a.onStatus = () => notFound
    const reference = await send(unknown)
    rails.a.onSubmit = () => ({ ...unknown, why: 'refused' })
    const after = start()
    for (let minute = 0; minute < 60; minute++) {
      pass(60)
      await work(after)
    }
    expect(await row(reference)).toMatchObject({ rail: 'a', status: 'queued', submission_answer: 'unclear' })
    expect(calls('a').filter((call) => call === 'submit').length).toBeGreaterThan(2)
    expect([calls('b'), await left()]).toEqual([[], []])
  })

  it('is never sent again when its rail had said that it exists: a person is asked, until the rail shows it', async () => {
    rails.a.onStatus = () => notFound
    const reference = await send({ kind: 'pending', askAgainAfterMs: 0, exists: true })
    const after = start()
    for (let minute = 0; minute < 120; minute++) {
      pass(60)
      await work(after)
    }
    expect([calls('a').filter((call) => call === 'submit'), calls('b')]).toEqual([['submit'], []])
    const facts = await asOwner<{ fact: string }>(
      database,
      'select kind, fact from review_item where closed_at is null',
    )
    expect(facts).toEqual([{ kind: 'payment-contradicted', fact: existsAndIsAbsent }])
    rails.a.onStatus = () => succeeded
    await passUntilPaid(after, reference)
    expect(await asOwner(database, 'select 1 from review_item where closed_at is null')).toEqual([])
  })
})

describe('the story of a payment that changed its rail', () => {
  it('tells when and why, and which rail said what', async () => {
    rails.b.onSubmit = () => ({ kind: 'failed', reason: 'DORMANT_ACCOUNT' })
    const reference = await send({ ...unsent, why: 'float' })
    await untilRail(reference, 'b')
    pass(1)
    await work(first)
    await untilStatus(reference, 'FAILED')
    const log = { list: async () => ({ records: [], total: 0 }) } as unknown as DeliveryLog
    const story = await tellStory({ ctx: first.ctx, payments: first.payments, log }, tenant, reference)
    expect(story?.timeline.map(({ what, source, says }) => [what, source, says])).toEqual([
      ['accepted', 'Manilla', 'The bank transfer was accepted.'],
      ['submit', 'a', 'The provider answered that it cannot tell: no answer.'],
      ['moved', 'Manilla', 'It moved from a to b, because its balance was too small.'],
      ['sent', 'Manilla', 'Sent to b.'],
      ['submit', 'b', 'The provider answered that it failed.'],
      ['failed', 'b', 'It failed: DORMANT_ACCOUNT.'],
    ])
  })
})

describe('a payment stays with its rail', () => {
  it.each<[string, PayoutState, string]>([
    ['does not answer', unknown, 'queued'],
    ['was not reached, which its breaker counts', unsent, 'queued'],
    ['has no room for it now', { ...unsent, askAgainAfterMs: soonMs }, 'queued'],
    ['refuses it for a reason of the payee', { kind: 'failed', reason: 'INVALID_ACCOUNT', created: false }, 'FAILED'],
    ['failed with it', { kind: 'failed', reason: 'PROVIDER_ERROR' }, 'FAILED'],
  ])('that %s', async (_, answer, status) => {
    const reference = await send(answer)
    expect(await row(reference)).toMatchObject({ rail: 'a', attempts: 1, status })
    expect([calls('b'), await left()]).toEqual([[], []])
  })

  it('that may have it, although it is stopped and in no RAILS_FILE any more', async () => {
    const reference = await send(unknown)
    const after = start(['b'])
    const other = start()
    // The answer is recorded in the background, and the clock may be a lease ahead of a slow machine.
    await until(async () => {
      pass(60)
      await work(after)
      const seen: Record<string, unknown> = await row(reference)
      return seen['rail_word'] === 'no-rail'
    }, 'it was found without a rail')
    expect(await row(reference)).toMatchObject({ rail: 'a' })
    await stop(other, 'a')
    for (let minute = 0; minute < 45; minute++) {
      pass(60)
      await work(other)
    }
    expect(await row(reference)).toMatchObject({ rail: 'a', status: 'queued' })
    expect([calls('a').filter((call) => call === 'submit'), calls('b')]).toEqual([['submit'], []])
  })

  it('when no other one has enough for it', async () => {
    rails.b.balance = 99_999n
    const reference = await send({ ...unsent, why: 'float' })
    expect(await row(reference)).toMatchObject({ rail: 'a', attempts: 1 })
    expect(
      (await asOwner<{ parked_at: Date | null }>(database, 'select parked_at from payment'))[0]?.parked_at,
    ).not.toBeNull()
  })
})

describe('a payment that was at all rails', () => {
  it('waits for the last rail, goes back to none, and becomes a review item', async () => {
    const process = start(['a', 'b', 'c'])
    for (const name of ['a', 'b', 'c'] as Name[])
      rails[name].onSubmit = () => ({ ...unsent, why: 'float', askAgainAfterMs: soonMs })
    const reference = await accept(process, tenant)
    for (let look = 0; look < 40; look++) {
      await work(process)
      await process.payments.raiseAlarms(tenant.lane)
      pass(10)
    }
    expect(await row(reference)).toMatchObject({ status: 'queued', rail: 'c', attempts: 3 })
    expect(await left()).toEqual([
      { rail: 'a', attempt: 1, why: 'float' },
      { rail: 'b', attempt: 2, why: 'float' },
    ])
    expect([calls('a'), calls('b')]).toEqual([['submit'], ['submit']])
    expect(await asOwner(database, 'select kind, fact from review_item')).toEqual([
      { kind: 'payment-without-rail', fact: '3 rails had it in turn, no other one can take it, and it waits for c' },
    ])
    rails.c.onSubmit = () => succeeded
    await until(async () => {
      pass(60)
      await work(process)
      return (await row(reference)).status === 'SUCCESS'
    }, 'it is paid')
    expect(await asOwner(database, 'select 1 from review_item where closed_at is null')).toEqual([])
  })
})

describe('two processes', () => {
  it('that want the same payment to move move it once', async () => {
    const second = start()
    rails.b.onSubmit = () => succeeded
    const reference = await accept(first, tenant)
    await stop(first, 'a')
    await Promise.all([work(first), work(second)])
    await untilRail(reference, 'b')
    await Promise.all([work(first), work(second)])
    await untilStatus(reference, 'SUCCESS')
    expect([await left(), calls('b')]).toEqual([[{ rail: 'a', attempt: 1, why: 'stopped' }], ['submit']])
  })

  it('of which one is in the middle of sending: the other one asks, and moves nothing', async () => {
    const { promise, resolve } = Promise.withResolvers<PayoutState>()
    rails.a.onSubmit = () => promise
    const reference = await accept(first, tenant)
    void work(first)
    await until(() => rails.a.asked.length === 1, 'it is being sent')
    // Nothing leaves after the lease, which the monotonic clock counts.
    const leftMs = ((await row(reference)).due_at?.getTime() ?? 0) - clock.now()
    expect(rails.a.asked[0]?.order.leaveBeforeMs).toBe(clock.monotonicMs() + leftMs)
    const second = start()
    await stop(second, 'a')
    await work(second)
    expect(await row(reference)).toMatchObject({ rail: 'a' })
    clock.advance(30_000)
    await work(second)
    await until(() => calls('a').includes('status'), 'it is asked about')
    const noted = await row(reference)
    expect(noted).toMatchObject({ rail: 'a', submitted_at: expect.any(Date) })
    // The process learns too late that the payout did not leave: another process has it by now.
    resolve({ ...unsent, why: 'float' })
    await first.payments.release()
    expect([calls('b'), await left(), await row(reference)]).toEqual([[], [], noted])
  })

  it('of which one resumes the rail while the other is about to move a waiting payment: it is paid once', async () => {
    rails.a.onSubmit = () => succeeded
    rails.b.onSubmit = () => succeeded
    const reference = await accept(first, tenant)
    await stop(first, 'a')
    await Promise.all([work(first), resumeRail(first.ctx, [tenant.lane], { environment: 'production', rail: 'a' })])
    pass(2)
    await until(async () => {
      await work(first)
      return (await row(reference)).status === 'SUCCESS'
    }, 'it is paid')
    expect([...calls('a'), ...calls('b')]).toEqual(['submit'])
  })
})

describe('a rail that a payment has left', () => {
  it('and that says it paid nevertheless, becomes a review item and moves no money', async () => {
    rails.b.onSubmit = () => succeeded
    const reference = await send({ ...unsent, why: 'float' })
    await untilRail(reference, 'b')
    const after = start()
    await work(after)
    await untilStatus(reference, 'SUCCESS')
    await asOwner(database, 'update payment set rail_reference = $1', [await railReference(reference)])
    rails.a.onStatus = () => succeeded
    const word = { environment: 'production' as const, rail: 'a', lanes: [tenant.lane] }
    const told = { ...word, railReference: await railReference(reference) }
    expect(await after.payments.hear(told)).toEqual({ kind: 'unchanged' })
    const facts = await asOwner<{ fact: string }>(database, 'select fact from review_item')
    expect(facts).toEqual([{ fact: 'the rail a, which it had left for b, says succeeded: it may be paid twice' }])
    rails.a.onStatus = () => notFound
    expect(await after.payments.hear(told)).toEqual({ kind: 'unchanged' })
    rails.a.onStatus = () => unknown
    expect((await after.payments.hear(told)).kind).toBe('unanswered')
    expect(await after.payments.hear({ ...told, rail: 'c' })).toEqual({ kind: 'unknown-payment' })
    expect(await after.payments.hear({ ...told, rail: 'b', environment: 'staging' })).toEqual({
      kind: 'unknown-payment',
    })
    expect(await asOwner(database, 'select 1 from review_item')).toHaveLength(1)
  })
})
