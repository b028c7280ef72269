// Commands that were submitted together: the lane takes all or none, keeps their order, and takes turns with other
// commands.

import { describe, expect, it } from 'vitest'
import type { Tx } from '#platform/db/db.ts'
import { Unavailable } from '#platform/errors.ts'
import { createLane, type Lane, type LaneOptions, type Operation } from '#platform/db/lane.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { untilHolds } from '#tests/support/patience.ts'

function makeLane(options: Partial<LaneOptions> = {}): Lane {
  return createLane({ name: 'test', metrics: createMetrics(), transaction: (work) => work({} as Tx), ...options })
}

function noting(): { operation: Operation<string, string>; batches: string[][] } {
  const batches: string[][] = []
  const run = (_tx: Tx, commands: string[]): Promise<string[]> => {
    batches.push(commands)
    if (commands.includes('poison')) return Promise.reject(new Error('poisoned'))
    return Promise.resolve(commands.map((command) => `${command} done`))
  }
  return { operation: { name: 'noting', run }, batches }
}

const numbered = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${name}${index}`)

describe('commands submitted together', () => {
  it('keep their order over several batches, and each has its outcome', async () => {
    const { operation, batches } = noting()
    const commands = numbered('a', 100)
    const outcomes = await Promise.all(makeLane({ bulkPerBatchMax: 40 }).submitAll(operation, commands))
    expect(outcomes).toEqual(commands.map((command) => `${command} done`))
    expect(batches.map(({ length }) => length)).toEqual([40, 40, 20])
    expect(batches.flat()).toEqual(commands)
  })

  it('join the batches of single commands without displacing any of them', async () => {
    const { operation, batches } = noting()
    const lane = makeLane({ commandsPerBatchMax: 3, bulkPerBatchMax: 2 })
    const bulk = lane.submitAll(operation, numbered('b', 5))
    const single = numbered('s', 7).map((command) => lane.submit(operation, command))
    await Promise.all([...bulk, ...single])
    expect(batches).toEqual([
      ['s0', 's1', 's2', 'b0', 'b1'],
      ['s3', 's4', 's5', 'b2', 'b3'],
      ['s6', 'b4'],
    ])
  })

  it('take turns with others: ten commands do not wait for the thousand before them', async () => {
    const { operation, batches } = noting()
    const lane = makeLane({ bulkPerBatchMax: 64 })
    const [many, few] = [
      lane.submitAll(operation, numbered('many', 1_000)),
      lane.submitAll(operation, numbered('few', 10)),
    ]
    await Promise.all([...many, ...few])
    expect(batches[0]?.filter((command) => command.startsWith('few'))).toEqual(numbered('few', 10))
    expect(batches.flat().filter((command) => command.startsWith('many'))).toEqual(numbered('many', 1_000))
  })

  it('are all accepted or none, and a full bulk queue refuses no single command', async () => {
    const { operation, batches } = noting()
    const lane = makeLane({ bulkWaitingMax: 10 })
    const taken = lane.submitAll(operation, numbered('a', 6))
    const refused = lane.submitAll(operation, numbered('b', 5))
    const goingOn = lane.submitAll(operation, numbered('d', 5), true)
    const single = lane.submit(operation, 's')
    for (const end of await Promise.allSettled(refused)) {
      expect(end).toMatchObject({ status: 'rejected', reason: expect.any(Unavailable) })
    }
    await Promise.all([...taken, ...goingOn, single])
    expect(batches.flat().toSorted()).toEqual([...numbered('a', 6), ...numbered('d', 5), 's'])
    await Promise.all(lane.submitAll(operation, numbered('c', 10)))
  })

  it('have no outcomes if there are none', async () => {
    const { operation, batches } = noting()
    expect(makeLane().submitAll(operation, [])).toEqual([])
    await new Promise((resolve) => setImmediate(resolve))
    expect(batches).toEqual([])
  })

  it('are finished by a lane that drains and takes no more', async () => {
    const { operation } = noting()
    const lane = makeLane({ bulkPerBatchMax: 2 })
    const before = lane.submitAll(operation, numbered('a', 5))
    const drained = lane.drain()
    const [after] = await Promise.allSettled(lane.submitAll(operation, ['late']))
    expect(after).toMatchObject({ status: 'rejected', reason: expect.any(Unavailable) })
    await drained
    expect(lane.waiting()).toBe(0)
    expect(await Promise.all(before)).toHaveLength(5)
  })
})

describe('when one of them fails', () => {
  it('because the database is away, those that still wait are rejected with it and never run; other lines go on', async () => {
    const { operation, batches } = noting()
    const lost = new Unavailable('The connection was lost.')
    let transactions = 0
    const lane = makeLane({
      bulkPerBatchMax: 64,
      transaction: (work) => (++transactions === 1 ? Promise.reject(lost) : work({} as Tx)),
    })
    const first = Promise.allSettled(lane.submitAll(operation, numbered('a', 100)))
    await untilHolds(() => expect(transactions).toBe(1))
    const second = lane.submitAll(operation, numbered('b', 100))
    const ends = await first
    expect(ends.filter((end) => end.status === 'rejected' && end.reason === lost)).toHaveLength(100)
    await Promise.all(second)
    expect(batches.flat()).toEqual(numbered('b', 100))
  })

  it('because the database goes away while a batch is split, those behind it never run', async () => {
    const { operation, batches } = noting()
    let transactions = 0
    const lane = makeLane({
      async transaction(work) {
        transactions += 1
        const outcomes = await work({} as Tx)
        if (transactions === 2) throw new Unavailable('The database cannot be reached right now.')
        return outcomes
      },
    })
    const ends = await Promise.allSettled(lane.submitAll(operation, ['a', 'b', 'poison', 'c']))
    expect(ends.filter((end) => end.status === 'rejected' && end.reason instanceof Unavailable)).toHaveLength(4)
    expect(batches).toEqual([
      ['a', 'b', 'poison', 'c'],
      ['a', 'b'],
    ])
  })

  it('for its own reason, the others are decided in their order', async () => {
    const { operation, batches } = noting()
    const lane = makeLane({ bulkPerBatchMax: 4 })
    const ends = await Promise.allSettled(lane.submitAll(operation, ['a', 'poison', 'b', 'c', 'd', 'e']))
    expect(ends.map((end) => (end.status === 'fulfilled' ? end.value : (end.reason as Error).message))).toEqual([
      'a done',
      'poisoned',
      'b done',
      'c done',
      'd done',
      'e done',
    ])
    const committed = batches.filter((commands) => !commands.includes('poison'))
    expect(committed.flat()).toEqual(['a', 'b', 'c', 'd', 'e'])
  })
})
