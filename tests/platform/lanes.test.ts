import { describe, expect, it } from 'vitest'
import { Unavailable } from '#platform/errors.ts'
import { createLanes, type Operation } from '#platform/db/lane.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { useTestDatabase } from '#tests/support/database.ts'

const db = (await useTestDatabase()).connect()

const whereAmI: Operation<null, number> = {
  name: 'test.where',
  run: (tx, commands) => Promise.resolve(commands.map(() => tx.lane)),
}

function newLanes(options = {}) {
  const names: string[] = []
  const connection = (name: string) => {
    names.push(name)
    return db.connection(name)
  }
  const metrics = createMetrics()
  return { names, metrics, lanes: createLanes({ db: { ...db, connection }, metrics }, options) }
}

function holding() {
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
  return { held, sizes, begun: begun.promise, open: gate.resolve }
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

  it('pass the number of the lane to each transaction, also when several lanes share a connection', async () => {
    const { lanes, names } = newLanes({ name: 'few', connectionsMax: 2 })
    const numbers = [1, 2, 3, 4, 5, 4, 3]
    expect(await Promise.all(numbers.map((number) => lanes.of(number).submit(whereAmI, null)))).toEqual(numbers)
    expect(names).toEqual(['few 1', 'few 2'])
    await lanes.drain()
  })

  it('take the commands that arrive while another lane uses the connection into one batch, in order', async () => {
    const { lanes } = newLanes({ name: 'shared', connectionsMax: 1 })
    const busy = holding()
    const first = lanes.of(1).submit(busy.held, null)
    await busy.begun
    const batches: number[][] = []
    const noted: Operation<number, number> = {
      name: 'test.noted',
      run: (_tx, commands) => (batches.push(commands), Promise.resolve(commands)),
    }
    const answers: Promise<number>[] = []
    for (const command of [1, 2, 3]) {
      answers.push(lanes.of(2).submit(noted, command))
      await new Promise((resolve) => setImmediate(resolve))
      await new Promise((resolve) => setImmediate(resolve))
    }
    busy.open()
    expect(await Promise.all([first, ...answers])).toEqual([0, 1, 2, 3])
    expect(batches).toEqual([[1, 2, 3]])
    await lanes.drain()
  })

  it('measure each batch under the number of the lane, with the name of the group if it is not `lane`', async () => {
    const measured = async (options: object): Promise<unknown[]> => {
      const { lanes, metrics } = newLanes(options)
      for (const number of [1, 2]) await lanes.of(number).submit(whereAmI, null)
      const { values } = await metrics.laneSeconds.get()
      return values
        .filter(({ metricName }) => metricName?.endsWith('_count') === true)
        .map(({ labels, value }) => [labels.lane, value])
    }
    expect(await measured({})).toEqual([
      ['1', 1],
      ['2', 1],
    ])
    expect(await measured({ name: 'apart' })).toEqual([
      ['apart 1', 1],
      ['apart 2', 1],
    ])
  })

  it('take 256 commands of a bulk into a batch, and let 16,384 wait', async () => {
    const { lanes } = newLanes()
    const { held, sizes, begun, open } = holding()
    const first = lanes.of(1).submit(held, null)
    await begun
    const waiting = lanes.of(1).submitAll(
      held,
      Array.from({ length: 16_384 }, () => null),
    )
    await expect(lanes.of(1).submitAll(held, [null])[0]).rejects.toBeInstanceOf(Unavailable)
    open()
    await Promise.all([first, ...waiting])
    expect(sizes).toEqual([1, ...Array.from({ length: 64 }, () => 256)])
    await lanes.drain()
  })

  it('take 128 commands of callers in a batch, and let 4,096 callers wait', async () => {
    const { lanes } = newLanes()
    const { held, sizes, begun, open } = holding()
    const first = lanes.of(1).submit(held, null)
    await begun
    const waiting = Array.from({ length: 4_096 }, () => lanes.of(1).submit(held, null))
    await expect(lanes.of(1).submit(held, null)).rejects.toBeInstanceOf(Unavailable)
    open()
    await Promise.all([first, ...waiting])
    expect(sizes).toEqual([1, ...Array.from({ length: 32 }, () => 128)])
    await lanes.drain()
  })

  it('take 256 commands in a batch if some are own work of the service', async () => {
    const { lanes } = newLanes()
    const { held, sizes, begun, open } = holding()
    const first = lanes.of(1).submit(held, null)
    await begun
    const asked = Array.from({ length: 512 }, () => lanes.of(1).submit(held, null))
    const own = Array.from({ length: 512 }, () => lanes.of(1).submitOwn(held, null))
    open()
    await Promise.all([first, ...asked, ...own])
    expect(sizes).toEqual([1, 256, 256, 256, 238, 18])
    await lanes.drain()
  })
})
