// The dashboard's API on one screen.

import type { Context } from '#base/context.ts'
import { dashboardPath, type Config } from '#config.ts'
import type { Endpoint } from '#http/endpoint.ts'
import type { Rooms } from '#http/routes.ts'
import type { People } from '#people/people.ts'
import type { Acts } from './acts.ts'
import type { DashboardAddress } from './address.ts'
import { businessEndpoints } from './business/endpoints.ts'
import type { DashboardEndpoint } from './endpoint.ts'
import { moneyEndpoints } from './money/endpoints.ts'
import { peopleEndpoints } from './people/endpoints.ts'
import { asDashboardEndpoint } from './v1.ts'

export type EndpointParts = {
  ctx: Context
  people: People
  rooms: Rooms
  /** The API's own. */
  v1: Endpoint[]
  acts: Acts
  config: Config
  /** Known once the server listens. */
  address: () => DashboardAddress
}

export function createDashboardEndpoints(parts: EndpointParts): DashboardEndpoint[] {
  const { people, v1, acts, address } = parts
  return [
    ...peopleEndpoints(people, () => `${address().origin}${dashboardPath}`),
    ...businessEndpoints(parts),
    ...moneyEndpoints(parts),
    ...v1.map((one) => asDashboardEndpoint(one, acts)),
  ]
}
