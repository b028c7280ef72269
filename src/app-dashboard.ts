// What the dashboard of an App stands on.

import type { Refusals } from '#audit/refusals.ts'
import type { Context } from '#base/context.ts'
import { Unavailable } from '#base/error.ts'
import { createSecretBox } from '#base/secret.ts'
import type { DashboardParts } from '#http/dashboard/dashboard.ts'
import type { Rooms } from '#http/routes.ts'
import { createPeople } from '#people/people.ts'
import type { AppOptions } from './app.ts'

/** Undefined where no people are served. */
export function dashboardPartsOf(
  ctx: Context,
  { config, secretKey, previousSecretKeys = [], dashboardAssets }: AppOptions,
  rooms: Rooms,
  refusals: Refusals,
): DashboardParts | undefined {
  if (!config.dashboard) return undefined
  const people = createPeople(ctx, { box: createSecretBox(secretKey, previousSecretKeys), refusals })
  return { ctx, people, rooms, assets: dashboardAssets ?? noAssets }
}

function noAssets(): never {
  throw new Unavailable('The pages of the dashboard are not served here.')
}
