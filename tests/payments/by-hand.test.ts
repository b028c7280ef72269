// An operator ends a payment by hand. The service refuses that while the rail may still act; after that the decision
// counts once, like an answer of the rail, whatever else arrives at the same time.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { ledgerInvariants, verifyLedger } from '#ledger/verify.ts'
import { pausePayouts } from '#payments/brakes.ts'
import { createSettleByHand, type ByHand } from '#payments/settle.ts'
import { paymentInvariants } from '#payments/verify.ts'
import { publicIdOf } from '#payments/wire.ts'
import type { PayoutState } from '#rails/rail.ts'
import { exceptionsAbout } from '#tests/review/open.ts'
import { balancesOf } from '#tests/ledger/books.ts'
import { asOwner } from '#tests/support/owner.ts'
import { succeeded, unknown } from '#tests/support/scripted-rail.ts'
import { useExecuting } from './executing.ts'
import { createTenant, eventsOf, rowOf, until, type Process } from './process.ts'

const { accept, clock, database, pass, rail, start } = await useExecuting()
const minute = 60
const hour = 3_600
const day = 86_400
let one: Process
let tenant: Tenant

beforeEach(async () => {
  await asOwner(database, 'truncate brake')
  one = start({ leasesNew: false })
})

function settle(process: Process, reference: string, as: ByHand['as']) {
  const by = { kind: 'terminal' as const, name: 'ada@office' }
  return createSettleByHand(process.ctx, process.lanes.of)(tenant, { reference, as, note: 'ticket 881', by })
}

async function subjectOf(reference: string): Promise<string> {
  const { id } = await rowOf(database, reference)
  return publicIdOf({ kind: 'bank_transfer', id: id as never })
}

/** Other tests delete their payments but not the movements of these. */
async function breaches() {
  const found = await verifyLedger(one.ctx, { invariants: [...ledgerInvariants, ...paymentInvariants] })
  return found.filter(({ tenantId }) => tenantId === tenant.id)
}

async function passAndLook(seconds: number, process = one): Promise<void> {
  pass(seconds)
  await process.payments.work(tenant.lane)
  await process.payments.raiseAlarms(tenant.lane)
}

/** No rail knows the payment; after the first hour the service asks about once an hour. */
async function unknownForAnHour(): Promise<string> {
  tenant = await createTenant(one)
  const reference = await accept(one, tenant)
  await one.payments.work(tenant.lane)
  pass(5)
  await until(async () => (await railWordOf(reference)) === 'unknown', 'it is postponed')
  for (const seconds of [30, 2 * minute, 10 * minute, 30 * minute]) await passAndLook(seconds)
  return reference
}

async function railWordOf(reference: string): Promise<string | null | undefined> {
  const sql = 'select rail_word from payment where reference = $1'
  return (await asOwner<{ rail_word: string | null }>(database, sql, [reference]))[0]?.rail_word
}

/** The rail has been silent for a day; the next question comes in 58 minutes. */
async function silentForADay(): Promise<string> {
  const reference = await unknownForAnHour()
  await passAndLook(day)
  pass(2 * minute)
  return reference
}

describe('a payment whose rail has been silent for a day', () => {
  it.each([
    ['success', 'SUCCESS', 'transfer.success'],
    ['failed', 'FAILED', 'transfer.failed'],
  ] as const)(
    'ends as %s by hand, with its money, its event, its trace, and nothing left open',
    async (as, status, event) => {
      const reference = await silentForADay()
      const before = await balancesOf(one.ctx.db, tenant)
      expect(await settle(one, reference, as)).toMatchObject({ kind: 'settled', payment: { status } })
      const after = await balancesOf(one.ctx.db, tenant)
      expect(after['reserved']).toBe(0n)
      expect((after['available'] ?? 0n) - (before['available'] ?? 0n)).toBe(as === 'failed' ? before['reserved'] : 0n)
      expect(await rowOf(database, reference)).toMatchObject({ status, due_at: null })
      expect(await eventsOf(database, reference)).toEqual([event])
      const subject = await subjectOf(reference)
      expect(await exceptionsAbout(database, subject)).toMatchObject([
        { kind: 'payment-stuck', reference, note: `it became ${status}` },
      ])
      const acts = await asOwner(database, 'select actor, act, details from audit_entry where subject = $1', [subject])
      expect(acts).toMatchObject([{ actor: 'ada@office', act: 'payment.settled' }])
      expect(JSON.stringify(acts)).toContain('ticket 881')
      expect(await breaches()).toEqual([])
    },
  )

  it('ends once: the same decision again changes nothing, the opposite one is impossible', async () => {
    const reference = await silentForADay()
    await settle(one, reference, 'failed')
    expect((await settle(one, reference, 'failed')).kind).toBe('unchanged')
    expect((await settle(one, reference, 'success')).kind).toBe('impossible')
    expect(await eventsOf(database, reference)).toEqual(['transfer.failed'])
    const subject = await subjectOf(reference)
    expect(await asOwner(database, 'select 1 from audit_entry where subject = $1', [subject])).toHaveLength(1)
    // The service told the person who ended it, so it raises no second item.
    expect(await exceptionsAbout(database, subject)).toHaveLength(1)
  })

  it('that does not exist is not found', async () => {
    await silentForADay()
    expect(await settle(one, 'NOBODYS', 'failed')).toEqual({ kind: 'not-found' })
  })
})

