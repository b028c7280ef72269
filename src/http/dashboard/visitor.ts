// Who comes, as rooms are told of it, and as the audit log names them.

import type { Actor } from '#base/context.ts'
import type { Exchange } from '#http/exchange.ts'
import type { SignedIn } from '#people/people.ts'
import type { Place } from './admit.ts'
import type { Tokens } from './cookies.ts'
import type { Visitor } from './endpoint.ts'

const deviceLengthMax = 300
/** What the audit log keeps of a request id that a caller chose. */
const requestIdLengthMax = 100

export function visitorOf({ request, callerAddress, requestId }: Exchange, { session, device }: Tokens): Visitor {
  return {
    address: callerAddress,
    device: (request.headers['user-agent'] ?? '').slice(0, deviceLengthMax),
    requestId: requestId.slice(0, requestIdLengthMax),
    token: session,
    confirmed: confirmedOf(request.headers['x-manilla-second']),
    ...(device === undefined ? {} : { deviceToken: device }),
  }
}

function confirmedOf(header: string | string[] | undefined): string | null {
  return typeof header === 'string' ? header : null
}

export function actorOf(
  person: SignedIn | undefined,
  { role }: Pick<Place, 'role'>,
  { address, device, requestId }: Visitor,
): Actor {
  if (person === undefined) return { kind: 'service', name: 'manilla', address }
  const { id, email: name } = person.person
  return { kind: 'person', name, address, person: { id, role, device, requestId } }
}
