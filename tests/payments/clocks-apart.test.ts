// The books are dated by the fastest clock that ever wrote in them. Deadlines are compared with the current time
// instead.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import type { MomoCollection } from '#rails/rail.ts'
import { createFakeClock, type FakeClock } from '#tests/support/clock.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createScriptedPayout, succeeded, type ScriptedPayout } from '#tests/support/scripted-rail.ts'
import { createTenant, requestOf, rowOf, startProcess, until, type Process } from './process.ts'

const database = await useTestDatabase()
const minuteMs = 60_000
const validMs = 10 * minuteMs
const wallet = { phoneNumber: '+2348030000000', operator: 'mtn-momo', customerName: null }
let clock: FakeClock
let rail: ScriptedPayout
let process: Process
let tenant: Tenant

beforeEach(async () => {
  await asOwner(database, 'truncate payment, event')
  clock = createFakeClock()
  rail = createScriptedPayout(clock)
  process = startProcess({ database, clock, rail, ports: { momoCollection: operator } })
  tenant = await createTenant(process)
})

/** Asks for a code at once and accepts every code. */
const operator: MomoCollection = {
  submitLeaseMs: 1_000,
  approval: () => ({ kind: 'otp', validMs }),
  submit: () => Promise.resolve({ kind: 'otp-required', expiresAtMs: clock.now() + validMs }),
  status: () => Promise.resolve({ kind: 'unknown', detail: 'no answer' }),
  submitOtp: () => Promise.resolve({ kind: 'accepted', state: { kind: 'pending' } }),
}

/** A machine whose clock is this far ahead writes something for the tenant. */
async function dateBooksAhead(ms: number): Promise<void> {
  const ahead = startProcess({ database, clock: createFakeClock(clock.now() + ms), rail, leasesNew: false })
  expect(await ahead.payments.initiate(tenant, requestOf())).toMatchObject({ kind: 'accepted' })
}

async function collect(): Promise<string> {
  const { reference, amount, currency, narration, metadata } = requestOf()
  const asked = { reference, amount, currency, narration, metadata, ...wallet }
  expect(await process.payments.collect(tenant, asked)).toMatchObject({ kind: 'accepted' })
  return reference
}

const dueInMs = async (reference: string): Promise<number | undefined> => {
  const due = (await rowOf(database, reference)).due_at
  return due === null ? undefined : due.getTime() - clock.now()
}

const untilPostponed = (reference: string): Promise<void> =>
  until(async () => (await dueInMs(reference)) === validMs, 'it waits for its code')

describe('a tenant whose books are dated ahead', () => {
  it('has a payment looked at again when its rail said so, dated no earlier than the books', async () => {
    await dateBooksAhead(60 * minuteMs)
    rail.onSubmit = () => ({ ...succeeded, askAgainAfterMs: minuteMs })
    const request = requestOf()
    await process.payments.initiate(tenant, request)
    await until(async () => (await rowOf(database, request.reference)).status === 'SUCCESS', 'it succeeded')
    expect(await dueInMs(request.reference)).toBe(minuteMs)
    expect((await rowOf(database, request.reference)).updated_at.getTime()).toBe(clock.now() + 60 * minuteMs)
  })

  it('has a collection that waits for its code, and for its payer, no longer than any other', async () => {
    await dateBooksAhead(60 * minuteMs)
    const reference = await collect()
    await untilPostponed(reference)
    const [row] = await asOwner<{ otp_expires_at: Date; expires_at: Date }>(
      database,
      'select otp_expires_at, expires_at from payment where reference = $1',
      [reference],
    )
    expect(row?.otp_expires_at.getTime()).toBe(clock.now() + validMs)
    expect(row?.expires_at.getTime()).toBe(clock.now() + 15 * minuteMs)
  })

  it('has a code taken that is in time, and the collection looked at soon after it', async () => {
    const reference = await collect()
    await untilPostponed(reference)
    await dateBooksAhead(validMs + minuteMs)
    clock.advance(5_000)
    expect(await process.payments.verifyOtp(tenant, reference, '123456')).toMatchObject({
      kind: 'accepted',
      payment: { otpAcceptedAt: new Date(clock.now()) },
    })
    expect(await dueInMs(reference)).toBe(5_000)
  })

  it('has a code refused that is late, to the millisecond', async () => {
    const reference = await collect()
    await untilPostponed(reference)
    await dateBooksAhead(60 * minuteMs)
    clock.advance(validMs)
    expect(await process.payments.verifyOtp(tenant, reference, '123456')).toEqual({ kind: 'expired' })
  })
})
