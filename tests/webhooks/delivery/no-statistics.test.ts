// Claiming, recording and reading deliveries on tables that grew from empty, without statistics and with old ones: an
// operation costs the rows that it touches, not the rows that the tables hold.

import { beforeAll, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { inLane } from '#platform/db/db.ts'
import { firstUuid, newUuid, type Uuid } from '#platform/ids.ts'
import { createLane } from '#platform/db/lane.ts'
import { createBusiness } from '#businesses/business.ts'
import { createEventOutbox, type LeasedDelivery } from '#events/outbox.ts'
import { createRecorder } from '#webhooks/delivery/record.ts'
import { claimDeliveries, findForAttempt, findWaiting, parkDeliveries } from '#webhooks/delivery/claims.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTablesOfEachSort } from '#tests/support/no-statistics.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createDeliveryLog, type LogQuestion } from '#webhooks/log.ts'
import { requestRetries } from '#webhooks/retry.ts'

const batchSize = 200
const batches = 30
const subscriptions = 2
/** The most rows, of tables and indexes together, that one operation may read for a delivery. */
const rowsEach = 16
const leaseMs = 60_000
const after = { tenantId: firstUuid, subscriptionId: firstUuid }

const sorts = await useTablesOfEachSort()

describe.each(sorts)('tables that are analysed when they are: $analysed', (tables) => {
  const { database, db, are, expectRows } = tables
  const ctx = createTestContext(db)
  const pipe = createEventOutbox(ctx.clock)
  const lane = createLane({
    name: 'webhooks',
    metrics: ctx.metrics,
    transaction: (work) => db.transaction(work, tenant.lane),
    commandsPerBatchMax: batchSize,
  })
  const recorder = createRecorder({ ctx, laneOf: () => lane, scheduleOf: () => [60], chance: () => 0 })
  const log = createDeliveryLog({ ctx, maxAttempts: () => 9 })
  let tenant: Tenant
  let receivers: Uuid[] = []
  let made = 0

  async function newTenant(): Promise<void> {
    tenant = (await createBusiness(ctx, 'Told')).tenants.staging
    receivers = Array.from({ length: subscriptions }, () => newUuid(ctx.clock.now()))
    for (const id of receivers) {
      await asOwner(
        database,
        `insert into webhook_subscription (lane, tenant_id, id, url, events, status, secret, secret_hint, created_at, updated_at)
         values ($1, $2, $3, 'https://shop.example', '{transfer.success}', 'active', '\\x00', '…', 'epoch', 'epoch')`,
        [tenant.lane, tenant.id, id],
      )
    }
  }

  async function happen(): Promise<string[]> {
    const references = Array.from({ length: batchSize / subscriptions }, () => `EVENT-${(made += 1)}`)
    ctx.clock.advance(1_000)
    const atMs = ctx.clock.now()
    await db.transaction(async (tx) => {
      for (const reference of references) {
        const event = { tenantId: tenant.id, sourceId: newUuid(atMs), reference, atMs, data: { reference } }
        pipe.emit(tx, { ...event, name: 'transfer.success' })
      }
    }, tenant.lane)
    return references
  }

  function claim(): Promise<LeasedDelivery[]> {
    const now = new Date(ctx.clock.now())
    const wishes = receivers.map((id) => ({
      tenantId: tenant.id,
      subscriptionId: id,
      room: batchSize / subscriptions,
    }))
    const lease = { now, leaseEnd: new Date(now.getTime() + leaseMs), onlyRequested: false }
    return claimDeliveries(inLane(db, tenant.lane), wishes, lease)
  }

  async function record(deliveries: LeasedDelivery[], delivered: boolean): Promise<void> {
    const at = new Date(ctx.clock.now())
    const answered = { startedAt: at, durationMs: 3, error: null, responseBody: null, manual: false, endedAt: at }
    const ended = delivered
      ? { ...answered, outcome: 'delivered' as const, responseCode: 200 }
      : { ...answered, outcome: 'failed' as const, responseCode: 500 }
    await Promise.all(
      deliveries.map((delivery) =>
        recorder.record({ delivery, ended: { ...ended, leaseEnd: delivery.leaseEnd }, again: false }),
      ),
    )
  }

  beforeAll(async () => {
    for (let batch = 0; batch < batches; batch++) {
      // The statistics of the young tables know another tenant only.
      if (batch <= 1) await newTenant()
      await happen()
      await record(await claim(), true)
      if (batch === 0) await are('young')
    }
    for (let batch = 0; batch < batches; batch++) await happen()
    await are('grown')
  })

  it('events and their deliveries are written', async () => {
    await expectRows(batchSize, () => happen())
  })

  /** PostgreSQL looks once at each index entry that earlier claims left dead, and removes it. */
  async function lookAround(): Promise<void> {
    await tables.untilNobodySeesTheDead()
    await findWaiting(inLane(db, tenant.lane), after, 500)
  }

  it('deliveries are found, claimed and recorded', async () => {
    await lookAround()
    await expectRows(batchSize * 5, () => findWaiting(inLane(db, tenant.lane), after, 500))
    let claimed: LeasedDelivery[] = []
    await expectRows(batchSize * rowsEach, async () => {
      claimed = await claim()
      expect(claimed).toHaveLength(batchSize)
    })
    await expectRows(batchSize * rowsEach, () => record(claimed, true))
  })

  it('deliveries fail, are retried by request, given back and parked', async () => {
    await lookAround()
    const claimed = await claim()
    await expectRows(batchSize * rowsEach, () => record(claimed, false))
    const range = { low: 0n, high: 1_000_000n, from: new Date(0), before: new Date('2030-01-01') }
    const now = new Date(ctx.clock.now())
    const due = receivers.map((id) => {
      return { tenantId: tenant.id, subscriptionId: id, dueAt: now, status: 'disabled' as const }
    })
    const held = await claim()
    await expectRows(batchSize * rowsEach, async () => {
      await Promise.all(held.map((delivery) => recorder.giveBack(delivery)))
    })
    await expectRows(subscriptions * batchSize * rowsEach, async () => {
      const limitEach = batchSize
      expect(await parkDeliveries(inLane(db, tenant.lane), due, { now, limitEach })).toBe(subscriptions * batchSize)
    })
    const askAgain = async (): Promise<number> =>
      (await requestRetries(db, tenant, { ...range, status: 'pending' }, { now, limit: batchSize })).count
    // The first question passes over all rows that were pending before.
    expect(await askAgain()).toBe(batchSize)
    await expectRows(2 * batchSize * rowsEach, async () => expect(await askAgain()).toBe(batchSize))
  })

  const limit = 20
  const lists: [string, Omit<LogQuestion, 'limit' | 'subscriptionId'>, boolean][] = [
    ['the first page', { page: 1 }, false],
    ['a deep page', { page: 100 }, false],
    ['the first page of a subscription', { page: 1 }, true],
    ['a deep page of a subscription', { page: 50 }, true],
    ['those of a reference', { page: 1, reference: 'EVENT-777' }, false],
  ]

  it.each(lists)('%s of the log reads a page', async (_which, question, ofOne) => {
    await expectRows(500, async () => {
      const subscriptionId = ofOne ? receivers[0] : undefined
      const { records, total } = await log.list(tenant, { ...question, limit, subscriptionId })
      expect(records).toHaveLength(Math.min(limit, total))
    })
  })

  it('one delivery is read with its attempts, and to be sent', async () => {
    const { records } = await log.list(tenant, { page: 100, limit })
    const id = records[0]?.id ?? firstUuid
    await expectRows(100, async () => {
      expect((await log.read(tenant, id))?.record.id).toBe(id)
      expect((await findForAttempt(inLane(db, tenant.lane), tenant.id, id))?.id).toBe(id)
    })
  })
})
