// Months of movements as the ledger archives them: the rows of a month, and the contents of its seal.

import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { createDb, inLane, statement } from '#platform/db/db.ts'
import { firstUuid, lastUuid, newUuid } from '#platform/ids.ts'
import { createBusiness } from '#businesses/business.ts'
import {
  findLastEntry,
  insertSeal,
  monthlyMovements,
  readDigests,
  readSealed,
  type SealedSum,
} from '#ledger/archive.ts'
import { listMonthsApart, monthsApart } from '#ledger/archived.ts'
import { movedFor } from '#ledger/digests.ts'
import { movementsOf } from '#ledger/statement.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { day, idAt, keepMovements, keepSeal, keepSums } from './kept-entries.ts'

const database = await useTestDatabase()
const ctx = createTestContext(database.connect())
const owned = createDb({ url: database.ownerUrl, log: ctx.log, metrics: ctx.metrics })
afterAll(() => owned.close())
const lane = inLane(owned, 1)
const { production, staging } = (await createBusiness(ctx, 'Archive')).tenants
const [one, two] = [production, staging].toSorted((left, right) => (left.id < right.id ? -1 : 1)) as [Tenant, Tenant]

beforeEach(() =>
  asOwner(database, 'truncate ledger_movement, ledger_archive, ledger_archive_sum, ledger_archive_digest'),
)

const later = (at: Date, ms: number): Date => new Date(at.getTime() + ms)
const minuteMs = 60_000

describe('the lines of a month', () => {
  const month = { since: day(1), until: day(32) }

  async function linesOf(linesAtOnce: number): Promise<string[][]> {
    const pieces = []
    for await (const lines of monthlyMovements.lines(lane, month, linesAtOnce))
      pieces.push(lines.map((line) => JSON.parse(line)[5] as string))
    return pieces
  }

  beforeEach(async () => {
    await keepMovements(database, one, [
      { at: day(1), amount: 1 },
      { at: day(9), amount: 2 },
      { at: day(10), amount: 3 },
      // The process had dated an earlier movement, so its ids are ahead of its clock.
      { at: later(day(32), -1), id: idAt(later(day(32), 59 * minuteMs)), amount: 4 },
      { at: day(32), amount: 90 },
      { at: later(day(1), -1), id: idAt(later(day(1), minuteMs)), amount: 91 },
    ])
    await keepMovements(database, two, [
      { at: day(3), amount: 5 },
      { at: day(4), amount: 6 },
    ])
  })

  it.each([
    [1, [['1'], ['2'], ['3'], ['4'], ['5'], ['6']]],
    [
      2,
      [
        ['1', '2'],
        ['3', '4'],
        ['5', '6'],
      ],
    ],
    [3, [['1', '2', '3'], ['4'], ['5', '6']]],
    [
      100,
      [
        ['1', '2', '3', '4'],
        ['5', '6'],
      ],
    ],
  ])('are all that is dated in it, each once, at most %i at a time', async (linesAtOnce, lines) => {
    expect(await linesOf(linesAtOnce)).toEqual(lines)
  })

  it('begin with the oldest row there is', async () => {
    await asOwner(database, 'delete from ledger_movement where created_at < $1', [day(3)])
    expect(await monthlyMovements.findOldest(lane)).toEqual(day(3))
    // The ids of another process were ahead of its dates.
    const early = later(day(3), -1)
    await keepMovements(database, one, [{ at: early, id: idAt(later(day(3), minuteMs)), amount: 7 }])
    expect(await monthlyMovements.findOldest(lane)).toEqual(early)
  })

  it('are held against their causes, each movement for itself', async () => {
    const [payment, deposit] = [newUuid(1), newUuid(2)]
    await asOwner(database, 'truncate ledger_movement')
    const hold = { at: day(2), amount: 7, kind: 'hold', sourceId: payment }
    await keepMovements(database, one, [
      hold,
      { ...hold, id: idAt(day(2), 2) },
      { at: day(2), id: idAt(day(2), 3), amount: 8, kind: 'deposit', sourceId: deposit },
      { at: day(2), id: idAt(day(2), 4), amount: 9, kind: 'funding' },
    ])
    await keepMovements(database, two, [hold])
    const lines: string[] = []
    for await (const some of monthlyMovements.lines(lane, month, 100)) lines.push(...some)
    const counted = (await readDigests(lane, lines)).map(({ tenantId, cause, count }) => [tenantId, cause, count])
    expect(counted).toHaveLength(3)
    expect(counted).toEqual(
      expect.arrayContaining([
        [one.id, 'payments', 2n],
        [one.id, 'deposits', 1n],
        [two.id, 'payments', 1n],
      ]),
    )
  })
})

