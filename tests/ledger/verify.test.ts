import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { newUuid, type Uuid } from '#platform/ids.ts'
import { toMoney } from '#platform/money.ts'
import { createBusiness } from '#businesses/business.ts'
import { openBook } from '#ledger/post.ts'
import { acceptedPostings, receivedPostings, succeededPostings } from '#ledger/chart.ts'
import { type Breach, ledgerInvariants, verifyLedger } from '#ledger/verify.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'

const database = await useTestDatabase()
await asOwner(
  database,
  'update installation set lanes = 2; alter table ledger_account drop constraint ledger_account_not_negative',
)
const ctx = createTestContext(database.connect())
const [totals, sums, negatives, entries] = ledgerInvariants.map(({ name }) => name)

// Every proof reads all books, so each test begins with empty ones.
beforeEach(() => asOwner(database, 'truncate ledger_movement, ledger_account'))

/** A tenant with six entries: 500, 490, 280, 780, 770, 560. */
async function keepBooks(): Promise<Tenant> {
  const tenant = (await createBusiness(ctx, 'Books')).tenants.production
  for (let round = 0; round < 2; round++) {
    await ctx.db.transaction(async (tx) => {
      const book = await openBook(tx, [tenant.id])
      const cause = { id: newUuid(ctx.clock.now()), reference: 'R', atMs: ctx.clock.now() }
      book.post(tenant.id, 'NGN', cause, receivedPostings(toMoney(500), toMoney(10)))
      book.post(tenant.id, 'NGN', cause, acceptedPostings(toMoney(200), toMoney(10)))
      book.post(tenant.id, 'NGN', cause, succeededPostings(toMoney(200), toMoney(10)))
    }, tenant.lane)
  }
  return tenant
}

async function movementId(tenant: Tenant, where: string): Promise<Uuid> {
  const [row] = await asOwner<{ id: Uuid }>(
    database,
    `select id from ledger_movement where tenant_id = $1 and ${where}`,
    [tenant.id],
  )
  if (row === undefined) throw new Error(`there is no movement where ${where}`)
  return row.id
}

const entryId = (tenant: Tenant, entry: number): Promise<Uuid> => movementId(tenant, `entry = ${entry}`)

/** Changes the rows of this tenant ($1) as only the owner of the database can. */
const tamper = (tenant: Tenant, sql: string): Promise<unknown> => asOwner(database, sql, [tenant.id])

/** The breaches must be equal whether the tenant is proved in one snapshot or as a large one without traffic. */
async function breachesOf(tenant: { id: string }, rowsPerPage = 20_000): Promise<Breach[]> {
  const [inOne, large] = await Promise.all([
    verifyLedger(ctx, { rowsPerPage }),
    verifyLedger(ctx, { rowsPerPage, rowsPerSnapshot: 0 }),
  ])
  const [found, again] = [inOne, large].map((all) => all.filter(({ tenantId }) => tenantId === tenant.id))
  expect(again).toEqual(found)
  return found ?? []
}

describe('books that are right', () => {
  it('have no breach, over any lanes and in pages of any size', async () => {
    const lanes = new Set<number>()
    // The lane follows from the tenant's random id, so this makes tenants until there are two lanes.
    for (let made = 0; made < 8 || lanes.size < 2; made++) lanes.add((await keepBooks()).lane)
    for (const rowsPerPage of [1, 2, 3, 7, 20_000]) expect(await verifyLedger(ctx, { rowsPerPage })).toEqual([])
  })

  it('are looked at as they are at one moment, while others go on writing', async () => {
    const tenant = await keepBooks()
    let writing = true
    const writer = (async () => {
      while (writing) {
        await ctx.db.transaction(async (tx) => {
          const book = await openBook(tx, [tenant.id])
          const cause = { id: newUuid(ctx.clock.now()), reference: 'R', atMs: ctx.clock.now() }
          book.post(tenant.id, 'NGN', cause, receivedPostings(toMoney(500), toMoney(10)))
        }, tenant.lane)
      }
    })()
    for (let round = 0; round < 2; round++) expect(await verifyLedger(ctx, { rowsPerPage: 5 })).toEqual([])
    writing = false
    await writer
  })

  it('are walked with reports of progress: the current invariant, and a count that only grows', async () => {
    for (let made = 0; made < 8; made++) await keepBooks()
    const heard: { checked: number; what: string }[] = []
    await verifyLedger(ctx, { rowsPerPage: 10, onProgress: (done) => heard.push(done) })
    for (const { name } of ledgerInvariants) {
      const counts = heard.filter(({ what }) => what === name).map(({ checked }) => checked)
      expect(counts.length).toBeGreaterThan(2)
      expect(counts).toEqual(counts.toSorted((left, right) => left - right))
    }
    const [movements] = await asOwner<{ all: string; listed: string }>(
      database,
      'select count(*) as all, count(entry) as listed from ledger_movement',
    )
    expect(heard.findLast(({ what }) => what === totals)?.checked).toBe(Number(movements?.all))
    expect(heard.findLast(({ what }) => what === entries)?.checked).toBeGreaterThanOrEqual(Number(movements?.listed))
  })
})

