// Two results for one payment in one batch: whatever they say, it ends once and its money moves once.

import { expect, it } from 'vitest'
import { toMoney } from '#platform/money.ts'
import { verifyLedger } from '#ledger/verify.ts'
import { paymentInvariants } from '#payments/verify.ts'
import type { PayoutState } from '#rails/rail.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { createScriptedPayout } from '#tests/support/scripted-rail.ts'
import { createTenant, requestOf, startProcess } from './process.ts'

const database = await useTestDatabase()

it.each([
  ['failed', 'succeeded'],
  ['succeeded', 'failed'],
] as const)('its rail says %s when a tester says %s', async (rails, testers) => {
  const clock = createFakeClock()
  const rail = createScriptedPayout(clock)
  const process = startProcess({ database, clock, rail })
  const tenant = await createTenant(process)
  // Other money is reserved too, so no CHECK would notice an amount that is taken twice.
  await process.payments.initiate(tenant, requestOf({ amount: toMoney(1_000_000) }))
  const answered = Promise.withResolvers<PayoutState>()
  rail.onSubmit = () => answered.promise
  const request = requestOf({ amount: toMoney(100_000) })
  await process.payments.initiate(tenant, request)
  const words = {
    succeeded: { kind: 'succeeded', sessionId: null },
    failed: { kind: 'failed', reason: 'DO_NOT_HONOR' },
  } as const
  answered.resolve(words[rails])
  const outcome = await process.payments.complete(tenant, request.reference, words[testers])
  await process.payments.release()
  expect(outcome.kind).toMatch(/settled|impossible/)
  expect(await verifyLedger(process.ctx, { invariants: paymentInvariants, rowsPerPage: 100 })).toEqual([])
})
