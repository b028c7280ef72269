// All that is asked of the room of people, on one screen.

import type { DashboardEndpoint } from '#http/dashboard/endpoint.ts'
import type { People } from '#people/people.ts'
import { factorEndpoints } from './factors.ts'
import { invitationEndpoints } from './invitations.ts'
import { linkEndpoints } from './links.ts'
import { meEndpoints } from './me.ts'
import { signInEndpoints } from './sign-in.ts'
import { signInsEndpoints } from './sign-ins.ts'
import { teamEndpoints } from './team.ts'

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
