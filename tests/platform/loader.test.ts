import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { statement } from '#platform/db/db.ts'
import { Unavailable } from '#platform/errors.ts'
import { createLoader, type Loader, type LoaderOptions } from '#platform/db/loader.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { untilHolds } from '#tests/support/patience.ts'

const database = await useTestDatabase()

function controlled(options: Partial<LoaderOptions<number, string>> = {}) {
  const asked: { keys: number[]; answer: () => void; fail: (error: Error) => void }[] = []
  const loader = createLoader<number, string>({
    name: 'test',
    metrics: createMetrics(),
    keyText: String,
    query: (keys) =>
      new Promise((resolve, reject) => {
        const values = new Map(keys.filter((key) => key >= 0).map((key) => [String(key), `value ${key}`]))
        asked.push({ keys, answer: () => resolve(values), fail: reject })
      }),
    ...options,
  })
  const keys = (): number[][] => asked.map((query) => query.keys)
  return {
    loader,
    asked,
    keys,
    answer: (at: number) => asked[at]?.answer(),
    until: (count: number) => untilHolds(() => expect(asked).toHaveLength(count)),
  }
}

const load = (loader: Loader<number, string>, keys: number[]) => Promise.all(keys.map((key) => loader.load(key)))

describe('gathering', () => {
  it('sends one query for the keys of one turn, with each key once', async () => {
    const { loader, keys, answer, until } = controlled()
    const values = load(loader, [3, 1, 3, 2, 1])
    await until(1)
    expect(keys()).toEqual([[3, 1, 2]])
    answer(0)
    expect(await values).toEqual(['value 3', 'value 1', 'value 3', 'value 2', 'value 1'])
  })

  it('runs two queries at most; keys that arrive meanwhile share the next', async () => {
    const { loader, keys, answer, until } = controlled()
    const first = load(loader, [1])
    await until(1)
    const second = load(loader, [2])
    await until(2)
    const rest = Promise.all([load(loader, [3]), load(loader, [4, 5]), load(loader, [3])])
    await new Promise((resolve) => setImmediate(resolve))
    expect(keys()).toEqual([[1], [2]])
    answer(1)
    await until(3)
    expect(keys()).toEqual([[1], [2], [3, 4, 5]])
    answer(0)
    answer(2)
    expect(await Promise.all([first, second, rest])).toEqual([
      ['value 1'],
      ['value 2'],
      [['value 3'], ['value 4', 'value 5'], ['value 3']],
    ])
  })

  it('reads a key again if its query was already sent, so the value is never older than the call', async () => {
    const { loader, keys, answer, until } = controlled()
    const before = loader.load(1)
    await until(1)
    const after = loader.load(1)
    await until(2)
    expect(keys()).toEqual([[1], [1]])
    answer(1)
    expect(await after).toBe('value 1')
    answer(0)
    expect(await before).toBe('value 1')
  })

  it('limits the keys of a query', async () => {
    const { loader, keys, answer, until } = controlled({ keysPerQueryMax: 2 })
    const values = load(loader, [1, 2, 3, 4, 5])
    await until(2)
    answer(0)
    answer(1)
    await until(3)
    answer(2)
    expect(keys()).toEqual([[1, 2], [3, 4], [5]])
    expect(await values).toHaveLength(5)
  })
})

describe('answers', () => {
  it('resolves with undefined for a key that the database does not have', async () => {
    const { loader, answer, until } = controlled()
    const values = load(loader, [-1, 1, -2])
    await until(1)
    answer(0)
    expect(await values).toEqual([undefined, 'value 1', undefined])
  })

  it('rejects only the callers of a query that fails, and goes on', async () => {
    const { loader, asked, answer, until } = controlled()
    const failing = Promise.allSettled([loader.load(1), loader.load(2)])
    await until(1)
    const fine = loader.load(3)
    await until(2)
    asked[0]?.fail(new Error('query failed'))
    answer(1)
    const failed = { status: 'rejected', reason: { message: 'query failed' } }
    expect(await failing).toMatchObject([failed, failed])
    expect(await fine).toBe('value 3')
    const next = loader.load(1)
    await until(3)
    answer(2)
    expect(await next).toBe('value 1')
  })

  it('a query that throws, or a key without a text, breaks no later look-up', async () => {
    let broken = true
    const loader = createLoader<number, string>({
      name: 'test',
      metrics: createMetrics(),
      keyText: (key) => (key < 0 ? String(BigInt(key / 0)) : String(key)),
      query: (keys) => {
        if (broken) throw new Error('before the promise')
        return Promise.resolve(new Map(keys.map((key) => [String(key), 'fine'])))
      },
    })
    await expect(loader.load(1)).rejects.toThrow('before the promise')
    broken = false
    const [bad, good] = await Promise.allSettled([loader.load(-1), loader.load(1)])
    expect(bad.status).toBe('rejected')
    expect(good).toEqual({ status: 'fulfilled', value: 'fine' })
  })

  it('a loader with too many waiting keys refuses at once, and takes keys again when it has room', async () => {
    const { loader, answer, until } = controlled({ keysWaitingMax: 2 })
    const taken = load(loader, [1, 2])
    await expect(loader.load(3)).rejects.toBeInstanceOf(Unavailable)
    await until(1)
    const next = loader.load(3)
    answer(0)
    expect(await taken).toEqual(['value 1', 'value 2'])
    await until(2)
    answer(1)
    expect(await next).toBe('value 3')
  })
})

describe('on a database', () => {
  it('returns the value of each key, whatever is asked together', async () => {
    const connection = database.connect().connection('loader')
    const find = statement(
      'test.find',
      'select n, (n * n)::text as square from generate_series(0, 50, 2) as n where n = any($1::int[])',
    )
    const loader = createLoader<number, string>({
      name: 'squares',
      metrics: createMetrics(),
      keyText: String,
      keysPerQueryMax: 7,
      async query(keys) {
        const rows = await connection.query<{ n: number; square: string }>(find, [keys])
        return new Map(rows.map((row) => [String(row.n), row.square]))
      },
    })
    const naive = new Map(Array.from({ length: 26 }, (_, half) => [half * 2, String(half * half * 4)]))
    const turns = fc.array(fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 20 }), { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(turns, async (keysOfTurns) => {
        const asked: Promise<(string | undefined)[]>[] = []
        for (const keys of keysOfTurns) {
          asked.push(load(loader, keys))
          await new Promise((resolve) => setImmediate(resolve))
        }
        const expected = keysOfTurns.map((keys) => keys.map((key) => naive.get(key)))
        expect(await Promise.all(asked)).toEqual(expected)
      }),
      { numRuns: 60 },
    )
  })
})
