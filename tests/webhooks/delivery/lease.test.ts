// A process holds a delivery under a lease. A process that dies, stops or is late loses no delivery and overwrites no
// newer result.

import { describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import type { Uuid } from '#platform/ids.ts'
import type { LeasedDelivery } from '#events/outbox.ts'
import { asOwner } from '#tests/support/owner.ts'
import { eventually } from '#tests/support/patience.ts'
import { useReceiver } from '#tests/support/receiver.ts'
import { nobody, useBench, type DeliveryRow } from './support.ts'

const bench = await useBench()
const { clock, sending, happen, row, subscribe, until } = bench
const receiver = await useReceiver()
const { lane } = bench.tenant
const leaseMs = 60_000

type Told = { tenant: Tenant; id: Uuid }

async function subscriber(path: string): Promise<Told> {
  const tenant = await bench.newTenant()
  return { tenant, id: await subscribe(receiver.url(path), { tenant }) }
}

/** A process that leases a delivery and then dies. */
async function keptByTheDead(path: string, reference: string): Promise<LeasedDelivery> {
  const kept: LeasedDelivery[] = []
  const handover = { keepMs: () => leaseMs, take: (deliveries: LeasedDelivery[]) => void kept.push(...deliveries) }
  const { tenant } = await subscriber(path)
  await happen([reference], { tenant, by: { ...nobody, ...handover } })
  const [delivery] = kept
  if (delivery === undefined) throw new Error('nothing was kept')
  return delivery
}

const isDelivered = ({ status }: DeliveryRow): boolean => status === 'delivered'

describe('a lease', () => {
  it('of a dead process ends, and only then another process sends', async () => {
    await keptByTheDead('/dead', 'DEAD')
    clock.advance(leaseMs - 1)
    expect(await sending.work(lane)).toMatchObject({ rows: 0 })
    clock.advance(1)
    expect(await sending.work(lane)).toMatchObject({ rows: 1 })
    await until('DEAD', 'delivered', isDelivered)
    expect(receiver.at('/dead')).toHaveLength(1)
  })

  it('that is too short for a whole attempt begins none, and the delivery is given back', async () => {
    const delivery = await keptByTheDead('/short', 'SHORT')
    clock.advance(leaseMs - 30_000)
    sending.take([delivery])
    await until('SHORT', 'given back', ({ due_at }) => due_at?.getTime() === clock.now())
    expect(receiver.at('/short')).toEqual([])
    await sending.work(lane)
    await until('SHORT', 'delivered', isDelivered)
  })

  it('may end during an attempt: the attempt is recorded, and the result of the next process stays', async () => {
    receiver.behave('/late', 'hang')
    const { tenant } = await subscriber('/late')
    await happen(['LATE'], { tenant })
    await receiver.received('/late', 1)
    const noted = new Date(clock.now() + 3_600_000)
    const change = `update webhook_delivery set due_at = $1, next_attempt_at = $1 where reference = 'LATE'`
    await asOwner(bench.database, change, [noted])
    receiver.answerAll(500)
    const late = await until('LATE', 'recorded', ({ attempts }) => attempts === 1)
    expect(late).toMatchObject({ status: 'failed', automatic_attempts: 1, due_at: noted, next_attempt_at: noted })
    expect(late.last_error).toContain('answered 500')
  })

  it('that ended does not let a late failure undo the success of another process', async () => {
    receiver.behave('/both', 'hang')
    const { tenant } = await subscriber('/both')
    await happen(['WON'], { tenant })
    await receiver.received('/both', 1)
    const others = `update webhook_delivery set status = 'delivered', delivered_at = created_at, due_at = null, attempts = 1
      where reference = 'WON'`
    await asOwner(bench.database, others)
    receiver.answerAll(500)
    const won = await until('WON', 'recorded', ({ attempts }) => attempts === 2)
    expect(won).toMatchObject({ status: 'delivered', last_error: null, due_at: null })
    expect(await bench.attempts(won.id)).toMatchObject([{ attempt: 2, response_code: 500 }])
  })
})

describe('a process that stops', () => {
  it('gives back waiting deliveries, due at once, and records attempts in progress', async () => {
    const worker = bench.start({ limits: { slots: 4 } })
    const { tenant } = await subscriber('/stopping')
    receiver.behave('/stopping', 'hang')
    const references = Array.from({ length: 10 }, (_, index) => `STOP-${index}`)
    await happen(references, { tenant, by: worker })
    await eventually('the first to hang', () => Promise.resolve(receiver.hanging() >= 3 ? true : undefined))
    const released = worker.release()
    receiver.answerAll(500)
    await released
    const rows = await Promise.all(references.map(row))
    expect(rows.filter(({ attempts }) => attempts === 1)).toHaveLength(3)
    expect(rows.filter(({ attempts, due_at }) => attempts === 0 && due_at?.getTime() === clock.now())).toHaveLength(7)
    expect(worker.keepMs(rows[0]?.subscription_id as Uuid)).toBe(0)
    receiver.behave('/stopping', 200)
    await sending.work(lane)
    for (const reference of references.slice(3)) await until(reference, 'delivered', isDelivered)
  })

  it('waits a limited time for attempts that hang, and gives their deliveries back', async () => {
    const worker = bench.start()
    const { tenant } = await subscriber('/hanging')
    receiver.behave('/hanging', 'hang', 200)
    await happen(['HUNG'], { tenant, by: worker })
    await receiver.received('/hanging', 1)
    await worker.release()
    // A process that waited for the end of the attempt would have recorded one.
    expect(await row('HUNG')).toMatchObject({ status: 'pending', attempts: 0, due_at: new Date(clock.now()) })
  })

  it('takes nothing new: later deliveries are given back', async () => {
    const worker = bench.start()
    await worker.release()
    const delivery = await keptByTheDead('/after', 'AFTER')
    worker.take([delivery])
    expect(await worker.work(lane)).toMatchObject({ rows: 0 })
    expect((await row('AFTER')).attempts).toBe(0)
  })
})

describe('room', () => {
  it('is limited for a subscription; the loop takes the rest, and is woken when there is room', async () => {
    const worker = bench.start({ limits: { waitingPerUnknown: 5, waitingPerTrusted: 5 } })
    let woken = 0
    worker.onWake(() => {
      woken++
      void worker.work(lane)
    })
    const { tenant } = await subscriber('/many')
    const references = Array.from({ length: 40 }, (_, index) => `MANY-${index}`)
    await happen(references, { tenant, by: worker })
    for (const reference of references) await until(reference, 'delivered', isDelivered)
    expect(woken).toBeGreaterThan(0)
    expect(receiver.at('/many')).toHaveLength(40)
  })
})
