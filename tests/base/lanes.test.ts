import { describe, expect, it } from 'vitest'
import { Unavailable } from '#base/error.ts'
import { createLanes, type Operation } from '#base/lane.ts'
import { createMetrics } from '#base/metrics.ts'
import { useTestDatabase } from '#tests/support/database.ts'

const db = (await useTestDatabase()).connect()

const whereAmI: Operation<null, number> = {
  name: 'test.where',
  run: (tx, commands) => Promise.resolve(commands.map(() => tx.lane)),
}

/** The lanes of a process, and the names of the connections that they opened. */
function newLanes(options = {}) {
  const names: string[] = []
  const connection = (name: string) => {
    names.push(name)
    return db.connection(name)
  }
  return { names, lanes: createLanes({ db: { ...db, connection }, metrics: createMetrics() }, options) }
}

describe('the lanes of a process', () => {
  it('are one for each number, and are drained together', async () => {
    const { lanes, names } = newLanes()
    const answers = [1, 2, 1, 1].map((number) => lanes.of(number).submit(whereAmI, null))
    await lanes.drain()
    expect(await Promise.all(answers)).toEqual([1, 2, 1, 1])
    expect(lanes.of(1)).toBe(lanes.of(1))
    expect(names).toEqual(['lane 1', 'lane 2'])
    await expect(lanes.of(1).submit(whereAmI, null)).rejects.toBeInstanceOf(Unavailable)
  })

  it('tell each transaction its number, also when more lanes than connections take turns on them', async () => {
    const { lanes, names } = newLanes({ name: 'few', connectionsMax: 2 })
    const numbers = [1, 2, 3, 4, 5, 4, 3]
    expect(await Promise.all(numbers.map((number) => lanes.of(number).submit(whereAmI, null)))).toEqual(numbers)
    expect(names).toEqual(['few 1', 'few 2'])
    await lanes.drain()
  })

  it('take 128 commands in a batch, and let 4,096 callers wait', async () => {
    const { lanes } = newLanes()
    const sizes: number[] = []
    const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const held: Operation<null, number> = {
      name: 'test.held',
      async run(_tx, commands) {
        sizes.push(commands.length)
        begun.resolve()
        await gate.promise
        return commands.map(() => 0)
      },
    }
    const first = lanes.of(1).submit(held, null)
    await begun.promise
    const waiting = Array.from({ length: 4_096 }, () => lanes.of(1).submit(held, null))
    await expect(lanes.of(1).submit(held, null)).rejects.toBeInstanceOf(Unavailable)
    gate.resolve()
    await Promise.all([first, ...waiting])
    expect(sizes).toEqual([1, ...Array.from({ length: 32 }, () => 128)])
    await lanes.drain()
  })
})
