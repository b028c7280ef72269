// All that is asked of the room of people, on one screen.

import type { DashboardEndpoint } from '#http/dashboard/endpoint.ts'
import { factorEndpoints } from './factors.ts'
import { linkEndpoints } from './links.ts'
import { meEndpoints, type MeOptions } from './me.ts'
import { signInEndpoints } from './sign-in.ts'
import { teamEndpoints, type TeamOptions } from './team.ts'

export function peopleEndpoints(options: MeOptions & TeamOptions): DashboardEndpoint[] {
  const { people } = options
  return [
    ...signInEndpoints(people),
    ...linkEndpoints(people),
    ...meEndpoints(options),
    ...factorEndpoints(people),
    ...teamEndpoints(options),
  ]
}
