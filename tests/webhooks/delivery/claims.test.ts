// One turn of the loop: from which subscriptions it claims, how much, and what it leaves for later.

import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Uuid } from '#platform/ids.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useClaiming } from './claiming.ts'
import { nobody, useBench } from './support.ts'

const bench = await useBench()
const { clock, database, happen, rows, subscribe, tenant } = bench
const { lane } = tenant
const leaseMs = 60_000
const url = 'https://example.com/hook'
const minuteMs = 60_000

const { taken, left, claimWith } = useClaiming(bench, leaseMs)
const references = (): string[] => taken.map(({ reference }) => reference)

async function happenInTurn(...names: string[]): Promise<void> {
  for (const name of names) {
    await happen([name], { by: nobody })
    clock.advance(1)
  }
}

async function setStatus(id: Uuid, status: string): Promise<void> {
  const secret = status === 'deleted' ? ', secret = null' : ''
  await asOwner(database, `update webhook_subscription set status = $2${secret} where id = $1`, [id, status])
}

const isAtRest = async (reference: string): Promise<boolean> =>
  (await rows(reference)).every((row) => row.due_at === null)

describe('a turn', () => {
  it('takes due deliveries, and no process takes them again before the lease is over', async () => {
    await subscribe(url)
    await happenInTurn('A', 'B')
    expect(await claimWith()(lane)).toEqual({ rows: 2, more: false })
    expect(references().toSorted()).toEqual(['A', 'B'])
    expect(taken.map(({ leaseEnd }) => leaseEnd.getTime())).toEqual([clock.now() + leaseMs, clock.now() + leaseMs])
    clock.advance(leaseMs - 1)
    expect(await claimWith()(lane)).toEqual({ rows: 0, more: false })
    clock.advance(1)
    expect(await claimWith()(lane)).toEqual({ rows: 2, more: false })
  })

  it('leaves deliveries that are not due yet', async () => {
    await subscribe(url)
    await happenInTurn('A')
    await asOwner(database, 'update webhook_delivery set due_at = $1', [new Date(clock.now() + minuteMs)])
    expect(await claimWith()(lane)).toEqual({ rows: 0, more: false })
    clock.advance(minuteMs)
    expect(await claimWith()(lane)).toEqual({ rows: 1, more: false })
  })

  it('takes as many of each subscription as it has room for, the oldest first, and names subscriptions with more', async () => {
    const [narrow, wide] = [await subscribe(url), await subscribe(url)]
    await happenInTurn('A', 'B', 'C')
    const room = (id: Uuid): number => (id === narrow ? 2 : 9)
    expect(await claimWith({ room })(lane)).toEqual({ rows: 5, more: false })
    const of = (id: Uuid) => taken.filter(({ receiver }) => receiver.subscriptionId === id)
    expect(
      of(narrow)
        .map(({ reference }) => reference)
        .toSorted(),
    ).toEqual(['A', 'B'])
    expect(of(wide)).toHaveLength(3)
    expect(left).toEqual([narrow])
  })

  it('looks again at once only if the scheduler has room for a subscription with more deliveries', async () => {
    await subscribe(url)
    await happenInTurn('A', 'B')
    expect(await claimWith({ room: () => 1, leftBehind: () => true })(lane)).toEqual({ rows: 1, more: true })
    expect(await claimWith({ room: () => 1, leftBehind: () => false })(lane)).toEqual({ rows: 1, more: false })
  })

  it('takes no more than the room for all, and passes over subscriptions without room', async () => {
    const [full, first, second] = [await subscribe(url), await subscribe(url), await subscribe(url)]
    await happenInTurn('A', 'B')
    const room = (id: Uuid): number => (id === full ? 0 : 2)
    expect(await claimWith({ room, roomInAll: () => 3 })(lane)).toEqual({ rows: 3, more: false })
    const served = new Set(taken.map(({ receiver }) => receiver.subscriptionId))
    expect(served).toEqual(new Set([first, second]))
    expect(left).toContain(full)
  })

  it('takes nothing, and does not even look, when there is no room at all', async () => {
    await subscribe(url)
    await happenInTurn('A')
    expect(await claimWith({ roomInAll: () => 0 })(lane)).toEqual({ rows: 0, more: false })
    expect(taken).toEqual([])
  })
})

