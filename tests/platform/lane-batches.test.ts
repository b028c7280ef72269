// How often a lane tries a batch, how it finds the command that fails one, and when it answers. The transactions are
// fakes.

import pg from 'pg'
import { describe, expect, it } from 'vitest'
import type { Tx } from '#platform/db/db.ts'
import { createLane, type Lane, type LaneOptions, type Operation } from '#platform/db/lane.ts'
import { createMetrics } from '#platform/observability/metrics.ts'

const run: LaneOptions['transaction'] = (work) => work({} as Tx)

function makeLane(transaction: LaneOptions['transaction'] = run, options: Partial<LaneOptions> = {}): Lane {
  return createLane({ name: 'test', metrics: createMetrics(), transaction, ...options })
}

const echo: Operation<string, string> = {
  name: 'echo',
  run: (_tx, commands) =>
    commands.includes('poison') ? Promise.reject(new Error('poisoned')) : Promise.resolve(commands),
}

describe('a batch', () => {
  it('that meets a deadlock each time is tried five times and then fails', async () => {
    const deadlock = Object.assign(new pg.DatabaseError('deadlock detected', 0, 'error'), { code: '40P01' })
    let tries = 0
    const lane = makeLane(() => {
      tries += 1
      return Promise.reject(deadlock)
    })
    await expect(lane.submit(echo, 'a')).rejects.toBe(deadlock)
    expect(tries).toBe(5)
  })

  it('that fails for another reason is not tried again', async () => {
    let tries = 0
    const lane = makeLane((work) => {
      tries += 1
      return run(work)
    })
    await expect(lane.submit(echo, 'poison')).rejects.toThrow('poisoned')
    expect(tries).toBe(1)
  })

  it('of 64 is halved until the failing command is alone: 13 transactions', async () => {
    const sizes: number[] = []
    const counted: Operation<string, string> = {
      name: 'counted',
      run: (tx, commands) => (sizes.push(commands.length), echo.run(tx, commands)),
    }
    const lane = makeLane()
    const commands = Array.from({ length: 64 }, (_, index) => (index === 63 ? 'poison' : `c${index}`))
    const ends = await Promise.allSettled(commands.map((command) => lane.submit(counted, command)))
    expect(ends.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([63])
    expect(sizes).toHaveLength(13)
  })

  it('is answered in the same turn of the event loop if no other command waits', async () => {
    const order: string[] = []
    const lane = makeLane(async (work) => {
      const outcomes = await run(work)
      setImmediate(() => order.push('next turn'))
      return outcomes
    })
    await lane.submit(echo, 'a').then(() => order.push('answered'))
    await new Promise((resolve) => setImmediate(resolve))
    expect(order).toEqual(['answered', 'next turn'])
  })
})

describe('callers whose commands come back as own work a second later', () => {
  it('have about half of each batch, not all of one batch and little of the next', async () => {
    const callers = 256
    const batchesOfASecond = 60
    const takenBy: number[] = []
    const lane = makeLane(
      async (work) => {
        const outcomes = await run(work)
        for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
        return outcomes
      },
      { commandsPerBatchMax: 128 },
    )
    const finish: Operation<null, void> = {
      name: 'finish',
      run: (_tx, commands) => Promise.resolve(commands.map(() => undefined)),
    }
    const accept: Operation<null, void> = {
      name: 'accept',
      run(_tx, commands) {
        takenBy.push(commands.length)
        const due = takenBy.at(-1 - batchesOfASecond) ?? 0
        for (let each = 0; each < due; each++) void lane.submitOwn(finish, null)
        return Promise.resolve(commands.map(() => undefined))
      },
    }
    const busy = async (): Promise<void> => {
      while (takenBy.length < 1_200) await lane.submit(accept, null)
    }
    await Promise.all(Array.from({ length: callers }, busy))
    await lane.drain()
    const settled = takenBy.slice(600, 1_200)
    expect(Math.min(...settled)).toBeGreaterThan(50)
    expect(Math.max(...settled)).toBeLessThan(78)
  })
})
