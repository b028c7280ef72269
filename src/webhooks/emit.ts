// Events that are made up: samples and tests. They go through the pipe like every other one, under the tenant's lock.

import type { Context, Tenant } from '#base/context.ts'
import { encodeBase32, formatId, newUuid, type Uuid } from '#base/ids.ts'
import type { Operation } from '#base/lane.ts'
import { testEvent, type EventName } from '#events/catalogue.ts'
import type { EventPipe, NewEvent } from '#events/pipe.ts'
import { withTenants } from '#ledger/lock.ts'
import { sampleOf } from './samples.ts'

export type EmitCommand = { tenant: Tenant; trace: string | null } & (
  | { kind: 'sample'; name: EventName }
  /** To one subscription alone, as this delivery, which the caller sends. */
  | { kind: 'test'; subscriptionId: Uuid; deliveryId: Uuid }
)

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
      return commands.map((command) => {
        const event = { ...madeUp(command, ctx.clock.now()), trace: command.trace }
        events.emit(tx, event)
        return event
      })
    },
  }
}

function madeUp(command: EmitCommand, atMs: number): NewEvent {
  const about = { tenantId: command.tenant.id, sourceId: newUuid(atMs), atMs, sample: true }
  if (command.kind === 'sample') return { ...about, name: command.name, ...sampleOf(command.name, atMs) }
  const { subscriptionId, deliveryId } = command
  return {
    ...about,
    name: testEvent,
    reference: `TEST-${encodeBase32(newUuid(atMs)).toUpperCase()}`,
    data: { webhookId: formatId('webhook', subscriptionId), message: 'This is a test. Nothing has happened.' },
    only: { subscriptionId, deliveryId },
  }
}