describe('a payment whose rail may still act is not ended by hand', () => {
  it('while a process is working on it', async () => {
    const reference = await silentForADay()
    const answer = Promise.withResolvers<PayoutState>()
    const asked = rail.asked.length
    rail.onStatus = () => answer.promise
    pass(hour)
    const working = one.payments.work(tenant.lane)
    await until(() => rail.asked.length > asked, 'the rail is asked')
    expect(await settle(start({ leasesNew: false }), reference, 'failed')).toMatchObject({ refusal: 'leased' })
    answer.resolve(unknown)
    await working
    pass(2 * minute)
    expect((await settle(one, reference, 'failed')).kind).toBe('settled')
  })

  it('while the rail says that it is under way', async () => {
    const reference = await silentForADay()
    rail.onStatus = () => ({ kind: 'pending' })
    await passAndLook(hour)
    pass(2 * minute)
    expect(await settle(one, reference, 'success')).toMatchObject({ kind: 'refused', refusal: 'under-way' })
  })

  it('within a minute before the rail is asked again, and after that', async () => {
    const reference = await silentForADay()
    pass(hour - 3 * minute)
    expect(await settle(one, reference, 'failed')).toMatchObject({ kind: 'refused', refusal: 'asked-soon' })
    pass(hour)
    expect(await settle(one, reference, 'failed')).toMatchObject({ kind: 'refused', refusal: 'asked-soon' })
    expect((await rowOf(database, reference)).status).toBe('queued')
  })

  it('within the first day', async () => {
    const reference = await unknownForAnHour()
    pass(2 * minute)
    expect(await settle(one, reference, 'failed')).toMatchObject({ kind: 'refused', refusal: 'young' })
  })
})

describe('a payment whose rail is gone', () => {
  it('waits for a person, who may end it at once as failed, and as a success only if it had left', async () => {
    tenant = await createTenant(one)
    const unsent = await accept(one, tenant)
    const gone = start({ leasesNew: false, rail: undefined })
    for (const seconds of [10 * minute, 5, 30, 2 * minute]) await passAndLook(seconds, gone)
    pass(2 * minute)
    expect(await exceptionsAbout(database, await subjectOf(unsent))).toMatchObject([{ kind: 'payment-without-rail' }])
    expect(await settle(gone, unsent, 'success')).toMatchObject({ kind: 'refused', refusal: 'never-left' })
    expect((await settle(gone, unsent, 'failed')).kind).toBe('settled')
    expect(await exceptionsAbout(database, await subjectOf(unsent))).toMatchObject([{ note: 'it became FAILED' }])
  })

  it('may be ended by hand while payouts are paused too, because a pause works on no payment', async () => {
    tenant = await createTenant(one)
    const unsent = await accept(one, tenant)
    const gone = start({ leasesNew: false, rail: undefined })
    await passAndLook(10 * minute, gone)
    await pausePayouts(one.ctx, {})
    await passAndLook(5, gone)
    expect(await railWordOf(unsent)).toBe('no-rail')
    expect((await settle(gone, unsent, 'failed')).kind).toBe('settled')
  })
})

describe('an answer of the rail that comes together with a decision by hand', () => {
  it.each([
    ['success', 'failed'],
    ['failed', 'success'],
  ] as const)(
    'the operator says %s: one of the two counts, and the other one is reported as a contradiction',
    async (as, opposite) => {
      const reference = await silentForADay()
      // A process stalls in the middle of a question, beyond the end of its lease.
      const late = Promise.withResolvers<PayoutState>()
      rail.onStatus = () => late.promise
      const stalled = start({ leasesNew: false })
      const asked = rail.asked.length
      pass(hour)
      const asking = stalled.payments.work(tenant.lane)
      await until(() => rail.asked.length > asked, 'the rail is asked')
      rail.onStatus = () => unknown
      // The timers of the stalled process do not run, so it does not give the call up.
      clock.advance(10 * minute * 1_000)
      await one.payments.work(tenant.lane)
      clock.advance(2 * minute * 1_000)
      late.resolve(opposite === 'success' ? succeeded : { kind: 'failed', reason: 'DO_NOT_HONOR' })
      const outcome = await settle(start({ leasesNew: false }), reference, as)
      await asking
      const subject = await subjectOf(reference)
      const contradictions = async () =>
        (await exceptionsAbout(database, subject)).filter(({ kind }) => kind === 'payment-contradicted')
      if (outcome.kind === 'settled') await until(async () => (await contradictions()).length === 1, 'it is raised')
      const ended = (await rowOf(database, reference)).status
      expect([outcome.kind, ended, (await contradictions()).length]).toEqual(
        outcome.kind === 'settled'
          ? ['settled', as === 'success' ? 'SUCCESS' : 'FAILED', 1]
          : ['impossible', opposite === 'success' ? 'SUCCESS' : 'FAILED', 0],
      )
      expect(await eventsOf(database, reference)).toHaveLength(1)
      expect((await balancesOf(one.ctx.db, tenant))['reserved']).toBe(0n)
      expect(await breaches()).toEqual([])
    },
  )
})
