// The proof accepts totals that post.ts reduced by the same amount on both sides, and nothing that only looks like it.

import { expect, it } from 'vitest'
import { createBusiness } from '#businesses/business.ts'
import { totalsReduction } from '#ledger/post.ts'
import { verifyLedger } from '#ledger/verify.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { day, idAt, keepMovements } from './kept-entries.ts'

const database = await useTestDatabase()
const ctx = createTestContext(database.connect())
const { production: tenant } = (await createBusiness(ctx, 'Reduced')).tenants
// This much went out and came back, and 7 stayed.
await keepMovements(
  database,
  tenant,
  [totalsReduction, totalsReduction, 7n].map((amount, index) => ({
    at: day(1),
    id: idAt(day(1), index),
    amount,
    debit: index === 1 ? 'fees' : 'rail',
    credit: index === 1 ? 'rail' : 'fees',
  })),
)

async function found(account: { debits: bigint; credits: bigint; movements?: bigint }): Promise<string[]> {
  const { debits, credits, movements = 3n } = account
  const set = 'update ledger_account set debits = $2, credits = $3, movements = $4 where tenant_id = $1 and name = $5'
  await asOwner(database, set, [tenant.id, credits, debits, 3n, 'rail'])
  await asOwner(database, set, [tenant.id, debits, credits, movements, 'fees'])
  const breaches = await verifyLedger(ctx)
  return breaches.filter(({ ids }) => /fees|rail/.test(ids[0] ?? '')).map(({ message }) => message)
}

const [full, more] = [totalsReduction, totalsReduction + 7n]

it('totals are right as they are, and with both reduced', async () => {
  expect(await found({ debits: full, credits: more })).toEqual([])
  expect(await found({ debits: 0n, credits: 7n })).toEqual([])
})

it.each([
  ['that are less by something else', full - 5n, more - 5n],
  ['that are more by as much', 2n * full, more + full],
  ['of which one is less', 0n, more],
  ['of which the other is', full, 7n],
])('totals %s are reported', async (_which, debits, credits) => {
  expect(await found({ debits, credits })).toHaveLength(2)
})

it('a wrong number is reported for reduced totals too, and nothing else is', async () => {
  expect(await found({ debits: 0n, credits: 7n, movements: 2n })).toEqual(['NGN fees has movements 2 instead of 3'])
})
