// Compares two sides that must agree, such as payments and their movements, when neither has an index on the key of the
// other. Each side is read in the order of its own key and summed as a digest per tenant; the sum does not depend on
// the order of rows. Only the rows of a tenant whose sums disagree are joined, to name the differing ones.

import { type InLane, isTooLong, statement, type Statement } from '#platform/db/db.ts'
import { firstUuid, type Uuid } from '#platform/ids.ts'
import { readSealedUntil } from './archive.ts'
import { archivedUntil } from './archived.ts'
import { isUnmoved, proveLane, finalUntil } from './chunks.ts'
import { type InvariantCheck, pageOf, type ScanPage, scanPages, type TableScan } from './table-scan.ts'
import { type CauseList, causes } from './chart.ts'
import { accountsOfTenant } from './verify-queries.ts'

/** `isLate` marks rows that are dated at or after the time before which nothing of the tenant can change. */
export type TenantDigest = { tenantId: Uuid; isLate: boolean; count: bigint; digest: string }

/**
 * SQL that sums the rows of a page into digests. The column `at` of each row is the time since which the row should
 * exist.
 */
export const digestsSql = (rows: string, text: string): string =>
  `select tenant_id as "tenantId", at >= $6::timestamptz as "isLate", count(*) as count,
          sum(hashtextextended(${text}, 0)::numeric)::text as digest
     from ${rows} group by tenant_id, at >= $6::timestamptz`

export type Side = (walk: TableScan, finalUntil: Date | 'infinity') => AsyncGenerator<ScanPage<TenantDigest>>

type Sides<Culprit extends DigestTotal> = {
  found: Side
  wanted: Side
  findCulprits: (check: InvariantCheck, tenantId: Uuid, limit: number) => Promise<Culprit[]>
  tell: (culprit: Culprit) => { id: string; message: string }
  /** The archived months in which the sides of a tenant disagree, as `2026-01`. */
  findMonths?: (check: InvariantCheck, tenantId: Uuid) => Promise<string[]>
  /** Names the rows of both sides in messages. */
  name: string
  /** The time before which the rows of `found` are archived. By default, that of movements. */
  sealedUntil?: (lane: InLane) => Promise<Date | undefined>
}

/** `total` is the number of all differing rows, of which the query returns at most `limit`. */
type DigestTotal = { total: bigint }

export function checkSides<Culprit extends DigestTotal>(check: InvariantCheck, sides: Sides<Culprit>): Promise<void> {
  return proveLane(check, {
    async ofSome(piece) {
      const differences = await compare(piece, sides, 'infinity')
      for (const [tenantId, { final, late }] of differences)
        if (!isNothing(final) || !isNothing(late)) await blame(piece, tenantId, sides)
    },
    async ofLarge(piece, tenantId) {
      // Repeats if a month was sealed meanwhile, because parts read before and after the sealing do not fit together.
      while (!(await compareLarge(piece, tenantId, sides)));
    },
  })
}

/** Returns true if no month was sealed while the two sides were read. */
async function compareLarge<Culprit extends DigestTotal>(
  piece: InvariantCheck,
  tenantId: Uuid,
  sides: Sides<Culprit>,
): Promise<boolean> {
  const { sealedUntil = readSealedUntil } = sides
  const sealed = await sealedUntil(piece.lane)
  const before = await accountsOfTenant(piece, tenantId)
  const differences = await compare(piece, sides, finalUntil(before, sealed))
  const after = await accountsOfTenant(piece, tenantId)
  if ((await sealedUntil(piece.lane))?.getTime() !== sealed?.getTime()) return false
  const difference = differences.get(tenantId)
  if (difference === undefined) return true
  // A difference of the late rows counts only if no movement happened between the two readings, because such movements
  // may explain it.
  if (isNothing(difference.final) && (isNothing(difference.late) || !isUnmoved(before, after))) return true
  const movements = after.reduce((sum, account) => sum + account.movements, 0n) / 2n
  const isNamed = movements <= movementsToJoinMax && (await blameInTime(piece, tenantId, sides))
  if (!isNamed) piece.report({ tenantId, ids: [], message: `${sides.name} disagree, too many of them to say which` })
  return true
}

/**
 * Joins of more movements are not tried. A join of 3 000 000 took 9 s on two cores, so this many take half of the 30 s
 * after which PostgreSQL cancels a statement.
 */
