// A lane that stands still, and callers who do not: the lane refuses what callers submit, also reports about payments,
// and still does the service's own work.

import { expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { Unavailable } from '#platform/errors.ts'
import { openBook } from '#ledger/post.ts'
import type { MomoCollection, OtpAnswer, PayoutState } from '#rails/rail.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { createScriptedPayout } from '#tests/support/scripted-rail.ts'
import { createTenant, requestOf, rowOf, startProcess, turn, until } from './process.ts'

const database = await useTestDatabase()
const clock = createFakeClock()
const callers = 100_000
/** The most that may wait in a lane, plus a batch in progress. */
const takenMax = 4_096 + 128
const code = '123456'

const answered = Promise.withResolvers<OtpAnswer>()
const paid = Promise.withResolvers<PayoutState>()
const asked: string[] = []
const operator: MomoCollection = {
  submitLeaseMs: 1_000,
  approval: () => ({ kind: 'otp', validMs: 600_000 }),
  submit: () => Promise.resolve({ kind: 'otp-required', expiresAtMs: clock.now() + 600_000 }),
  status: () => Promise.resolve({ kind: 'unknown', detail: 'no answer' }),
  submitOtp: (_order, otp) => (asked.push(otp), answered.promise),
}
const rail = { ...createScriptedPayout(clock), submit: () => paid.promise }

async function whileHeld(tenant: Tenant, work: () => Promise<void>): Promise<void> {
  const other = startProcess({ database, clock })
  await other.ctx.db.transaction(async (tx) => {
    await openBook(tx, [tenant.id])
    await work()
  }, tenant.lane)
}

it('refuses reports of callers at once, and records answers of rails and results of codes', async () => {
  const process = startProcess({ database, clock, rail, ports: { momoCollection: operator } })
  const tenant = await createTenant(process)
  const { reference, amount, currency, narration, metadata } = requestOf()
  const wallet = { phoneNumber: '+2348030000000', operator: 'mtn-momo', customerName: null }
  const transfer = requestOf()
  await process.payments.initiate(tenant, transfer)
  await process.payments.collect(tenant, { reference, amount, currency, narration, metadata, ...wallet })
  await until(
    async () => (await rowOf(database, reference)).due_at?.getTime() === clock.now() + 600_000,
    'it is postponed',
  )
  const verified = process.payments.verifyOtp(tenant, reference, code)
  await until(() => asked.length === 1, 'the code is with the operator')

  let answers = 0
  let refused = 0
  const words: Promise<void>[] = []
  await whileHeld(tenant, async () => {
    for (let caller = 0; caller < callers; caller++) {
      const word =
        caller % 2 === 0
          ? process.payments.complete(tenant, 'no-such-payment', { kind: 'succeeded' })
          : process.payments.verifyOtp(tenant, `no-such-payment-${caller}`, code)
      words.push(
        word.then(
          () => void answers++,
          (error: unknown) => void (refused += error instanceof Unavailable ? 1 : 0),
        ),
      )
    }
    await until(() => refused >= callers - takenMax, 'all that have no room are refused')
    expect(answers).toBe(0)
    paid.resolve({ kind: 'succeeded', sessionId: '9'.repeat(30) })
    answered.resolve({ kind: 'accepted', state: { kind: 'pending' } })
    await turn()
    expect(process.lanes.of(tenant.lane).waiting()).toBeLessThanOrEqual(takenMax)
  })
  expect(await verified).toMatchObject({ kind: 'accepted', payment: { status: 'PENDING' } })
  await until(async () => (await rowOf(database, transfer.reference)).status === 'SUCCESS', 'the transfer succeeded')
  await Promise.all(words)
  expect(answers + refused).toBe(callers)
})
