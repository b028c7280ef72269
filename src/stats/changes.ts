// Notifies the open pages of this process of new stats. They find the changes of other processes by polling.

import type { Uuid } from '#platform/ids.ts'

type Watcher = (tenantIds: ReadonlySet<Uuid>) => void

const watchers = new Set<Watcher>()

/** Calls the watcher after each commit that changed stats of tenants. Returns a function that stops it. */
export function watchFigures(watcher: Watcher): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

/** Called after the commit. Most of the time there are no watchers, so the set is not even created. */
export function tellWatchers(rows: Iterable<{ tenantId: Uuid }>): void {
  if (watchers.size === 0) return
  const tenantIds = new Set([...rows].map(({ tenantId }) => tenantId))
  for (const watcher of watchers) watcher(tenantIds)
}