describe('tampering is found:', () => {
  it('a total that was changed', async () => {
    const tenant = await keepBooks()
    await tamper(tenant, `update ledger_account set credits = credits + 7 where tenant_id = $1 and name = 'available'`)
    expect(await breachesOf(tenant)).toEqual([
      {
        invariant: totals,
        tenantId: tenant.id,
        ids: ['NGN available'],
        message: 'NGN available has credits 1007 instead of 1000',
      },
      { invariant: sums, tenantId: tenant.id, ids: ['NGN'], message: 'NGN sums to 7' },
    ])
  })

  it('a count of movements that was changed', async () => {
    const tenant = await keepBooks()
    await tamper(tenant, `update ledger_account set movements = 0 where tenant_id = $1 and name = 'fees'`)
    expect(await breachesOf(tenant)).toMatchObject([
      { invariant: totals, ids: ['NGN fees'], message: 'NGN fees has movements 0 instead of 4' },
    ])
  })

  it('an amount that was changed, in the totals of both accounts and in the statement', async () => {
    const tenant = await keepBooks()
    await tamper(tenant, 'update ledger_movement set amount = amount + 1 where tenant_id = $1 and entry = 3')
    expect(await breachesOf(tenant)).toMatchObject([
      { invariant: totals, ids: ['NGN available'], message: 'NGN available has debits 440 instead of 441' },
      { invariant: totals, ids: ['NGN reserved'], message: 'NGN reserved has credits 420 instead of 421' },
      { invariant: entries, ids: [await entryId(tenant, 3)] },
    ])
  })

  it('an amount beyond all numbers', async () => {
    const tenant = await keepBooks()
    await tamper(tenant, 'update ledger_movement set amount = 9223372036854775807 where tenant_id = $1')
    expect((await breachesOf(tenant)).filter(({ invariant }) => invariant === totals)).toHaveLength(4)
  })

  it('a balance in the statement that was changed: it does not follow, and nor does the next', async () => {
    const tenant = await keepBooks()
    await tamper(tenant, 'update ledger_movement set balance_after = 1 where tenant_id = $1 and entry = 3')
    const ids = [await entryId(tenant, 3), await entryId(tenant, 4)]
    for (const rowsPerPage of [1, 2, 3, 4, 20_000]) {
      expect(await breachesOf(tenant, rowsPerPage)).toMatchObject([{ invariant: entries, ids }])
    }
  })

  it('a movement that was deleted from the middle: its successor does not follow', async () => {
    const tenant = await keepBooks()
    const after = await entryId(tenant, 3)
    await tamper(tenant, 'delete from ledger_movement where tenant_id = $1 and entry = 2')
    expect(await breachesOf(tenant)).toMatchObject([
      { invariant: totals, ids: ['NGN available'] },
      { invariant: totals, ids: ['NGN fees'] },
      { invariant: entries, ids: [after] },
    ])
  })

  it('the first movement that was deleted', async () => {
    const tenant = await keepBooks()
    const after = await entryId(tenant, 2)
    await tamper(tenant, 'delete from ledger_movement where tenant_id = $1 and entry = 1')
    expect((await breachesOf(tenant)).filter(({ invariant }) => invariant === entries)).toMatchObject([
      { ids: [after] },
    ])
  })

  it('the last movement that was deleted, which leaves no gap', async () => {
    const tenant = await keepBooks()
    await tamper(tenant, 'delete from ledger_movement where tenant_id = $1 and entry = 6')
    expect(await breachesOf(tenant)).toMatchObject([
      {
        invariant: totals,
        ids: ['NGN available'],
        message: 'NGN available has debits 440 instead of 230, movements 6 instead of 5',
      },
      { invariant: totals, ids: ['NGN reserved'] },
    ])
  })

  it('all movements that were deleted', async () => {
    const tenant = await keepBooks()
    await tamper(tenant, 'delete from ledger_movement where tenant_id = $1')
    expect((await breachesOf(tenant)).map(({ ids }) => ids[0])).toEqual([
      'NGN available',
      'NGN fees',
      'NGN rail',
      'NGN reserved',
    ])
  })

  it('a movement that was made up, however well it continues the statement', async () => {
    const tenant = await keepBooks()
    await tamper(
      tenant,
      `insert into ledger_movement select lane, tenant_id, gen_random_uuid(), currency, 'rail', 'available', 1000, kind, source_id,
         reference, 7, balance_after + 1000, created_at from ledger_movement where tenant_id = $1 and entry = 6`,
    )
    expect(await breachesOf(tenant)).toMatchObject([
      { invariant: totals, ids: ['NGN available'] },
      { invariant: totals, ids: ['NGN rail'] },
    ])
  })

  it('entries with changed numbers', async () => {
    const tenant = await keepBooks()
    const ids = [await entryId(tenant, 5), await entryId(tenant, 6)]
    await tamper(tenant, 'update ledger_movement set entry = entry + 100 where tenant_id = $1 and entry >= 5')
    expect(await breachesOf(tenant)).toMatchObject([{ invariant: entries, ids: ids.slice(0, 1) }])
  })

  /** Deletes and inserts the row, because with Citus an update cannot move it to another machine. */
  async function give({ id }: Tenant, to: Pick<Tenant, 'id' | 'lane'>, { only = 'true', as = 'entry' } = {}) {
    const whose = `from ledger_movement where tenant_id = $1 and ${only}`
    await asOwner(
      database,
      `insert into ledger_movement select $2, $3, id, currency, debit, credit, amount, kind, source_id, reference, ${as},
         balance_after, created_at ${whose}`,
      [id, to.lane, to.id],
    )
    await asOwner(database, `delete ${whose}`, [id])
  }

  it('a movement that was given to another tenant', async () => {
    const [tenant, thief] = [await keepBooks(), await keepBooks()]
    await give(tenant, thief, { only: 'entry = 1', as: '7' })
    for (const whose of [tenant, thief]) {
      expect((await breachesOf(whose)).map(({ invariant }) => invariant)).toEqual([totals, totals, entries])
    }
  })

  it('movements of an account or a tenant that does not exist', async () => {
    const tenant = await keepBooks()
    await tamper(tenant, `delete from ledger_account where tenant_id = $1 and name = 'reserved'`)
    expect(await breachesOf(tenant)).toMatchObject([
      { invariant: totals, ids: ['NGN reserved'], message: 'movements name an account that does not exist' },
    ])
    const nobody = newUuid(ctx.clock.now())
    await give(tenant, { id: nobody, lane: 77 })
    expect(await breachesOf({ id: nobody })).toMatchObject([
      { invariant: totals, ids: ['NGN available', 'NGN fees', 'NGN rail', 'NGN reserved'].toSorted() },
    ])
  })

  it('in the same order, however PostgreSQL comes to the rows', async () => {
    const tenant = await keepBooks()
    // PostgreSQL moves an updated row to the end of the table.
    for (const name of ['reserved', 'rail', 'fees', 'available'])
      await tamper(tenant, `update ledger_account set movements = 0 where tenant_id = $1 and name = '${name}'`)
    const [here] = await asOwner<{ name: string }>(database, 'select current_database() as name')
    const scans = (set: string): Promise<unknown> => asOwner(database, `alter database ${here?.name} ${set}`)
    await scans('set enable_indexscan = off')
    await scans('set enable_bitmapscan = off')
    const scanning = createTestContext(database.connect())
    const breaches = (await verifyLedger(scanning)).filter(({ tenantId }) => tenantId === tenant.id)
    await scans('reset all')
    expect(breaches.map(({ ids }) => ids)).toEqual(
      ['available', 'fees', 'rail', 'reserved'].map((name) => [`NGN ${name}`]),
    )
  })

  it('a balance below zero', async () => {
    const tenant = await keepBooks()
    await tamper(
      tenant,
      `update ledger_account set debits = debits + case name when 'available' then 1000 else 0 end,
         credits = credits + case name when 'rail' then 1000 else 0 end where tenant_id = $1`,
    )
    expect((await breachesOf(tenant)).filter(({ invariant }) => invariant === negatives)).toMatchObject([
      { ids: ['NGN available'], message: 'NGN available is -440' },
    ])
  })

  it('so often that the finding lists only some of them', async () => {
    const { staging: tenant } = (await createBusiness(ctx, 'Many')).tenants
    await tamper(
      tenant,
      `insert into ledger_movement select lane, tenant_id, gen_random_uuid(), currency, debit, credit, 1, kind, source_id, reference,
         n, 5, created_at from ledger_movement cross join generate_series(2, 151) as n where tenant_id = $1 and entry = 1`,
    )
    for (const rowsPerPage of [40, 20_000]) {
      const [breach] = (await breachesOf(tenant, rowsPerPage)).filter(({ invariant }) => invariant === entries)
      expect(breach?.ids).toHaveLength(100)
      expect(breach?.ids[0]).toBe(await entryId(tenant, 2))
      expect(breach?.message).toMatch(
        /^NGN entries whose number or balance .* \(150 in all, the first 100 are listed\)$/,
      )
    }
  })
})
