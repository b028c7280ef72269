// Events of the webhooks' own: samples and tests. They go through the pipe like every other one, under the tenant's lock.

import type { Context, Tenant } from '#base/context.ts'
import type { Operation } from '#base/lane.ts'
import type { EventPipe, NewEvent } from '#events/pipe.ts'
import { withTenants } from '#ledger/lock.ts'

export type EmitCommand = { tenant: Tenant; event: (atMs: number) => Omit<NewEvent, 'tenantId' | 'atMs' | 'sample'> }

/** What was written, as it was written. */
export function emitOperation(ctx: Context, events: EventPipe): Operation<EmitCommand, NewEvent> {
  return {
    name: 'webhooks.emit',
    async run(tx, commands) {
      await withTenants(
        tx,
        commands.map(({ tenant }) => tenant.id),
        (tenantIds) => events.expect(tx, tenantIds),
      )
      return commands.map(({ tenant, event }) => {
        const atMs = ctx.clock.now()
        const made = { ...event(atMs), tenantId: tenant.id, atMs, sample: true }
        events.emit(tx, made)
        return made
      })
    },
  }
}
