// One-time codes on their way to a slow operator.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import type { MomoCollection, OtpAnswer } from '#rails/rail.ts'
import { createFakeClock, type FakeClock } from '#tests/support/clock.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createScriptedPayout } from '#tests/support/scripted-rail.ts'
import { createTenant, requestOf, rowOf, startProcess, turn, until, type Process } from './process.ts'

const database = await useTestDatabase()
const validMs = 600_000
const code = '123456'
let clock: FakeClock
let operator: FakeOperator
let process: Process
let tenant: Tenant

beforeEach(async () => {
  await asOwner(database, 'truncate payment, event')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  clock = createFakeClock()
  operator = createFakeOperator()
  process = startProcess({ database, clock, rail: createScriptedPayout(clock), ports: { momoCollection: operator } })
  tenant = await createTenant(process)
})

afterEach(() => vi.useRealTimers())

type FakeOperator = MomoCollection & { codes: string[]; answer(answer: OtpAnswer): void }

/** An operator that waits for a code, records each, and gives all of them one answer when a test says so. */
function createFakeOperator(): FakeOperator {
  const answered = Promise.withResolvers<OtpAnswer>()
  return {
    codes: [],
    answer: answered.resolve,
    submitLeaseMs: 1_000,
    approval: () => ({ kind: 'otp', validMs }),
    submit: () => Promise.resolve({ kind: 'otp-required', expiresAtMs: clock.now() + validMs }),
    status: () => Promise.resolve({ kind: 'failed', reason: 'OTP_EXPIRED' }),
    submitOtp(_order, otp) {
      this.codes.push(otp)
      return answered.promise
    },
  }
}

async function collect(): Promise<string> {
  const { reference, amount, currency, narration, metadata } = requestOf()
  const wallet = { phoneNumber: '+2348030000000', operator: 'mtn-momo', customerName: null }
  const asked = { reference, amount, currency, narration, metadata, ...wallet }
  expect(await process.payments.collect(tenant, asked)).toMatchObject({ kind: 'accepted' })
  const end = clock.now() + validMs
  await until(async () => (await rowOf(database, reference)).due_at?.getTime() === end, 'it is postponed')
  return reference
}

/** Node has `gc` behind a flag, which may also be set while it runs. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  gc()
}

const verify = (reference: string) => process.payments.verifyOtp(tenant, reference, code)

describe('a code that is on its way when its time ends', () => {
  it('still counts: an operator that calls it late does not end the collection before it answered', async () => {
    const reference = await collect()
    const verified = verify(reference)
    await until(() => operator.codes.length === 1, 'the code is with the operator')
    clock.advance(validMs)
    expect(await process.payments.work(tenant.lane)).toBe(1)
    expect((await rowOf(database, reference)).status).toBe('OTP_REQUIRED')
    operator.answer({ kind: 'accepted', state: { kind: 'pending' } })
    expect(await verified).toMatchObject({ kind: 'accepted', payment: { status: 'PENDING' } })
  })

  it('is waited for no longer than a minute', async () => {
    const reference = await collect()
    const verified = verify(reference)
    await until(() => operator.codes.length === 1, 'the code is with the operator')
    clock.advance(validMs + 60_000)
    expect(await process.payments.work(tenant.lane)).toBe(1)
    expect(await rowOf(database, reference)).toMatchObject({ status: 'FAILED', failure_reason: 'OTP_EXPIRED' })
    operator.answer({ kind: 'accepted', state: { kind: 'pending' } })
    expect(await verified).toMatchObject({ kind: 'not-waiting', payment: { status: 'FAILED' } })
  })
})

describe('a code that its operator did not decide about', () => {
  it.each<[OtpAnswer, string]>([
    [{ kind: 'unknown', detail: 'no answer' }, 'unavailable'],
    [{ kind: 'expired' }, 'expired'],
    [{ kind: 'not-waiting' }, 'not-waiting'],
  ])('does not count: %j', async (answer, kind) => {
    const reference = await collect()
    operator.answer(answer)
    for (let sent = 0; sent < 4; sent++) expect((await verify(reference)).kind).toBe(kind)
    expect(operator.codes).toHaveLength(4)
  })
})

describe('codes for one collection', () => {
  it('leave nothing behind in memory when all of them are answered', async () => {
    const left = await (async () => new WeakRef(await verify('no-such-collection')))()
    await turn()
    collectGarbage()
    expect(left.deref()).toBeUndefined()
    expect(await verify('no-such-collection')).toEqual({ kind: 'not-found' })
  })

  it('wait for their turn, 32 at most: what comes beyond that is refused at once, and disturbs no other', async () => {
    const [crowded, other] = [await collect(), await collect()]
    const answers: string[] = []
    const crowd = Array.from({ length: 33 }, async () => answers.push((await verify(crowded)).kind))
    await turn()
    expect(answers).toEqual(['unavailable'])
    const alone = verify(other)
    await until(() => operator.codes.length === 2, 'one code of each is with the operator')
    operator.answer({ kind: 'accepted', state: { kind: 'pending' } })
    expect(await alone).toMatchObject({ kind: 'accepted' })
    await Promise.all(crowd)
    // The service asked the operator about one of the codes, and recognizes it when it comes again.
    expect(answers).toEqual(['unavailable', ...Array.from({ length: 32 }, () => 'accepted')])
    expect(operator.codes).toHaveLength(2)
  })
})
