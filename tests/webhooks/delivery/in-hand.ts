// A leased delivery that is in no database.

import { firstUuid } from '#platform/ids.ts'
import type { LeasedDelivery } from '#events/outbox.ts'

export function deliveryAt(atMs: number, changes: Partial<LeasedDelivery> = {}): LeasedDelivery {
  return {
    lane: 1,
    tenantId: firstUuid,
    environment: 'staging',
    id: firstUuid,
    receiver: receiverOf(),
    event: 'transfer.success',
    reference: 'A',
    createdAt: new Date(atMs),
    data: '{}',
    trace: null,
    attempts: 0,
    manual: false,
    leaseEnd: new Date(atMs),
    ...changes,
  }
}

export function receiverOf(subscriptionId = firstUuid): LeasedDelivery['receiver'] {
  return {
    subscriptionId,
    url: 'https://example.com/hook',
    secret: Buffer.alloc(0),
    oldSecret: null,
    oldSecretUntil: null,
    failing: false,
  }
}
