// Several processes hold leases of the same deliveries because one of them has stood still: one records results while
// another gives the deliveries back. They wait for each other in line and never in a circle, which PostgreSQL would
// break only after a second in which a lane stands still.

import pg from 'pg'
import { afterAll, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { createLane } from '#platform/db/lane.ts'
import type { LeasedDelivery } from '#events/outbox.ts'
import { createRecorder, type Recorder } from '#webhooks/delivery/record.ts'
import { untilWaiting } from '#tests/support/locks.ts'
import { useReceiver } from '#tests/support/receiver.ts'
import { nobody, useBench } from './support.ts'

const { ctx, database, clock, subscribe, newTenant, happen, row } = await useBench()
const receiver = await useReceiver()
const leaseMs = 60_000

/** A separate process. `runs` counts its transactions, also those that PostgreSQL rolled back. */
function process(name: string, { lane }: Tenant): Recorder & { runs: () => number } {
  const connection = ctx.db.connection(name)
  let runs = 0
  const its = createLane({
    name,
    metrics: ctx.metrics,
    transaction(work) {
      runs += 1
      return connection.transaction(work, lane)
    },
  })
  const recorder = createRecorder({ ctx, laneOf: () => its, scheduleOf: () => [60], chance: () => 0 })
  return { ...recorder, runs: () => runs }
}

async function inHand(tenant: Tenant, references: string[]): Promise<LeasedDelivery[]> {
  const kept: LeasedDelivery[] = []
  const keep = { keepMs: () => leaseMs, take: (deliveries: LeasedDelivery[]) => void kept.push(...deliveries) }
  await happen(references, { tenant, by: { ...nobody, ...keep } })
  return kept.toSorted((left, right) => (left.id < right.id ? -1 : 1))
}

const stranger = new pg.Client({ connectionString: database.ownerUrl })
await stranger.connect()
afterAll(() => stranger.end())

/** Another session locks this row until the test calls the returned function. */
async function lock(lane: number, { id }: LeasedDelivery): Promise<() => Promise<unknown>> {
  await stranger.query('begin')
  await stranger.query('select from webhook_delivery where lane = $1 and id = $2 for update', [lane, id])
  return () => stranger.query('commit')
}

it.each(['the first', 'the second'])(
  'a batch that gives %s of two back, and another one that records both',
  async (which) => {
    const tenant = await newTenant()
    await subscribe(receiver.url('/hook'), { tenant })
    const references = [`${which} A`, `${which} B`]
    const [first, second] = await inHand(tenant, references)
    if (first === undefined || second === undefined) throw new Error('nothing was kept')
    const [given, kept] = which === 'the first' ? [first, second] : [second, first]
    const [slow, quick] = [process(`slow ${which}`, tenant), process(`quick ${which}`, tenant)]
    const at = new Date(clock.now())
    const ended = { outcome: 'delivered' as const, startedAt: at, endedAt: at, durationMs: 3, responseCode: 200 }
    const answered = { ...ended, error: null, responseBody: null, manual: false }
    const record = (by: Recorder, delivery: LeasedDelivery) =>
      by.record({ delivery, ended: { ...answered, leaseEnd: delivery.leaseEnd }, again: false })

    const release = await lock(tenant.lane, first)
    const both = Promise.all([record(slow, first), record(slow, second)])
    await untilWaiting(database, 1)
    const mixed = Promise.all([record(quick, kept), quick.giveBack(given)])
    await untilWaiting(database, 2)
    await release()
    await Promise.all([both, mixed])

    expect([slow.runs(), quick.runs()]).toEqual([1, 1])
    for (const reference of references)
      expect(await row(reference)).toMatchObject({ status: 'delivered', due_at: null })
  },
)
