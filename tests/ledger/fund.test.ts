// Money that is added by hand.

import { expect, it } from 'vitest'
import { createLanes } from '#platform/db/lane.ts'
import { amountMax, toMoney } from '#platform/money.ts'
import { createBusiness } from '#businesses/business.ts'
import { createLedger } from '#ledger/ledger.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'

const database = await useTestDatabase()
const ctx = createTestContext(database.connect())

it('is there at once, as an entry, up to what JSON shows exactly', async () => {
  const tenant = (await createBusiness(ctx, 'Funded')).tenants.production
  const ledger = createLedger({ ctx, laneOf: createLanes(ctx).of })
  const fund = (amount: bigint) => ledger.fund({ tenant, amount: toMoney(amount), currency: 'NGN' })
  expect(await fund(5n)).toEqual({ kind: 'funded', available: 5n })
  expect(await fund(amountMax)).toEqual({ kind: 'too-much' })
  expect(await fund(amountMax - 5n)).toEqual({ kind: 'funded', available: amountMax })
  expect(await fund(1n)).toEqual({ kind: 'too-much' })
  expect(await ledger.balances(tenant)).toMatchObject([{ available: amountMax }])
  expect(await ledger.entries(tenant, 'NGN', { page: 1, limit: 10 })).toMatchObject({ total: 2 })
})
