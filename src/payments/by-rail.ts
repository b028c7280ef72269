// Payments by the references under which their rails know them, for whoever holds a provider's list against ours.

import type { Context } from '#base/context.ts'
import { findManyByRailReference, type FoundByRail } from './sql-by-rail.ts'

export type { FoundByRail } from './sql-by-rail.ts'
export { readRailsLeft } from './sql-rail-change.ts'

export const railReferenceForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** By reference. What has another form is none of ours. */
export async function findByRailReferences(
  { db }: Pick<Context, 'db'>,
  lanes: number[],
  references: string[],
): Promise<Map<string, FoundByRail>> {
  const wanted = [...new Set(references.filter((reference) => railReferenceForm.test(reference)))]
  const found = wanted.length === 0 ? [] : await findManyByRailReference(db, lanes, wanted)
  return new Map(found.map(({ railReference, ...one }) => [railReference, one]))
}