describe('a seal', () => {
  const head = (until: Date) => ({
    since: later(until, -1),
    until,
    rows: 0n,
    digest: Buffer.alloc(32),
    previous: null,
    sealedAt: until,
  })
  const sum = (name: string, movements: bigint, lastEntry: bigint | null = null): SealedSum => {
    const balanceAfter = lastEntry === null ? null : movements * 10n
    return { tenantId: one.id, currency: 'NGN', name, debits: 1n, credits: 2n, movements, lastEntry, balanceAfter }
  }
  const digest = (count: bigint) => ({ tenantId: one.id, cause: 'payments' as const, count, digest: '-5' })
  const january = { sums: [sum('available', 3n, 3n), sum('rail', 2n)], digests: [digest(3n)] }
  const february = { sums: [sum('available', 4n, 7n)], digests: [digest(4n)] }
  const seal = (until: Date, said: typeof january): Promise<boolean> =>
    owned.transaction((tx) => insertSeal(tx, { ...head(until), ...said }), 1)

  const sealedUntil = async (until: Date) => {
    const { sums, digests } = await readSealed(lane, until)
    return { sums: sums.toSorted((left, right) => (left.name < right.name ? -1 : 1)), digests }
  }

  it('says of its month what it was made with, and is made once', async () => {
    expect(await seal(day(32), january)).toBe(true)
    expect(await seal(day(60), february)).toBe(true)
    expect(await seal(day(60), january)).toBe(false)
    expect(await sealedUntil(day(32))).toEqual(january)
    expect(await sealedUntil(day(60))).toEqual(february)
    expect((await monthlyMovements.readSeals(lane)).map(({ until }) => until)).toEqual([day(32), day(60)])
  })

  it('that is dropped takes nothing of another month with it', async () => {
    await seal(day(32), january)
    await seal(day(60), february)
    await owned.transaction(async (tx) => monthlyMovements.dropSeal(tx, day(60)), 1)
    expect(await sealedUntil(day(60))).toEqual({ sums: [], digests: [] })
    expect(await sealedUntil(day(32))).toEqual(january)
    expect((await monthlyMovements.readSeals(lane)).map(({ until }) => until)).toEqual([day(32)])
  })

  it('tells where a statement stood when its month ended', async () => {
    for (const until of [32, 60, 91]) await keepSeal(database, 1, day(until))
    await keepSums(database, one, [
      { until: day(32), lastEntry: 3, balanceAfter: 30 },
      { until: day(60), lastEntry: 7, balanceAfter: 70 },
      { until: day(91), name: 'rail' },
      { until: day(91), currency: 'GHS', lastEntry: 1, balanceAfter: 1 },
    ])
    await keepSums(database, two, [{ until: day(91), lastEntry: 2, balanceAfter: 2 }])
    const stood = (until: Date) => findLastEntry(lane, { tenantId: one.id, currency: 'NGN', until })
    expect(await stood(day(31))).toBeUndefined()
    expect(await stood(day(32))).toEqual({ through: 3n, balance: 30n })
    expect(await stood(day(59))).toEqual({ through: 3n, balance: 30n })
    expect(await stood(day(100))).toEqual({ through: 7n, balance: 70n })
  })
})

