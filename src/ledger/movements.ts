// Finds the movements of one payment or deposit by the times at which they happened.

import type { Context, Tenant } from '#platform/context.ts'
import { inLane } from '#platform/db/db.ts'
import type { Uuid } from '#platform/ids.ts'
import { firstIdAt } from './chunks.ts'
import { readMovementsOf, type SourceMovement } from './entries.ts'
import { readSealedUntil } from './archive.ts'

export type { SourceMovement } from './entries.ts'

/** `count` is how many movements it made at that time. */
export type MovementCount = { at: Date; count: number }

/**
 * An id is newer than the date of its movement by how long its process waited before it dated it: milliseconds if
 * clocks agree.
 */
const idAheadMsMax = 10_000

/** `archivedUntil` is set if some of the movements were before it, in months that are in files. */
export type SourceMovements = { movements: SourceMovement[]; archivedUntil: Date | null }

/** Returns the movements in order. */
export async function movementsOf(
  { db }: Pick<Context, 'db'>,
  tenant: Tenant,
  sourceId: Uuid,
  moved: MovementCount[],
): Promise<SourceMovements> {
  const found = await Promise.all(
    moved.map(({ at, count }) => {
      const [from, before] = [firstIdAt(at), firstIdAt(new Date(at.getTime() + idAheadMsMax))]
      return readMovementsOf(db, tenant, sourceId, { from, before, count })
    }),
  )
  const each = new Map(found.flat().map((movement) => [movement.id, movement]))
  const sealed = await readSealedUntil(inLane(db, tenant.lane))
  return {
    movements: [...each.values()].toSorted((left, right) => (left.id < right.id ? -1 : 1)),
    archivedUntil: sealed !== undefined && moved.some(({ at }) => at < sealed) ? sealed : null,
  }
}
