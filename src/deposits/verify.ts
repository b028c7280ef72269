// What deposits promise about money, for `ledger verify`.

import type { Uuid } from '#base/ids.ts'
import type { Check, Invariant } from '#ledger/verify.ts'
import { depositReference } from './deposit.ts'
import { depositPages, findCulprits, movementPages, type Part } from './sql-verify.ts'

export const depositInvariants: Invariant[] = [
  { name: 'each SUCCESSFUL deposit is credited exactly once, less its fee, and no other ever', run: checkCredits },
]

const culpritsMax = 100

async function checkCredits(check: Check): Promise<void> {
  const sums = new Map<Uuid, { count: bigint; digest: bigint }>()
  const add = ({ tenantId, count, digest }: Part, sign: bigint): void => {
    const sum = sums.get(tenantId) ?? { count: 0n, digest: 0n }
    sums.set(tenantId, { count: sum.count + sign * count, digest: sum.digest + sign * digest })
  }
  for await (const page of movementPages(check)) {
    for (const part of page.parts) add(part, 1n)
    check.progress(page.rows)
  }
  for await (const page of depositPages(check)) {
    for (const part of page.parts) add(part, -1n)
    check.progress(page.rows)
  }
  for (const [tenantId, { count, digest }] of sums) if (count !== 0n || digest !== 0n) await blame(check, tenantId)
}

async function blame(check: Check, tenantId: Uuid): Promise<void> {
  const culprits = await findCulprits(check, tenantId, culpritsMax)
  const total = Number(culprits[0]?.total ?? 0n)
  for (const { id, status } of culprits) {
    check.report({ tenantId, ids: [depositReference(id)], message: sentences(status) })
  }
  if (total > culprits.length) {
    check.report({
      tenantId,
      ids: [],
      count: total - culprits.length,
      message: 'further deposits and movements disagree',
    })
  }
}

function sentences(status: string | null): string {
  if (status === null) return 'movements credit a deposit that does not exist'
  return status === 'SUCCESSFUL' ? 'SUCCESSFUL, but not credited exactly once' : `${status}, but credited`
}
