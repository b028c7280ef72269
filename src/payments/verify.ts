// What payments promise about money, events and their lists, for `ledger verify`.

import { encodeBase32, formatId, type Uuid } from '#base/ids.ts'
import type { Check, Invariant } from '#ledger/verify.ts'
import {
  eventPages,
  findCulprits,
  movementPages,
  ordinalPages,
  orphanPages,
  reservedPages,
  wantedPages,
  type Culprit,
  type Digest,
  type Page,
} from './sql-verify.ts'
import { collectedPages, findStrays, inflowPages } from './sql-verify-collections.ts'
import { publicIdOf } from './wire.ts'

export const paymentInvariants: Invariant[] = [
  { name: 'reserved is what queued payments hold', run: checkReserved },
  { name: 'each payment has exactly the movements of its status, each once', run: checkMovements },
  { name: 'each payment has exactly the events of its status', run: checkEvents },
  { name: 'payments are numbered densely from 1, and their times follow the numbers', run: checkOrdinals },
  { name: 'each successful collection is exactly one deposit, and the other way round', run: checkCollections },
]

async function checkReserved(check: Check): Promise<void> {
  for await (const { reserved, held } of reservedPages(check)) {
    const holds = new Map(held.map((row) => [`${row.tenant_id} ${row.currency}`, row]))
    for (const { tenant_id: tenantId, currency, reserved: balance } of reserved) {
      const key = `${tenantId} ${currency}`
      const sum = BigInt(holds.get(key)?.held ?? '0')
      holds.delete(key)
      if (sum === balance) continue
      check.report({
        tenantId,
        ids: [currency],
        message: `${currency} reserved is ${balance}, queued payments hold ${sum}`,
      })
    }
    for (const { tenant_id: tenantId, currency, held: sum } of holds.values()) {
      check.report({
        tenantId,
        ids: [currency],
        message: `${currency} has no reserved account, queued payments hold ${sum}`,
      })
    }
    check.progress(reserved.length + held.reduce((rows, { payments }) => rows + Number(payments), 0))
  }
}

const culpritsMax = 100

async function checkMovements(check: Check): Promise<void> {
  for (const tenantId of await disagreements(check, movementPages(check), wantedPages(check))) {
    await blame(check, tenantId)
  }
}

async function checkCollections(check: Check): Promise<void> {
  for (const tenantId of await disagreements(check, collectedPages(check), inflowPages(check))) {
    const strays = await findStrays(check, tenantId, culpritsMax)
    const untold = Number(strays[0]?.total ?? 0n) - strays.length
    for (const { id, deposit_id: depositId } of strays) {
      const [ids, message] =
        id === null
          ? [[encodeBase32(depositId)], 'a deposit of no successful collection']
          : [[publicIdOf({ kind: 'momo_collection', id })], 'SUCCESS, but not the one deposit that it names']
      check.report({ tenantId, ids, message })
    }
    if (untold > 0) check.report({ tenantId, ids: [], count: untold, message: 'further collections disagree' })
  }
}

/** The tenants for which two walks do not come to the same. */
async function disagreements(
  check: Check,
  found: AsyncGenerator<Page<Digest>>,
  wanted: AsyncGenerator<Page<Digest>>,
): Promise<Uuid[]> {
  const differences = new Map<Uuid, { count: bigint; digest: bigint }>()
  for (const [walk, sign] of [
    [found, 1n],
    [wanted, -1n],
  ] as const) {
    for await (const { rows, parts } of walk) {
      for (const { tenant_id, count, digest } of parts) {
        const sum = differences.get(tenant_id) ?? { count: 0n, digest: 0n }
        differences.set(tenant_id, { count: sum.count + sign * count, digest: sum.digest + sign * BigInt(digest) })
      }
      check.progress(rows)
    }
  }
  return [...differences].filter(([, { count, digest }]) => count !== 0n || digest !== 0n).map(([tenantId]) => tenantId)
}

async function blame(check: Check, tenantId: Uuid): Promise<void> {
  const culprits = await findCulprits(check, tenantId, culpritsMax)
  const untold = Number(culprits[0]?.total ?? 0n) - culprits.length
  for (const culprit of culprits) check.report({ tenantId, ids: [idOf(culprit)], message: movementMessage(culprit) })
  if (untold > 0) check.report({ tenantId, ids: [], count: untold, message: 'further payments and movements disagree' })
}

function idOf({ id, kind }: Culprit): string {
  return kind === null ? encodeBase32(id) : publicIdOf({ kind, id })
}

function movementMessage({ status }: Culprit): string {
  return status === null
    ? 'movements of a payment that does not exist'
    : `${status}, but its movements are not those of ${status}`
}

async function checkEvents(check: Check): Promise<void> {
  for await (const { rows, parts } of eventPages(check)) {
    for (const { tenant_id: tenantId, kind, status, count, ids } of parts) {
      const message = `${status}, but its events are not those of ${status}`
      check.report({ tenantId, ids: ids.map((id) => publicIdOf({ kind, id })), count: Number(count), message })
    }
    check.progress(rows)
  }
  for await (const { rows, parts } of orphanPages(check)) {
    for (const { tenant_id: tenantId, count, ids } of parts) {
      const message = 'events of a payment that does not exist'
      check.report({ tenantId, ids: ids.map((id) => formatId('event', id)), count: Number(count), message })
    }
    check.progress(rows)
  }
}

async function checkOrdinals(check: Check): Promise<void> {
  for await (const { rows, parts } of ordinalPages(check)) {
    for (const { tenant_id: tenantId, kind, count, ids } of parts) {
      const message = 'number or time does not follow from the payment before'
      check.report({ tenantId, ids: ids.map((id) => publicIdOf({ kind, id })), count: Number(count), message })
    }
    check.progress(rows)
  }
}
