// When the lease of a delivery ends, and when too little of it is left to begin an attempt.

/** For what this process may be slow at, between an answer and its record. */
const recordSlackMs = 5_000
/** How long a delivery may wait for its turn in the hand. */
const turnMsMax = 25_000

/** When this process dies with a delivery in hand, another one sends it so much later. */
export function leaseMsOf(attemptMs: number): number {
  return attemptMs + recordSlackMs + turnMsMax
}

/** So much of the lease has passed that an attempt could outlive it, and another process send it meanwhile. */
export function isLate(leaseEnd: Date, attemptMs: number, nowMs: number): boolean {
  return nowMs + attemptMs + recordSlackMs > leaseEnd.getTime()
}

/** Of an attempt beside the schedule: no row is due then, and no other process waits for it. */
export const noLease = new Date(0)
