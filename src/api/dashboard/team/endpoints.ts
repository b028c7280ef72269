// All that is asked of the room of people, on one screen.

import type { DashboardEndpoint } from '#api/dashboard/endpoint.ts'
import type { People } from '#users/service.ts'
import { factorEndpoints, meEndpoints, signInsEndpoints } from './own-account.ts'
import { invitationEndpoints, teamEndpoints } from './team.ts'
import { linkEndpoints, signInEndpoints } from './sign-in.ts'

export function peopleEndpoints(people: People, url: () => string): DashboardEndpoint[] {
  return [
    ...signInEndpoints(people),
    ...linkEndpoints(people),
    ...meEndpoints(people),
    ...signInsEndpoints(people),
    ...factorEndpoints(people),
    ...teamEndpoints(people, url),
    ...invitationEndpoints(people, url),
  ]
}
