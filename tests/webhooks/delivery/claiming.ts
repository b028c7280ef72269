// The loop's claim, with the deliveries that it took and the subscriptions that it left. Before each test nothing is
// due.

import { beforeEach } from 'vitest'
import type { Uuid } from '#platform/ids.ts'
import type { LeasedDelivery } from '#events/outbox.ts'
import { createClaim, type Claim, type ClaimOptions } from '#webhooks/delivery/claims.ts'
import { asOwner } from '#tests/support/owner.ts'
import type { Bench } from './support.ts'

export type Claiming = {
  taken: LeasedDelivery[]
  /** Subscriptions that may have more due deliveries than there was room for. */
  left: Uuid[]
  claimWith(options?: Partial<ClaimOptions>): Claim
}

export function useClaiming({ ctx, database }: Bench, leaseMs: number): Claiming {
  const taken: LeasedDelivery[] = []
  const left: Uuid[] = []
  beforeEach(async () => {
    await asOwner(database, 'delete from webhook_delivery', [])
    await asOwner(database, `update webhook_subscription set status = 'deleted', secret = null`, [])
    taken.length = 0
    left.length = 0
  })
  const usual: ClaimOptions = {
    ctx,
    leaseMs,
    room: () => 9,
    roomInAll: () => 99,
    take: (deliveries) => taken.push(...deliveries),
    leftBehind: (id) => left.push(id) < 0,
  }
  return { taken, left, claimWith: (options = {}) => createClaim({ ...usual, ...options }) }
}
