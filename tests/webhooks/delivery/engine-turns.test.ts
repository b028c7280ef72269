// The turns of a process: which attempts it begins, what it holds back while the database is slow, and how it stops.

import { beforeEach, describe, expect, it } from 'vitest'
import { newUuid, type Uuid } from '#platform/ids.ts'
import type { DeliveryToSend, LeasedDelivery } from '#events/outbox.ts'
import { createDeliveryWorker, type DeliveryWorker, type DeliveryWorkerOptions } from '#webhooks/delivery/worker.ts'
import type { RecordCommand, RecordOutcome } from '#webhooks/delivery/record.ts'
import type { Outcome, AttemptResult } from '#webhooks/delivery/attempt.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { createTestContext } from '#tests/support/context.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { deliveryAt, receiverOf } from './in-hand.ts'

const database = await useTestDatabase()
const ctx = createTestContext(database.connect(), createFakeClock())
const { clock } = ctx

/** Attempts and records in progress, which the test ends, and the deliveries that the process gave back. */
const attempts: { delivery: DeliveryToSend; end: (outcome: Outcome) => void }[] = []
const records: { command: RecordCommand; end: (outcome: RecordOutcome) => void; fail: () => void }[] = []
const given: string[] = []
let interrupts = 0
let worker: DeliveryWorker

function start(changes: Partial<DeliveryWorkerOptions> = {}): DeliveryWorker {
  const send = (delivery: DeliveryToSend) =>
    new Promise<AttemptResult>((resolve) => {
      const end = (outcome: Outcome): void => {
        resolve({
          outcome,
          startedAt: new Date(clock.now()),
          durationMs: 1,
          responseCode: null,
          error: null,
          responseBody: null,
        })
      }
      attempts.push({ delivery, end })
    })
  const recorder = {
    record: (command: RecordCommand) =>
      new Promise<RecordOutcome>((end, reject) => {
        records.push({ command, end, fail: () => reject(new Error('the database is away')) })
      }),
    giveBack: ({ reference }: LeasedDelivery) => (given.push(reference), Promise.resolve()),
  }
  const rest = { leasesNew: true, attemptMs: 30_000, interrupt: () => void (interrupts += 1) }
  return createDeliveryWorker({ ctx, send, sendTest: send, recorder, ...rest, ...changes })
}

beforeEach(() => {
  for (const list of [attempts, records, given]) list.length = 0
  interrupts = 0
  worker = start()
})

function deliveries(count: number, subscriptionOf: (index: number) => Uuid): LeasedDelivery[] {
  return Array.from({ length: count }, (_, index) =>
    deliveryAt(clock.now(), {
      id: newUuid(clock.now()),
      receiver: receiverOf(subscriptionOf(index)),
      reference: `R-${index}`,
      leaseEnd: new Date(clock.now() + 60_000),
    }),
  )
}

const gauge = async (name: string): Promise<number> =>
  Number(new RegExp(`${name} (\\d+)`).exec(await ctx.metrics.registry.metrics())?.[1])

const turn = () => new Promise(setImmediate)

describe('a process that gets many deliveries at once', () => {
  it('begins sixteen in a turn of the event loop, so that requests come between them', async () => {
    worker.take(deliveries(50, () => newUuid(clock.now())))
    const begun = [attempts.length]
    for (let turns = 0; turns < 5; turns++) {
      await turn()
      begun.push(attempts.length)
    }
    expect(begun).toEqual([16, 32, 48, 50, 50, 50])
  })

  it('begins no more than the limit when as many answers arrive in one turn', async () => {
    worker.take(deliveries(16, () => newUuid(clock.now())))
    await turn()
    worker.take(deliveries(40, () => newUuid(clock.now())))
    for (const { end } of attempts.slice(0, 16)) end('delivered')
    await Promise.resolve()
    expect(attempts).toHaveLength(32)
    for (let turns = 0; turns < 3; turns++) await turn()
    expect(attempts).toHaveLength(56)
  })

  it('begins none of the rest when it stops meanwhile, and gives them back', async () => {
    worker.take(deliveries(50, () => newUuid(clock.now())))
    const released = worker.release()
    for (let turns = 0; turns < 5; turns++) await turn()
    expect([attempts.length, given.length]).toEqual([16, 34])
    for (const { end } of attempts) end('delivered')
    await untilHolds(() => expect(records).toHaveLength(16))
    for (const { end } of records) end({ disabled: false })
    await released
  })
})

describe('a process whose records wait', () => {
  it('begins with nothing new while a thousand and twenty-four do, and goes on as they are written', async () => {
    worker.take(deliveries(2_500, () => newUuid(clock.now())))
    for (let done = 0; done < attempts.length; await turn())
      while (done < attempts.length) attempts[done++]?.end('delivered')
    // Attempts that were in progress when the limit was reached are recorded too.
    const [begun, recorded] = [attempts.length, records.length]
    expect(begun).toBeLessThan(2_000)
    expect(recorded).toBe(begun)
    expect(recorded).toBeGreaterThanOrEqual(1_024)
    for (let left = recorded; left > 1_024; left--) records[left - 1]?.end({ disabled: false })
    await turn()
    expect(attempts).toHaveLength(begun)
    records[0]?.end({ disabled: false })
    await untilHolds(() => expect(attempts.length).toBeGreaterThan(begun))
  })

  it('shows the attempts in progress and the waiting records in its metrics', async () => {
    const id = newUuid(clock.now())
    worker.take(deliveries(10, () => id))
    const underWay = attempts.length
    expect(underWay).toBeGreaterThan(0)
    expect([await gauge('webhooks_under_way'), await gauge('webhooks_waiting')]).toEqual([underWay, 10 - underWay])
  })
})

