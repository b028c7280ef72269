// How the verification of a lane is split into chunks, and what happens to a chunk whose snapshot ends too early.

import { describe, expect, it } from 'vitest'
import { inLane } from '#platform/db/db.ts'
import { firstUuid, lastUuid, newUuid, uuidAfter, uuidBefore, type Uuid } from '#platform/ids.ts'
import { createBusiness } from '#businesses/business.ts'
import type { Violation } from '#ledger/verify.ts'
import type { InvariantCheck } from '#ledger/table-scan.ts'
import { firstIdAt, isUnmoved, proveLane, finalUntil } from '#ledger/chunks.ts'
import type { AccountTotals } from '#ledger/verify-queries.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'

const database = await useTestDatabase()
const ctx = createTestContext(database.connect())
const businesses = [await createBusiness(ctx, 'One'), await createBusiness(ctx, 'Two')]
const ids = businesses.flatMap(({ tenants }) => [tenants.staging.id, tenants.production.id]).toSorted() as [
  Uuid,
  Uuid,
  Uuid,
  Uuid,
]
const accountsPerTenant = 5

async function haveRows(rows: [number, number, number, number]): Promise<void> {
  for (const [index, count] of rows.entries()) {
    await asOwner(
      database,
      `update ledger_account set movements = case when name in ('available', 'rail') then $2::bigint else 0 end
        where tenant_id = $1`,
      [ids[index], count - 1],
    )
  }
}

type Options = Partial<Pick<InvariantCheck, 'from' | 'rowsPerPage'>> & {
  /** How many of the first snapshots end before their work is done. */
  ended?: number
  /** The violation that is found in every chunk without a snapshot of its own. */
  finds?: Violation
}

/** Shows a boundary by its tenant: `<2` is right before the third one, `>2` right after it. */
function shown(id: Uuid): string {
  if (id === firstUuid) return 'first'
  if (id === lastUuid) return 'last'
  const signs = [
    ['', (one: Uuid) => one],
    ['<', uuidBefore],
    ['>', uuidAfter],
  ] as const
  const names = signs.flatMap(([sign, move]) => ids.map((one, index) => [move(one), `${sign}${index}`] as const))
  return new Map(names).get(id) ?? id
}

async function proved(rowsPerSnapshot: number, { ended = 0, finds, ...walk }: Options = {}) {
  const pieces: string[] = []
  const reported: Violation[] = []
  let snapshots = 0
  const lane = inLane(ctx.db, 1)
  const check: InvariantCheck = {
    lane,
    isFirstLane: true,
    from: firstUuid,
    upTo: lastUuid,
    rowsPerPage: 1_000,
    rowsPerSnapshot,
    ...walk,
    report: (finding) => reported.push(finding),
    progress: () => undefined,
    async atOneMoment(work) {
      const done = await work(inLane(ctx.db, 1))
      return ++snapshots > ended ? done : undefined
    },
  }
  await proveLane(check, {
    ofSome(piece) {
      const beside = piece.lane === lane ? ' beside traffic' : ''
      pieces.push(`${shown(piece.from)} to ${shown(piece.upTo)}${beside}`)
      if (finds !== undefined) piece.report(finds)
      return Promise.resolve()
    },
    ofLarge(piece, tenantId) {
      expect([piece.from, piece.upTo]).toEqual([tenantId, tenantId])
      pieces.push(`${shown(tenantId)} alone`)
      return Promise.resolve()
    },
  })
  return { pieces, reported }
}

describe('pieces leave no gap between tenants, and', () => {
  it.each([
    ['are filled as far as a snapshot may go', [3, 3, 3, 3], ['first to <2', '2 to last']],
    ['take a tenant that just fits', [6, 1, 1, 1], ['first to <1', '1 to last']],
    ['have a tenant that is too large for any alone', [3, 7, 3, 3], ['first to <1', '1 alone', '>1 to last']],
    ['may begin with a large one', [7, 1, 1, 1], ['first to <0', '0 alone', '>0 to last']],
    ['may end with a large one', [1, 1, 1, 7], ['first to <3', '3 alone', '>3 to last']],
    ['have room anew behind a large one', [3, 3, 7, 6], ['first to <2', '2 alone', '>2 to last']],
    [
      'may have several large ones',
      [7, 7, 6, 1],
      ['first to <0', '0 alone', '>0 to <1', '1 alone', '>1 to <3', '3 to last'],
    ],
  ] as const)('%s', async (_title, rows, pieces) => {
    await haveRows([...rows])
    expect(await proved(6)).toEqual({ pieces, reported: [] })
  })

  it('end with a page of accounts', async () => {
    await haveRows([1, 1, 6, 6])
    const { pieces } = await proved(6, { rowsPerPage: 2 * accountsPerTenant })
    expect(pieces).toEqual(['first to 1', '>1 to <3', '3 to 3', '>3 to last'])
  })

  it('are none between a large tenant and the boundary that it stands at', async () => {
    await haveRows([7, 7, 1, 1])
    const { pieces } = await proved(6, { rowsPerPage: 2 * accountsPerTenant, from: ids[0] })
    expect(pieces).toEqual(['0 alone', '>0 to <1', '1 alone', '>1 to 3', '>3 to last'])
  })
})

