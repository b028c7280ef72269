// A rail reports a change of a payment. The service asks the rail and settles only its answer.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import type { RailNoticeOutcome, PaymentNotice } from '#payments/rail-notice.ts'
import type { NotFound, PayoutState } from '#rails/rail.ts'
import { asOwner } from '#tests/support/owner.ts'
import { succeeded, unknown } from '#tests/support/scripted-rail.ts'
import { useChangingRails } from './changing-rails.ts'
import { createTenant, eventsOf, type Process } from './process.ts'

const { clock, database, rails, start, accept, row, railReference, untilRail } = await useChangingRails()
const refused: PayoutState = { kind: 'failed', reason: 'DO_NOT_HONOR' }
const reversed: PayoutState = { ...succeeded, kind: 'reversed' }
const notFound: NotFound = { kind: 'not-found' }
let process: Process
let tenant: Tenant
let reference: string
let word: PaymentNotice

beforeEach(async () => {
  process = start(['a', 'b', 'c'])
  tenant = await createTenant(process)
  reference = await accept(process, tenant)
  const told = await railReference(reference)
  word = { environment: 'production', rail: 'a', railReference: told, lanes: [tenant.lane] }
  await asOwner(database, 'update payment set rail_reference = $1', [word.railReference])
})

const hear = (changes: Partial<PaymentNotice> = {}, by = process): Promise<RailNoticeOutcome> =>
  by.payments.hear({ ...word, ...changes })
const says = (
  state: PayoutState | NotFound,
  changes: Partial<PaymentNotice> = {},
  by = process,
): Promise<RailNoticeOutcome> => {
  rails.a.onStatus = () => state
  return hear(changes, by)
}
const facts = async (): Promise<string[]> =>
  (await asOwner<{ fact: string }>(database, 'select fact from review_item')).map(({ fact }) => fact)

describe('a notice about no payment of this service', () => {
  it.each<[string, Partial<PaymentNotice>]>([
    ['is in no form of ours', { railReference: 'INV-2041' }],
    ['names what nobody has', { railReference: '01890000-0000-7000-8000-000000000000' }],
    ['comes from the other environment', { environment: 'staging' }],
    ['comes from a rail that never had it', { rail: 'b' }],
    ['comes from a rail that nobody knows', { rail: 'z' }],
  ])('that %s asks no rail', async (_, changes) => {
    expect(await hear(changes)).toEqual({ kind: 'unknown-payment' })
    expect([rails.a.asked, rails.b.asked, await facts()]).toEqual([[], [], []])
  })
})

describe('a notice that the rail does not confirm', () => {
  it.each<[string, PayoutState | NotFound, RailNoticeOutcome]>([
    ['cannot tell', unknown, { kind: 'unanswered', detail: 'no answer' }],
    ['does not know it', notFound, { kind: 'unconfirmed', detail: 'asked for it, the rail does not know it' }],
  ])('changes nothing if the rail %s', async (_, state, outcome) => {
    expect(await says(state)).toEqual(outcome)
    expect(await row(reference)).toMatchObject({ status: 'queued', rail: 'a' })
  })

  it.each([
    [refused, 'succeeded'],
    [refused, undefined],
    [succeeded, 'failed'],
  ] as const)(
    'because it still shows as pending what had ended otherwise changes nothing (%j, %s)',
    async (end, told) => {
      await says(end)
      expect(await says({ kind: 'pending' }, { says: told })).toMatchObject({ kind: 'unconfirmed' })
      expect(await says(end === refused ? succeeded : refused, { says: told })).toEqual({ kind: 'unchanged' })
      expect(await facts()).toMatchObject([expect.stringMatching(/^its rail says .*, after it had ended/)])
    },
  )

  it('changes nothing if the rail is not configured any more', async () => {
    const detail = 'its rail, bank or operator is not configured'
    expect(await hear({}, start(['b']))).toEqual({ kind: 'unanswered', detail })
  })

  it('of a return changes nothing until the rail confirms the return', async () => {
    const told = { says: 'reversed' as const }
    const detail = 'it told of a return, and answers succeeded'
    expect(await says(succeeded, told)).toEqual({ kind: 'unconfirmed', detail })
    expect(await row(reference)).toMatchObject({ status: 'queued' })
    expect(await says(reversed, told)).toEqual({ kind: 'settled' })
    expect(await row(reference)).toMatchObject({ status: 'FAILED', failure_reason: 'BANK_UNAVAILABLE' })
    expect(await eventsOf(database, reference)).toEqual(['transfer.failed'])
  })
})

