// Who is told at once of what this process has counted: pages that listen. Other processes' work they find by looking.

import type { Uuid } from '#platform/ids.ts'

type Watcher = (tenantIds: ReadonlySet<Uuid>) => void

const watchers = new Set<Watcher>()

/** Told after each commit in which something happened to these tenants. Watches until what it returns is called. */
export function watchFigures(watcher: Watcher): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

/** What was counted is committed. Nobody watches most of the time: then not even the set is made. */
export function tellWatchers(rows: Iterable<{ tenantId: Uuid }>): void {
  if (watchers.size === 0) return
  const tenantIds = new Set([...rows].map(({ tenantId }) => tenantId))
  for (const watcher of watchers) watcher(tenantIds)
}