describe('a delivery to a subscription that gets none', () => {
  it('is parked when it is deleted, and deliveries of other subscriptions are claimed', async () => {
    const [gone, there] = [await subscribe(url), await subscribe(url)]
    await happenInTurn('A')
    await setStatus(gone, 'deleted')
    // A claim that parks a delivery reports that more work may be due, because it did not see the deliveries behind the
    // parked one.
    expect(await claimWith()(lane)).toEqual({ rows: 2, more: true })
    expect(taken.map(({ receiver }) => receiver.subscriptionId)).toEqual([there])
    expect(await claimWith()(lane)).toEqual({ rows: 0, more: false })
    const resting = (await rows('A')).filter((row) => row.due_at === null)
    expect(resting.map((row) => row.subscription_id)).toEqual([gone])
  })

  it('is parked when it is disabled, except retries that its business requested', async () => {
    await setStatus(await subscribe(url), 'disabled')
    const paused = await subscribe(url)
    await happenInTurn('A', 'WANTED')
    await setStatus(paused, 'disabled')
    await asOwner(database, `update webhook_delivery set retry_requested = true where reference = 'WANTED'`, [])
    const claim = claimWith()
    expect(await claim(lane)).toEqual({ rows: 1, more: true })
    expect(await isAtRest('A')).toBe(true)
    expect(references()).toEqual([])
    expect(await claim(lane)).toEqual({ rows: 1, more: false })
    expect(references()).toEqual(['WANTED'])
  })

  it('is parked in portions, a thousand at a look, shared by all subscriptions that get none', async () => {
    const [one, two] = [await subscribe(url), await subscribe(url)]
    await happen(
      Array.from({ length: 700 }, (_, index) => `R-${index}`),
      { by: nobody },
    )
    for (const id of [one, two]) await setStatus(id, 'deleted')
    const claim = claimWith()
    expect(await claim(lane)).toEqual({ rows: 1_000, more: true })
    expect(await claim(lane)).toEqual({ rows: 400, more: true })
    expect(await claim(lane)).toEqual({ rows: 0, more: false })
  })
})

describe('more subscriptions than a look sees', () => {
  const many = 502

  beforeEach(async () => {
    await subscribe(url)
    await happenInTurn('A')
    const ids = Array.from({ length: many - 1 }, () => randomUUID())
    await asOwner(
      database,
      `insert into webhook_subscription (lane, tenant_id, id, url, events, status, secret, secret_hint, created_at, updated_at)
       select $1, $2, s.id, '${url}', '{transfer.success}', 'active', '\\x00', '…', 'epoch', 'epoch'
         from unnest($3::uuid[]) as s (id)`,
      [lane, tenant.id, ids],
    )
    await asOwner(
      database,
      `insert into webhook_delivery
       select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'subscription_id', s.id,
                 'ordinal', d.ordinal + s.number, 'subscription_ordinal', 1))).*
         from webhook_delivery d cross join unnest($2::uuid[]) with ordinality as s (id, number)
        where d.lane = $1`,
      [lane, ids],
    )
  })

  it('are served in one turn, one after the other', async () => {
    expect(await claimWith({ roomInAll: () => 9_999 })(lane)).toEqual({ rows: many, more: false })
    expect(new Set(taken.map(({ receiver }) => receiver.subscriptionId)).size).toBe(many)
  })

  it('take turns: the next turn begins after the subscriptions that the last one saw', async () => {
    let room = 500
    const claim = claimWith({
      room: () => 1,
      roomInAll: () => room,
      take(deliveries) {
        taken.push(...deliveries)
        room -= deliveries.length
      },
    })
    expect(await claim(lane)).toEqual({ rows: 500, more: false })
    // The deliveries that came first are due again, but the ones behind them have waited longer.
    clock.advance(leaseMs)
    room = 2
    expect(await claim(lane)).toEqual({ rows: 2, more: false })
    expect(new Set(taken.map(({ receiver }) => receiver.subscriptionId)).size).toBe(many)
  })
})
