// Waits until sessions wait for a lock, so that a test knows how far they have come.

import { expect } from 'vitest'
import { citusUrl, onEveryNode } from './citus.ts'
import { asOwner } from './owner.ts'
import { untilHolds } from './patience.ts'

type Database = { ownerUrl: string }

export async function waitingForLocks(database: Database): Promise<number> {
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  if (citusUrl === undefined) return (await asOwner(database, waiting)).length
  // On Citus the session waits at a worker, too.
  return (await onEveryNode(database.ownerUrl, [waiting])).flat().length
}

export function untilWaiting(database: Database, count: number): Promise<void> {
  return untilHolds(async () => expect(await waitingForLocks(database)).toBe(count))
}
