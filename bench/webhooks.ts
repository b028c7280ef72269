// Receivers of webhooks for measurements: subscriptions, and a process that receives.

import type { Tenant } from '#platform/context.ts'
import { newUuid, type Uuid } from '#platform/ids.ts'
import { statement } from '#platform/db/db.ts'
import { createSecretBox } from '#platform/secrets.ts'
import { secretContext } from '#events/signature.ts'
import { hintOf, newSecret } from '#webhooks/subscription.ts'
import { startChild, type Child } from './child.ts'
import { asOwner } from './owner.ts'
import type { Progress, Rig } from './scenario.ts'

/** The key that two processes share: `prepare` seals secrets with it, and the service opens them. */
export const benchSecretKey = Buffer.alloc(32, 7)

const insertSubscription = statement(
  'bench.subscribe',
  `insert into webhook_subscription (lane, tenant_id, id, url, events, status, secret, secret_hint, created_at, updated_at)
   values ($1, $2, $3, $4, $5::text[], 'active', $6, $7, $8, $8)`,
)

export async function subscribe({ ctx }: Rig, tenant: Tenant, url: string, events: string[]): Promise<Uuid> {
  const [id, secret] = [newUuid(ctx.clock.now()), newSecret()]
  const sealed = createSecretBox(benchSecretKey).seal(secret, secretContext(id))
  const at = new Date(ctx.clock.now())
  await ctx.db.query(insertSubscription, [
    tenant.lane,
    tenant.id,
    id,
    url,
    `{${events.join(',')}}`,
    sealed,
    hintOf(secret),
    at,
  ])
  return id
}

/** The behavior of a path: `ok`, `hang`, `refuse`, or an answer after this many milliseconds. */
export type Behaviours = Record<string, 'ok' | 'hang' | 'refuse' | number>

export type BenchReceiver = {
  url(path: string): string
  behave(behaviours: Behaviours): Promise<void>
  stop(): Promise<void>
}

export async function startReceiver(): Promise<BenchReceiver> {
  const child: Child = startChild('servers/receiver.ts')
  const { port } = await child.ask<{ port: number }>({})
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    behave: (behaviours) => child.ask(behaviours),
    stop: () => child.stop(),
  }
}

/** The progress of the tenants' deliveries. */
export async function countDeliveries({ ownerUrl }: Rig): Promise<Progress> {
  return asOwner(ownerUrl, async (owner) => {
    const answer = await owner.query(
      `select count(*) filter (where status = 'delivered')::float8 as done,
              count(*) filter (where status <> 'delivered')::float8 as waiting
         from webhook_delivery where event <> 'webhook.test'`,
    )
    const [row] = answer.rows as Progress[]
    return row ?? { done: 0, waiting: 0 }
  })
}

const rowsPerStatement = 100_000

/** Writes deliveries LOADED-1 … LOADED-n for these subscriptions in turn, all due at once. */
export async function loadDeliveries(
  { ownerUrl }: Rig,
  { lane, id }: Tenant,
  subscriptions: Uuid[],
  count: number,
  say: (text: string) => void,
): Promise<void> {
  await asOwner(ownerUrl, async (owner) => {
    for (let from = 1; from <= count; from += rowsPerStatement) {
      const to = Math.min(count, from + rowsPerStatement - 1)
      await owner.query(eventsSql, [lane, id, from, to])
      await owner.query(deliveriesSql, [lane, id, from, to, subscriptions])
      say(`loaded ${to.toLocaleString('en')} of ${count.toLocaleString('en')} deliveries …`)
    }
    await owner.query('vacuum (analyze) webhook_delivery')
    await owner.query('vacuum (analyze) event')
    await owner.query('checkpoint')
  })
}

const uuidOf = (group: string): string => `('01900000-0000-7000-8${group}00-' || lpad(to_hex(n), 12, '0'))::uuid`
const timeOf = `now() - interval '1 hour' + n * interval '1 microsecond'`

// `data` is about as long as the record of a transfer.
const eventsSql = `
  insert into event (lane, tenant_id, source_id, name, id, reference, data, created_at)
  select $1, $2, ${uuidOf('1')}, 'transfer.success', ${uuidOf('2')}, 'LOADED-' || n,
         '{"reference":"LOADED-' || n || '","note":"' || repeat('x', 600) || '"}', ${timeOf}
    from generate_series($3::bigint, $4::bigint) as n`

const deliveriesSql = `
  insert into webhook_delivery (lane, tenant_id, id, subscription_id, source_id, event, reference, ordinal,
    subscription_ordinal, status, created_at, updated_at, next_attempt_at, due_at)
  select $1, $2, ${uuidOf('3')}, ($5::uuid[])[1 + (n - 1) % cardinality($5::uuid[])], ${uuidOf('1')}, 'transfer.success',
         'LOADED-' || n, n, 1 + (n - 1) / cardinality($5::uuid[]), 'pending', ${timeOf}, ${timeOf}, ${timeOf}, ${timeOf}
    from generate_series($3::bigint, $4::bigint) as n`
