// Two sides that must have equal sums: which tenants are reported when they differ. The sides are fakes; the accounts
// are real.

import { describe, expect, it } from 'vitest'
import { inLane, statement } from '#platform/db/db.ts'
import { firstUuid, lastUuid, type Uuid } from '#platform/ids.ts'
import { createBusiness } from '#businesses/business.ts'
import { checkSides, type TenantDigest, type Side } from '#ledger/digests.ts'
import type { Violation } from '#ledger/verify.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'

const database = await useTestDatabase()
const ctx = createTestContext(database.connect())
const { tenants } = await createBusiness(ctx, 'Sides')
const [tenant, other] = [tenants.staging.id, tenants.production.id]

const part = (tenantId: Uuid, count: number, digest: number, isLate = false): TenantDigest => ({
  tenantId,
  isLate,
  count: BigInt(count),
  digest: String(digest),
})
const right = [part(tenant, 3, 70), part(tenant, 2, -9, true), part(other, 1, 5), part(other, 4, 6, true)]

type World = {
  found?: TenantDigest[]
  wanted?: TenantDigest[]
  rowsPerSnapshot?: number
  meanwhile?: () => Promise<unknown>
  culprits?: { id: string; total: bigint }[]
  search?: () => Promise<unknown>
  /** The time up to which months are sealed, for each question. */
  sealed?: (Date | undefined)[]
}

const never = async (): Promise<void> => undefined

async function checked({ found = right, wanted = right, culprits = [], ...world }: World = {}) {
  const { rowsPerSnapshot = 1_000, meanwhile = never, search = never, sealed = [] } = world
  const [blamed, reported, untils] = [[] as Uuid[], [] as Violation[], [] as unknown[]]
  let rows = 0
  /** A side with one page for each of these parts. */
  const side = (parts: TenantDigest[]): Side =>
    async function* ({ from, upTo }, until) {
      untils.push(until)
      await meanwhile()
      for (const one of parts) if (one.tenantId >= from && one.tenantId <= upTo) yield { rows: 7, parts: [one] }
    }
  const lane = inLane(ctx.db, 1)
  await checkSides(
    {
      lane,
      isFirstLane: true,
      from: firstUuid,
      upTo: lastUuid,
      rowsPerPage: 1_000,
      rowsPerSnapshot,
      atOneMoment: (work) => work(lane),
      report: (finding) => reported.push(finding),
      progress: (more) => (rows += more),
    },
    {
      found: side(found),
      wanted: side(wanted),
      name: 'payments',
      async findCulprits(_check, tenantId, limit) {
        blamed.push(tenantId)
        await search()
        return culprits.slice(0, limit)
      },
      tell: ({ id }) => ({ id, message: 'differs' }),
      sealedUntil: () => Promise.resolve(sealed.length > 1 ? sealed.shift() : sealed[0]),
    },
  )
  return { blamed, reported, untils, rows }
}

/** The right parts, with this one in place of the tenant's. */
const changed = (to: TenantDigest): TenantDigest[] =>
  right.map((one) => (one.tenantId === tenant && one.isLate === to.isLate ? to : one))

const differences: [string, TenantDigest[]][] = [
  ['in number', changed(part(tenant, 4, 70))],
  ['in content', changed(part(tenant, 3, 71))],
  ['in what is late, in number', changed(part(tenant, 1, -9, true))],
  ['in what is late, in content', changed(part(tenant, 2, 9, true))],
  ['by what one side has alone', [...right, part(tenant, 1, 0)]],
]

async function setMovements(available: number, rail: number): Promise<void> {
  await asOwner(
    database,
    `update ledger_account set touched_at = '2026-01-02T00:00:00Z', movements = case name when 'available' then $2::bigint
            when 'rail' then $3::bigint else 0 end where tenant_id = $1`,
    [tenant, available, rail],
  )
}

describe.each([
  ['tenants that are read at one moment', 1_000],
  ['a tenant that is too large for that', 0],
])('%s', (_title, rowsPerSnapshot) => {
  it('and whose sides come to the same is not blamed, in whatever order and pages they come', async () => {
    const { blamed, reported, rows } = await checked({ rowsPerSnapshot, wanted: right.toReversed() })
    expect({ blamed, reported, rows }).toEqual({ blamed: [], reported: [], rows: 2 * 4 * 7 })
  })

  it('and has nothing on either side is not blamed', async () => {
    expect((await checked({ rowsPerSnapshot, found: [], wanted: [] })).blamed).toEqual([])
  })

  it('and has several parts of one kind is judged by their sum', async () => {
    const wanted = [part(tenant, 1, 30), part(tenant, 2, 40), ...right.slice(1)]
    expect((await checked({ rowsPerSnapshot, wanted })).blamed).toEqual([])
  })

  it.each(differences)('is blamed alone when its sides differ %s', async (_what, wanted) => {
    expect((await checked({ rowsPerSnapshot, wanted })).blamed).toEqual([tenant])
    expect((await checked({ rowsPerSnapshot, found: wanted })).blamed).toEqual([tenant])
  })
})

