// The records that are on screen, by their references: each part of a page adds its own and takes them back.

export type Shown = {
  /** Adds references until the returned function is called. */
  add: (references: readonly string[]) => () => void
  /** Calls `watcher` with all references now and after each change, until the returned function is called. */
  watch: (watcher: (references: readonly string[]) => void) => () => void
}

export function createShown(): Shown {
  const parts = new Set<readonly string[]>()
  const watchers = new Set<(references: readonly string[]) => void>()
  const tell = (): void => {
    for (const watcher of watchers) watcher([...parts].flat())
  }
  return {
    add(references) {
      parts.add(references)
      tell()
      return () => {
        parts.delete(references)
        tell()
      }
    },
    watch(watcher) {
      watchers.add(watcher)
      watcher([...parts].flat())
      return () => watchers.delete(watcher)
    },
  }
}

/** Limit of the server and of the length of an address. Records beyond it update at the next refresh. */
const namesMax = 100
const addressLengthMax = 6_000

export function namesOf(references: readonly string[]): string {
  const names = [...new Set(references)].toSorted().slice(0, namesMax)
  while (encodeURIComponent(names.join()).length > addressLengthMax) names.pop()
  return names.join()
}