describe('a piece whose snapshot ended first', () => {
  const finds = { ids: ['x'], message: 'wrong' }

  it('has found nothing: its tenants are proved one by one, and what lies between them', async () => {
    await haveRows([3, 1, 3, 3])
    const { pieces, reported } = await proved(6, { ended: 1, finds })
    const again = ['first to <0', '0 alone', '>0 to <1', '1 alone', '>1 to <2']
    expect(pieces).toEqual(['first to <2', ...again, '2 to last'])
    expect(reported).toEqual([finds, finds, finds, finds])
  })

  it('with one tenant is proved as that one', async () => {
    await haveRows([6, 6, 6, 6])
    expect((await proved(6, { ended: 1 })).pieces.slice(0, 3)).toEqual(['first to <1', 'first to <0', '0 alone'])
  })

  it('with one tenant that never moved anything is proved as that one too', async () => {
    await haveRows([1, 6, 6, 6])
    const again = ['first to <0', '0 alone', '>0 to <1']
    expect((await proved(6, { ended: 1 })).pieces.slice(0, 4)).toEqual(['first to <1', ...again])
  })

  it('and lies between two tenants has nothing at any moment; what it has is reported as one finding', async () => {
    await haveRows([7, 7, 7, 7])
    const clean = await proved(6, { ended: Infinity })
    expect(clean.pieces.slice(0, 3)).toEqual(['first to <0', 'first to <0 beside traffic', '0 alone'])
    expect(clean.reported).toEqual([])
    const { reported } = await proved(6, { ended: Infinity, finds })
    const message = `tenants from ${firstUuid} to ${uuidBefore(ids[0])} have no accounts, but more rows than can be read at one moment`
    expect(reported).toHaveLength(5)
    expect(reported[0]).toEqual({ ids: [], message })
  })
})

describe('accounts tell', () => {
  const account = (name: string, touchedAtMs: number, movements = 1n): AccountTotals => ({
    tenantId: firstUuid,
    currency: 'NGN',
    name,
    debits: 0n,
    credits: 0n,
    movements,
    touchedAt: new Date(touchedAtMs),
  })

  it('when a tenant changed last: the last time that an available balance was touched, in any currency', () => {
    const accounts = [account('rail', 1), account('available', 9), account('available', 5), account('reserved', 2)]
    expect(finalUntil(accounts)).toEqual(new Date(9))
    expect(finalUntil([account('rail', 7)])).toEqual(new Date(0))
    // A sealed month does not change any more, however long the tenant has rested.
    for (const [sealed, settled] of [
      [11, 11],
      [3, 9],
    ] as const)
      expect(finalUntil(accounts, new Date(sealed))).toEqual(new Date(settled))
    expect(finalUntil([account('rail', 7)], new Date(3))).toEqual(new Date(3))
  })

  it('the id before all that are made from then on', () => {
    expect(firstIdAt(new Date(0x01_23_45_67_89_ab))).toBe('01234567-89ab-0000-0000-000000000000')
    expect(firstIdAt(new Date(-1))).toBe(firstUuid)
    const atMs = Date.parse('2030-01-01')
    expect(newUuid(atMs) > firstIdAt(new Date(atMs))).toBe(true)
  })

  it('whether any money moved', () => {
    const before = [account('available', 1), account('rail', 1)]
    expect(isUnmoved(before, [account('available', 2), account('rail', 2)])).toBe(true)
    expect(isUnmoved(before, [account('available', 1), account('rail', 1, 2n)])).toBe(false)
    expect(isUnmoved(before, [account('available', 1)])).toBe(false)
  })
})
