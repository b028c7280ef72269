// All that is asked of the room of people, on one screen.

import type { DashboardEndpoint } from '#api/dashboard/endpoint.ts'
import type { DashboardAddress } from '#api/dashboard/request-guards.ts'
import { dashboardPath } from '#config.ts'
import type { People } from '#users/service.ts'
import { factorEndpoints, meEndpoints, signInsEndpoints } from './own-account.ts'
import { passkeyEndpoints, passkeySignInEndpoints } from './passkeys.ts'
import { invitationEndpoints, teamEndpoints } from './team.ts'
import { linkEndpoints, signInEndpoints } from './sign-in.ts'

export function peopleEndpoints(people: People, address: () => DashboardAddress): DashboardEndpoint[] {
  const url = (): string => `${address().origin}${dashboardPath}`
  return [
    ...signInEndpoints(people),
    ...linkEndpoints(people),
    ...meEndpoints(people),
    ...signInsEndpoints(people),
    ...factorEndpoints(people),
    ...passkeySignInEndpoints(people, address),
    ...passkeyEndpoints(people, address),
    ...teamEndpoints(people, url),
    ...invitationEndpoints(people, url),
  ]
}