describe('late movements', () => {
  const late = changed(part(tenant, 1, -9, true))

  it('are all that came after the accounts were touched; in a single snapshot none is late', async () => {
    await setMovements(0, 0)
    expect((await checked()).untils).toEqual(['infinity', 'infinity'])
    expect((await checked({ rowsPerSnapshot: 0 })).untils).toContainEqual(new Date('2026-01-02T00:00:00Z'))
  })

  it('may differ in a large tenant while traffic goes on, and settled ones may not', async () => {
    let moves = 0
    const meanwhile = (): Promise<void> => setMovements(++moves, moves)
    expect((await checked({ rowsPerSnapshot: 0, wanted: late, meanwhile })).blamed).toEqual([])
    const settled = changed(part(tenant, 3, 71))
    expect((await checked({ rowsPerSnapshot: 0, wanted: settled, meanwhile })).blamed).toEqual([tenant])
  })
})

describe('a large tenant of which a month is sealed meanwhile', () => {
  const [march, april] = [new Date('2026-03-01T00:00:00Z'), new Date('2026-04-01T00:00:00Z')]

  it.each([
    ['the first', undefined, march],
    ['a later one', march, april],
  ])('is read again when the month is %s, and judged by that alone', async (_which, before, after) => {
    let walks = 0
    const meanwhile = (): Promise<unknown> => Promise.resolve((walks += 1))
    const sealed = [before, after]
    const differing = changed(part(tenant, 3, 71))
    const one = await checked({ rowsPerSnapshot: 0, wanted: differing, meanwhile, sealed: [...sealed] })
    expect(one.blamed).toEqual([tenant])
    // The walk reads both sides of the pieces before and after it, and the two sides of its own piece twice.
    const usual = walks
    walks = 0
    await checked({ rowsPerSnapshot: 0, wanted: differing, meanwhile, sealed: [after] })
    expect(usual - walks).toBe(2)
  })
})

describe('the culprits', () => {
  const wanted = changed(part(tenant, 4, 70))
  const many = (count: number, total: number) =>
    Array.from({ length: count }, (_, index) => ({ id: `p${index}`, total: BigInt(total) }))

  it('are named one by one; of more than a hundred it is said how many', async () => {
    const { reported } = await checked({ wanted, culprits: many(2, 2) })
    expect(reported).toEqual(['p0', 'p1'].map((id) => ({ tenantId: tenant, ids: [id], message: 'differs' })))
    const of101 = (await checked({ wanted, culprits: many(101, 101) })).reported
    expect(of101).toHaveLength(101)
    expect(of101.at(-1)).toEqual({ tenantId: tenant, ids: [], count: 1, message: 'further payments disagree' })
  })

  it('may be gone when they are looked for: then nothing is said', async () => {
    expect((await checked({ wanted, culprits: [] })).reported).toEqual([])
  })

  it('whose search takes longer than a statement may are not named, and the breach is reported all the same', async () => {
    const sleep = statement('test.long_search', 'select pg_sleep(60)')
    const search = (): Promise<unknown> => ctx.db.snapshot((tx) => tx.query(sleep), 50)
    const { reported } = await checked({ wanted, rowsPerSnapshot: 0, search })
    expect(reported).toEqual([
      { tenantId: tenant, ids: [], message: 'payments disagree, too many of them to say which' },
    ])
    const broken = (): Promise<unknown> => Promise.reject(new Error('a bug'))
    await expect(checked({ wanted, rowsPerSnapshot: 0, search: broken })).rejects.toThrow('a bug')
  })

  it('are not searched for in more than five million movements', async () => {
    await setMovements(5_000_001, 5_000_000)
    expect((await checked({ wanted, rowsPerSnapshot: 0 })).blamed).toEqual([tenant])
    await setMovements(5_000_001, 5_000_001)
    const { blamed, reported } = await checked({ wanted, rowsPerSnapshot: 0 })
    expect(blamed).toEqual([])
    expect(reported).toEqual([
      { tenantId: tenant, ids: [], message: 'payments disagree, too many of them to say which' },
    ])
  })
})