describe('a delivery is given back', () => {
  it('when too little of its lease is left for an attempt and its record', () => {
    const [enough, late] = deliveries(2, () => newUuid(clock.now())) as [LeasedDelivery, LeasedDelivery]
    worker.take([
      { ...enough, leaseEnd: new Date(clock.now() + 35_000) },
      { ...late, leaseEnd: new Date(clock.now() + 34_999) },
    ])
    expect([attempts.map(({ delivery }) => delivery.reference), given]).toEqual([['R-0'], ['R-1']])
  })

  it('when the process interrupted its attempt, which is then not recorded', async () => {
    worker.take(deliveries(1, () => newUuid(clock.now())))
    attempts[0]?.end('interrupted')
    await untilHolds(() => expect(given).toEqual(['R-0']))
    expect(records).toEqual([])
  })
})

describe('a record that fails', () => {
  it('is retried while the lease lasts, marked as a repetition', async () => {
    worker.take(deliveries(1, () => newUuid(clock.now())))
    clock.advance(59_000)
    attempts[0]?.end('delivered')
    await untilHolds(() => expect(records).toHaveLength(1))
    records[0]?.fail()
    await untilHolds(() => expect(records).toHaveLength(2))
    expect(records.map(({ command }) => command.again)).toEqual([false, true])
    records[1]?.end({ disabled: false })
    await worker.release()
  })

  it('is not repeated when the lease is over, because another process then sends the delivery', async () => {
    worker.take(deliveries(1, () => newUuid(clock.now())))
    clock.advance(59_001)
    attempts[0]?.end('delivered')
    await untilHolds(() => expect(records).toHaveLength(1))
    records[0]?.fail()
    await new Promise(setImmediate)
    await worker.release()
    expect(records).toHaveLength(1)
  })
})

describe('a receiver that is gone', () => {
  it('gets none of its waiting deliveries: they are given back once that is recorded', async () => {
    const id = newUuid(clock.now())
    worker.take(deliveries(10, () => id))
    const begun = attempts.length
    attempts[0]?.end('gone')
    await untilHolds(() => expect(records).toHaveLength(1))
    expect([attempts.length, given]).toEqual([begun, []])
    records[0]?.end({ disabled: false })
    await untilHolds(() => expect(given).toHaveLength(10 - begun))
  })

  it('gives back no delivery of another receiver', async () => {
    const [gone, other] = [newUuid(clock.now()), newUuid(clock.now())]
    worker.take(deliveries(20, (index) => (index % 2 === 0 ? gone : other)))
    attempts.find(({ delivery }) => delivery.receiver.subscriptionId === gone)?.end('gone')
    await untilHolds(() => expect(records).toHaveLength(1))
    records[0]?.end({ disabled: true })
    await untilHolds(() => expect(given.length).toBeGreaterThan(0))
    expect(given.every((reference) => Number(reference.slice(2)) % 2 === 0)).toBe(true)
  })
})

describe('a process that stops', () => {
  it('waits for attempts in progress and records them, without breaking them off', async () => {
    worker.take(deliveries(1, () => newUuid(clock.now())))
    const released = worker.release()
    for (let times = 0; times < 20; times++) await new Promise(setImmediate)
    await asOwner(database, 'select 1')
    attempts[0]?.end('failed')
    await untilHolds(() => expect(records).toHaveLength(1))
    records[0]?.end({ disabled: false })
    await released
    expect([interrupts, given]).toEqual([0, []])
  })

  it('leases no new delivery and begins none', async () => {
    const id = newUuid(clock.now())
    expect(worker.keepMs(id)).toBe(60_000)
    await worker.release()
    expect([worker.keepMs(id), await worker.work(1)]).toEqual([0, { rows: 0, more: false }])
    worker.take(deliveries(3, () => id))
    expect([attempts.length, given.length]).toEqual([0, 3])
  })

  it('records attempts that end while it stops, and begins no waiting delivery', async () => {
    const id = newUuid(clock.now())
    worker = start({ limits: { slots: 4 } })
    worker.take(deliveries(10, () => id))
    const begun = attempts.length
    expect(begun).toBeLessThan(4)
    const released = worker.release()
    for (const { end } of attempts) end('delivered')
    await untilHolds(() => expect(records).toHaveLength(begun))
    for (const { end } of records) end({ disabled: false })
    await released
    expect([attempts.length, given.length]).toEqual([begun, 10 - begun])
  })
})

it('a process leases as many new deliveries as it has room for, and leaves the rest to other processes', () => {
  const id = newUuid(clock.now())
  worker = start({ limits: { waitingPerUnknown: 1 } })
  expect([worker.keepMs(id), worker.keepMs(id)]).toEqual([60_000, 0])
})

it('a process without the worker role leases no new delivery', () => {
  expect(start({ leasesNew: false }).keepMs(newUuid(clock.now()))).toBe(0)
})
