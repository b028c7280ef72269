// Requests of webhook tests, and rows that these tests write into the log themselves.

import type { Tenant } from '#platform/context.ts'
import { formatId, newUuid, parseId, type Uuid } from '#platform/ids.ts'
import { eventNames } from '#events/catalogue.ts'
import { expectSuccess, type Client } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'

let made = 0

/** A subscription with an unreachable receiver: names under .invalid never resolve. */
export function subscriptionBody(changes: Record<string, unknown> = {}): Record<string, unknown> {
  made += 1
  return { url: `https://receiver-${made}.invalid/hooks`, events: [...eventNames], ...changes }
}

export async function subscribe(client: Client, changes: Record<string, unknown> = {}) {
  return expectSuccess(await client.post('/v1/webhooks', subscriptionBody(changes)))
}

export const unknownWebhook = formatId('webhook', newUuid(0))
export const unknownEvent = formatId('event', newUuid(0))

export const oddIds = [
  'nothing',
  'whk_',
  'evt_',
  '%20',
  '__proto__',
  'whk_01h455vb4pex5vsknk084sn02q1',
  'x'.repeat(500),
]

export type LogRow = {
  status: 'pending' | 'delivered' | 'failed'
  event: string
  reference: string
  createdAt: Date
  attempts: number
  nextAttemptAt: Date | null
  dueAt: Date | null
}

/** Writes rows into the log as the engine would leave them, after the existing ones. Resolves with their ids. */
export async function writeLog(
  database: { ownerUrl: string },
  tenant: Tenant,
  webhookId: string,
  rows: Partial<LogRow>[],
): Promise<Uuid[]> {
  const subscriptionId = parseId('webhook', webhookId)
  const ids: Uuid[] = []
  for (const row of rows) {
    const { status = 'delivered', event = 'transfer.success', reference = 'R-1', createdAt = new Date(), ...rest } = row
    const { attempts = status === 'pending' ? 0 : 1, nextAttemptAt = null, dueAt = null } = rest
    const id = newUuid(createdAt.getTime())
    const deliveredAt = status === 'delivered' ? createdAt : null
    const sourceId = newUuid(createdAt.getTime())
    const key = [tenant.lane, tenant.id]
    await asOwner(
      database,
      `insert into event (lane, tenant_id, source_id, name, id, reference, data, created_at, sample)
       values ($1, $2, $3, $4, $5, $6, $7, $8, true)`,
      [...key, sourceId, event, newUuid(createdAt.getTime()), reference, '{"some":"data"}', createdAt],
    )
    await asOwner(
      database,
      `insert into webhook_delivery
         (lane, tenant_id, id, subscription_id, source_id, event, reference, status, attempts, automatic_attempts,
          next_attempt_at, delivered_at, created_at, updated_at, due_at, ordinal, subscription_ordinal)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10, $11, $12, $12, $13,
         (select coalesce(max(ordinal), 0) + 1 from webhook_delivery where lane = $1 and tenant_id = $2),
         (select coalesce(max(subscription_ordinal), 0) + 1 from webhook_delivery
           where lane = $1 and tenant_id = $2 and subscription_id = $4))`,
      [
        ...key,
        id,
        subscriptionId,
        sourceId,
        event,
        reference,
        status,
        attempts,
        nextAttemptAt,
        deliveredAt,
        createdAt,
        dueAt,
      ],
    )
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const delivered = status === 'delivered' && attempt === attempts
      await asOwner(
        database,
        `insert into webhook_attempt
           (lane, tenant_id, delivery_id, attempt, trigger, response_code, error, duration_ms, response_body, created_at)
         values ($1, $2, $3, $4, 'automatic', $5, $6, 12, $7, $8)`,
        [...key, id, attempt, delivered ? 200 : 500, delivered ? null : 'answered 500', `answer ${attempt}`, createdAt],
      )
    }
    ids.push(id)
  }
  return ids
}

export const eventId = (id: Uuid): string => formatId('event', id)

export async function deliveriesOf(database: { ownerUrl: string }, id: Uuid) {
  const [row] = await asOwner<{
    status: string
    retry_requested: boolean
    due_at: Date | null
    next_attempt_at: Date | null
    delivered_at: Date | null
    attempts: number
  }>(
    database,
    'select status, retry_requested, due_at, next_attempt_at, delivered_at, attempts from webhook_delivery where id = $1',
    [id],
  )
  if (row === undefined) throw new Error(`there is no delivery ${id}`)
  return row
}
