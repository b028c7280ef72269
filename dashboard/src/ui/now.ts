// The current time, for countdowns.

import { useSyncExternalStore } from 'react'

const second = 1_000

/** The current time in milliseconds, updated each second. */
export function useNow(): number {
  return useSyncExternalStore(tick, () => Math.floor(new Date().getTime() / second) * second)
}

function tick(changed: () => void): () => void {
  const timer = setInterval(changed, second)
  return () => clearInterval(timer)
}
