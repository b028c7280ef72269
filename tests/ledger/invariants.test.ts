// Invariants that other modules add to those of the ledger.

import { describe, expect, it } from 'vitest'
import { newUuid } from '#platform/ids.ts'
import { createBusiness } from '#businesses/business.ts'
import { type Violation, verifyLedger } from '#ledger/verify.ts'
import type { InvariantCheck } from '#ledger/table-scan.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'

const database = await useTestDatabase()
await asOwner(database, 'update installation set lanes = 2')
const ctx = createTestContext(database.connect())
const lanes = new Set<number>()
// The lane follows from the tenant's random id, so this makes tenants until there are two lanes.
while (lanes.size < 2) lanes.add((await createBusiness(ctx, 'Lane')).tenants.production.lane)

describe('an invariant of another module', () => {
  it('runs in every lane, and its findings carry its name', async () => {
    const asked: number[] = []
    const breaches = await verifyLedger(ctx, {
      invariants: [
        {
          name: 'every room is clean',
          run: async ({ lane, report, progress }) => {
            asked.push(lane.lane)
            progress(1)
            if (lane.lane === 2) report({ ids: ['dust'], message: 'there is dust' })
          },
        },
      ],
    })
    expect(asked).toEqual([1, 2])
    expect(breaches).toEqual([{ invariant: 'every room is clean', ids: ['dust'], message: 'there is dust' }])
  })

  it('may find more than a person could read: a thousand are reported, and the number of the others', async () => {
    const finding = (at: number): Violation => ({ tenantId: newUuid(at), ids: [`row ${at}`], message: 'wrong' })
    const run = async ({ lane, report }: InvariantCheck): Promise<void> => {
      if (lane.lane === 1) for (let at = 0; at < 1_500; at++) report(finding(at))
    }
    const breaches = await verifyLedger(ctx, { invariants: [{ name: 'nothing is wrong', run }] })
    expect(breaches).toHaveLength(1_001)
    expect(breaches.at(-1)).toEqual({
      invariant: 'nothing is wrong',
      ids: [],
      message: 'and 500 findings more, which are not listed',
    })
  })
})
