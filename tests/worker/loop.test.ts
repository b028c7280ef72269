import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Unavailable } from '#platform/errors.ts'
import { createLog } from '#platform/observability/log.ts'
import { createLoop, type Loop } from '#worker/loops.ts'

let lines: string[]
let turns: number
let answers: (() => number | Promise<number>)[]
let loop: Loop

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  lines = []
  turns = 0
  answers = []
  const log = createLog({ level: 'info', format: 'json', write: (line) => lines.push(line) })
  loop = createLoop({
    name: 'test',
    everyMs: 1_000,
    log,
    // This is no async function, so it throws at once.
    turn: () => {
      turns += 1
      return Promise.resolve(answers.shift()?.() ?? 0)
    },
  })
})

afterEach(async () => {
  await loop.stop()
  vi.useRealTimers()
})

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms)

describe('a loop', () => {
  it('looks at once when it starts, and every so often after that', async () => {
    loop.start()
    await pass(0)
    expect(turns).toBe(1)
    await pass(999)
    expect(turns).toBe(1)
    await pass(1)
    expect(turns).toBe(2)
  })

  it('goes on at once as long as it finds something', async () => {
    answers = [() => 512, () => 512, () => 3]
    loop.start()
    await pass(0)
    expect(turns).toBe(4)
  })

  it('looks when it is woken, also when it is woken in the middle of a turn', async () => {
    const slow = Promise.withResolvers<number>()
    answers = [() => 0, () => slow.promise]
    loop.start()
    await pass(0)
    loop.wake()
    await pass(0)
    expect(turns).toBe(2)
    loop.wake()
    slow.resolve(0)
    await pass(0)
    expect(turns).toBe(3)
    await pass(999)
    expect(turns).toBe(3)
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('a bug')
      },
    ],
    ['rejects', () => Promise.reject(new Error('the database is gone'))],
  ])('goes on after a turn that %s, and says so', async (_how, fault) => {
    answers = [fault, fault]
    loop.start()
    await pass(0)
    await pass(1_000)
    await pass(1_000)
    expect(turns).toBe(3)
    expect(lines).toHaveLength(2)
    expect(lines[0]).toContain('loop failed')
  })

  it('stops after the turn under way, and looks no more', async () => {
    const slow = Promise.withResolvers<number>()
    answers = [() => slow.promise]
    loop.start()
    await pass(0)
    let stopped = false
    const stopping = loop.stop().then(() => (stopped = true))
    await pass(5_000)
    expect(stopped).toBe(false)
    slow.resolve(512)
    await stopping
    loop.wake()
    await pass(5_000)
    expect(turns).toBe(1)
  })

  it('can be started again', async () => {
    loop.start()
    await pass(0)
    await loop.stop()
    loop.start()
    await pass(0)
    expect(turns).toBe(2)
  })

  it('says once in one line that the database is away, then rarely, and that it works again', async () => {
    const away = (): never => {
      throw new Unavailable('The database cannot be reached right now.', { cause: new Error('ECONNREFUSED') })
    }
    answers = Array.from({ length: 301 }, () => away)
    loop.start()
    await pass(0)
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        level: 'warn',
        time: expect.any(String),
        loop: 'test',
        error: 'The database cannot be reached right now. (ECONNREFUSED)',
        retryMs: 1_000,
        msg: 'loop failed; it retries after retryMs',
      },
    ])
    await pass(299_000)
    expect(lines).toHaveLength(1)
    await pass(1_000)
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ failures: 300 })
    await pass(1_000)
    expect(lines.slice(2).map((line) => JSON.parse(line))).toMatchObject([{ level: 'info', failures: 301 }])
  })

  it('says again within five minutes that a loop which runs once a minute still fails', async () => {
    const log = createLog({ level: 'info', format: 'json', write: (line) => lines.push(line) })
    const rare = createLoop({ name: 'rare', everyMs: 60_000, log, turn: () => Promise.reject(new Error('away')) })
    rare.start()
    await pass(4 * 60_000)
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ loop: 'rare', retryMs: 60_000 }])
    await pass(60_000)
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ loop: 'rare', failures: 5 })
    await rare.stop()
  })
})
