// How a proof reads one lane, while others write and beside other lanes.

import { expect, it } from 'vitest'
import { inLane, type InLane } from '#platform/db/db.ts'
import { firstUuid, lastUuid, newUuid } from '#platform/ids.ts'
import { toMoney } from '#platform/money.ts'
import type { Violation } from '#ledger/verify.ts'
import type { InvariantCheck } from '#ledger/table-scan.ts'
import { setLimits } from '#payments/limits.ts'
import { paymentInvariants } from '#payments/verify.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useSettling } from './settling.ts'

const { database, clock, ctx, open } = await useSettling()

async function findingsOf(name: string, lane: InLane, changes: Partial<InvariantCheck> = {}): Promise<Violation[]> {
  const found: Violation[] = []
  const invariant = paymentInvariants.find((one) => one.name === name)
  await invariant?.run({
    lane,
    rowsPerPage: 100,
    rowsPerSnapshot: 100,
    from: firstUuid,
    upTo: lastUuid,
    isFirstLane: true,
    atOneMoment: async () => undefined,
    report: (finding) => found.push(finding),
    progress: () => undefined,
    ...changes,
  })
  return found
}

it('a limit that is lifted while its day is proved is no breach', async () => {
  const { tenants } = await open()
  const [tenant] = tenants
  await setLimits(ctx, tenant, { perDay: toMoney(1_000_000) })
  const own = inLane(ctx.db, tenant.lane)
  const days = 'the total of a limited day is what its payouts amount to'
  const wrong = 'update payout_limit set day_amount = 7 where tenant_id = $1'
  await asOwner(database, wrong, [tenant.id])
  expect(await findingsOf(days, own)).toMatchObject([{ tenantId: tenant.id }])
  let lifted = false
  const lane: InLane = {
    ...own,
    query: async (what, values) => {
      if (what.name === 'payments.verify_day') {
        await setLimits(ctx, tenant, { perDay: null })
        lifted = true
      }
      return own.query(what, values)
    },
  }
  expect([await findingsOf(days, lane), lifted]).toEqual([[], true])
})

it('rows outside of all lanes are read with the first lane alone', async () => {
  const { tenants } = await open()
  const stray = newUuid(clock.now())
  await asOwner(
    database,
    `insert into float_movement (environment, rail, kind, subject, reference, lane, currency, debit, credit, amount, at)
     values ('production', 'a', 'payout', $1, $2, 1, 'NGN', 'tenants', 'balance', 100, now())`,
    [stray, crypto.randomUUID()],
  )
  const causes = 'what a float book has of payments and deposits is so, each as it ended'
  const lane = inLane(ctx.db, tenants[0].lane)
  expect(await findingsOf(causes, lane)).toMatchObject([{ ids: [stray] }])
  expect(await findingsOf(causes, lane, { isFirstLane: false })).toEqual([])
})