describe('a notice that the rail confirms', () => {
  it.each([
    [succeeded, { status: 'SUCCESS', session_id: succeeded.sessionId }],
    [refused, { status: 'FAILED', failure_reason: 'DO_NOT_HONOR' }],
    [reversed, { status: 'FAILED', failure_reason: 'BANK_UNAVAILABLE' }],
  ])('is settled once (%j)', async (state, ended) => {
    expect(await says(state)).toEqual({ kind: 'settled' })
    expect(await row(reference)).toMatchObject(ended)
    expect(await says(state)).toEqual({ kind: 'unchanged' })
    expect(await facts()).toEqual([])
  })

  it.each([
    [succeeded, 'succeeded'],
    [refused, 'failed'],
  ] as const)(
    'changes nothing if it repeats the end, also while the rail shows the payment as pending (%j)',
    async (state, told) => {
      await says(state)
      expect(await says({ kind: 'pending' }, { says: told })).toEqual({ kind: 'unchanged' })
    },
  )

  it('without news changes nothing, and a postponed payment is asked about again soon', async () => {
    expect(await says({ kind: 'pending' })).toEqual({ kind: 'unchanged' })
    expect(await row(reference)).toMatchObject({ status: 'queued' })
    const dueAt = new Date(clock.now() + 3_600_000)
    await asOwner(database, `update payment set due_at = $1, asks = 7, rail_word = null, submitted_at = $1`, [dueAt])
    await says({ kind: 'pending' })
    expect(await row(reference)).toMatchObject({ due_at: dueAt, asks: 7 })
    await asOwner(database, `update payment set rail_word = 'pending'`)
    expect(await says({ kind: 'pending' })).toEqual({ kind: 'unchanged' })
    expect(await row(reference)).toMatchObject({ due_at: new Date(clock.now() + 5_000), asks: 0 })
  })

  it('about a payment that waits to be sent again: the rail is asked instead', async () => {
    await asOwner(database, 'update payment set submitted_at = null, rail_word = null')
    expect(await says({ kind: 'pending' })).toEqual({ kind: 'unchanged' })
    expect(await row(reference)).toMatchObject({ submission_answer: 'exists', submitted_at: new Date(clock.now()) })
    await process.payments.work(tenant.lane)
    expect(rails.a.asked.map(({ call }) => call)).toEqual(['status', 'status'])
  })

  it('is unconfirmed if the payment moves to another rail while the rail is asked', async () => {
    rails.a.onStatus = async () => {
      await asOwner(database, `update payment set rail = 'b', attempts = 2`)
      return { kind: 'pending' }
    }
    const detail = 'the payment ended or changed its rail while the rail was asked'
    expect(await hear()).toEqual({ kind: 'unconfirmed', detail })
    expect(await row(reference)).toMatchObject({ submission_answer: null })
  })

  it('of a success after the payment failed becomes a review item', async () => {
    await says(refused)
    expect(await says(succeeded)).toEqual({ kind: 'unchanged' })
    expect(await facts()).toEqual(['its rail says succeeded, after it had ended FAILED'])
    expect(await row(reference)).toMatchObject({ status: 'FAILED' })
  })

  it('of another amount or account under its reference becomes a review item', async () => {
    expect(await says({ ...unknown, why: 'mismatch' })).toEqual({ kind: 'unchanged' })
    expect(await facts()).toEqual(['its rail has another payment under its reference (no answer); ask the provider'])
    expect(await row(reference)).toMatchObject({ status: 'queued' })
  })

  it('of a failure after the payment succeeded becomes a review item', async () => {
    await says(succeeded)
    expect(await says(refused)).toEqual({ kind: 'unchanged' })
    expect(await facts()).toEqual(['its rail says failed, after it had ended SUCCESS'])
    expect(await row(reference)).toMatchObject({ status: 'SUCCESS' })
  })

  it('of a return settles a payment that succeeded while the rail was asked', async () => {
    rails.a.onStatus = async () => {
      await process.payments.complete(tenant, reference, { kind: 'succeeded' })
      return reversed
    }
    expect(await hear()).toEqual({ kind: 'settled' })
    expect(await row(reference)).toMatchObject({ status: 'REVERSED' })
  })
})

describe('a notice of a rail that the payment has left', () => {
  const float: PayoutState = { ...unknown, sent: false, why: 'float' }

  beforeEach(async () => {
    rails.a.onSubmit = () => float
    rails.b.onSubmit = () => float
    await process.payments.work(tenant.lane)
    await process.payments.work(tenant.lane)
    await untilRail(reference, 'c')
    await asOwner(database, 'update payment set rail_reference = $1', [word.railReference])
  })

  it.each<[PayoutState | NotFound, string[]]>([
    [succeeded, ['the rail a, which it had left for c, says succeeded: it may be paid twice']],
    [reversed, ['the rail a, which it had left for c, says reversed: it may be paid twice']],
    [{ kind: 'pending' }, ['the rail a, which it had left for c, says pending: it may be paid twice']],
    [notFound, []],
    [refused, []],
  ])('moves nothing, and becomes a review item if it has the payment (%j)', async (state, told) => {
    expect(await says(state)).toEqual({ kind: 'unchanged' })
    expect(await facts()).toEqual(told)
    expect(await row(reference)).toMatchObject({ rail: 'c', attempts: 3, status: 'queued' })
  })

  it('is recognized for each rail that the payment left, and for no other rail', async () => {
    rails.a.onSubmit = () => float
    const other = await accept(process, tenant)
    await process.payments.work(tenant.lane)
    await untilRail(other, 'b')
    const name = await railReference(other)
    await asOwner(database, 'update payment set rail_reference = $1 where reference = $2', [name, other])
    expect(await says(succeeded, { railReference: name })).toEqual({ kind: 'unchanged' })
    expect(await hear({ railReference: name, rail: 'c' })).toEqual({ kind: 'unknown-payment' })
    expect(await facts()).toEqual(['the rail a, which it had left for b, says succeeded: it may be paid twice'])
  })

  it('stays unconfirmed if that rail cannot tell, or is not configured any more', async () => {
    const detail = 'it had left this rail, which cannot tell now'
    expect(await says(unknown)).toEqual({ kind: 'unanswered', detail })
    expect(await says(succeeded, {}, start(['b', 'c']))).toEqual({ kind: 'unanswered', detail })
    expect(await facts()).toEqual([])
  })
})
