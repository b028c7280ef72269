// A tenant that is too large for one snapshot: the proof sums up settled rows while traffic goes on, and the rest in
// one snapshot. The traffic in between is scripted; the books are real.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { inLane } from '#platform/db/db.ts'
import { firstUuid, lastUuid } from '#platform/ids.ts'
import { createBusiness } from '#businesses/business.ts'
import { type Violation, checkTotals } from '#ledger/verify.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { day, idAt, keepMovements, keepSeal, keepSums } from './kept-entries.ts'

const database = await useTestDatabase()
const ctx = createTestContext(database.connect())
let tenant: Tenant
let entries = 0

async function receive(at: Date): Promise<void> {
  entries += 1
  await keepMovements(database, tenant, [
    { at, id: idAt(at, entries), amount: 10, entry: entries, balanceAfter: 10 * entries },
  ])
  await asOwner(
    database,
    `update ledger_account set movements = movements + 1, touched_at = $2,
       debits = debits + case name when 'rail' then 10 else 0 end,
       credits = credits + case name when 'available' then 10 else 0 end
      where tenant_id = $1 and name in ('rail', 'available')`,
    [tenant.id, at],
  )
}

async function seal(): Promise<void> {
  await keepSeal(database, 1, day(32))
  const total = { until: day(32), movements: entries }
  await keepSums(database, tenant, [
    { ...total, credits: 10 * entries, lastEntry: entries, balanceAfter: 10 * entries },
    { ...total, name: 'rail', debits: 10 * entries },
  ])
  await asOwner(database, 'delete from ledger_movement where tenant_id = $1', [tenant.id])
}

const overstate = (): Promise<unknown> =>
  asOwner(database, `update ledger_account set credits = credits + 1 where tenant_id = $1 and name = 'available'`, [
    tenant.id,
  ])

/** Three entries in January. Two are settled by the time of the third. */
beforeEach(async () => {
  await asOwner(database, 'truncate ledger_movement, ledger_account, ledger_archive, ledger_archive_sum')
  tenant = (await createBusiness(ctx, 'Large')).tenants.production
  await asOwner(database, 'delete from ledger_movement')
  await asOwner(database, 'delete from ledger_account where tenant_id <> $1', [tenant.id])
  entries = 0
  for (const number of [3, 4, 5]) await receive(day(number))
})

type Snapshot = {
  /** How many of the first snapshots end before their work is done. */
  ended?: number
  before?: (number: number) => Promise<unknown>
  after?: (number: number) => Promise<unknown>
}

const nothing = async (): Promise<void> => undefined

/** Returns the findings, and how many rows each snapshot read. */
async function checked({ ended = 0, before = nothing, after = nothing }: Snapshot = {}) {
  const reported: Violation[] = []
  const rows: number[] = []
  let counted = 0
  await checkTotals({
    lane: inLane(ctx.db, 1),
    isFirstLane: true,
    from: firstUuid,
    upTo: lastUuid,
    rowsPerPage: 1_000,
    rowsPerSnapshot: 0,
    report: (finding) => reported.push(finding),
    progress: (more) => (counted += more),
    async atOneMoment(work) {
      const isOfTenant = rows.length > 0
      const number = rows.length
      if (isOfTenant) await before(number)
      const soFar = counted
      const done = await work(inLane(ctx.db, 1))
      rows.push(counted - soFar)
      if (isOfTenant) await after(number)
      return isOfTenant && number <= ended ? undefined : done
    },
  })
  // The tenants before and after it are proved as well, each in its own snapshot.
  return { reported, rows: rows.slice(1, -1) }
}

const wrong = (is: number, sum: number): Violation[] => [
  { tenantId: tenant.id, ids: ['NGN available'], message: `NGN available has credits ${is} instead of ${sum}` },
]

describe('a large tenant', () => {
  it('is proved, and a snapshot reads only its unsettled movements', async () => {
    expect(await checked()).toEqual({ reported: [], rows: [1] })
    await overstate()
    expect(await checked()).toEqual({ reported: wrong(31, 30), rows: [1] })
  })

  it('is proved in the same way while another of its currencies was never used', async () => {
    await asOwner(
      database,
      `insert into ledger_account (lane, tenant_id, currency, name)
       select lane, tenant_id, 'GHS', name from ledger_account where tenant_id = $1`,
      [tenant.id],
    )
    expect(await checked()).toEqual({ reported: [], rows: [1] })
  })

  it('that moves on while it is read is proved by the first snapshot that does not end', async () => {
    const after = async (number: number): Promise<void> => {
      if (number === 1) await receive(day(6))
    }
    expect(await checked({ after })).toEqual({ reported: [], rows: [1] })
    await overstate()
    expect((await checked()).reported).toEqual(wrong(41, 40))
  })

  it('whose snapshots end is read on from the movements that are settled by then', async () => {
    const after = (number: number): Promise<void> => receive(day(5 + number))
    expect(await checked({ ended: 2, after })).toEqual({ reported: [], rows: [1, 1, 1] })
  })

  it('whose snapshots all end is proved when it rests', async () => {
    expect(await checked({ ended: Infinity })).toEqual({ reported: [], rows: [1] })
    await overstate()
    expect(await checked({ ended: Infinity })).toEqual({ reported: wrong(31, 30), rows: [1] })
  })

  it.each([0, 1])('is read anew when a month is sealed meanwhile, of whose snapshots %i end', async (ended) => {
    const before = async (number: number): Promise<void> => {
      if (number === 1) await seal()
    }
    expect((await checked({ ended, before })).reported).toEqual([])
  })

  it.each([0, 1])('is proved after that as well, of whose snapshots %i end', async (ended) => {
    await overstate()
    const before = async (number: number): Promise<void> => {
      if (number === 1) await seal()
    }
    expect((await checked({ ended, before })).reported).toEqual(wrong(31, 30))
  })
})
