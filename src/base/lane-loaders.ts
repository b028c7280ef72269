// Loaders of what lives in lanes: one for each lane, because no query spans two, made at first use. All of them share the
// connection of the readers, on which a query waits for nobody's transaction.

import type { Context } from './context.ts'
import { inLane, type InLane } from './db.ts'
import { createLoader, type Loader, type LoaderOptions } from './loader.ts'

export type LaneLoadersOptions<K, V> = Pick<LoaderOptions<K, V>, 'name' | 'keyText'> & {
  /** One query for many keys; the map is by `keyText`. Keys without a value are left out. */
  query: (lane: InLane, keys: K[]) => Promise<Map<string, V>>
}

/** Of rows that carry their own key. */
export type RowLoadersOptions<K, Row extends K> = Pick<LoaderOptions<K, Row>, 'name' | 'keyText'> & {
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

export type LaneLoaders<K, V> = { load(lane: number, key: K): Promise<V | undefined> }

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
