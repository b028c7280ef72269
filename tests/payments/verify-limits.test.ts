// The proof compares a day's total with the payments, also where only the owner of the database could have changed
// them.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { toMoney } from '#platform/money.ts'
import { verifyLedger } from '#ledger/verify.ts'
import { setLimits } from '#payments/limits.ts'
import { paymentInvariants } from '#payments/verify.ts'
import { createFakeClock, type FakeClock } from '#tests/support/clock.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createTenant, requestOf, startProcess, type Process } from './process.ts'
import { newReference } from './requests.ts'

const database = await useTestDatabase()
const dayMs = 24 * 3_600_000
let clock: FakeClock
let process: Process
let tenant: Tenant

const send = (amount: bigint, reference = newReference()) =>
  process.payments.initiate(tenant, requestOf({ reference, amount: toMoney(amount) }))

const sendMomo = (amount: bigint) =>
  process.payments.sendMomo(tenant, {
    phoneNumber: '+2348030000000',
    operator: 'mtn-momo',
    currency: 'NGN',
    narration: null,
    reference: newReference(),
    amount: toMoney(amount),
    metadata: null,
    accountName: null,
  })

async function breaches(): Promise<string[]> {
  const invariants = paymentInvariants.filter(
    ({ name }) => name === 'the total of a limited day is what its payouts amount to',
  )
  expect(invariants).toHaveLength(1)
  const found = await verifyLedger(process.ctx, { invariants, rowsPerPage: 1 })
  return found.filter(({ tenantId }) => tenantId === tenant.id).map(({ message }) => message)
}

beforeEach(async () => {
  clock = createFakeClock(Date.parse('2026-01-15T09:30:00.000Z'))
  process = startProcess({ database, clock, leasesNew: false })
  tenant = await createTenant(process, 'staging')
  await send(50_000n)
  clock.advance(dayMs)
  await setLimits(process.ctx, tenant, { perDay: toMoney(10_000) })
  const failed = newReference()
  await send(4_000n, failed)
  await sendMomo(3_000n)
  await process.payments.complete(tenant, failed, { kind: 'failed', reason: 'PROVIDER_ERROR' })
  await send(500n)
})

describe('the proof of a day', () => {
  it('finds nothing in a total that is right, and none to compare without a limit', async () => {
    expect(await breaches()).toEqual([])
    await asOwner(database, 'update payout_limit set per_day = null, day_amount = 7 where tenant_id = $1', [tenant.id])
    expect(await breaches()).toEqual([])
  })

  it('finds nothing when a process whose clock is ahead sets the limit around midnight in Lagos', async () => {
    await setLimits(process.ctx, tenant, { perDay: null })
    clock.advance(Date.parse('2026-01-16T22:59:59.000Z') - clock.now())
    const ahead = startProcess({ database, clock: createFakeClock(clock.now() + 2_000), leasesNew: false })
    await setLimits(ahead.ctx, tenant, { perDay: toMoney(10_000) })
    await send(1_000n)
    expect(await breaches()).toEqual([])
    expect(await send(5_501n)).toMatchObject({ kind: 'over-limit', left: 5_500n })
    clock.advance(2_000)
    expect(await send(9_000n)).toMatchObject({ kind: 'accepted' })
    expect(await breaches()).toEqual([])
  })

  it.each([
    ['a total that is too low', 'update payout_limit set day_amount = 3499 where tenant_id = $1', 'counts 3499'],
    ['a payout that is gone', 'delete from payment where amount = 500', 'that day are 3000'],
    ['a payout that is another one', "update payment set amount = 3001 where kind = 'momo_transfer'", 'are 3501'],
  ])('finds %s', async (_what, sql, message) => {
    await asOwner(database, sql.includes('$1') ? sql : `${sql} and tenant_id = $1`, [tenant.id])
    expect(await breaches()).toEqual([expect.stringContaining(message)])
  })
})
