// The metrics of every process that serves show when no worker runs.

import { describe, expect, it } from 'vitest'
import { readBacklog } from '#app.ts'
import { dueAccounts } from '#virtual-accounts/provisioning.ts'
import { duePayments } from '#payments/execution/executor.ts'
import { dueDeliveries } from '#webhooks/delivery/claims.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useService } from '#tests/support/service.ts'
import { transferBody } from '#tests/payments/requests.ts'

const service = await useService({ roles: ['api'] })
const { staging, ctx } = service

async function exported(): Promise<Record<string, number>> {
  const lines = (await ctx.metrics.text()).matchAll(/^(manilla_(?:oldest_)?due(?:_seconds)?)\{queue="(\w+)"\} (\S+)$/gm)
  return Object.fromEntries([...lines].map(([, name, queue, value]) => [`${name} ${queue}`, Number(value)]))
}

describe('a service without a worker', () => {
  it('shows the due work of each queue, and since when it is due', async () => {
    const quiet = { payments: [0, 0], deliveries: [0, 0], accounts: [0, 0] }
    expect(await told()).toEqual(quiet)
    expectSuccess(await staging.post('/v1/transfers/initiate', transferBody()))
    expectSuccess(await staging.post('/v1/webhooks', { url: 'https://example.com/a', events: ['transfer.success'] }))
    expectSuccess(await staging.post('/v1/sandbox/webhooks/trigger', { event: 'transfer.success' }))
    expectSuccess(await staging.post('/v1/virtual-accounts/dynamic', { amount: 5_000, expiresInMinutes: 5 }))
    const hourAgo = `now() - interval '1 hour'`
    await asOwner(
      service.database,
      `update payment set due_at = ${hourAgo}; update webhook_delivery set due_at = ${hourAgo};
       update virtual_account set due_at = ${hourAgo} where due_at is not null`,
    )
    const seen = await told()
    for (const [count, seconds] of Object.values(seen)) {
      expect(count).toBe(1)
      expect(seconds).toBeGreaterThan(3_590)
      expect(seconds).toBeLessThan(3_900)
    }
    expect(Object.keys(seen)).toEqual(['payments', 'deliveries', 'accounts'])
    const metrics = await exported()
    expect(Object.keys(metrics)).toHaveLength(6)
    expect(metrics['manilla_due payments']).toBe(1)
    expect(metrics['manilla_oldest_due_seconds payments']).toBeGreaterThan(3_590)
  })

  it('does not count deliveries that wait for a failing receiver, nor later work', async () => {
    await asOwner(
      service.database,
      `update webhook_subscription set failing_since = now(); update payment set due_at = now() + interval '1 hour'`,
    )
    expect(await told()).toMatchObject({ payments: [0, 0], deliveries: [0, 0], accounts: [1, expect.any(Number)] })
  })
})

async function told(): Promise<Record<string, number[]>> {
  return Object.fromEntries(
    (await readBacklog(ctx)).map(({ queue, count, oldestSeconds }) => [queue, [count, oldestSeconds]]),
  )
}

describe('beside many due rows', () => {
  it('counts of each queue no more than its limit', async () => {
    const rows = 12_000
    await asOwner(service.database, manyDue(rows))
    for (const dueIn of [duePayments, dueDeliveries, dueAccounts]) {
      const { count } = await dueIn(ctx, service.business.tenants.staging.lane)
      expect(count).toBeLessThanOrEqual(10_001)
    }
    expect((await told())['payments']?.[0]).toBe(10_000)
    expect((await told())['deliveries']?.[0]).toBe(10_000)
  })
})

/** Copies of the one payment and the one delivery that there are. */
function manyDue(rows: number): string {
  const copies = (table: string, changes: Record<string, string>): string => {
    const set = Object.entries(changes).map(([name, value]) => `'${name}', ${value}`)
    return `insert into ${table} select c.* from (select * from ${table} limit 1) as one, generate_series(1, ${rows}) as n,
      jsonb_populate_record(null::${table}, to_jsonb(one) || jsonb_build_object(${set.join(', ')})) as c;`
  }
  const past = `'2026-01-01T00:00:00Z'`
  return (
    `update webhook_subscription set failing_since = null;` +
    copies('payment', { reference: `'many-' || n`, id: 'gen_random_uuid()', ordinal: '100 + n', due_at: past }) +
    copies('webhook_delivery', {
      id: 'gen_random_uuid()',
      ordinal: '100 + n',
      subscription_ordinal: '100 + n',
      due_at: past,
    })
  )
}