describe('the digest of movements with one cause', () => {
  const walk = { lane, rowsPerPage: 1, from: firstUuid, upTo: lastUuid }

  it('covers its seals and the table since then, with unsettled movements apart', async () => {
    for (const until of [32, 60]) await keepSeal(database, 1, day(until))
    for (const [tenant, cause, until, count] of [
      [one, 'payments', 32, 1],
      [one, 'payments', 60, 2],
      [one, 'deposits', 60, 50],
      [two, 'payments', 60, 4],
    ] as const)
      await asOwner(
        database,
        `insert into ledger_archive_digest values (1, $1, $2, $3, $4::bigint, $4::bigint * 100)`,
        [tenant.id, cause, day(until), count],
      )
    await keepMovements(database, one, [
      { at: later(day(60), -1), amount: 90, kind: 'hold' },
      { at: day(60), amount: 1, kind: 'hold' },
      { at: day(60), id: idAt(day(60), 2), amount: 2, kind: 'deposit' },
      { at: later(day(70), -1), amount: 3, kind: 'payout' },
      { at: day(70), amount: 4, kind: 'payout_fee' },
    ])
    const sums = new Map<string, bigint>()
    let digest = 0n
    for await (const { parts } of movedFor('payments')(walk, day(70))) {
      for (const part of parts) {
        const key = `${part.tenantId} ${part.isLate ? 'late' : 'settled'}`
        sums.set(key, (sums.get(key) ?? 0n) + part.count)
        if (part.tenantId === two.id) digest += BigInt(part.digest)
      }
    }
    // Three are sealed. In the table, two are settled and one is not.
    expect(Object.fromEntries(sums)).toEqual({
      [`${one.id} settled`]: 5n,
      [`${one.id} late`]: 1n,
      [`${two.id} settled`]: 4n,
    })
    expect(digest).toBe(400n)
  })
})

describe('months in which two sides disagree', () => {
  it('are those whose number or digest differs, or that one side has alone, in their order', async () => {
    const values = (rows: string[]): string => rows.join(', ')
    const at = (month: number, text: string): string => `('2026-0${month}-31T23:59:59Z'::timestamptz, '${text}')`
    const sealed = (month: number, texts: string[]): string => {
      const digests = texts.map((text) => `hashtextextended('${text}', 0)::numeric`).join(' + ')
      return `('2026-0${month}-01Z'::timestamptz, ${texts.length}::bigint, ${digests})`
    }
    const apart = statement(
      'test.months_apart',
      monthsApart({
        wanted: `select * from (values ${values([at(1, 'a'), at(1, 'b'), at(3, 'c'), at(5, 'd'), at(7, 'e')])}) as w (at, text)
                  where $2::uuid is not null`,
        text: 'text',
        sealed: `select * from (values ${values([
          sealed(2, ['b', 'a']),
          sealed(4, ['c', 'c']),
          sealed(6, ['x']),
          sealed(9, ['f']),
        ])}) as s (until, count, digest)`,
      }),
    )
    const all = { lane, rowsPerPage: 1, from: firstUuid, upTo: lastUuid }
    expect(await listMonthsApart(apart, all, one.id)).toEqual(['2026-03', '2026-05', '2026-07', '2026-08'])
  })
})

describe('the movements of one payment', () => {
  const source = newUuid(1)

  it('are those of its moments, in their order and each once', async () => {
    await keepMovements(database, one, [
      { at: day(2), amount: 1, sourceId: source },
      { at: day(2), id: idAt(day(2), 2), amount: 2, sourceId: source },
      { at: day(2), id: idAt(day(2), 3), amount: 90 },
      { at: day(2), id: idAt(later(day(2), 9_999)), amount: 3, sourceId: source },
      { at: day(2), id: idAt(later(day(2), 10_000)), amount: 91, sourceId: source },
      { at: day(5), amount: 4, sourceId: source },
      { at: day(5), id: idAt(day(5), 2), amount: 92, sourceId: source },
      { at: later(day(2), -1), amount: 93, sourceId: source },
    ])
    await keepMovements(database, two, [{ at: day(2), id: idAt(day(2), 4), amount: 94, sourceId: source }])
    const moved = [
      { at: day(5), count: 1 },
      { at: day(2), count: 5 },
      { at: day(2), count: 1 },
    ]
    const { movements, archivedUntil } = await movementsOf(ctx, one, source, moved)
    expect(movements.map(({ amount }) => amount)).toEqual([1n, 2n, 3n, 4n])
    expect(archivedUntil).toBeNull()
  })

  it('are in files when one of its moments is', async () => {
    for (const until of [2, 4]) await keepSeal(database, 1, day(until))
    const archivedOf = async (...moments: Date[]) => {
      const moved = moments.map((at) => ({ at, count: 1 }))
      return (await movementsOf(ctx, one, source, moved)).archivedUntil
    }
    expect(await archivedOf(day(3), day(9))).toEqual(day(4))
    expect(await archivedOf(day(4), day(9))).toBeNull()
    expect(await archivedOf()).toBeNull()
  })
})
