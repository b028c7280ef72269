// Audit entries that the dashboard's API writes itself, because it knows the user. Modules record their own actions in
// the transaction that performs them. A write that a user makes through an endpoint of /v1 is recorded before it runs:
// if the process dies in between, the log has an entry too many and never one too few. Of reads, only exports are
// recorded.

import type { AuditEntry } from '#audit/entry.ts'
import { recordEntry } from '#audit/record.ts'
import type { Actor, Context } from '#platform/context.ts'
import { briefMessage, type ApiError } from '#platform/errors.ts'
import type { SignedIn } from '#users/service.ts'
import type { Place } from './admit.ts'
import type { DashboardEndpoint, Visitor } from './endpoint.ts'

export type Acts = {
  /** Rejects if the entry could not be written; the action must then not be performed. */
  write(entry: AuditEntry): Promise<void>
  /** Records how an action ended. Never rejects, because the caller must get the outcome of the action itself. */
  ended(entry: AuditEntry): Promise<void>
  /** Records that a user tried a write that they are not permitted to do. Never rejects. */
  refused(refusal: Refusal): Promise<void>
}

export type Refusal = {
  endpoint: Pick<DashboardEndpoint, 'method' | 'path' | 'writes'>
  person: SignedIn
  place: Place
  visitor: Visitor
  error: ApiError
}

export function createActs(ctx: Context): Acts {
  const write = (entry: AuditEntry): Promise<void> =>
    ctx.db.transaction((tx) => {
      recordEntry(tx, ctx.clock.now(), entry)
      return Promise.resolve()
    })
  const tryToWrite = (entry: AuditEntry, otherwise: string): Promise<void> =>
    write(entry).catch((cause: unknown) =>
      ctx.log.warn({ requestId: entry.by.person?.requestId, error: briefMessage(cause) }, otherwise),
    )
  return {
    write,
    ended: (entry) => tryToWrite(entry, 'could not record in the audit log how an action ended'),
    async refused({ endpoint, person, place, visitor, error }) {
      // A step-up is part of normal use, and reads are not recorded.
      if (!endpoint.writes || error.code === 'STEP_UP_REQUIRED') return
      const { method, path } = endpoint
      const entry: AuditEntry = {
        by: actorOf(person, place, visitor),
        act: 'dashboard.asked',
        ...whoseOf(place),
        outcome: 'refused',
        details: { operation: `${method} ${path}`, code: error.code },
      }
      await tryToWrite(entry, 'could not record a refused attempt in the audit log')
    },
  }
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

/** The tenant that an action concerns, or the business if the action concerns the business as a whole. */
export function whoseOf({
  business,
  tenant,
}: Pick<Place, 'business' | 'tenant'>): Pick<AuditEntry, 'tenantId' | 'businessId'> {
  if (tenant !== undefined) return { tenantId: tenant.id }
  return business === undefined ? {} : { businessId: business }
}
