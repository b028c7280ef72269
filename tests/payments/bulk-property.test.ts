// A bulk request compared with the same requests sent one by one to `initiate`, each after the answer to the one
// before. Both end with the same outcomes, rows and balances.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { toMoney } from '#platform/money.ts'
import { verifyLedger } from '#ledger/verify.ts'
import type { BankTransferOutcome } from '#payments/accept.ts'
import type { BankTransferRequest } from '#payments/payment.ts'
import type { ItemFailure } from '#payments/service.ts'
import { paymentInvariants } from '#payments/verify.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createScriptedPayout } from '#tests/support/scripted-rail.ts'
import { createTenant, requestOf, startProcess, type Process } from './process.ts'

const database = await useTestDatabase()

const request = fc
  .record({
    reference: fc.integer({ min: 0, max: 9 }).map((index) => `R-${index}`),
    amount: fc.constantFrom(1n, 100n, 500_000n, 500_001n, 4_000_000n, 9_000_000n),
    bankSlug: fc.constantFrom('guaranty-trust-bank', 'access-bank', 'no-such-bank'),
    accountName: fc.constantFrom('ADA OBI', 'OTHER'),
  })
  .map((fields) => requestOf({ ...fields, amount: toMoney(fields.amount) }))

/** The fields in which equal payments of two tenants differ. */
const unlike = { id: '', tenantId: '', createdAt: 0, updatedAt: 0, completedAt: 0 }

function told(outcome: BankTransferOutcome | ItemFailure): unknown {
  switch (outcome.kind) {
    case 'accepted':
    case 'replayed':
      return [outcome.kind, { ...outcome.payment, ...unlike }]
    case 'differs':
      return [outcome.kind, { ...outcome.first, ...unlike }, outcome.field]
    case 'other-kind':
    case 'missing-rail':
    case 'unknown-bank':
    case 'failed':
    case 'paused':
    case 'twin':
      return outcome.kind
    case 'over-limit':
    case 'insufficient-balance':
      return outcome
  }
}

async function leftBy({ id }: Tenant): Promise<unknown[]> {
  const queries = [
    'select ordinal, reference, status, amount, fee, bank_slug, account_name from payment where tenant_id = $1 order by ordinal',
    'select name, debits, credits, movements from ledger_account where tenant_id = $1 order by name',
    `select entry, debit, credit, amount, kind, balance_after, reference from ledger_movement
      where tenant_id = $1 and kind <> 'opening' order by entry`,
  ]
  return Promise.all(queries.map((query) => asOwner(database, query, [id])))
}

async function oneByOne(
  { payments }: Process,
  tenant: Tenant,
  requests: BankTransferRequest[],
): Promise<BankTransferOutcome[]> {
  const outcomes: BankTransferOutcome[] = []
  for (const one of requests) outcomes.push(await payments.initiate(tenant, one))
  return outcomes
}

it('many at once are judged as if each was sent after the one before it', async () => {
  const clock = createFakeClock()
  const process = startProcess({ database, clock, rail: createScriptedPayout(clock), leasesNew: false })
  const bodies = fc.array(fc.array(request, { maxLength: 40 }), { minLength: 1, maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(bodies, async (list) => {
      const [bulk, naive] = [await createTenant(process), await createTenant(process)]
      for (const requests of list) {
        clock.advance(1)
        const outcomes = await process.payments.initiateMany(bulk, requests)
        expect(outcomes.map(told)).toEqual((await oneByOne(process, naive, requests)).map(told))
      }
      expect(await leftBy(bulk)).toEqual(await leftBy(naive))
    }),
    { numRuns: 40 },
  )
  expect(await verifyLedger(process.ctx, { invariants: paymentInvariants, rowsPerPage: 500 })).toEqual([])
})

it('nor does it make a difference that they need several batches', async () => {
  const clock = createFakeClock()
  const process = startProcess({ database, clock, rail: createScriptedPayout(clock), leasesNew: false })
  const [bulk, naive] = [await createTenant(process), await createTenant(process)]
  // The money runs out in the middle, and small amounts still fit for a while; every seventh request repeats an earlier
  // reference.
  const requests = Array.from({ length: 600 }, (_, index) =>
    requestOf({
      reference: `R-${index % 7 === 6 ? index - 5 - (index % 2) : index}`,
      amount: toMoney(index % 3 === 0 ? 90_000 : 100),
    }),
  )
  const outcomes = await process.payments.initiateMany(bulk, requests)
  expect(outcomes.map(told)).toEqual((await oneByOne(process, naive, requests)).map(told))
  expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(
    new Set(['accepted', 'differs', 'insufficient-balance', 'replayed']),
  )
  expect(await leftBy(bulk)).toEqual(await leftBy(naive))
})
