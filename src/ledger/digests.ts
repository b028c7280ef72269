// Two sides that must come to the same, such as payments and what they moved, when neither has an index by the other: each
// is walked in the order of its own key and summed up as a digest per tenant. The sum of the digests of rows does not
// depend on their order. Only a tenant whose sums disagree has its rows joined, to name the culprits.

import type { Uuid } from '#base/ids.ts'
import type { Check } from './invariant.ts'
import type { Page, Walk } from './walk.ts'

export type Digest = { tenantId: Uuid; count: bigint; digest: string }

/** The parts of a page: what the texts of its rows come to. */
export const digests = (rows: string, text: string): string =>
  `select tenant_id as "tenantId", count(*) as count, sum(hashtextextended(${text}, 0)::numeric)::text as digest
     from ${rows} group by tenant_id`

/** One side: a walk over a table whose parts are digests. */
export type Side = (walk: Walk) => AsyncGenerator<Page<Digest>>

type Difference = { count: bigint; digest: bigint }

/** The tenants for which the two sides do not come to the same. */
export async function disagreements(check: Check, found: Side, wanted: Side): Promise<Uuid[]> {
  const differences = new Map<Uuid, Difference>()
  await add(check, differences, found, 1n)
  await add(check, differences, wanted, -1n)
  return [...differences].filter(([, { count, digest }]) => count !== 0n || digest !== 0n).map(([tenantId]) => tenantId)
}

async function add(check: Check, differences: Map<Uuid, Difference>, side: Side, sign: 1n | -1n): Promise<void> {
  for await (const { rows, parts } of side(check)) {
    for (const { tenantId, count, digest } of parts) {
      const sum = differences.get(tenantId) ?? { count: 0n, digest: 0n }
      differences.set(tenantId, { count: sum.count + sign * count, digest: sum.digest + sign * BigInt(digest) })
    }
    check.progress(rows)
  }
}

/** How many culprits of a tenant are named. */
const culpritsMax = 100

/** `total` is how many there are when the query gave fewer. */
type Counted = { total: bigint }

/** Names a tenant's culprits one by one, and says how many more there are. */
export async function blame<Culprit extends Counted>(
  { report }: Check,
  tenantId: Uuid,
  find: (limit: number) => Promise<Culprit[]>,
  { tell, further }: { tell: (culprit: Culprit) => { id: string; message: string }; further: string },
): Promise<void> {
  const culprits = await find(culpritsMax)
  for (const culprit of culprits) {
    const { id, message } = tell(culprit)
    report({ tenantId, ids: [id], message })
  }
  const untold = Number(culprits[0]?.total ?? 0n) - culprits.length
  if (untold > 0) report({ tenantId, ids: [], count: untold, message: `further ${further} disagree` })
}
