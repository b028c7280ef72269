// Two sides that must come to the same, such as payments and what they moved, when neither has an index by the other: each
// is walked in the order of its own key and summed up as a digest per tenant. The sum of the digests of rows does not
// depend on their order. Only a tenant whose sums disagree has its rows joined, to name the culprits.

import type { InLane } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import type { Check } from './invariant.ts'
import { isUnmoved, prove, settledUntil } from './chunks.ts'
import { readSealedUntil } from './archive.ts'
import { accountsOfTenant } from './verify-queries.ts'
import type { Page, Walk } from './table-scan.ts'

/** `isLate`: of what happened when the tenant's books were not settled any more. */
export type Digest = { tenantId: Uuid; isLate: boolean; count: bigint; digest: string }

/** The parts of a page: what the texts of its rows come to. Each row says since `at` when it should be there. */
export const digests = (rows: string, text: string): string =>
  `select tenant_id as "tenantId", at >= $6::timestamptz as "isLate", count(*) as count,
          sum(hashtextextended(${text}, 0)::numeric)::text as digest
     from ${rows} group by tenant_id, at >= $6::timestamptz`

/** One side: a walk over a table whose parts are digests. */
export type Side = (walk: Walk, settledUntil: Date | 'infinity') => AsyncGenerator<Page<Digest>>

export type Sides<Culprit extends Counted> = {
  found: Side
  wanted: Side
  /** Joins the rows of one tenant, in one statement. */
  findCulprits: (check: Check, tenantId: Uuid, limit: number) => Promise<Culprit[]>
  tell: (culprit: Culprit) => { id: string; message: string }
  /** The months in files in which the sides of a tenant disagree, as `2026-01`. */
  findMonths?: (check: Check, tenantId: Uuid) => Promise<string[]>
  /** What both sides are made of. */
  name: string
  /** Up to when what is found is in files; that of movements when left out. */
  sealedUntil?: (lane: InLane) => Promise<Date | undefined>
}

/** `total` is how many there are when the query gave fewer. */
type Counted = { total: bigint }

export function checkSides<Culprit extends Counted>(check: Check, sides: Sides<Culprit>): Promise<void> {
  return prove(check, {
    async ofSome(piece) {
      const differences = await compare(piece, sides, 'infinity')
      for (const [tenantId, { settled, late }] of differences)
        if (!isNothing(settled) || !isNothing(late)) await blame(piece, tenantId, sides)
    },
    async ofLarge(piece, tenantId) {
      // Each time that a month was sealed meanwhile, what was read before and after that does not fit together.
      while (!(await compareLarge(piece, tenantId, sides)));
    },
  })
}

/** Whether all was read with the same months sealed. */
async function compareLarge<Culprit extends Counted>(
  piece: Check,
  tenantId: Uuid,
  sides: Sides<Culprit>,
): Promise<boolean> {
  const { sealedUntil = readSealedUntil } = sides
  const sealed = await sealedUntil(piece.lane)
  const before = await accountsOfTenant(piece, tenantId)
  const differences = await compare(piece, sides, settledUntil(before, sealed))
  const after = await accountsOfTenant(piece, tenantId)
  if ((await sealedUntil(piece.lane))?.getTime() !== sealed?.getTime()) return false
  const difference = differences.get(tenantId)
  if (difference === undefined) return true
  // Where nothing has moved meanwhile, what is not settled stood still too.
  if (isNothing(difference.settled) && (isNothing(difference.late) || !isUnmoved(before, after))) return true
  const movements = after.reduce((sum, account) => sum + account.movements, 0n) / 2n
  if (movements <= movementsToJoinMax) await blame(piece, tenantId, sides)
  else piece.report({ tenantId, ids: [], message: `${sides.name} disagree, too many of them to say which` })
  return true
}

/** A statement that joins more would be cancelled: it takes 9 s for 3 000 000. */
const movementsToJoinMax = 5_000_000n

type Sum = { count: bigint; digest: bigint }
type Difference = { settled: Sum; late: Sum }

async function compare(
  check: Check,
  { found, wanted }: Pick<Sides<Counted>, 'found' | 'wanted'>,
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

function add(differences: Map<Uuid, Difference>, part: Digest, sign: 1n | -1n): void {
  const difference = differences.get(part.tenantId) ?? {
    settled: { count: 0n, digest: 0n },
    late: { count: 0n, digest: 0n },
  }
  const sum = part.isLate ? difference.late : difference.settled
  sum.count += sign * part.count
  sum.digest += sign * BigInt(part.digest)
  differences.set(part.tenantId, difference)
}

function isNothing({ count, digest }: Sum): boolean {
  return count === 0n && digest === 0n
}

/** How many culprits of a tenant are named. */
const culpritsMax = 100

/** Names a tenant's culprits one by one, and says how many more there are. */
async function blame<Culprit extends Counted>(
  check: Check,
  tenantId: Uuid,
  { findCulprits, findMonths, tell, name, sealedUntil = readSealedUntil }: Sides<Culprit>,
): Promise<void> {
  const culprits = await findCulprits(check, tenantId, culpritsMax)
  // They name what is in the table. Of what is in files the months are told: brought back, it is named.
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
