// Batches reads by key: while two queries run, keys queue, and the next query reads up to 256 of them. A query reads a
// key once, even if several callers want it.

import type { Context } from '#platform/context.ts'
import { Unavailable } from '#platform/errors.ts'
import type { Metrics } from '#platform/observability/metrics.ts'
import { inLane, type InLane } from './db.ts'

export type Loader<K, V> = {
  /** Resolves with the value that the database had at some moment after the call; undefined if it had none. */
  load(key: K): Promise<V | undefined>
}

export type LoaderOptions<K, V> = {
  name: string
  /** The keys of the map are results of `keyText`. A key that has no value is missing. */
  query: (keys: K[]) => Promise<Map<string, V>>
  keyText: (key: K) => string
  metrics: Metrics
  keysPerQueryMax?: number
  keysWaitingMax?: number
}

// Two, so that the process reads one result while the database runs the next query.
const queriesAtOnceMax = 2

type WaitingKey<K, V> = {
  key: K
  text: string
  resolve: (value: V | undefined) => void
  reject: (error: unknown) => void
}

export function createLoader<K, V>(options: LoaderOptions<K, V>): Loader<K, V> {
  const keysPerQueryMax = options.keysPerQueryMax ?? 256
  const keysWaitingMax = options.keysWaitingMax ?? 8_192
  let queue: WaitingKey<K, V>[] = []
  let running = 0
  let scheduled = false

  function pump(): void {
    scheduled = false
    while (queue.length > 0 && running < queriesAtOnceMax) {
      running += 1
      void ask(queue.splice(0, keysPerQueryMax))
    }
  }

  async function ask(batch: WaitingKey<K, V>[]): Promise<void> {
    const keys = new Map(batch.map(({ key, text }) => [text, key]))
    options.metrics.loaderBatchSize.observe({ loader: options.name }, keys.size)
    try {
      const values = await options.query([...keys.values()])
      for (const { text, resolve } of batch) resolve(values.get(text))
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    running -= 1
    pump()
  }

  return {
    load(key) {
      if (queue.length >= keysWaitingMax) {
        return Promise.reject(new Unavailable('Too many requests are waiting. Try again shortly.'))
      }
      return new Promise((resolve, reject) => {
        queue.push({ key, text: options.keyText(key), resolve, reject })
        if (scheduled || running >= queriesAtOnceMax) return
        scheduled = true
        setImmediate(pump)
      })
    },
  }
}

// Loaders for tables that are split by lane: one loader per lane, because a query reads one lane only. All of them
// share the connection `readers`, on which no query waits for a transaction.

type LaneLoadersOptions<K, V> = Pick<LoaderOptions<K, V>, 'name' | 'keyText'> & {
  query: (lane: InLane, keys: K[]) => Promise<Map<string, V>>
}

type RowLoadersOptions<K, Row extends K> = Pick<LoaderOptions<K, Row>, 'name' | 'keyText'> & {
  find: (lane: InLane, keys: K[]) => Promise<Row[]>
}

export function createRowLoaders<K, Row extends K>(
  ctx: Pick<Context, 'db' | 'metrics'>,
  { find, ...options }: RowLoadersOptions<K, Row>,
): LaneLoaders<K, Row> {
  const query = async (lane: InLane, keys: K[]): Promise<Map<string, Row>> =>
    new Map((await find(lane, keys)).map((row) => [options.keyText(row), row]))
  return createLaneLoaders(ctx, { ...options, query })
}

type LaneLoaders<K, V> = { load(lane: number, key: K): Promise<V | undefined> }

export function createLaneLoaders<K, V>(
  { db, metrics }: Pick<Context, 'db' | 'metrics'>,
  { name, keyText, query }: LaneLoadersOptions<K, V>,
): LaneLoaders<K, V> {
  const loaders = new Map<number, Loader<K, V>>()

  function loaderOf(number: number): Loader<K, V> {
    const found = loaders.get(number)
    if (found !== undefined) return found
    const lane = inLane(db.readers, number)
    const loader = createLoader<K, V>({ name, metrics, keyText, query: (keys) => query(lane, keys) })
    loaders.set(number, loader)
    return loader
  }

  return { load: (lane, key) => loaderOf(lane).load(key) }
}
