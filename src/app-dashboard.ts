// What the dashboard of an App stands on.

import type { Refusals } from '#audit/refusals.ts'
import type { Context } from '#base/context.ts'
import { Unavailable } from '#base/error.ts'
import { createListedBox } from '#base/secret-keys.ts'
import { createAssets } from '#http/dashboard/assets.ts'
import type { DashboardParts } from '#http/dashboard/dashboard.ts'
import type { Rooms } from '#http/routes.ts'
import { createPeople } from '#people/people.ts'
import type { AppOptions } from './app.ts'

/** Undefined where no people are served. */
export function dashboardPartsOf(
  ctx: Context,
  { config, secretKey, previousSecretKeys = [], dashboardAssets, dashboardSite }: AppOptions,
  rooms: Rooms,
  refusals: Refusals,
): DashboardParts | undefined {
  if (!config.dashboard) return undefined
  const people = createPeople(ctx, { box: createListedBox(ctx, { secretKey, previousSecretKeys }), refusals })
  const assets = dashboardSite === undefined ? noAssets : createAssets(dashboardSite)
  return { ctx, people, rooms, assets: dashboardAssets ?? assets }
}

function noAssets(): never {
  throw new Unavailable('The pages of the dashboard are not served here.')
}
