// What the audit log is told by the door itself. Rooms write what they do in the transaction that does it; what a person asks
// of the API's own endpoints is written before it is done: if the process dies in between, the log says too much and never
// too little. Reading is not written.

import type { Entry } from '#audit/entry.ts'
import { record } from '#audit/record.ts'
import type { Context } from '#platform/context.ts'
import { brief, type ApiError } from '#platform/errors.ts'
import type { SignedIn } from '#users/service.ts'
import type { Place } from './admit.ts'
import type { DashboardEndpoint, Visitor } from './endpoint.ts'
import { actorOf } from './request-guards.ts'

export type Acts = {
  /** Rejects when it could not be written: then it must not be done. */
  write(entry: Entry): Promise<void>
  /** Somebody tried what they may not. */
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
  const write = (entry: Entry): Promise<void> =>
    ctx.db.transaction((tx) => {
      record(tx, ctx.clock.now(), entry)
      return Promise.resolve()
    })
  return {
    write,
    async refused({ endpoint, person, place, visitor, error }) {
      // A code that is asked for is the usual way, and who may not look at a page has changed nothing.
      if (!endpoint.writes || error.code === 'STEP_UP_REQUIRED') return
      const { method, path } = endpoint
      const entry: Entry = {
        by: actorOf(person, place, visitor),
        act: 'dashboard.asked',
        ...whoseOf(place),
        outcome: 'refused',
        details: { operation: `${method} ${path}`, code: error.code },
      }
      await write(entry).catch((cause: unknown) =>
        ctx.log.warn({ requestId: visitor.requestId, error: brief(cause) }, 'a refusal could not be written down'),
      )
    },
  }
}

export function whoseOf({
  business,
  tenant,
}: Pick<Place, 'business' | 'tenant'>): Pick<Entry, 'tenantId' | 'businessId'> {
  if (tenant !== undefined) return { tenantId: tenant.id }
  return business === undefined ? {} : { businessId: business }
}
