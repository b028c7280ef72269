// The deliveries of an event are written with it: one for each subscription that names it. Their numbers have no gaps,
// per tenant and per subscription, also with concurrent writers.

import { describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { newUuid, type Uuid } from '#platform/ids.ts'
import { createLanes, type Operation } from '#platform/db/lane.ts'
import { eventNames, type EventName } from '#events/catalogue.ts'
import { type LeasedDelivery, createEventOutbox } from '#events/outbox.ts'
import { withTenants } from '#ledger/post.ts'
import { asOwner } from '#tests/support/owner.ts'
import { nobody, useBench, type DeliveryRow } from '#tests/webhooks/delivery/support.ts'

const { ctx, clock, database, happen, newTenant, rows, subscribe } = await useBench()
const url = 'https://example.com/hook'

const logOf = (tenant: Tenant): Promise<DeliveryRow[]> =>
  asOwner(database, 'select * from webhook_delivery where tenant_id = $1 order by ordinal', [tenant.id])

const upTo = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index + 1))

describe('the deliveries of an event', () => {
  it('are one for each subscription to it, separately in each environment', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()]
    const ids = [await subscribe(url, { tenant }), await subscribe(url, { tenant })]
    await subscribe(url, { tenant, events: ['transfer.failed'] })
    await subscribe(url, { tenant: other })
    await happen(['FAN-OUT'], { tenant, by: nobody })
    const written = await rows('FAN-OUT')
    expect(written.map((row) => row.subscription_id)).toEqual(ids)
    expect(written.map(({ status, due_at }) => ({ status, due_at }))).toEqual([
      { status: 'pending', due_at: new Date(clock.now()) },
      { status: 'pending', due_at: new Date(clock.now()) },
    ])
    expect(await logOf(other)).toEqual([])
  })

  it.each(eventNames)('%s is not delivered to a subscription that does not name it', async (name) => {
    const tenant = await newTenant()
    const others = eventNames.filter((one) => one !== name)
    await subscribe(url, { tenant, events: others })
    const named = await subscribe(url, { tenant, events: [name] })
    await happen([`ONLY-${name}`], { tenant, name, by: nobody })
    expect((await rows(`ONLY-${name}`)).map((row) => row.subscription_id)).toEqual([named])
  })

  it('are written and not sent if the subscription is disabled; a deleted one has none', async () => {
    const tenant = await newTenant()
    const disabled = await subscribe(url, { tenant, status: 'disabled' })
    const deleted = await subscribe(url, { tenant })
    await asOwner(database, `update webhook_subscription set status = 'deleted', secret = null where id = $1`, [
      deleted,
    ])
    const kept: LeasedDelivery[] = []
    const handover = { keepMs: () => 60_000, take: (deliveries: LeasedDelivery[]) => void kept.push(...deliveries) }
    await happen(['WRITTEN'], { tenant, by: { ...nobody, ...handover } })
    expect(await rows('WRITTEN')).toMatchObject([
      { subscription_id: disabled, status: 'pending', due_at: null, next_attempt_at: null },
    ])
    expect(kept).toEqual([])
  })

  it('are passed after the commit to the worker that leases them, and are due at the end of its lease', async () => {
    const tenant = await newTenant()
    const [first, second] = [await subscribe(url, { tenant }), await subscribe(url, { tenant })]
    const kept: LeasedDelivery[] = []
    const handover = {
      keepMs: (id: Uuid) => (id === first ? 60_000 : 0),
      take: (deliveries: LeasedDelivery[]) => void kept.push(...deliveries),
    }
    await happen(['KEPT'], { tenant, by: { ...nobody, ...handover } })
    const leaseEnd = new Date(clock.now() + 60_000)
    expect(await rows('KEPT')).toMatchObject([
      { subscription_id: first, due_at: leaseEnd },
      { subscription_id: second, due_at: new Date(clock.now()) },
    ])
    expect(kept).toMatchObject([{ reference: 'KEPT', leaseEnd, attempts: 0, manual: false, receiver: { url } }])
  })

  it('are none if the transaction fails, and no worker gets any', async () => {
    const tenant = await newTenant()
    await subscribe(url, { tenant })
    let taken = 0
    const handover = { keepMs: () => 60_000, take: () => void taken++ }
    const failing = ctx.db.transaction(async (tx) => {
      const event = { name: 'transfer.success' as const, reference: 'NEVER', atMs: clock.now(), data: {} }
      createEventOutbox(clock, handover).emit(tx, { ...event, tenantId: tenant.id, sourceId: newUuid(0) })
      throw new Error('a bug')
    }, tenant.lane)
    await expect(failing).rejects.toThrow('a bug')
    expect([await rows('NEVER'), taken]).toEqual([[], 0])
  })
})

describe('the numbers of deliveries', () => {
  it('have no gaps per tenant and per subscription, with many events in one transaction', async () => {
    const tenant = await newTenant()
    const [every, some] = [
      await subscribe(url, { tenant }),
      await subscribe(url, { tenant, events: ['transfer.failed'] }),
    ]
    await happen(['A', 'B'], { tenant, by: nobody })
    await subscribe(url, { tenant })
    await happen(['C', 'D', 'E'], { tenant, by: nobody })
    const log = await logOf(tenant)
    expect(log.map(({ ordinal }) => ordinal)).toEqual(upTo(8))
    expect(log.filter((row) => row.subscription_id === every).map((row) => row.subscription_ordinal)).toEqual(upTo(5))
    expect(log.filter((row) => row.subscription_id === some)).toEqual([])
  })

  it('have no gaps when several processes write at once', async () => {
    const tenants = [await newTenant(), await newTenant()]
    const names: EventName[] = ['transfer.success', 'transfer.failed']
    for (const tenant of tenants) for (const name of names) await subscribe(url, { tenant, events: [name] })
    type Command = { tenant: Tenant; name: EventName }
    const pipe = createEventOutbox(clock)
    const emitting: Operation<Command, void> = {
      name: 'test.emit',
      async run(tx, commands) {
        const ids = commands.map(({ tenant }) => tenant.id)
        await withTenants(tx, ids, (tenantIds) => pipe.expect(tx, tenantIds))
        for (const { tenant, name } of commands) {
          const event = { tenantId: tenant.id, name, sourceId: newUuid(clock.now()), reference: 'AT-ONCE', data: {} }
          pipe.emit(tx, { ...event, atMs: clock.now() })
        }
        return commands.map(() => undefined)
      },
    }
    const processes = Array.from({ length: 4 }, () => createLanes(ctx))
    const perKind = 25
    await Promise.all(
      processes.flatMap((lanes) =>
        tenants.flatMap((tenant) =>
          names.flatMap((name) =>
            Array.from({ length: perKind }, () => lanes.of(tenant.lane).submit(emitting, { tenant, name })),
          ),
        ),
      ),
    )
    for (const tenant of tenants) {
      const log = await logOf(tenant)
      expect(log.map(({ ordinal }) => ordinal)).toEqual(upTo(200))
      const parts = Map.groupBy(log, (row) => row.subscription_id)
      expect([...parts.values()].map((part) => part.map((row) => row.subscription_ordinal))).toEqual([
        upTo(100),
        upTo(100),
      ])
    }
  })
})