const movementsToJoinMax = 5_000_000n

/** Returns false if a slow machine needed longer than a statement may take; then nothing is reported. */
async function blameInTime<Culprit extends DigestTotal>(
  check: InvariantCheck,
  tenantId: Uuid,
  sides: Sides<Culprit>,
): Promise<boolean> {
  try {
    await blame(check, tenantId, sides)
    return true
  } catch (error) {
    if (isTooLong(error)) return false
    throw error
  }
}

type DigestSum = { count: bigint; digest: bigint }
type Difference = { final: DigestSum; late: DigestSum }

async function compare(
  check: InvariantCheck,
  { found, wanted }: Pick<Sides<DigestTotal>, 'found' | 'wanted'>,
  until: Date | 'infinity',
): Promise<Map<Uuid, Difference>> {
  const differences = new Map<Uuid, Difference>()
  for (const [side, sign] of [
    [found, 1n],
    [wanted, -1n],
  ] as const) {
    for await (const { rows, parts } of side(check, until)) {
      for (const part of parts) add(differences, part, sign)
      check.progress(rows)
    }
  }
  return differences
}

function add(differences: Map<Uuid, Difference>, part: TenantDigest, sign: 1n | -1n): void {
  const difference = differences.get(part.tenantId) ?? {
    final: { count: 0n, digest: 0n },
    late: { count: 0n, digest: 0n },
  }
  const sum = part.isLate ? difference.late : difference.final
  sum.count += sign * part.count
  sum.digest += sign * BigInt(part.digest)
  differences.set(part.tenantId, difference)
}

function isNothing({ count, digest }: DigestSum): boolean {
  return count === 0n && digest === 0n
}

const culpritsMax = 100

async function blame<Culprit extends DigestTotal>(
  check: InvariantCheck,
  tenantId: Uuid,
  { findCulprits, findMonths, tell, name, sealedUntil = readSealedUntil }: Sides<Culprit>,
): Promise<void> {
  const culprits = await findCulprits(check, tenantId, culpritsMax)
  // The query finds only rows in the table. If the rows of a file differ, the month is reported: after it is restored,
  // the next verification names its rows.
  const months = (await findMonths?.(check, tenantId)) ?? []
  const isUnnamed = culprits.length === 0 && (await sealedUntil(check.lane)) !== undefined
  if (isUnnamed || months.length > 0)
    check.report({ tenantId, ids: months, message: `${name} disagree in a month that is archived` })
  for (const culprit of culprits) {
    const { id, message } = tell(culprit)
    check.report({ tenantId, ids: [id], message })
  }
  const untold = Number(culprits[0]?.total ?? 0n) - culprits.length
  if (untold > 0) check.report({ tenantId, ids: [], count: untold, message: `further ${name} disagree` })
}

const inTable: Record<CauseList, Statement> = {
  payments: statement('ledger.verify_moved_by_payments', movedPage('payments')),
  deposits: statement('ledger.verify_moved_by_deposits', movedPage('deposits')),
}

function movedPage(cause: CauseList): string {
  const { where, text } = causes[cause]
  return pageOf({
    table: 'ledger_movement',
    key: 'id',
    columns: 'source_id, kind, debit, credit, amount, currency, reference, created_at as at',
    parts: digestsSql(`(select * from page where ${where} and at >= ${archivedUntil}) as found`, text),
  })
}

const sealed = statement(
  'ledger.verify_sealed_digests',
  pageOf({
    table: 'ledger_archive_digest',
    key: 'cause',
    columns: 'count, digest',
    parts: `
      select tenant_id as "tenantId", false as "isLate", sum(count)::bigint as count, sum(digest)::text as digest
        from page where cause = $6 group by tenant_id`,
  }),
)

const sealedDigests = (walk: TableScan, cause: CauseList): AsyncGenerator<ScanPage<TenantDigest>> =>
  scanPages<TenantDigest>(sealed, '', walk, cause)

function digestsInTable(
  walk: TableScan,
  cause: CauseList,
  until: Date | 'infinity',
): AsyncGenerator<ScanPage<TenantDigest>> {
  return scanPages<TenantDigest>(inTable[cause], firstUuid, walk, until)
}

export const movedFor = (cause: CauseList): Side =>
  async function* (walk, until) {
    yield* sealedDigests(walk, cause)
    yield* digestsInTable(walk, cause, until)
  }
